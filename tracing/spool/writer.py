"""The spool's writer: appends frames to segments of its own, whatever the disk does.

writer = SpoolWriter(Path(".goldrank/spool"), app="support-bot")
refused = writer.write([frames.encode(FrameKind.TRACES, payload)])   # None, or a reason in two words
writer.sync()                                                        # now it survives a power cut
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..guest import LOGGER, say_once
from .mounts import network_file_system
from .segment import NO_LOCK, REFRESH_S, Segment, close_inherited

DISK_FULL: Final = "disk full"
SPOOL_FULL: Final = "spool full"
NOT_WRITABLE: Final = "spool not writable"
TOO_LARGE: Final = "too large"

_MIB: Final = 1024 * 1024
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class SpoolLimits(NamedTuple):
    """How much the spool may take, and when it turns a page."""

    spool_bytes: int = 2048 * _MIB
    """All segments together, of all writers; at the limit the newest batch is refused."""
    segment_bytes: int = 32 * _MIB
    segment_age_s: float = 300.0
    reserve_bytes: int | None = None
    """Free bytes that the disk keeps for the app. None: a twentieth of it, at most 256 MiB."""
    retry_s: float = 30.0
    """After an error of the disk, the wait before the next try."""
    measure_s: float = 1.0
    """The spool's size is measured at most this often."""
    allow_network: bool = False
    """Write to a network file system, whose locks cannot be trusted."""


