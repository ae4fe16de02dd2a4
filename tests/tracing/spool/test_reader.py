"""What the ingester finds in a spool: living and dead segments, whole frames, and what is set aside."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from goldrank.model import FrameKind
from goldrank.tracing.spool import (
    ReadState,
    SpoolLimits,
    SpoolWriter,
    encode,
    list_segments,
    read_frames,
    sweep,
)
from goldrank.tracing.spool.process import boot_id


@pytest.fixture
def writer(spool: Path) -> Iterator[SpoolWriter]:
    """A writer of this process; the limit of a segment is small."""
    made = SpoolWriter(spool, app="test", limits=SpoolLimits(segment_bytes=1_000))
    yield made
    made.close()


def feedback(text: str) -> bytes:
    """A frame that is told by its text."""
    return encode(FrameKind.FEEDBACK, text.encode())


def texts(path: Path, start: int = 0, limit: int = 1 << 30) -> tuple[list[str], ReadState, int]:
    """The payloads of the feedback frames, the state, and up to where was read."""
    run = read_frames(path, start, limit)
    found = [frame.payload.decode() for frame in run if frame.kind == FrameKind.FEEDBACK]
    return found, run.state, run.offset


def only(spool: Path) -> Path:
    """The path of the one segment."""
    (segment,) = list_segments(spool)
    return segment.path


def test_a_segment_lives_as_long_as_its_writer_has_it_open(writer: SpoolWriter, spool: Path) -> None:
    """Alive while open, dead once closed; its header says who writes."""
    writer.write([feedback("a")])
    (living,) = list_segments(spool)
    writer.close()
    (dead,) = list_segments(spool)
    assert (living.alive, dead.alive) == (True, False)
    assert living.header is not None
    assert (living.header.pid, living.header.app, living.header.lock) == (os.getpid(), "test", "flock")
    assert living.header.boot_id == boot_id()


def test_reading_goes_on_where_it_stopped(writer: SpoolWriter, spool: Path) -> None:
    """Frames of a living segment are read as they come, each once."""
    writer.write([feedback("a"), feedback("b")])
    first, state, upto = texts(only(spool))
    writer.write([feedback("c")])
    second, _, end = texts(only(spool), upto)
    assert (first, state, second) == (["a", "b"], ReadState.END, ["c"])
    assert texts(only(spool), end) == ([], ReadState.END, end)


def test_a_limit_stops_behind_a_frame_and_gives_one_at_least(writer: SpoolWriter, spool: Path) -> None:
    """Every frame comes once, whatever the limit, and the last run says that the end is reached."""
    writer.write([feedback(f"{n:0100d}") for n in range(5)])
    upto, found, runs = 0, list[str](), 0
    state = ReadState.LIMIT
    while state is ReadState.LIMIT:
        more, state, upto = texts(only(spool), upto, 1)
        found += more
        runs += 1
    assert [int(text) for text in found] == [0, 1, 2, 3, 4]
    assert runs == 7  # the header, five frames, and the end


def test_a_frame_larger_than_limit_and_window_is_read(writer: SpoolWriter, spool: Path) -> None:
    """It fills a segment alone, and neither the limit nor the size of a read cuts it."""
    writer.write([feedback("small")])
    writer.write([feedback("x" * 5_000_000)])
    writer.write([feedback("last")])
    found = [texts(segment.path, 0, 1 << 30)[0] for segment in list_segments(spool)]
    assert [[len(text) for text in part] for part in found] == [[5], [5_000_000], [4]]


def test_segments_come_in_the_order_of_their_process_whatever_the_clock_does(
    writer: SpoolWriter, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten segments, written while the clock runs backwards, are listed in the order of writing."""
    clocks = [time.gmtime(time.time() - n * 3600) for n in range(10)]
    for n, clock in enumerate(clocks):
        monkeypatch.setattr("goldrank.tracing.spool.segment.time.gmtime", lambda *_, value=clock: value)
        writer.write([feedback(f"{n:0900d}")])
    segments = list_segments(spool)
    assert [int(texts(segment.path)[0][0]) for segment in segments] == list(range(10))
    assert [segment.name for segment in segments] != sorted(segment.name for segment in segments)


def test_a_torn_tail_keeps_what_stands_before_it(writer: SpoolWriter, spool: Path) -> None:
    """Whole frames are read, the torn one is named with its place and sizes."""
    writer.write([feedback("a"), feedback("b" * 50)])
    writer.close()
    path = only(spool)
    os.truncate(path, path.stat().st_size - 20)
    found, state, upto = texts(path)
    run = read_frames(path, upto)
    assert (found, state, list(run)) == (["a"], ReadState.TORN, [])
    assert run.reason == "ends inside a frame: 39 of at least 59 bytes are there"


def test_a_zero_filled_tail_is_torn_and_holds_no_frames(writer: SpoolWriter, spool: Path) -> None:
    """As a power cut leaves it: 3 MB of zeros behind good frames."""
    writer.write([feedback("a")])
    writer.close()
    path = only(spool)
    os.truncate(path, path.stat().st_size + 3_000_000)
    assert texts(path)[:2] == (["a"], ReadState.TORN)


