"""The byte format: what is whole, what may become whole, what is torn and what is damaged."""

from __future__ import annotations

import struct
import zlib

import pytest
from goldrank.tracing.spool.frames import (
    FORMAT,
    HEAD_BYTES,
    MAGIC,
    MAX_PAYLOAD,
    START,
    Corrupt,
    NeedMore,
    Torn,
    Whole,
    check_start,
    decode,
    encode,
)
from hypothesis import given, settings
from hypothesis import strategies as st

FRAMES = st.lists(st.tuples(st.integers(0, 255), st.binary(min_size=1, max_size=200)), max_size=8)


def decode_all(data: bytes) -> tuple[list[tuple[int, bytes]], int, str]:
    """The frames of `data`, where they end, and why."""
    at, found = 0, []
    while at < len(data):
        decoded = decode(data, at, final=True)
        if not isinstance(decoded, Whole):
            return found, at, type(decoded).__name__
        found.append((decoded.kind, decoded.payload))
        at = decoded.end
    return found, at, "end"


@settings(deadline=None)
@given(FRAMES)
def test_what_is_encoded_is_decoded(frames: list[tuple[int, bytes]]) -> None:
    """Any kinds and payloads come back in their order."""
    data = b"".join(encode(kind, payload) for kind, payload in frames)
    assert decode_all(data) == (frames, len(data), "end")


@settings(deadline=None)
@given(FRAMES, st.data())
def test_any_cut_gives_whole_frames_and_a_torn_tail(frames: list[tuple[int, bytes]], data: st.DataObject) -> None:
    """Wherever a file is cut, the frames before the cut are read and nothing else is."""
    encoded = [encode(kind, payload) for kind, payload in frames]
    whole = b"".join(encoded)
    cut = data.draw(st.integers(0, len(whole)))
    ends = [sum(map(len, encoded[:n])) for n in range(len(encoded) + 1)]
    kept = max(n for n, end in enumerate(ends) if end <= cut)
    expected = "end" if cut in ends else "Torn"
    assert decode_all(whole[:cut]) == (frames[:kept], ends[kept], expected)


@settings(deadline=None)
@given(st.binary(max_size=300), st.data())
def test_any_bytes_in_any_pieces_never_fail_and_never_disagree(noise: bytes, data: st.DataObject) -> None:
    """Bytes that come in pieces give the same answer as at once; until then they are in need of more."""
    cut = data.draw(st.integers(0, len(noise)))
    early, late = decode(noise[:cut], 0, final=False), decode(noise, 0, final=False)
    if isinstance(early, NeedMore):
        assert early.upto > cut
    else:
        assert early == late
    assert not isinstance(decode(noise, 0, final=True), NeedMore)
    assert not isinstance(late, Torn)


@settings(deadline=None)
@given(st.integers(0, 255), st.binary(min_size=1, max_size=60), st.data())
def test_one_flipped_bit_is_never_a_frame(kind: int, payload: bytes, data: st.DataObject) -> None:
    """A single flipped bit, in the length, the checksum, the kind or the payload, is found."""
    frame = bytearray(encode(kind, payload))
    bit = data.draw(st.integers(0, 8 * len(frame) - 1))
    frame[bit // 8] ^= 1 << bit % 8
    assert isinstance(decode(bytes(frame), 0, final=True), Corrupt | Torn)


def test_zeros_at_the_end_are_torn_and_no_frames() -> None:
    """A tail of zeros, which a power cut leaves, is the end of the file; zeros before other bytes are damage."""
    frame = encode(2, b"x")
    assert decode_all(frame + bytes(5_000)) == ([(2, b"x")], len(frame), "Torn")
    assert decode_all(frame + bytes(50) + b"more")[2] == "Corrupt"


def test_a_frame_without_payload_is_damage_though_its_plain_checksum_fits() -> None:
    """crc32 of nothing is zero, so an unseeded checksum would take zeros for a frame."""
    empty = struct.pack("<IIB", 0, zlib.crc32(b""), 2)
    assert isinstance(decode(empty, 0, final=True), Corrupt)
    assert isinstance(decode(struct.pack("<IIB", MAX_PAYLOAD + 1, 0, 2), 0, final=False), Corrupt)


@pytest.mark.parametrize("length", [0, MAX_PAYLOAD + 1])
def test_a_payload_that_no_reader_would_take_is_not_encoded(length: int) -> None:
    """The writer holds to the reader's limits: 1 byte to 64 MiB."""
    with pytest.raises(ValueError, match="expected 1 to"):
        encode(2, bytes(length))


def test_a_payload_of_the_greatest_length_comes_back() -> None:
    """64 MiB is inside the limit."""
    payload = bytes(MAX_PAYLOAD)
    decoded = decode(encode(3, payload), 0, final=True)
    assert decoded == Whole(3, payload, MAX_PAYLOAD + HEAD_BYTES)


def test_the_start_of_a_segment() -> None:
    """Magic and version; a part of it may still grow; other bytes are damage, another version says so."""
    assert check_start(START + b"rest", final=True) == len(START)
    assert check_start(MAGIC, final=False) == NeedMore(len(START))
    assert isinstance(check_start(MAGIC, final=True), Torn)
    assert isinstance(check_start(bytes(20), final=True), Torn)
    assert isinstance(check_start(b"something else", final=False), Corrupt)
    newer = check_start(MAGIC + bytes([FORMAT + 1]) + b"rest", final=True)
    assert newer == Corrupt("spool format 2 is not known; this goldrank reads format 1")
