"""Stories replayed: recorded as they stand, run again on `story_app` in a worker process, and compared.

One store and one worker serve all stories of a test run: starting a worker costs more than all of its replays.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from feeding import feeding
from goldrank.actions import Promote, SaveLabels, Workspace, promote, save_labels
from goldrank.actions.replay import DraftReplay, FinishReplay, Replayed, draft_replay, finish_replay
from goldrank.actions.replayers import Replayers
from goldrank.evals.replay import PinChoice
from goldrank.model import StageKind
from goldrank.model.replay import PlaceRan
from pipelines import corpus_of, pipeline_of
from ranked import T0_NS, make_labels, make_manifest, make_spans
from reporting import describe_request

HERE = Path(__file__).parent


class Recorded(NamedTuple):
    """A story in the store."""

    request_id: str
    described: dict[str, Any]


class Replays:
    """Records stories and replays them. What a case expects is not read here."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self._app = folder / "app"
        (self._app / "stories").mkdir(parents=True)
        shutil.copy(HERE / "story_app.py", self._app)
        self._feed = self._stack.enter_context(feeding(folder))
        self._workspace = Workspace(store=self._feed.store, spool=folder / "spool", who="case", now_ns=lambda: T0_NS)
        replayers = Replayers("story_app:answer", directory=folder, cwd=self._app)
        self._replayers = self._stack.enter_context(closing(replayers))
        self._recorded: dict[Path, Recorded] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def recorded(self, path: Path) -> dict[str, Any]:
        """The story as it was recorded (`reporting.describe_request`)."""
        return self._record(path).described

    def replay(
        self, path: Path, *, overrides: tuple[str, ...] = (), pins: PinChoice = PinChoice.NONE
    ) -> dict[str, Any]:
        """Runs it again: outcome, request, and where the golds were and are in each list.

        `golds` is list -> (then, now), each the best rank of a gold or None. `request` is the new one as
        `reporting.describe_request` says it. NotExpressible where the app cannot be made from the recording.
        """
        request_id = self._record(path).request_id
        draft = draft_replay(self._workspace, DraftReplay(request=request_id, overrides=overrides, pins=pins))
        done = finish_replay(self._workspace, FinishReplay(outcome=self._replayers.run(draft)))
        outcome = done.outcome
        if done.compared is None:
            raise AssertionError(f"the replay {outcome.status.value}: {outcome.detail} {outcome.output}")
        return {
            "status": outcome.status.value,
            "unused": list(outcome.unused),
            "pinned": [stage.name for stage in outcome.stages if stage.ran is PlaceRan.PINNED],
            "refused": [f"{stage.name}: {stage.reason}" for stage in draft.refused],
            "request": describe_request(self._feed.store, done.compared.now.request_id),
            "golds": _golds(done),
            "sentence": done.compared.comparison.sentence,
        }

    def _record(self, path: Path) -> Recorded:
        if path not in self._recorded:
            self._recorded[path] = self._send(story_of(path), path.stem, len(self._recorded) + 1)
        return self._recorded[path]

    def _send(self, case: Mapping[str, Any], name: str, number: int) -> Recorded:
        story = {**case, "session": name, "corpus": corpus_of(case)}
        made = pipeline_of(story, name, str(number))
        (self._app / "stories" / f"{name}.json").write_text(json.dumps(made), encoding="utf-8")
        self._feed.send_corpus(make_manifest(story["corpus"], str(number), index=name))
        sent = make_spans(story, number, version=str(number), index=name)
        self._feed.send(sent.spans)
        self._feed.ingest()
        labels = make_labels(case["gold"])
        save_labels(self._workspace, SaveLabels(request_id=sent.request_id, labels=labels))
        promote(self._workspace, Promote(request_id=sent.request_id))
        return Recorded(sent.request_id, describe_request(self._feed.store, sent.request_id))


def story_of(path: Path) -> dict[str, Any]:
    """The story of a file: its own keys, or a `trace` with the gold beside it."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    case.pop("expect", None)
    return {**case["trace"], "gold": case.get("gold", ())} if "trace" in case else case


def _golds(done: Replayed) -> dict[str, tuple[int | None, int | None]]:
    assert done.compared is not None
    found: dict[str, tuple[int | None, int | None]] = {}
    for pair in done.compared.comparison.stages:
        if pair.kind in {StageKind.RETRIEVE, StageKind.FUSE, StageKind.RERANK}:
            moves = [move for move in pair.moves if move.gold]
            then = min((move.then for move in moves if move.then), default=None)
            found[pair.name] = then, min((move.now for move in moves if move.now), default=None)
    return found