class SpoolWriter:
    """Any thread may call any method. Nothing here raises for what a disk can do: `write` returns a reason."""

    def __init__(self, directory: Path, *, app: str, limits: SpoolLimits | None = None) -> None:
        self.directory = Path(os.path.abspath(directory))  # noqa: PTH100 - the app may change its folder later
        self.app = app
        self.limits = limits or SpoolLimits()
        self._seq = 0
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._sync_lock = threading.Lock()
        self._segment: Segment | None = None
        self._retired: list[Segment] = []
        self._trouble: str | None = None
        self._retry_at = 0.0
        self._spool_size = 0
        self._measured_at = -1e9

    def after_fork(self) -> None:
        """In a forked child: closes the parent's files, whose lock it would keep alive, and starts afresh."""
        self._start_afresh()
        close_inherited()

    def refusal(self) -> str | None:
        """Why a `write` would be refused just now, known without trying. None: try."""
        return self._trouble if self._trouble and time.monotonic() < self._retry_at else None

    def write(self, framed: Sequence[bytes], *, beyond_limits: bool = False) -> str | None:
        """Appends the frames, all or none. None: they are in the file; else the reason, for counting.

        `beyond_limits`: into the disk's reserve and beyond the spool's limit, for the few bytes that say what
        was lost there.
        """
        data = framed[0] if len(framed) == 1 else b"".join(framed)
        with self._lock:
            refused = self.refusal()
            if refused:
                return refused
            try:
                return self._append(data, beyond_limits=beyond_limits)
            except OSError as error:
                return self._give_up(error)

    def _append(self, data: bytes, *, beyond_limits: bool) -> str | None:
        segment = self._find_segment(len(data))
        if segment is None:
            return self._refuse_for_now(NOT_WRITABLE)
        refused = None if beyond_limits else self._find_room(segment, len(data))
        if refused:
            return refused
        segment.append(data)
        self._spool_size += len(data)
        if self._trouble:
            self._trouble = None
            LOGGER.info("goldrank: the spool %s is written again", self.directory)
        return None

    def _find_segment(self, coming: int) -> Segment | None:
        """An open segment that takes `coming` bytes. None: the folder's file system cannot be trusted."""
        segment = self._segment
        if segment and segment.deleted():
            say_once("deleted", f"goldrank: a segment of the spool was deleted while it was written: {segment.path}")
        elif segment and not self._is_full(segment, coming):
            return segment
        self._retire()
        network = None if self.limits.allow_network else network_file_system(self.directory)
        if network:
            say_once(
                "network",
                f"goldrank: the spool {self.directory} lies on a network file system ({network}), whose locks "
                f"cannot be trusted; nothing is recorded. Use a local folder (directory=, GOLDRANK_DIR) or an endpoint",
            )
            return None
        self._segment = Segment.create(self.directory, app=self.app, seq=self._seq)
        self._seq += 1
        return self._segment

    def _is_full(self, segment: Segment, coming: int) -> bool:
        if segment.age_s() >= self.limits.segment_age_s:
            return True
        return segment.size + coming > self.limits.segment_bytes and segment.size > segment.header_size

    def _find_room(self, segment: Segment, coming: int) -> str | None:
        disk = os.fstatvfs(segment.fd)
        reserve = self.limits.reserve_bytes
        if reserve is None:
            reserve = min(256 * _MIB, disk.f_blocks * disk.f_frsize // 20)
        if disk.f_bavail * disk.f_frsize < reserve + coming:
            say_once(
                DISK_FULL,
                f"goldrank: the disk of {self.directory} has {disk.f_bavail * disk.f_frsize // _MIB:,} MiB left, "
                f"which are kept for the app; what comes now is not recorded, and counted",
            )
            return DISK_FULL
        return self._check_limit(coming)

    def _check_limit(self, coming: int) -> str | None:
        limit = self.limits.spool_bytes
        now = time.monotonic()
        stale = self._spool_size + coming > limit or now - self._measured_at > 10 * self.limits.measure_s
        if stale and now - self._measured_at >= self.limits.measure_s:
            self._spool_size = _folder_size(self.directory)
            self._measured_at = now
        if self._spool_size + coming <= limit:
            return None
        say_once(
            SPOOL_FULL,
            f"goldrank: the spool {self.directory} has reached its limit of {limit // _MIB:,} MiB; what comes now is "
            f"not recorded, and counted. `goldrank up` or `goldrank ingest` empties it",
        )
        return SPOOL_FULL

    def _give_up(self, error: OSError) -> str:
        reason = DISK_FULL if error.errno in _FULL else NOT_WRITABLE
        say_once(
            f"write {error.errno}",
            f"goldrank: the spool {self.directory} cannot be written ({error.strerror or error}); what comes now is "
            f"not recorded, and counted; next try in {self.limits.retry_s:.0f} s",
        )
        return self._refuse_for_now(reason)

    def _refuse_for_now(self, reason: str) -> str:
        self._trouble = reason
        self._retry_at = time.monotonic() + self.limits.retry_s
        self._retire()
        return reason

    def _retire(self) -> None:
        """The open segment goes to the next `sync`, which alone may close it: it may be syncing it just now."""
        if self._segment:
            self._retired.append(self._segment)
            self._segment = None

    def sync(self) -> bool:
        """Waits until all that was written is on the disk; closes finished segments. False: the disk failed."""
        with self._sync_lock:
            with self._lock:
                retired, self._retired = self._retired, []
                current = self._segment
            failed = [segment for segment in (*retired, current) if segment and not _sync(segment)]
            for segment in retired:
                segment.close()
            if current in failed:
                self._leave(current)
            return not failed

    def _leave(self, segment: Segment | None) -> None:
        """After a failed sync the system may have dropped what was written: nothing goes behind such a hole."""
        with self._lock:
            if segment is self._segment:
                self._refuse_for_now(NOT_WRITABLE)

    def tend(self) -> float | None:
        """Seals a segment that is old enough, so that its reader can delete it, and touches an unlocked one.

        Returns the seconds until there is something to tend, or until a disk that failed may be tried again.
        None: nothing of either.
        """
        with self._lock:
            segment = self._segment
            if segment is None:
                return max(self._retry_at - time.monotonic(), 0) if self.refusal() else None
            left = self.limits.segment_age_s - segment.age_s()
            if left > 0 and not segment.deleted():
                _touch(segment)
                return min(left, REFRESH_S) if segment.lock == NO_LOCK else left
            self._retire()
        self.sync()
        return None

    def close(self) -> None:
        """Syncs and closes. A later `write` opens a new segment."""
        with self._lock:
            self._retire()
        self.sync()


def _sync(segment: Segment) -> bool:
    try:
        segment.sync()
    except OSError as error:
        say_once("sync", f"goldrank: {segment.path} could not be synced to the disk: {error.strerror or error}")
        return False
    return True


def _touch(segment: Segment) -> None:
    try:
        segment.refresh()
    except OSError as error:
        say_once("touch", f"goldrank: {segment.path} could not be touched: {error.strerror or error}")


def _folder_size(directory: Path) -> int:
    total = 0
    with os.scandir(directory) as entries:
        for entry in entries:
            try:
                if entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:  # read and deleted meanwhile
                continue
    return total
