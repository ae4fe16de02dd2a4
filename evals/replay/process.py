"""The parent's side of a worker: started, asked, listened to, and ended whatever the app does in it.

The answer comes over a pipe of its own, so that neither a flood of output nor a thread or a process that the app
leaves behind can keep it back. What ends is the whole process group, and what left it (`leftovers`).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from ...model.replay import ReplayOutcome, ReplayPlan, ReplayStatus
from .captured import Captured
from .frames import LENGTH, MAX_ANSWER
from .leftovers import MARK, kill_marked

MAX_CALLS: Final = 200
"""Replays after which a worker is replaced."""
MAX_IDLE_S: Final = 15 * 60.0
_STACK_S: Final = 1.0
"""How long a worker that hangs has for telling where, and one that closed its pipes for ending by itself."""
_TICK_S: Final = 0.05
_STACK_MARKS: Final = ("Current thread 0x", "Thread 0x", "Fatal Python error")
_STACK_CHARS: Final = 10_000
_ROOT: Final = Path(__file__).resolve().parents[2]
_OURS: Final = (
    f'File "{_ROOT / "evals"}{os.sep}',
    f'File "{_ROOT / "tracing"}{os.sep}',
    f'File "{threading.__file__}"',
)
"""How faulthandler's lines begin in a thread that is goldrank's own."""


class Setup(NamedTuple):
    """How workers of one app are started."""

    target: str
    cwd: Path
    environ: Mapping[str, str]
    memory_mb: int | None = None
    python: str = sys.executable


class Heard(NamedTuple):
    """What was heard of a worker until it answered, ended, or its time was over."""

    message: dict[str, Any] | None
    """Its answer; None: there is none."""
    timed_out: bool = False


class Worker:
    """One process. After `retired` says why, it is closed and another one is needed."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._mark = secrets.token_hex(8)
        plans_read, self._plans = os.pipe()
        self._answers, answers_write = os.pipe()
        command = [setup.python, "-u", "-m", "goldrank.evals.replay.worker", str(plans_read), str(answers_write)]
        memory = [] if setup.memory_mb is None else [str(setup.memory_mb)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the interpreter that runs us, and our own module
                [*command, setup.target, *memory],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=setup.cwd,
                env={**setup.environ, MARK: self._mark},
                pass_fds=(plans_read, answers_write),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._plans)
            os.close(self._answers)
            raise
        finally:
            os.close(plans_read)
            os.close(answers_write)
        self._output = -1 if self._process.stdout is None else self._process.stdout.fileno()
        for fd in (self._plans, self._output, self._answers):
            os.set_blocking(fd, False)
        self._pidfd = os.pidfd_open(self._process.pid) if hasattr(os, "pidfd_open") else -1
        self._said = bytearray()
        self._captured = Captured()
        self._open = {self._output, self._answers}
        self._files: dict[str, int] = {}
        self._killed = False
        self.calls = 0
        self.idle_since = time.monotonic()
        self.retired = ""
        """Why it takes no more calls; empty while it does."""

    # What the parent does with it.

    def start(self, timeout_s: float) -> str:
        """Waits until the app is imported; the reason in words where it cannot be, else nothing."""
        heard = self._listen(timeout_s, b"")
        message = heard.message
        if message is not None and message.get("ready") is True:
            return ""
        self.retired = "it did not start"
        if message is not None:
            return str(message.get("detail", "it cannot be imported"))
        if heard.timed_out:
            return f"{self._setup.target} was not imported within {timeout_s:g} s.{self._where_it_hangs()}"
        return f"The process ended while it imported {self._setup.target}: {self._how_it_ended()}."

    def run(self, plan: ReplayPlan, timeout_s: float) -> ReplayOutcome:
        """One replay; whatever the app does is told in the outcome."""
        started = time.monotonic()
        warm = self.calls > 0
        self.calls += 1
        asked = json.dumps({"plan": plan.model_dump(mode="json"), "timeout_s": timeout_s}).encode()
        heard = self._listen(timeout_s, LENGTH.pack(len(asked)) + asked)
        outcome = self._outcome(plan, heard, timeout_s)
        output, dropped = self.take_output()
        self.idle_since = time.monotonic()
        said = {"output": output, "output_dropped": dropped, "seconds": time.monotonic() - started, "warm": warm}
        return outcome.model_copy(update=said)

    def take_output(self) -> tuple[str, int]:
        """What was printed since the last time, and how many bytes of it are left out."""
        captured, self._captured = self._captured, Captured()
        return captured.text(), captured.dropped

    def why_not_again(self) -> str:
        """Why it must not be asked once more; empty where it may."""
        if self.retired:
            return self.retired
        if self._has_ended():
            return "it has ended"
        if self.calls >= MAX_CALLS:
            return f"it ran {MAX_CALLS} replays"
        if time.monotonic() - self.idle_since > MAX_IDLE_S:
            return "it was idle for 15 minutes"
        changed = next((path for path, then in self._files.items() if _changed(path, then)), None)
        return "" if changed is None else f"{changed} was changed"

    def close(self) -> None:
        """Ends the process and everything in its group."""
        self.retired = self.retired or "it is closed"
        self._kill_group()
        self._process.wait()
        for fd in (self._plans, self._answers, self._pidfd):
            if fd >= 0:
                with contextlib.suppress(OSError):
                    os.close(fd)
        self._plans = self._answers = self._pidfd = -1
        if self._process.stdout is not None:
            self._process.stdout.close()

    # Listening.

    def _listen(self, timeout_s: float, to_send: bytes) -> Heard:
        """Sends, and hears until there is an answer, the process is gone, or the time is over."""
        deadline = time.monotonic() + timeout_s
        waiting = memoryview(to_send)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return Heard(None, timed_out=True)
            waiting = self._turn(left, waiting)
            message = self._message()
            if message is not None:
                self._drain(0)
                return Heard(message)
            if self._answers not in self._open or self._has_ended():
                self._drain(_TICK_S)
                message = self._message()
                return Heard(message)

    def _turn(self, left: float, waiting: memoryview) -> memoryview:
        """Waits for anything to read or to write, once."""
        ended = [self._pidfd] if self._pidfd >= 0 else []
        most = left if ended else min(left, _TICK_S)
        readable, writable, _ = select.select([*self._open, *ended], [self._plans] if waiting else [], [], most)
        for fd in readable:
            if fd in self._open:
                self._read(fd)
        if writable:
            try:
                waiting = waiting[os.write(self._plans, waiting) :]
            except BlockingIOError:
                return waiting
            except OSError:
                return waiting[len(waiting) :]  # its end is closed: that it has ended is seen next
        return waiting

    def _read(self, fd: int) -> int:
        """Takes what is there; how many bytes."""
        try:
            data = os.read(fd, 1 << 18)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self._open.discard(fd)
        elif fd == self._output:
            self._captured.add(data)
        elif len(self._said) <= MAX_ANSWER + LENGTH.size:
            self._said += data
        return len(data)

    def _drain(self, wait_s: float) -> None:
        """Reads what was printed before now."""
        while self._output in self._open:
            readable, _, _ = select.select([self._output], [], [], wait_s)
            if not readable or not self._read(self._output):
                return

    def _message(self) -> dict[str, Any] | None:
        """The next whole message; one that is too long or none ends the worker."""
        if len(self._said) < LENGTH.size:
            return None
        length = LENGTH.unpack(self._said[: LENGTH.size])[0]
        if length > MAX_ANSWER:
            self.retired = "it sent something that is no answer"
            self._kill_group()
            return None
        if len(self._said) < LENGTH.size + length:
            return None
        body = bytes(self._said[LENGTH.size : LENGTH.size + length])
        del self._said[: LENGTH.size + length]
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self.retired = "it sent something that is no answer"
            return {}
        files = message.get("files")
        if isinstance(files, dict):
            self._files.update({path: then for path, then in files.items() if isinstance(then, int)})
        return message

    # What came of it.

    def _outcome(self, plan: ReplayPlan, heard: Heard, timeout_s: float) -> ReplayOutcome:
        if heard.timed_out:
            self.retired = "it did not answer in time"
            where = self._where_it_hangs()
            return _ended(plan, ReplayStatus.TIMED_OUT, f"No answer within {timeout_s:g} s.{where}")
        if heard.message is None:
            detail = self.retired or f"The process ended in the middle: {self._how_it_ended()}."
            self.retired = self.retired or "it crashed"
            return _ended(plan, ReplayStatus.CRASHED, f"{detail}{self._stack()}")
        if heard.message.get("left"):
            self.retired = "the app called exit()"
        try:
            outcome = ReplayOutcome.model_validate(heard.message.get("outcome"))
        except ValidationError:
            self.retired = "it sent something that is no answer"
            return _ended(plan, ReplayStatus.CRASHED, "The worker sent something that is no outcome.")
        return outcome.model_copy(update={"replay_of": plan.replay_of})

    def _has_ended(self) -> bool:
        """Without reaping it: its id stays taken until its group is killed."""
        if self._process.returncode is not None:
            return True
        if self._pidfd >= 0:
            return bool(select.select([self._pidfd], [], [], 0)[0])
        return self._process.poll() is not None

    def _how_it_ended(self) -> str:
        deadline = time.monotonic() + _STACK_S
        while not self._has_ended() and time.monotonic() < deadline:  # it has closed its pipes, and is about to
            self._drain(_TICK_S)
            select.select([self._pidfd] if self._pidfd >= 0 else [], [], [], _TICK_S)
        self._drain(0)
        self._kill_group()
        code = self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"

    def _where_it_hangs(self) -> str:
        """Asks it for the stacks of its threads, then ends it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGUSR1)
        deadline = time.monotonic() + _STACK_S
        while not self._stack() and (left := deadline - time.monotonic()) > 0 and self._output in self._open:
            if select.select([self._output], [], [], left)[0]:
                self._read(self._output)
        self._drain(_TICK_S)
        stack = self._stack()
        self._kill_group()
        self._process.wait()
        self._drain(_TICK_S)
        return stack

    def _stack(self) -> str:
        """What faulthandler printed last, without the threads that are goldrank's own."""
        text = self._captured.text()[-_STACK_CHARS:]
        places = [place for mark in _STACK_MARKS if (place := text.find(mark)) >= 0]
        if not places:
            return ""
        parts = text[min(places) :].split("\n\n")
        return "\n" + "\n\n".join(part for part in parts if not _is_ours(part))

    def _kill_group(self) -> None:
        """Ends it and everything that it started."""
        if self._killed:
            return  # its number may be another process's by now
        self._killed = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        kill_marked(self._mark)


def _is_ours(part: str) -> bool:
    """Whether a thread in faulthandler's output is goldrank's own: its frames are ours and a thread's beginning."""
    places = [line.strip() for line in part.splitlines() if line.startswith("  File ")]
    return bool(places) and all(place.startswith(_OURS) for place in places)


def _ended(plan: ReplayPlan, status: ReplayStatus, detail: str) -> ReplayOutcome:
    return ReplayOutcome(status=status, replay_of=plan.replay_of, detail=detail[:20_000])


def _changed(path: str, then: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns != then  # noqa: PTH116 - thousands of them
    except OSError:
        return True
