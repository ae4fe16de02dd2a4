"""Everything that is derived, made anew from what was recorded."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from .workspace import Workspace


class Reindex(BaseModel):
    """Asks for it."""

    model_config = ConfigDict(frozen=True)


class Reindexed(BaseModel):
    """What was done."""

    model_config = ConfigDict(frozen=True)

    requests: int
    """How many requests with labels, own or inherited, were examined."""
    composed: int = 0
    """How many requests were made anew from their stored spans."""


def reindex(workspace: Workspace, ask: Reindex) -> Reindexed:  # noqa: ARG001 - every action has this shape
    """Makes every request anew from its stored spans, then the tables for search, then examines the labelled ones."""
    from ..collectors.examiner import reindex as examine_all
    from ..collectors.recomposition import recompose_all

    def composed(done: int, total: int) -> None:
        workspace.tell(f"{done:,} of {total:,} requests read again")

    def examined(done: int, total: int) -> None:
        workspace.tell(f"{done:,} of {total:,} requests examined")

    made = recompose_all(workspace.store, composed)
    return Reindexed(requests=examine_all(workspace.store, examined), composed=made)
