"""Why a replay, or a part of one, cannot be done as asked. The texts are for the person at the screen."""

from __future__ import annotations

from ...model.errors import UsageError


class NotRebuildable(UsageError):
    """What a stage returned cannot be made again from what was recorded."""


class CannotReplay(UsageError):
    """The request cannot be run as asked; nothing was run."""
