"""One open segment: a file of the spool that this process alone appends to, and whose lock says that it lives."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import time
from pathlib import Path
from typing import Final

from ...model.frame_kind import FrameKind
from . import frames
from .process import this_process

SUFFIX: Final = ".seg"
FLOCK: Final = "flock"
NO_LOCK: Final = "none"
REFRESH_S: Final = 10.0
"""Without a lock the file is touched this often, in seconds, as the sign of life."""

NO_LOCKS_HERE: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS})
_TRIES: Final = 3

_open_files: set[int] = set()
"""Descriptors of all segments that this process has open, also of those being made or closed just now."""


def close_inherited() -> None:
    """In a forked child: closes the parent's segments, which would look alive for as long as the child lives.

    The parent's locks stay, because a lock belongs to the file as the parent opened it.
    """
    while _open_files:
        os.close(_open_files.pop())


class Segment:
    """Made by `create`. Not thread-safe: its owner holds a lock around every call."""

    def __init__(self, path: Path, fd: int, *, lock: str, size: int) -> None:
        self.path = path
        self.fd = fd
        self.lock = lock
        self.size = size
        """Bytes of whole frames; the file is never longer for long."""
        self.header_size = size
        self.opened_at = time.monotonic()
        self._refreshed_at = self.opened_at
        self._directory_synced = False
        self.dirty = True

    @classmethod
    def create(cls, directory: Path, *, app: str, seq: int) -> Segment:
        """A new segment in `directory`, which is made (0700) where it is missing. Raises OSError.

        It gets its visible name only once it is locked and has its header: whoever sees it can trust both.
        A sweeper may take the hidden file of a writer that was stopped for a minute; then another is made.
        """
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in reversed(range(_TRIES)):
            try:
                return cls._create(directory, app=app, seq=seq)
            except (BlockingIOError, FileNotFoundError):
                if not left:
                    raise
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        raise AssertionError  # the loop returns or raises

    @classmethod
    def _create(cls, directory: Path, *, app: str, seq: int) -> Segment:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        name = f"{stamp}-{os.getpid()}-{seq}-{os.urandom(8).hex()}{SUFFIX}"
        hidden = directory / f".{name}"
        fd = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        _open_files.add(fd)
        try:
            lock = _take_lock(fd)
            start = frames.START + _header_frame(app=app, seq=seq, lock=lock)
            _write_all(fd, start)
            hidden.rename(directory / name)
        except BaseException:
            _close(fd)
            with contextlib.suppress(OSError):  # the sweeper takes it later
                hidden.unlink()
            raise
        return cls(directory / name, fd, lock=lock, size=len(start))

    def append(self, data: bytes) -> None:
        """Appends whole frames, or nothing: after an error the file is cut back to its last good length.

        Raises OSError. A full disk may also show as a short write without an error; the next write then tells.
        """
        try:
            _write_all(self.fd, data)
        except BaseException:
            # A frame behind a torn one could never be read. If this fails too, the caller closes the segment.
            with contextlib.suppress(OSError):
                os.ftruncate(self.fd, self.size)
            raise
        self.size += len(data)
        self.dirty = True

    def sync(self) -> None:
        """Waits until what was appended is on the disk. Raises OSError."""
        if self.dirty:
            self.dirty = False
            _datasync(self.fd)
        if not self._directory_synced:
            _sync_directory(self.path.parent)
            self._directory_synced = True

    def deleted(self) -> bool:
        """Whether someone removed the file, so that appends would vanish."""
        return os.fstat(self.fd).st_nlink == 0

    def age_s(self) -> float:
        return time.monotonic() - self.opened_at

    def refresh(self) -> None:
        """Without a lock: touches the file where it is time to."""
        if self.lock == NO_LOCK and time.monotonic() - self._refreshed_at >= REFRESH_S:
            self._refreshed_at = time.monotonic()
            os.utime(self.fd)

    def close(self) -> None:
        """Lets go of the file and its lock: from now on its reader may delete it."""
        _close(self.fd)


def _close(fd: int) -> None:
    _open_files.discard(fd)
    os.close(fd)


def _take_lock(fd: int) -> str:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in NO_LOCKS_HERE:
            return NO_LOCK
        raise
    return FLOCK


def _header_frame(*, app: str, seq: int, lock: str) -> bytes:
    """A `model.SegmentHeader`, without loading pydantic into the app."""
    header = {
        "format": frames.FORMAT,
        **this_process()._asdict(),
        "seq": seq,
        "app": app,
        "created_ns": time.time_ns(),
        "lock": lock,
    }
    return frames.encode(FrameKind.HEADER, json.dumps(header).encode())


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        written = os.write(fd, rest)
        if written == 0:
            raise OSError(errno.EIO, "a write took no bytes")
        rest = rest[written:]


def _datasync(fd: int) -> None:
    if hasattr(os, "fdatasync"):
        os.fdatasync(fd)
    else:  # macOS
        os.fsync(fd)


def _sync_directory(directory: Path) -> None:
    """Makes the file's name survive a power cut too."""
    fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync a folder, and need not
            raise
    finally:
        os.close(fd)
