"""Workers for one app: one for each app name and environment that requests were recorded under."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..evals.replay import PinChoice, Replayer
from ..model import StageKind
from ..model.replay import PlaceRan, ReplayOutcome
from .replay import ReplayDraft

_SEARCH: Final = frozenset({StageKind.REWRITE, StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER})
_NOT_TO_RUN: Final[dict[PinChoice, frozenset[StageKind]]] = {
    PinChoice.NONE: frozenset(),
    PinChoice.REWRITE: frozenset({StageKind.REWRITE}),
    PinChoice.CANDIDATES: _SEARCH,
    PinChoice.CONTEXT: _SEARCH | {StageKind.RERANK},
}
"""What a choice of pins promises not to run."""
_MOST = 4
"""Workers that are kept; each holds a whole app."""


class Replayers:
    """Runs drafts. Where the app's own init names neither app nor environment, those of the recorded request count."""

    def __init__(
        self,
        target: str,
        *,
        directory: Path,
        cwd: Path,
        timeout_s: float = 60.0,
        memory_mb: int | None = None,
        token: str | None = None,
    ) -> None:
        self.target = target
        """The app: `module:object` or an address."""
        self._directory, self._cwd, self._timeout_s = directory, cwd, timeout_s
        self._memory_mb, self._token = memory_mb, token
        self._made: dict[tuple[str, str], Replayer] = {}

    def run(self, draft: ReplayDraft) -> ReplayOutcome:
        """Runs one plan and waits for it."""
        place = (draft.app, draft.environment)
        if place not in self._made:
            while len(self._made) >= _MOST:
                self._made.pop(next(iter(self._made))).close()
            self._made[place] = Replayer(
                self.target,
                directory=self._directory,
                cwd=self._cwd,
                app=draft.app,
                environment=draft.environment,
                timeout_s=self._timeout_s,
                memory_mb=self._memory_mb,
                token=self._token,
            )
        return _with_live(draft, self._made[place].run(draft.plan))

    def close(self) -> None:
        """Ends every worker."""
        for replayer in self._made.values():
            replayer.close()
        self._made.clear()


def _with_live(draft: ReplayDraft, outcome: ReplayOutcome) -> ReplayOutcome:
    """The outcome that also names stages which ran although none of their kind was to: nothing was recorded of them, in
    a thread that had lost its request, say, so that no pin could name them."""
    recorded = {(stage.kind, stage.name) for stage in draft.stages}
    live = dict.fromkeys(
        f"{stage.name} ran live: nothing of it was recorded then, so that it could not be pinned"
        for stage in outcome.stages
        if stage.ran is PlaceRan.LIVE
        and stage.kind in _NOT_TO_RUN[draft.pins]
        and (stage.kind, stage.name) not in recorded
    )
    return outcome.model_copy(update={"unused": (*outcome.unused, *live)}) if live else outcome
