"""The hub's desk for replays: the app it was started with, one replay at a time, batches in the background."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

from ..model import GoldrankError, Refused
from ..model.batch import BatchResult
from ..model.replay import ReplayOutcome
from .replay import ReplayDraft
from .replay_batch import (
    NextOfBatch,
    OneBatch,
    RecordResult,
    next_of_batch,
    open_batch,
    record_result,
    run_batch,
)
from .replayers import Replayers
from .workspace import Workspace

Answer = TypeVar("Answer")
_STOP_S: Final = 5.0


class ReplayDesk:
    """Runs the app in a worker of its own. All work is done by one long-lived thread, in the order of asking.

    A worker that was started by a page's thread could end with that thread, which lives for one page run.
    """

    def __init__(self, target: str, *, directory: Path, cwd: Path, timeout_s: float = 60.0) -> None:
        self.target = target
        """The app: `module:object` or an address."""
        self._directory, self._cwd, self._timeout_s = directory, cwd, timeout_s
        self._warm = self._make()
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._cancelled: set[str] = set()
        self._batches: dict[str, Future[None]] = {}
        """Batches that run or wait for their turn."""
        self._troubles: dict[str, str] = {}
        self._thread = threading.Thread(target=self._work, name="goldrank-replays", daemon=True)
        self._thread.start()

    def run(self, draft: ReplayDraft) -> ReplayOutcome:
        """Runs one plan after what was asked for earlier, and waits for it."""
        return self._later(lambda: self._warm.run(draft)).result()

    def start(self, workspace: Workspace, batch_id: str) -> None:
        """Goes on with a batch in the background. One that is at work already is left alone."""
        with self._lock:  # the work could end before it is noted down
            if batch_id not in self._batches:
                self._cancelled.discard(batch_id)
                self._troubles.pop(batch_id, None)
                self._batches[batch_id] = self._later(lambda: self._run_batch(workspace, batch_id))

    def wait(self, batch_id: str) -> None:
        """Returns when the batch has ended; what stopped it in the middle is raised."""
        work = self._batches.get(batch_id)
        if work is not None:
            work.result()

    def cancel(self, batch_id: str) -> None:
        """Stops a batch before its next request. What is done stays done, and it can go on later."""
        self._cancelled.add(batch_id)

    def works_on(self, batch_id: str) -> bool:
        """Whether the batch runs or waits for its turn."""
        return batch_id in self._batches

    def why_stopped(self, batch_id: str) -> str:
        """What ended the batch in the middle, when it ran here last; empty where nothing did."""
        return self._troubles.get(batch_id, "")

    def close(self) -> None:
        """Ends the worker; a batch at work stops before its next request."""
        self._stopping.set()
        self._jobs.put(None)
        self._thread.join(timeout=_STOP_S)
        self._warm.close()

    def _make(self) -> Replayers:
        return Replayers(self.target, directory=self._directory, cwd=self._cwd, timeout_s=self._timeout_s)

    def _run_batch(self, workspace: Workspace, batch_id: str) -> None:
        """In a worker of its own: what earlier replays left in the warm one must not help."""
        try:
            with closing(self._make()) as fresh:
                run_batch(
                    open_batch(workspace, OneBatch(batch_id=batch_id)),
                    LocalSteps(workspace),
                    fresh.run,
                    tell=_tell_nobody,
                    stopped=lambda: self._stopping.is_set() or batch_id in self._cancelled,
                )
        except GoldrankError as error:
            self._troubles[batch_id] = str(error)
            raise
        finally:
            with self._lock:
                self._batches.pop(batch_id, None)

    def _later(self, work: Callable[[], Answer]) -> Future[Answer]:
        if self._stopping.is_set():
            raise Refused("The hub is stopping: no replay is started any more.")
        future: Future[Answer] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
                future.set_exception(error)

        self._jobs.put(job)
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _tell_nobody(_line: str) -> None:
    """The page reads how far a batch has come from the store."""


class LocalSteps:
    """The steps of a batch on the workspace of this process."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def next(self, ask: NextOfBatch) -> ReplayDraft:
        """The plan of one request."""
        return next_of_batch(self._workspace, ask)

    def record(self, ask: RecordResult) -> BatchResult:
        """Judges and keeps what came of it."""
        return record_result(self._workspace, ask)


def required_desk(workspace: Workspace) -> ReplayDesk:
    """The desk of the hub; an error that says how to get one where the hub was started without an app."""
    desk = workspace.replays
    if not isinstance(desk, ReplayDesk):
        raise GoldrankError(
            "This hub knows no app to run requests with. Start it with one: "
            "goldrank up --app module:function, or --app http://… for an app with goldrank.replay_app."
        )
    return desk