def test_damage_in_the_middle_is_corrupt_and_named(writer: SpoolWriter, spool: Path) -> None:
    """Frames before it are read; the run ends at its offset, so that nobody loops on it."""
    writer.write([feedback("a"), feedback("b"), feedback("c")])
    writer.close()
    path = only(spool)
    data = bytearray(path.read_bytes())
    data[data.index(b"b", len(data) - 21)] ^= 0xFF
    path.write_bytes(data)
    run = read_frames(path)
    assert [frame.payload for frame in run if frame.kind == FrameKind.FEEDBACK] == [b"a"]
    assert (run.state, run.reason) == (ReadState.CORRUPT, "the checksum of a frame of 1 bytes is wrong")
    assert texts(path, run.offset) == ([], ReadState.CORRUPT, run.offset)


def test_a_write_cut_back_and_written_anew_under_the_reader_is_no_damage(
    writer: SpoolWriter, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader looks again before it calls a frame damaged."""
    writer.write([feedback("first")])
    path, real = only(spool), os.pread
    stale = path.read_bytes().replace(b"first", b"wrong")
    answers = iter([stale, b""])

    def pread(fd: int, n: int, offset: int) -> bytes:
        return next(answers, None) or real(fd, n, offset)

    monkeypatch.setattr(os, "pread", pread)
    assert texts(path)[:2] == (["first"], ReadState.END)


def test_a_file_of_another_kind_is_listed_and_said_to_be_damaged(spool: Path) -> None:
    """It is neither skipped in silence nor a reason to stop."""
    spool.mkdir(parents=True)
    (spool / "other.seg").write_bytes(b"not ours at all")
    (spool / "notes.txt").write_bytes(b"a person's")
    (segment,) = list_segments(spool)
    assert (segment.header, segment.alive) == (None, False)
    assert texts(segment.path)[1] is ReadState.CORRUPT
    assert sweep(spool) == []


def test_no_folder_is_an_empty_spool(spool: Path) -> None:
    """Before the first app has run there is nothing to read or to sweep."""
    assert (list_segments(spool), sweep(spool)) == ([], [])


def test_sweeping_takes_what_killed_writers_left_and_nothing_else(writer: SpoolWriter, spool: Path) -> None:
    """Old hidden files without a lock, and dead segments without content; not young, locked, living or full ones."""
    writer.write([feedback("content")])
    writer.close()
    full = only(spool).name
    empty = SpoolWriter(spool, app="killed")
    empty.write([feedback("x")])
    header_only = next(segment.path for segment in list_segments(spool) if segment.name != full)
    header_end = next(frame.end for frame in read_frames(header_only))
    os.truncate(header_only, header_end)
    for name in (".old.seg", ".locked.seg", ".young.seg", "nothing.seg"):
        (spool / name).touch()
    for name in (".old.seg", ".locked.seg"):
        os.utime(spool / name, (0, time.time() - 61))
    with (spool / ".locked.seg").open() as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        assert sweep(spool) == [".old.seg", "nothing.seg"]  # the header-only one still lives
        empty.close()
        assert sweep(spool) == [header_only.name]
    assert sorted(path.name for path in spool.iterdir()) == sorted([".locked.seg", ".young.seg", full])


def no_locks(*_: object) -> None:
    """What a file system without locks answers."""
    raise OSError(errno.ENOLCK, "no locks available")


def test_without_locks_a_writer_lives_while_it_runs(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header says so, and the process itself is a sign of life, even when the file was not touched for a while."""
    monkeypatch.setattr(fcntl, "flock", no_locks)
    writer = SpoolWriter(spool, app="test")
    writer.write([feedback("a")])
    (segment,) = list_segments(spool)
    assert segment.header is not None
    assert (segment.header.lock, segment.alive) == ("none", True)
    os.utime(segment.path, (0, time.time() - 300))
    assert list_segments(spool)[0].alive
    os.utime(segment.path, (0, time.time() - 601))
    assert not list_segments(spool)[0].alive
    writer.close()


@pytest.mark.parametrize(("age_s", "alive"), [(20, True), (31, False)])
def test_without_locks_a_process_that_is_gone_must_also_have_missed_its_touches(
    spool: Path, monkeypatch: pytest.MonkeyPatch, age_s: float, alive: bool
) -> None:
    """Never by pid alone: the same number may be another process, or one in a container that we cannot see."""
    code = (
        "import fcntl, sys; from pathlib import Path; from goldrank.tracing.spool import SpoolWriter, encode\n"
        "def no_locks(*_): raise OSError(37, 'no locks')\n"
        "fcntl.flock = no_locks\n"
        "SpoolWriter(Path(sys.argv[1]), app='gone').write([encode(4, b'x')])\n"
    )
    subprocess.run([sys.executable, "-c", code, str(spool)], check=True, timeout=60)
    monkeypatch.setattr(fcntl, "flock", no_locks)
    os.utime(only(spool), (0, time.time() - age_s))
    assert list_segments(spool)[0].alive is alive
