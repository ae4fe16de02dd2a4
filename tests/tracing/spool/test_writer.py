"""What the writer does when the disk does not do what it should."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from goldrank.model import FrameKind
from goldrank.tracing.spool import (
    DISK_FULL,
    NOT_WRITABLE,
    SPOOL_FULL,
    ReadState,
    SpoolLimits,
    SpoolWriter,
    encode,
    list_segments,
    read_frames,
)
from goldrank.tracing.spool.mounts import network_file_system


@pytest.fixture
def make(spool: Path) -> Iterator[Callable[..., SpoolWriter]]:
    """Makes writers, and closes them after the test."""
    made: list[SpoolWriter] = []

    def writer(directory: Path = spool, **limits: object) -> SpoolWriter:
        made.append(SpoolWriter(directory, app="test", limits=SpoolLimits(**limits)))  # type: ignore[arg-type]
        return made[-1]

    yield writer
    for one in made:
        one.close()


def frame(text: str, size: int = 0) -> bytes:
    """A frame that is told by its text, `size` bytes long at least."""
    return encode(FrameKind.FEEDBACK, text.ljust(size, ".").encode())


def texts(spool: Path) -> list[str]:
    """The payloads in reading order, without their filling; every segment must be whole."""
    found = []
    for segment in list_segments(spool):
        run = read_frames(segment.path, 0, 1 << 40)
        found += [one.payload.decode().rstrip(".") for one in run if one.kind == FrameKind.FEEDBACK]
        assert run.state is ReadState.END
    return found


def mount(*arguments: str) -> None:
    """Mounts, or skips the test where that is not allowed."""
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"NOT TRIED on a real file system, mounting is not allowed here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    if os.geteuid() != 0:
        pytest.skip("NOT TRIED on a real full disk: only root may mount one")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_folder_and_files_are_for_their_owner_alone(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """0700 and 0600, whatever the umask allows."""
    before = os.umask(0)
    try:
        make().write([frame("a")])
    finally:
        os.umask(before)
    assert oct(spool.stat().st_mode & 0o777) == "0o700"
    assert oct(list_segments(spool)[0].path.stat().st_mode & 0o777) == "0o600"


def test_nothing_is_on_the_disk_before_the_first_frame(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """A process that records nothing leaves nothing."""
    make().sync()
    assert not spool.exists()


def test_a_full_disk_keeps_what_fits_and_says_what_does_not(
    small_disk: Path, make: Callable[..., SpoolWriter], warnings_said: Callable[[], list[str]]
) -> None:
    """The kernel takes a part of a frame without an error; no part stays, one line is logged, and later goes on."""
    writer = make(small_disk / "spool", reserve_bytes=0, retry_s=0)
    answers = [writer.write([frame(f"{n}", 200_000)], beyond_limits=True) for n in range(8)]
    stored = answers.count(None)
    assert 3 <= stored <= 5
    assert set(answers[stored:]) == {DISK_FULL}
    assert texts(small_disk / "spool") == [f"{n}" for n in range(stored)]
    (line,) = warnings_said()
    assert "cannot be written (No space left on device)" in line
    writer.sync()
    for segment in list_segments(small_disk / "spool"):
        segment.path.unlink()
    assert writer.write([frame("after")]) is None
    assert texts(small_disk / "spool") == ["after"]


def test_the_reserve_leaves_the_disk_to_the_app(small_disk: Path, make: Callable[..., SpoolWriter]) -> None:
    """Writing stops while the app still has room."""
    writer = make(small_disk / "spool", reserve_bytes=500_000)
    answers = [writer.write([frame(f"{n}", 100_000)]) for n in range(10)]
    assert DISK_FULL in answers
    assert answers.count(None) == 5
    (small_disk / "of the app").write_bytes(bytes(400_000))


def test_a_disk_that_is_nearly_full_by_default_keeps_a_twentieth(
    small_disk: Path, make: Callable[..., SpoolWriter]
) -> None:
    """Without a setting the reserve is a twentieth of the disk."""
    writer = make(small_disk / "spool")
    while writer.write([frame("x", 10_000)]) is None:
        pass
    disk = os.statvfs(small_disk)
    assert disk.f_bavail * disk.f_frsize >= 1024 * 1024 // 20


def test_a_read_only_disk_is_counted_and_tried_again(small_disk: Path, make: Callable[..., SpoolWriter]) -> None:
    """EROFS is a reason, not an exception; when the disk is writable again, so is the spool."""
    writer = make(small_disk / "spool", retry_s=0)
    mount("-o", "remount,ro", str(small_disk))
    assert writer.write([frame("lost")]) == NOT_WRITABLE
    mount("-o", "remount,rw", str(small_disk))
    assert writer.write([frame("kept")]) is None
    assert texts(small_disk / "spool") == ["kept"]


def test_after_trouble_the_disk_is_left_alone_for_a_while(make: Callable[..., SpoolWriter], tmp_path: Path) -> None:
    """Until the retry is due nothing is tried; the reason is known at once."""
    (tmp_path / "file").touch()
    writer = make(tmp_path / "file" / "spool", retry_s=1000)
    assert writer.refusal() is None
    assert writer.write([frame("a")]) == NOT_WRITABLE
    assert writer.refusal() == NOT_WRITABLE
    (tmp_path / "file").unlink()
    assert writer.write([frame("b")]) == NOT_WRITABLE
    wait = writer.tend()
    assert wait is not None
    assert 900 < wait <= 1000


def test_short_writes_are_completed(
    make: Callable[..., SpoolWriter], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that takes only a part is gone on with; the frames are whole."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data[:7])))
    assert make().write([frame("a", 50), frame("b", 50)]) is None
    assert texts(spool) == ["a", "b"]


def test_a_failed_write_leaves_no_torn_frame_before_the_next(
    make: Callable[..., SpoolWriter], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part is written, then the disk fails: the part is cut off again, later frames are readable."""
    writer = make(retry_s=0)
    writer.write([frame("a")])
    real, answers = os.write, iter([20])

    def write(fd: int, data: bytes) -> int:
        part = next(answers, None)
        if part is None:
            raise OSError(errno.EIO, "broken")
        return real(fd, bytes(data[:part]))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        assert writer.write([frame("lost", 100)]) == NOT_WRITABLE
    assert writer.write([frame("b")]) is None
    assert texts(spool) == ["a", "b"]


