"""Frames: how a spool segment is laid out in bytes. Pure: no file is touched here.

segment = "GRSPOOL" | format version (1 byte) | frame | frame | ...
frame   = length of the payload (4 bytes) | crc32 (4 bytes) | kind (1 byte) | payload

Numbers are little-endian. The crc is seeded and covers length, kind and payload, so that neither zeros
(a disk after a power cut) nor a payload behind a damaged length can pass for a frame.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

FORMAT: Final = 1
"""Version of the layout that this module writes, and the only one that it reads."""
MAGIC: Final = b"GRSPOOL"
START: Final = MAGIC + bytes([FORMAT])
"""The first bytes of every segment."""
MAX_PAYLOAD: Final = 64 * 1024 * 1024
"""Bytes. A length beyond it is damage."""

_HEAD: Final = struct.Struct("<IIB")
_COVERED: Final = struct.Struct("<IB")
_CRC_SEED: Final = 0x676F6C64
HEAD_BYTES: Final = _HEAD.size


class Whole(NamedTuple):
    """A frame that is all there and undamaged."""

    kind: int
    """A `model.FrameKind`, or a number that only a newer goldrank knows."""
    payload: bytes
    end: int
    """Offset of the first byte after it."""


class NeedMore(NamedTuple):
    """The bytes so far may become a frame."""

    upto: int
    """Offset up to which bytes are needed before it is worth asking again; the file may end before."""


class Torn(NamedTuple):
    """The bytes end inside a frame: its writer was stopped, or is still writing."""

    reason: str


class Corrupt(NamedTuple):
    """No frame stands here, whatever comes after."""

    reason: str


Decoded = Whole | NeedMore | Torn | Corrupt


def encode(kind: int, payload: bytes) -> bytes:
    """`payload` as one frame. Raises ValueError where it is empty or longer than MAX_PAYLOAD."""
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        message = f"a frame's payload has {len(payload):,} bytes; expected 1 to {MAX_PAYLOAD:,}"
        raise ValueError(message)
    return _HEAD.pack(len(payload), _checksum(kind, payload), kind) + payload


def decode(data: bytes, at: int, *, final: bool) -> Decoded:
    """The frame that begins at offset `at` of `data`.

    `final` says that `data` is all there is: what is incomplete is then torn instead of in need of more.
    `at` at the very end of `data` is an incomplete frame of no bytes; callers ask only where bytes are.
    """
    there = len(data) - at
    if there < HEAD_BYTES:
        return _incomplete(there, HEAD_BYTES, at, final=final)
    length, checksum, kind = _HEAD.unpack_from(data, at)
    if length == 0 and not any(data[at:]):
        return Torn(f"{there:,} zero bytes at the end") if final else NeedMore(len(data) + there + 1)
    if not 1 <= length <= MAX_PAYLOAD:
        return Corrupt(f"a frame's length is {length:,}; expected 1 to {MAX_PAYLOAD:,}")
    end = at + HEAD_BYTES + length
    if end > len(data):
        return _incomplete(there, HEAD_BYTES + length, at, final=final)
    payload = bytes(data[at + HEAD_BYTES : end])
    if _checksum(kind, payload) != checksum:
        return Corrupt(f"the checksum of a frame of {length:,} bytes is wrong")
    return Whole(kind, payload, end)


def check_start(data: bytes, *, final: bool) -> int | NeedMore | Torn | Corrupt:
    """Offset of the first frame, if `data` begins as a segment does."""
    if data[: len(START)] == START:
        return len(START)
    if START.startswith(data):
        return _incomplete(len(data), len(START), 0, final=final)
    if data.startswith(MAGIC) and len(data) > len(MAGIC):
        return Corrupt(f"spool format {data[len(MAGIC)]} is not known; this goldrank reads format {FORMAT}")
    if not any(data):
        return Torn(f"{len(data):,} zero bytes at the end") if final else NeedMore(len(data) + 1)
    return Corrupt("the file does not begin as a spool segment does")


def _incomplete(there: int, needed: int, at: int, *, final: bool) -> NeedMore | Torn:
    if final:
        return Torn(f"ends inside a frame: {there:,} of at least {needed:,} bytes are there")
    return NeedMore(at + needed)


def _checksum(kind: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(_COVERED.pack(len(payload), kind), _CRC_SEED))
