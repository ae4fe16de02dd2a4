"""What a worker's app started and put into a session of its own: the kill of the worker's group does not reach it."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MARK: Final = "GOLDRANK_REPLAY_WORKER"
"""Environment variable that every process which a worker starts inherits."""
_PROCESSES: Final = Path("/proc")
_ROUNDS: Final = 3
"""Looks at the processes: one may have started another one between the first and its end."""


def kill_marked(mark: str) -> None:
    """Ends every process that has inherited this mark. Only where /proc tells (Linux); elsewhere nothing is done."""
    entry = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        if not [pid for pid in _pids() if _kill_if(pid, entry)]:
            return


def _pids() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from (int(name) for name in os.listdir(_PROCESSES) if name.isdigit())  # noqa: PTH208 - hundreds of them


def _kill_if(pid: int, entry: bytes) -> bool:
    """Whether it was ended. It is held before it is looked at: its number cannot be another process's by then."""
    if not hasattr(os, "pidfd_open"):
        return False
    try:
        held = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if entry not in (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0"):
            return False
        signal.pidfd_send_signal(held, signal.SIGKILL)
    except OSError:
        return False  # another user's, or gone
    finally:
        os.close(held)
    return True
