"""The process in which an app's requests are run again.

    python -m goldrank.evals.replay.worker RFD WFD TARGET [MEMORY_MB]

It reads plans from the pipe RFD and answers on the pipe WFD. What the app prints goes to stdout and stderr, which its
parent captures. It never opens the store: what is recorded goes to the spool of the data folder that GOLDRANK_DIR
names. It must lead its own process group, which ends with it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ...model import UsageError
from ...model.replay import ReplayPlan
from ...tracing import init, settings
from ...tracing.replaying.running import run_replay, sendable
from ...tracing.switching import keep_directory
from .frames import MAX_PLAN, read_frame, write_frame
from .target import Loaded, load, parse_target

STACK_SIGNAL: Final = signal.SIGUSR1
"""Makes the worker print where each of its threads is, also when they hang."""
_SPARE_S: Final = 10
"""How much later than its parent would a worker ends a call by itself."""
_OURS_ALONE: Final = False
"""The pipes are not handed on to what the app starts."""


def main(arguments: list[str]) -> int:
    """Serves plans until the parent closes its end."""
    plans_fd, answers_fd, target = int(arguments[0]), int(arguments[1]), arguments[2]
    for fd in (plans_fd, answers_fd):
        os.set_inheritable(fd, _OURS_ALONE)
    faulthandler.enable(file=2)
    faulthandler.register(STACK_SIGNAL, file=2)
    if len(arguments) > 3:
        _limit_memory(int(arguments[3]))
    sys.argv[1:] = []  # what stands there is ours: an app that reads its command line finds it empty
    plans: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_watch, args=(plans_fd, plans), name="goldrank-replay-parent", daemon=True).start()
    worker = _Worker(answers_fd)
    loaded = worker.load(target)
    if loaded is None:
        return 0
    while True:
        worker.answer(loaded, json.loads(plans.get()))


def _watch(fd: int, plans: queue.SimpleQueue[bytes]) -> None:
    """Takes in plans. When the parent is gone, this process and all that it started end, hung or not."""
    while (frame := read_frame(fd, MAX_PLAN)) is not None:
        plans.put(frame)
    try:
        os.killpg(os.getpid(), signal.SIGKILL)
    finally:
        os._exit(1)


def _limit_memory(megabytes: int) -> None:
    import resource

    limit = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _limit_cpu(seconds: float) -> None:
    """A worker that hangs in C, deaf to everything, ends even when its parent was killed."""
    import resource

    used = sum(os.times()[:2])
    soft = int(used + seconds * (os.cpu_count() or 1)) + _SPARE_S
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


class _Worker:
    def __init__(self, answers_fd: int) -> None:
        self._fd = answers_fd
        self._pid = os.getpid()
        self._told: set[str] = set()
        self._roots: tuple[str, ...] = (str(Path.cwd()),)
        self._runs = 0

    def load(self, text: str) -> Loaded | None:
        """Imports the app, switches recording on, and says so; None where it cannot be."""
        cwd = Path.cwd()
        keep_directory(Path(os.environ.get("GOLDRANK_DIR") or ".goldrank").absolute())
        try:
            loaded = load(parse_target(text), cwd)
            if settings() is None:
                init()
        except UsageError as error:
            self._send({"ready": False, "detail": str(error)})
            return None
        self._roots = (str(cwd), *_package_folder(loaded.module))
        self._send({"ready": True})
        return loaded

    def answer(self, loaded: Loaded, asked: dict[str, Any]) -> None:
        """Runs one plan and sends its outcome."""
        plan = ReplayPlan.model_validate(asked["plan"])
        timeout_s = float(asked["timeout_s"])
        _limit_cpu(timeout_s)
        # From a thread of its own without Python: it ends a call that hangs in C when the parent is no more there to.
        faulthandler.dump_traceback_later(timeout_s + _SPARE_S, exit=True, file=2)
        outcome, left = run_replay(loaded.function, plan, script=loaded.module, warm=self._runs > 0)
        if os.getpid() != self._pid:
            os._exit(
                0
            )  # a child that the app forked, and let return: the watch's thread, which is awaited next, is not here
        faulthandler.cancel_dump_traceback_later()
        self._runs += 1
        self._send({"outcome": json.loads(sendable(outcome)), "left": left})

    def _send(self, message: dict[str, Any]) -> None:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                continue  # the app closed it, or put something else there
        message["files"] = self._new_files()
        write_frame(self._fd, json.dumps(message).encode())

    def _new_files(self) -> dict[str, int]:
        """Sources of modules that were imported since the last answer, of the app alone -> time of change in ns."""
        found: dict[str, int] = {}
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if not isinstance(path, str) or path in self._told or not _is_of_app(path, self._roots):
                continue
            self._told.add(path)
            try:
                found[path] = os.stat(path).st_mtime_ns  # noqa: PTH116 - thousands of them
            except OSError:
                continue  # from an archive, or gone: it cannot change
        return found


def _package_folder(module: ModuleType) -> tuple[str, ...]:
    """Where the app's top package lies, if not below the working directory."""
    top = sys.modules.get(module.__name__.partition(".")[0])
    path = getattr(top, "__file__", None)
    return (os.path.dirname(path),) if isinstance(path, str) and os.path.basename(path) == "__init__.py" else ()  # noqa: PTH119, PTH120


def _is_of_app(path: str, roots: tuple[str, ...]) -> bool:
    if "site-packages" in path or f"{os.sep}lib{os.sep}python" in path:
        return False
    return any(path.startswith(f"{root.rstrip(os.sep)}{os.sep}") for root in roots)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
