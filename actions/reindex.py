"""Everything that is derived, made anew from what was recorded."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..collectors.examiner import reindex as examine_all
from .workspace import Workspace


class Reindex(BaseModel):
    """Asks for it."""

    model_config = ConfigDict(frozen=True)


class Reindexed(BaseModel):
    """What was done."""

    model_config = ConfigDict(frozen=True)

    requests: int
    """How many requests with labels, own or inherited, were examined."""


def reindex(workspace: Workspace, ask: Reindex) -> Reindexed:  # noqa: ARG001 - every action has this shape
    """Examines every labelled request under the rules of today."""

    def progress(done: int, total: int) -> None:
        workspace.tell(f"{done:,} of {total:,} requests examined")

    return Reindexed(requests=examine_all(workspace.store, progress))
