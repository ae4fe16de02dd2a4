"""The last requests of a process: which exits run which hook, and what a forked child must forget.

lifecycle.install(processor)     # once a processor; a second call does nothing

| how the process ends                              | what writes the last requests                 |
|---------------------------------------------------|-----------------------------------------------|
| end of script, sys.exit, an exception, Ctrl-C     | atexit                                        |
| os.fork child that returns or calls sys.exit      | atexit, inherited                             |
| multiprocessing child (fork, forkserver, spawn)   | the threading module's own exit hook          |
| SIGTERM on a plain script; uvicorn, one process   | our handler, only where the default one stood |
| gunicorn (preload, gthread)                       | atexit                                        |
| uvicorn --workers, celery prefork, os._exit, -9   | nothing: all but the last milliseconds is     |
|                                                   | written, or all with durability="request"     |
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Final, Protocol

from .guest import say_once

_SIGTERM_S: Final = 2.0
"""How long a process that was told to end waits for its last requests, in seconds: it may be killed soon."""


class Lasting(Protocol):
    """What outlasts the app's last request: the spool's processor, or the endpoint's."""

    @property
    def exit_s(self) -> float:
        """How long a process that ends by itself waits for its last requests, in seconds."""
        ...

    def flush(self, timeout_s: float = ...) -> bool: ...

    def write_through(self) -> None:
        """From now on everything is written at once."""
        ...

    def after_fork(self) -> None:
        """In a forked child: what is queued is the parent's."""
        ...

    def postpone(self, callback: Callable[[], None]) -> bool:
        """Whether a signal interrupted this very processor, which then calls `callback` when it is done."""
        ...


_processors: tuple[weakref.ref[Lasting], ...] = ()  # replaced as a whole: a signal handler may read it
_hooked = threading.Event()


def install(processor: Lasting) -> None:
    """Has `processor` flushed at every exit that can be noticed, and made new in forked children."""
    global _processors  # noqa: PLW0603 - hooks are the process's, not an object's
    living = tuple(ref for ref in _processors if ref() is not None)
    if all(ref() is not processor for ref in living):
        _processors = (*living, weakref.ref(processor))
    if not _hooked.is_set():
        _hooked.set()
        atexit.register(_at_exit)
        _register_thread_exit()
        os.register_at_fork(after_in_child=_in_child)
    _take_sigterm()


def _register_thread_exit() -> None:
    """A private hook, but the only one that runs in multiprocessing's children."""
    register = getattr(threading, "_register_atexit", None)
    if register is None:
        return
    try:
        register(_at_exit)
    except RuntimeError:  # the interpreter ends already; then atexit has it
        return


def _take_sigterm() -> None:
    """Our handler, if and only if nobody else has one: a server's own shutdown stays its own."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return
    try:
        signal.signal(signal.SIGTERM, _on_sigterm)
    except ValueError:  # a sub-interpreter
        return


def _on_sigterm(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of handlers
    """Writes, then lets the signal do what it would have done without us."""
    if any(processor.postpone(_finish) for processor in _living()):
        return
    _finish()


def _finish() -> None:
    _flush_all(_SIGTERM_S)
    # Whoever replaced our handler and calls it from theirs decides alone whether the process ends.
    if signal.getsignal(signal.SIGTERM) is _on_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)


def _at_exit() -> None:
    _flush_all(None)


def _flush_all(at_most_s: float | None) -> None:
    """Flushes all; what still ends after this (a server's shutdown, other threads) is written at once."""
    for processor in _living():
        try:
            processor.flush(processor.exit_s if at_most_s is None else min(processor.exit_s, at_most_s))
            processor.write_through()
        except Exception:  # noqa: BLE001 - the way in which the app ends stays its own
            say_once("exit", "goldrank: an error inside goldrank while the process ends", traceback=True)


def _in_child() -> None:
    for processor in _living():
        processor.after_fork()


def _living() -> list[Lasting]:
    return [processor for ref in _processors if (processor := ref()) is not None]
