"""The workspace for the pages. This module is never reloaded: the hub switches Streamlit's file watcher off.

The hub calls `install` once, before the first page runs; tests install a workspace of their own.
"""

from __future__ import annotations

from ..actions.workspace import Workspace
from ..model import UsageError

_held: list[Workspace] = []


def install(workspace: Workspace | None) -> None:
    """Hands the hub's workspace to the pages; None takes it away."""
    _held[:] = [] if workspace is None else [workspace]


def workspace() -> Workspace:
    """What `install` was given."""
    if not _held:
        raise UsageError("The pages were started without their hub. Start them with `goldrank up`.")
    return _held[0]
