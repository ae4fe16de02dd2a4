"""Does a segment's writer still live? Asked by its lock; where there are no locks, by process and age."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .process import boot_id, start_ticks, this_process
from .segment import NO_LOCK, NO_LOCKS_HERE, REFRESH_S

if TYPE_CHECKING:
    from ...model.spool import SegmentHeader

_GONE_S: Final = 600.0
"""A writer without a lock that has not touched its file for so long is gone, wherever it runs."""
_MISSED_S: Final = 3 * REFRESH_S
"""One whose process cannot be found must have missed three touches too: it may live in another container."""


def is_alive(path: Path, header: SegmentHeader | None) -> bool:
    """Whether the writer of the visible segment at `path` may still append. Raises FileNotFoundError."""
    locked = is_locked(path)
    if locked is not None and (locked or header is None or header.lock != NO_LOCK):
        return locked
    age = seconds_since_change(path)
    return age < (_MISSED_S if header and _is_absent(header) else _GONE_S)


def is_locked(path: Path) -> bool | None:
    """Whether some process holds the lock of the file. None: the file system has no locks.

    Asking takes a shared lock for a moment. A writer locks its file before the file has its visible name,
    so asking about visible files is never in a writer's way. Raises FileNotFoundError.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno in NO_LOCKS_HERE:
            return None
        raise
    finally:
        os.close(fd)
    return False


def seconds_since_change(path: Path) -> float:
    """Age of the file's last change; negative where the clock was set back. 0 if there is no such file."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _is_absent(header: SegmentHeader) -> bool:
    """Whether the header's process ran on this machine and boot, and is not here. Never by pid alone."""
    here = this_process()
    if not header.boot_id or header.boot_id != boot_id() or header.host != here.host or not header.start_ticks:
        return False
    return start_ticks(header.pid) != header.start_ticks
