"""One face for all targets: `Replayer(target, directory=...).run(plan)`, in a worker process or over HTTP."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ...model import UsageError
from ...model.replay import ReplayOutcome, ReplayPlan, ReplayStatus
from .process import MAX_IDLE_S, Setup, Worker
from .remote import run_remote
from .target import Target, parse_target

TIMEOUT_S: Final = 60.0
START_TIMEOUT_S: Final = 120.0
TOKEN: Final = "GOLDRANK_REPLAY_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable with the token of `replay_app`."""


class Replayer:
    """Runs plans against one target, one at a time, from any thread.

    A worker that is warm keeps the app imported: caches, memories and globals of one replay are there in the next
    (`ReplayOutcome.warm`). A batch or a gate takes a Replayer of its own, so that it begins with a fresh process.
    """

    def __init__(
        self,
        target: str | Target,
        *,
        directory: Path,
        cwd: Path | None = None,
        app: str = "",
        environment: str = "",
        timeout_s: float = TIMEOUT_S,
        start_timeout_s: float = START_TIMEOUT_S,
        memory_mb: int | None = None,
        warm: bool = True,
        token: str | None = None,
        python: str = sys.executable,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """`directory` is the data folder whose spool takes the new requests; `cwd` is where the app is imported from.

        `app` and `environment` are used where neither the app's own init nor the environment says them. UsageError for
        a target or a token that is none. The worker is started by the first `run`.
        """
        self.target = parse_target(target) if isinstance(target, str) else target
        environ = os.environ if environ is None else environ
        self._token = (environ.get(TOKEN, "") if token is None else token).strip()
        if not self._token.isprintable():
            raise UsageError("The token of replay_app has a line break or another control character in it.")
        self._timeout_s = timeout_s
        self._start_timeout_s = start_timeout_s
        self._warm = warm
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._idle: threading.Timer | None = None
        self._setup = Setup(
            self.target.text,
            (cwd or Path.cwd()).resolve(),
            _environ(environ, directory, app, environment),
            memory_mb,
            python,
        )

    def run(self, plan: ReplayPlan, *, timeout_s: float | None = None) -> ReplayOutcome:
        """One replay. What the app does, crashing and hanging included, is told in the outcome and never raised."""
        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        with self._lock:
            if self.target.url:
                return run_remote(self.target.url, plan, token=self._token, timeout_s=timeout_s)
            worker, trouble = self._ready_worker()
            if worker is None:
                return _not_started(plan, trouble)
            outcome = worker.run(plan, timeout_s)
            if worker.retired or not self._warm:
                self._close()
            else:
                self._wait_idle()
            return outcome

    def _ready_worker(self) -> tuple[Worker | None, str]:
        """A worker that may be asked; (None, reason) where the app does not start."""
        if self._idle is not None:
            self._idle.cancel()
        if self._worker is not None and self._worker.why_not_again():
            self._close()
        if self._worker is None:
            try:
                worker = Worker(self._setup)
            except OSError as error:
                return None, f"The worker process cannot be started: {error}."
            trouble = worker.start(self._start_timeout_s)
            if trouble:
                output, _ = worker.take_output()
                worker.close()
                return None, f"{trouble}\n{output}" if output else trouble
            self._worker = worker
        return self._worker, ""

    def _wait_idle(self) -> None:
        self._idle = threading.Timer(MAX_IDLE_S + 1, self._end_idle)
        self._idle.daemon = True
        self._idle.start()

    def _end_idle(self) -> None:
        with self._lock:
            if self._worker is not None and self._worker.why_not_again():
                self._close()

    def _close(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def close(self) -> None:
        """Ends the worker, and everything that it started."""
        with self._lock:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _environ(given: Mapping[str, str], directory: Path, app: str, environment: str) -> dict[str, str]:
    """The worker's environment: recording goes to the spool of `directory`, and to no endpoint."""
    environ = {name: value for name, value in given.items() if name not in {"GOLDRANK_ENDPOINT", TOKEN}}
    environ["GOLDRANK_DIR"] = str(directory.resolve())
    if app and not environ.get("GOLDRANK_APP") and not environ.get("OTEL_SERVICE_NAME"):
        environ["GOLDRANK_APP"] = app
    if environment and not environ.get("GOLDRANK_ENVIRONMENT"):
        environ["GOLDRANK_ENVIRONMENT"] = environment
    return environ


def _not_started(plan: ReplayPlan, detail: str) -> ReplayOutcome:
    return ReplayOutcome(
        status=ReplayStatus.REFUSED, replay_of=plan.replay_of, detail=detail[:20_000], unreachable=True
    )
