"""Reading the spool: which segments there are, who still writes, and their whole frames.

for segment in list_segments(spool):
    run = read_frames(segment.path, upto[segment.name], limit_bytes=8_000_000)
    for frame in run:
        ...                      # frame.kind, frame.payload; commit together with frame.end
    if run.state is ReadState.TORN and not segment.alive: ...
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ...model.frame_kind import FrameKind
from ..guest import say_once
from . import frames
from .liveness import is_alive, is_locked, seconds_since_change
from .segment import SUFFIX

if TYPE_CHECKING:
    from ...model.spool import SegmentHeader

_WINDOW: Final = 1024 * 1024
"""Bytes that one read takes; a smaller limit takes less, as where only the header is wanted."""
_SMALLEST_WINDOW: Final = 4096
_HIDDEN_AGE_S: Final = 60.0


class SegmentInfo(NamedTuple):
    """A segment as it is found. `alive` was asked before `size` was read: of a dead one the size is final."""

    name: str
    """File name: the key of the ledger. It holds 64 random bits and is never used twice."""
    path: Path
    size: int
    """Bytes."""
    alive: bool
    """Its writer may still append. Never delete a living segment."""
    header: SegmentHeader | None
    """None: damaged, or of a format that this goldrank does not know; `read_frames` says which."""


class Frame(NamedTuple):
    """A whole frame."""

    kind: int
    """A `model.FrameKind`, or a number that only a newer goldrank knows."""
    payload: bytes
    offset: int
    end: int
    """Offset of the first byte after it."""


class ReadState(StrEnum):
    """Why a run ended."""

    LIMIT = "limit"
    """The limit of bytes; more may follow."""
    END = "end"
    """The end of the file, with the last frame whole."""
    TORN = "torn"
    """The file ends inside a frame. A living writer is writing it: wait. A dead one never acknowledged it."""
    CORRUPT = "corrupt"
    """Damage. What follows in this segment cannot be read: set the file aside."""


class FrameRun:
    """The frames of one `read_frames`; iterate it once, then look at its state."""

    def __init__(self, path: Path, start_offset: int, limit_bytes: int) -> None:
        self.state = ReadState.LIMIT
        self.offset = start_offset
        """Up to here everything was whole; where the torn or corrupt frame begins, if there is one."""
        self.reason: str | None = None
        """What is wrong at `offset`, in words without any payload. None: nothing."""
        self._path = path
        self._limit = limit_bytes

    def __iter__(self) -> Iterator[Frame]:
        fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield from self._read(fd)
        finally:
            os.close(fd)

    def _read(self, fd: int) -> Iterator[Frame]:
        size = min(_WINDOW, max(self._limit, _SMALLEST_WINDOW))
        window = _Window(fd, self.offset, size)
        if self.offset == 0 and not self._pass_start(window):
            return
        first, stop = self.offset, self.offset + self._limit
        while self.offset == first or self.offset < stop:
            decoded = window.decode(self.offset)
            if isinstance(decoded, frames.Corrupt):
                # A living writer may have cut a short write back and written anew while we read: look again.
                window = _Window(fd, self.offset, size)
                decoded = window.decode(self.offset)
            if not isinstance(decoded, frames.Whole):
                self._end(decoded)
                return
            frame = Frame(decoded.kind, decoded.payload, self.offset, decoded.end)
            self.offset = decoded.end
            yield frame

    def _pass_start(self, window: _Window) -> bool:
        start = window.check_start()
        if isinstance(start, int):
            self.offset = start
            return True
        self._end(start)
        return False

    def _end(self, decoded: frames.Torn | frames.Corrupt | None) -> None:
        if decoded is None:
            self.state = ReadState.END
            return
        self.state = ReadState.TORN if isinstance(decoded, frames.Torn) else ReadState.CORRUPT
        self.reason = decoded.reason


def read_frames(path: Path, start_offset: int = 0, limit_bytes: int = 8 * 1024 * 1024) -> FrameRun:
    """The whole frames from `start_offset` (0, or the end of a frame read before), at least one if one is there.

    Stops behind the first frame that ends `limit_bytes` or more after the first one's begin. From offset 0 the header
    comes first, as a frame of kind HEADER. Raises OSError if the file cannot be opened or read.
    """
    return FrameRun(path, start_offset, limit_bytes)


class _Window:
    """The part of a file that is held in memory: begins at `base` and grows as frames need it."""

    def __init__(self, fd: int, base: int, size: int) -> None:
        self._fd = fd
        self._size = size
        self._base = base
        self._data = b""
        self._final = False

    def decode(self, offset: int) -> frames.Whole | frames.Torn | frames.Corrupt | None:
        """The frame at `offset` of the file. None: the file ends exactly there."""
        while True:
            at = offset - self._base
            if at >= len(self._data):
                if self._final:
                    return None
                self._slide(offset, offset + frames.HEAD_BYTES)
                continue
            decoded = frames.decode(self._data, at, final=self._final)
            if isinstance(decoded, frames.NeedMore):
                self._slide(offset, self._base + decoded.upto)
            elif isinstance(decoded, frames.Whole):
                return decoded._replace(end=decoded.end + self._base)
            else:
                return decoded

    def check_start(self) -> int | frames.Torn | frames.Corrupt:
        while True:
            start = frames.check_start(self._data, final=self._final)
            if not isinstance(start, frames.NeedMore):
                return start
            self._slide(0, start.upto)

    def _slide(self, offset: int, upto: int) -> None:
        """Lets go of what lies before `offset` and holds the file up to `upto` at least, or to its end."""
        kept = self._data[offset - self._base :]
        wanted = max(upto - offset, self._size) - len(kept)
        parts = [kept]
        while wanted > 0:
            read = os.pread(self._fd, wanted, offset + sum(map(len, parts)))
            if not read:
                self._final = True
                break
            parts.append(read)
            wanted -= len(read)
        self._data = b"".join(parts)
        self._base = offset


def list_segments(spool: Path) -> list[SegmentInfo]:
    """The segments of the folder, in the order in which each process wrote its own. Empty: no such folder.

    Ordered by boot, pid, start and number, all from the header: names and times are for people, clocks jump.
    """
    found = []
    for name in _names(spool):
        if name.startswith(".") or not name.endswith(SUFFIX):
            continue
        info = _look_at(spool / name)
        if info:
            found.append(info)
    return sorted(found, key=_order)


def sweep(spool: Path) -> list[str]:
    """Removes what killed writers leave behind without any content; returns the names.

    That is: hidden files, not locked and untouched for a minute (a writer was stopped before its header was
    written), and dead segments that hold a header and nothing else.
    """
    removed = []
    for name in _names(spool):
        path = spool / name
        if name.startswith(".") and name.endswith(SUFFIX):
            if _is_left_over(path):
                removed.append(name)
        elif name.endswith(SUFFIX) and _is_empty(path):
            removed.append(name)
    for name in removed:
        (spool / name).unlink(missing_ok=True)
    return removed


def _names(spool: Path) -> list[str]:
    try:
        with os.scandir(spool) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return []


def _look_at(path: Path) -> SegmentInfo | None:
    try:
        header = read_header(path)
        alive = is_alive(path, header)
        return SegmentInfo(path.name, path, path.stat().st_size, alive, header)
    except FileNotFoundError:  # read to its end and deleted meanwhile
        return None
    except PermissionError as error:
        say_once(f"unreadable {path}", f"goldrank: {path} cannot be read ({error.strerror}); the other segments are")
        return None


def read_header(path: Path) -> SegmentHeader | None:
    """Who writes the segment. None: its first frame is missing, damaged or not known. Raises OSError."""
    from ...model.spool import SegmentHeader

    for frame in read_frames(path, 0, 1):
        if frame.kind == FrameKind.HEADER:
            try:
                return SegmentHeader.model_validate_json(frame.payload)
            except ValueError:
                return None
    return None


def _is_left_over(path: Path) -> bool:
    try:
        return seconds_since_change(path) >= _HIDDEN_AGE_S and not is_locked(path)
    except FileNotFoundError:  # it has its visible name now
        return False


def _is_empty(path: Path) -> bool:
    info = _look_at(path)
    if info is None or info.alive:
        return False
    run = read_frames(path, 0, info.size + 1)
    if any(frame.kind != FrameKind.HEADER for frame in run):
        return False
    return info.size == 0 or run.state is ReadState.END


def _order(info: SegmentInfo) -> tuple[str, int, int, int, str]:
    header = info.header
    if header is None:
        return ("", 0, 0, 0, info.name)
    return (header.boot_id, header.pid, header.start_ticks, header.seq, info.name)
