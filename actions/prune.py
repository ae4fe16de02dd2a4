"""Old requests leave the store, and the disk has its room back."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import UsageError
from .workspace import Workspace


class Prune(BaseModel):
    """Which requests may go."""

    model_config = ConfigDict(frozen=True)

    before_ns: int
    """Those that started earlier."""
    dry_run: bool = False


class Pruned(BaseModel):
    """What went, or would go."""

    model_config = ConfigDict(frozen=True)

    dry_run: bool
    before_ns: int
    requests: int
    rows: dict[str, int]
    """Table -> rows."""
    kept: dict[str, int]
    """Why older requests stay, in words -> how many."""
    bytes_before: int
    """Of the store's file with its log; 0 where nothing goes."""
    bytes_after: int
    """In a dry run: about."""
    bytes_needed: int
    """So much must be free on the disk meanwhile."""
    bytes_free: int


def prune(workspace: Workspace, ask: Prune) -> Pruned:
    """Erases requests that started before, apart from those that somebody worked on, and rewrites the store."""
    now_ns = workspace.now_ns()
    if ask.before_ns > now_ns:
        raise UsageError("That time is in the future: everything would go. Name a time that has passed.")
    erased = workspace.store.erasures.prune(ask.before_ns, now_ns=now_ns, dry_run=ask.dry_run, tell=workspace.tell)
    return Pruned(
        dry_run=ask.dry_run,
        before_ns=ask.before_ns,
        requests=erased.requests_gone,
        rows=erased.rows,
        kept=erased.kept,
        bytes_before=erased.bytes_before,
        bytes_after=erased.bytes_after,
        bytes_needed=erased.bytes_needed,
        bytes_free=erased.bytes_free,
    )
