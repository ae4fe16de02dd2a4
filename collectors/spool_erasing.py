"""What was erased from the store taken out of the spool too: out of segments that a living app still writes, and out of
`spool/bad`.

A frame that is in the store already is never read again, so it is overwritten where it stands by one of the same length
that says nothing. The writer only ever appends behind it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ..model import BadInput, Complaint, CorpusManifest, Feedback, FrameKind
from ..model.sieve import Sieve, unescaped, words_of
from ..store import BadFrame
from ..tracing.spool import Frame, SegmentInfo, encode, list_segments, read_frames
from .frames import decode_frame
from .otlp import TRACE_ID_DIGITS
from .set_aside import BAD_FOLDER
from .sifting import sift_complaint, sift_corpus, sift_feedback, sift_spans

_PADDING_TAG: Final = b"\xc2\x3e"
"""Field 1000 of a protobuf message, bytes: no OTLP message has it, and every reader passes it."""
_SHORTEST: Final = 8
"""Shorter payloads hold no text of anybody."""


class Named(NamedTuple):
    """What was erased, in plain words: only while it is being erased."""

    user: str = ""
    text: str = ""
    request_ids: tuple[str, ...] = ()
    traces: frozenset[str] = frozenset()


class SpoolErased(NamedTuple):
    """What was done to the spool."""

    frames: int
    """Frames that were overwritten in segments whose apps still write."""
    bad_files: tuple[str, ...]
    """Files of `spool/bad` that were removed, by name."""
    open_segments: int
    """Segments whose apps still write: what they hold in memory comes later, and is not stored then."""


def erase_from_spool(spool: Path, progress: Mapping[str, int], sieve: Sieve, named: Named) -> SpoolErased:
    """Overwrites read frames that hold what was erased, and removes frames set aside that do."""
    frames, living = 0, 0
    for segment in list_segments(spool):
        living += segment.alive
        frames += _erase_from_segment(segment, progress.get(segment.name, 0), sieve, named)
    return SpoolErased(frames, tuple(_erase_from_bad(spool / BAD_FOLDER, named)), living)


def _erase_from_segment(segment: SegmentInfo, upto: int, sieve: Sieve, named: Named) -> int:
    """How many frames were overwritten."""
    try:
        found = [frame for frame in read_frames(segment.path, 0, upto) if frame.end <= upto] if upto else []
        going = [frame for frame in found if frame.kind != FrameKind.HEADER and _holds(frame, sieve, named)]
        if going:
            _overwrite(segment.path, going)
    except FileNotFoundError:  # read to its end and deleted meanwhile
        return 0
    return len(going)


def _overwrite(path: Path, frames: Iterable[Frame]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        for frame in frames:
            os.pwrite(descriptor, encode(FrameKind.TRACES, _nothing(len(frame.payload))), frame.offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _nothing(length: int) -> bytes:
    """An OTLP message of this length without any span."""
    rest = length - len(_PADDING_TAG) - 5
    varint = bytes((rest >> shift & 0x7F) | (0x80 if shift < 28 else 0) for shift in range(0, 35, 7))
    return _PADDING_TAG + varint + bytes(rest)


def _holds(frame: Frame, sieve: Sieve, named: Named) -> bool:
    """Whether something of this frame would not be stored again as it stands."""
    if len(frame.payload) < _SHORTEST:
        return False
    try:
        content = decode_frame(frame.kind, frame.payload)
    except BadInput:
        return _bytes_hold(frame.payload, named)
    spans = list(content.spans)
    if spans:
        sifted = sift_spans(spans, sieve)
        if sifted.dropped or len(sifted.spans) != len(spans):
            return True
        return any(sieve.mask_span(span) is not span or _of_user(span.attributes, named) for span in spans)
    match content.message:
        case Feedback() as feedback:
            return sift_feedback(feedback, sieve) != feedback
        case Complaint() as complaint:
            return sift_complaint(complaint, sieve) != complaint
        case CorpusManifest() as manifest:
            return sift_corpus(manifest, sieve) != manifest
        case _:
            return False


def _of_user(attributes: Mapping[str, object], named: Named) -> bool:
    return bool(named.user) and named.user in attributes.values()


def _erase_from_bad(folder: Path, named: Named) -> list[str]:
    """Nobody can read what is set aside, so it is searched byte by byte."""
    removed = []
    for path in sorted(folder.glob("*.bin")) if folder.is_dir() else ():
        if _bytes_hold(path.read_bytes(), named):
            path.unlink()
            path.with_suffix(".reason.txt").unlink(missing_ok=True)
            removed.append(path.name)
    return removed


def _bytes_hold(data: bytes, named: Named) -> bool:
    """Whether ids, the user or all words of the text stand in these bytes, as text or as JSON writes it."""
    for one in (*named.traces, *named.request_ids):
        trace_id = one.partition("-")[0]
        if trace_id.encode() in data:
            return True
        if len(trace_id) == TRACE_ID_DIGITS and bytes.fromhex(trace_id) in data:
            return True
    if named.user and any(form in data for form in _forms(named.user)):
        return True
    folded = unescaped(data.decode("utf-8", "replace"))[0].casefold().encode("utf-8", "replace")
    words = [word.text for word in words_of(named.text)]
    return bool(words) and all(any(form in folded for form in _forms(word)) for word in words)


def _forms(text: str) -> tuple[bytes, bytes]:
    return text.encode("utf-8", "replace"), json.dumps(text)[1:-1].encode()


def without_files(frames: Iterable[BadFrame], removed: Iterable[str]) -> tuple[BadFrame, ...]:
    """Those of the noted frames whose files were removed, as they are noted from now on."""
    gone = set(removed)
    return tuple(one.model_copy(update={"saved_as": None}) for one in frames if one.saved_as in gone)