def test_an_exception_amid_a_write_leaves_no_torn_frame(
    make: Callable[..., SpoolWriter], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal handler of the app may raise anywhere, between two parts of a frame too."""
    writer = make()
    writer.write([frame("a")])
    real, parts = os.write, iter([20])

    def write(fd: int, data: bytes) -> int:
        part = next(parts, None)
        if part is None:
            raise KeyboardInterrupt
        return real(fd, bytes(data[:part]))

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        writer.write([frame("lost", 100)])
    monkeypatch.undo()
    assert writer.write([frame("b")]) is None
    assert texts(spool) == ["a", "b"]


def test_a_deleted_folder_is_made_again(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """Appends to a file that nobody can see any more would vanish without an error."""
    writer = make()
    writer.write([frame("gone")])
    shutil.rmtree(spool)
    assert writer.write([frame("kept")]) is None
    assert texts(spool) == ["kept"]


def test_nothing_is_appended_behind_what_could_not_be_synced(
    make: Callable[..., SpoolWriter], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may have dropped it, and whoever reads stops at the hole: what is acknowledged later stands apart."""

    def fails(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    writer = make(retry_s=0)
    writer.write([frame("not acknowledged")])
    with monkeypatch.context() as broken:
        broken.setattr("goldrank.tracing.spool.segment._datasync", fails)
        assert not writer.sync()

    assert writer.write([frame("acknowledged")]) is None
    assert writer.sync()

    first, second = list_segments(spool)
    assert not first.alive
    assert [one.payload for one in read_frames(second.path, 0, 1 << 40)][1:] == [b"acknowledged"]


def test_a_disk_that_does_not_sync_is_tried_again_later(
    make: Callable[..., SpoolWriter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then what comes is refused at once, without a new segment for each."""

    def fails(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    writer = make(retry_s=60)
    writer.write([frame("a")])
    monkeypatch.setattr("goldrank.tracing.spool.segment._datasync", fails)
    assert not writer.sync()

    assert writer.refusal() == NOT_WRITABLE
    assert writer.write([frame("b")]) == NOT_WRITABLE


def test_a_segment_ends_at_its_size(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """So that a living writer gives disk back."""
    writer = make(segment_bytes=1_000)
    for n in range(4):
        writer.write([frame(f"{n}", 600)])
    writer.sync()
    assert [segment.alive for segment in list_segments(spool)] == [False, False, False, True]
    assert texts(spool) == ["0", "1", "2", "3"]


def test_a_segment_ends_at_its_age_though_nothing_comes(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """Tending seals it; the next frame opens another."""
    writer = make(segment_age_s=0)
    writer.write([frame("a")])
    assert writer.tend() is None
    assert not list_segments(spool)[0].alive
    writer.write([frame("b")])
    assert texts(spool) == ["a", "b"]


def test_a_young_segment_says_when_it_wants_to_be_tended(make: Callable[..., SpoolWriter]) -> None:
    """In seconds; None while none is open."""
    writer = make(segment_age_s=300)
    assert writer.tend() is None
    writer.write([frame("a")])
    wait = writer.tend()
    assert wait is not None
    assert 290 < wait <= 300


def test_at_its_limit_the_spool_refuses_the_newest(
    make: Callable[..., SpoolWriter], spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Older data stays; when a reader has deleted some, writing goes on."""
    writer = make(spool_bytes=5_000, segment_bytes=1_000, measure_s=0)
    answers = [writer.write([frame(f"{n}", 900)]) for n in range(8)]
    assert answers == [None] * 4 + [SPOOL_FULL] * 4
    assert texts(spool) == ["0", "1", "2", "3"]
    assert "reached its limit" in caplog.text
    assert writer.write([frame("count")], beyond_limits=True) is None
    writer.sync()
    for segment in list_segments(spool)[:2]:
        segment.path.unlink()
    assert writer.write([frame("new", 900)]) is None


def test_the_limit_counts_what_other_writers_wrote(make: Callable[..., SpoolWriter], spool: Path) -> None:
    """It is the folder's, not one process's."""
    make().write([frame("other", 4_500)])
    assert make(spool_bytes=5_000).write([frame("mine", 900)]) == SPOOL_FULL


MOUNTS = """\
24 1 252:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 24 0:30 / /mnt/team\\040share rw - nfs4 server:/x rw
32 31 0:31 / /mnt/team\\040share/fast rw - ext4 /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/srv/app", None), ("/mnt/team share/spool", "nfs4"), ("/mnt/team share/fast/spool", None)],
)
def test_a_network_file_system_is_known_by_its_mount(tmp_path: Path, folder: str, kind: str | None) -> None:
    """The nearest mount above a folder decides."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, "utf-8")
    assert network_file_system(Path(folder), mounts=mounts) == kind


def test_a_spool_on_a_network_file_system_is_refused_unless_allowed(
    make: Callable[..., SpoolWriter], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With a sentence that says what to do instead."""
    monkeypatch.setattr("goldrank.tracing.spool.writer.network_file_system", lambda _: "nfs4")
    assert make().write([frame("a")]) == NOT_WRITABLE
    assert "lies on a network file system (nfs4)" in caplog.text
    assert make(allow_network=True).write([frame("a")]) is None
