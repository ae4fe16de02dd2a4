"""Which process is this: the facts by which a reader can tell whether a writer still lives."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NamedTuple

_FIELD_AFTER_NAME = 19
"""Start time is field 22 of /proc/PID/stat; the name, field 2, may hold anything but ends at the last ")"."""


class Process(NamedTuple):
    """One process, named for ever by boot, pid and start."""

    host: str
    boot_id: str
    """Empty where the system has none (macOS)."""
    pid: int
    start_ticks: int
    """Clock ticks since boot; 0 where it is not known."""


def this_process() -> Process:
    """The process that calls."""
    pid = os.getpid()
    return Process(socket.gethostname(), boot_id(), pid, start_ticks(pid) or 0)


def boot_id() -> str:
    """The id of this boot of the machine, or empty.

    Read as bytes: naming a codec imports it at its first use, and a child forked in the midst of that import by
    another thread never gets it.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().decode().strip()
    except OSError:
        return ""


def start_ticks(pid: int) -> int | None:
    """When process `pid` started, in clock ticks since boot. None: no such process, or not known here."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    return int(stat.rpartition(b")")[2].split()[_FIELD_AFTER_NAME])
