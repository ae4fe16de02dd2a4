"""From segments to frames: what of the spool is not in the store yet, one bounded batch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ..model import FrameKind
from ..tracing.spool import Frame, ReadState, SegmentInfo, list_segments, read_frames

BATCH_BYTES: Final = 16 * 1024 * 1024
"""Payload bytes that one transaction brings in; a single larger frame comes alone."""
BATCH_FRAMES: Final = 4096


class UnreadFrame(NamedTuple):
    """A frame that is not in the store yet."""

    segment: str
    frame: Frame


class Tail(NamedTuple):
    """The end of a dead segment that is no frame."""

    path: Path
    offset: int
    reason: str


class SpoolBatch(NamedTuple):
    """What one look at the spool found."""

    frames: tuple[UnreadFrame, ...] = ()
    """In the order of their segments, then of their offsets; headers are not among them."""
    upto: Mapping[str, int] = {}
    """Segment -> offset after the last frame that is read (a header counts), or after an end to set aside."""
    finished: tuple[Path, ...] = ()
    """Segments of dead writers that are read to their end with this batch."""
    tails: tuple[Tail, ...] = ()
    """Ends to set aside; their segments are among `finished`."""
    unread: frozenset[str] = frozenset()
    """Segments that hold more than this batch takes."""
    waiting: tuple[str, ...] = ()
    """Damaged segments whose writer still lives, in words; they are set aside once it is gone."""


def read_batch(spool: Path, progress: Mapping[str, int]) -> SpoolBatch:
    """The next unread frames, oldest segments first. Raises OSError where the spool cannot be read."""
    frames: list[UnreadFrame] = []
    upto: dict[str, int] = {}
    finished: list[Path] = []
    tails: list[Tail] = []
    unread: set[str] = set()
    waiting: list[str] = []
    room = BATCH_BYTES
    for segment in list_segments(spool):
        start = progress.get(segment.name, 0)
        if start >= segment.size and segment.alive:
            continue
        if room <= 0 or len(frames) >= BATCH_FRAMES:
            unread.add(segment.name)
            continue
        run = read_frames(segment.path, start, min(room, BATCH_BYTES))
        try:
            frames += [UnreadFrame(segment.name, frame) for frame in run if frame.kind != FrameKind.HEADER]
        except FileNotFoundError:
            continue
        room -= run.offset - start
        if run.offset > start:
            upto[segment.name] = run.offset
        if run.state is ReadState.LIMIT:
            if run.offset < segment.size:
                unread.add(segment.name)
        elif not segment.alive:
            finished.append(segment.path)
            if run.state is not ReadState.END:
                tails.append(Tail(segment.path, run.offset, _say(segment, run.reason)))
                upto[segment.name] = max(segment.size, run.offset)
        elif run.state is ReadState.CORRUPT:
            waiting.append(f"{segment.name} is damaged at byte {run.offset:,} ({run.reason})")
    return SpoolBatch(tuple(frames), upto, tuple(finished), tuple(tails), frozenset(unread), tuple(waiting))


def _say(segment: SegmentInfo, reason: str | None) -> str:
    who = f" of process {segment.header.pid}" if segment.header is not None else ""
    return f"the end of this segment{who} cannot be read: {reason or 'no frame stands there'}"
