"""The processor: what it takes, when it is written, and that every loss is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from goldrank.model import FrameKind
from goldrank.tracing.processor import AFTER_SHUTDOWN, QUEUE_FULL, SpoolProcessor
from goldrank.tracing.spool import DISK_FULL, MAX_PAYLOAD, NOT_WRITABLE, SpoolLimits, list_segments, read_frames
from goldrank.tracing.spool.losses import NOT_SAMPLED

PATIENCE_S = 20.0


def eventually(condition: Callable[[], Any]) -> None:
    """Waits until `condition` holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not become true"
        threading.Event().wait(0.005)


class Stalled:
    """Holds the writer up, as a slow disk does, until it is released."""

    def __init__(self, processor: SpoolProcessor, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self._go_on = threading.Event(), threading.Event()
        write = processor._writer.write

        def slow(*arguments: Any, **settings: Any) -> str | None:
            self.entered.set()
            self._go_on.wait(PATIENCE_S)
            return write(*arguments, **settings)

        monkeypatch.setattr(processor._writer, "write", slow)

    def release(self) -> None:
        """Lets the disk be quick again."""
        self._go_on.set()


def test_a_flush_that_answers_true_has_everything_on_the_disk(recording: Any, spool: Path, stored: Any) -> None:
    """All spans that ended before it, in their order, each once."""
    made = recording()
    for n in range(300):
        made.ask(n)
    assert made.processor.flush()
    assert stored(spool).numbers == list(range(300))


def test_the_end_of_a_request_wakes_the_writer(recording: Any, spool: Path, stored: Any) -> None:
    """Without any flush a request is in the spool soon."""
    recording().ask(1)
    eventually(lambda: stored(spool).numbers == [1])


def test_a_span_that_ends_no_request_is_written_too(recording: Any, spool: Path, stored: Any) -> None:
    """Spans of other instrumentation wake nobody and need not wait for the next request."""
    made = recording()
    made.tracer.start_span("foreign").end()
    eventually(lambda: stored(spool).names == ["foreign"])
    made.tracer.start_span("later").end()
    eventually(lambda: stored(spool).names == ["foreign", "later"])


def test_another_frame_keeps_its_kind_and_content(recording: Any, spool: Path) -> None:
    """Feedback, a complaint, a corpus: bytes in, bytes out."""
    processor = recording().processor
    assert processor.put(FrameKind.FEEDBACK, b'{"score": -1}')
    assert processor.flush()
    (segment,) = list_segments(spool)
    assert [frame[:2] for frame in read_frames(segment.path)][1:] == [(FrameKind.FEEDBACK, b'{"score": -1}')]


@pytest.mark.parametrize(("length", "reason"), [(0, "not encodable"), (MAX_PAYLOAD + 1, "too large")])
def test_a_frame_that_cannot_be_is_refused_and_counted(
    recording: Any, spool: Path, stored: Any, length: int, reason: str
) -> None:
    """The caller hears it at once."""
    processor = recording().processor
    assert not processor.put(FrameKind.FEEDBACK, bytes(length))
    assert not processor.flush()
    assert stored(spool).drops == {reason: 1}


def test_a_full_queue_drops_the_newest_and_counts_them(
    recording: Any, spool: Path, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten fit beside the one that is being written; the app never waits for the disk."""
    made = recording(queue_size=10)
    disk = Stalled(made.processor, monkeypatch)
    made.ask(0)
    assert disk.entered.wait(PATIENCE_S)
    for n in range(1, 31):
        made.ask(n)
    disk.release()
    assert not made.processor.flush()
    found = stored(spool)
    assert found.numbers == list(range(11))
    assert found.drops == {QUEUE_FULL: 20}
    made.ask(31)
    assert made.processor.flush()


def test_a_burst_far_above_the_queue_is_stored_or_counted(recording: Any, spool: Path, stored: Any) -> None:
    """20,000 requests as fast as they come through a queue of 100: none vanishes unsaid."""
    made = recording(queue_size=100)
    for n in range(20_000):
        made.ask(n)
    made.processor.flush(PATIENCE_S)
    found = stored(spool)
    assert len(set(found.numbers)) == len(found.numbers)
    assert len(found.numbers) + found.drops.get(QUEUE_FULL, 0) == 20_000


def test_what_many_threads_record_at_once_is_stored_or_counted(recording: Any, spool: Path, stored: Any) -> None:
    """Eight threads, a queue that is too small for them, and flushes in between."""
    made = recording(queue_size=200)

    def work(base: int) -> None:
        for n in range(1_000):
            made.ask(base + n)
            if n % 250 == 0:
                made.processor.flush(PATIENCE_S)

    threads = [threading.Thread(target=work, args=(k * 1_000,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made.processor.flush(PATIENCE_S)
    found = stored(spool)
    assert len(set(found.numbers)) == len(found.numbers)
    assert len(found.numbers) + sum(found.drops.values()) == 8_000


def test_unsampled_requests_are_counted_and_no_loss(recording: Any, spool: Path, stored: Any) -> None:
    """Nothing was handed over, so a flush is still complete."""
    processor = recording().processor
    for _ in range(3_000):
        processor.count(NOT_SAMPLED)
    assert processor.flush()
    assert stored(spool).drops == {NOT_SAMPLED: 3_000}


def test_counts_reach_the_spool_without_any_span_or_flush(recording: Any, spool: Path, stored: Any) -> None:
    """An app that samples nothing still says so."""
    recording().processor.count(NOT_SAMPLED, 2)
    eventually(lambda: stored(spool).drops == {NOT_SAMPLED: 2})


def test_what_a_bad_disk_refuses_is_counted_and_said_once(
    recording: Any, spool: Path, stored: Any, warnings_said: Callable[[], list[str]]
) -> None:
    """The folder cannot be made: the app goes on; when it can, the count is told."""
    spool.parent.parent.mkdir(exist_ok=True)
    spool.parent.write_bytes(b"a file in the way")
    made = recording(limits=SpoolLimits(retry_s=0))
    for n in range(5):
        made.ask(n)
        assert not made.processor.flush()
    assert len(warnings_said()) == 1
    spool.parent.unlink()
    made.ask(5)
    assert made.processor.flush()
    assert stored(spool).numbers == [5]
    assert stored(spool).drops == {NOT_WRITABLE: 5}


def test_a_flush_answers_false_once_for_what_was_lost(recording: Any, spool: Path, stored: Any) -> None:
    """A disk without room, then with room: the loss is told by the flush after it and by no other."""
    made = recording(limits=SpoolLimits(reserve_bytes=1 << 60))
    made.ask(1)
    assert not made.processor.flush()
    assert made.processor.flush()
    assert stored(spool).drops == {DISK_FULL: 1}


def test_a_span_beyond_the_limit_is_counted_and_its_neighbours_kept(recording: Any, spool: Path, stored: Any) -> None:
    """64 MiB is the limit of a frame."""
    made = recording()
    made.ask(1)
    made.ask(2, x="y" * (MAX_PAYLOAD + 1))
    made.ask(3)
    assert not made.processor.flush(PATIENCE_S)
    assert stored(spool).numbers == [1, 3]
    assert stored(spool).drops == {"too large": 1}


def test_a_lone_surrogate_is_repaired(recording: Any, spool: Path, stored: Any) -> None:
    """The batch, the span and the attribute are kept."""
    made = recording()
    made.ask(1, question="caf\ud83d")
    made.ask(2)
    assert made.processor.flush()
    first, second = stored(spool).attributes
    assert (first["question"], first["goldrank.repaired"]) == ("caf\ufffd", True)
    assert "goldrank.repaired" not in second


def test_with_durability_request_the_request_is_written_when_it_returns(
    recording: Any, spool: Path, stored: Any
) -> None:
    """Before any thread had its turn: nothing but the call itself is needed."""
    made = recording(durability="request")
    for n in range(20):
        made.ask(n)
        assert stored(spool).numbers == list(range(n + 1))


def test_a_request_that_ends_inside_a_write_is_no_deadlock(
    recording: Any, spool: Path, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A destructor or a signal handler may end a request while this very thread writes another."""
    made = recording(durability="request")
    monkeypatch.setattr(made.processor, "_wake_up", lambda: None)  # no thread may be quicker
    write, inner = made.processor._writer.write, iter([2])

    def interrupted(framed: list[bytes], **settings: Any) -> str | None:
        for n in inner:
            made.ask(n)
        return write(framed, **settings)

    monkeypatch.setattr(made.processor._writer, "write", interrupted)
    made.ask(1)
    assert made.processor.flush()
    assert sorted(stored(spool).numbers) == [1, 2]


def test_a_postponed_call_comes_after_the_write(
    recording: Any, spool: Path, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGTERM amid a write: the write is finished first."""
    made = recording(durability="request")
    monkeypatch.setattr(made.processor, "_wake_up", lambda: None)  # no thread may be quicker
    write, seen = made.processor._writer.write, []

    def interrupted(framed: list[bytes], **settings: Any) -> str | None:
        if not seen:
            seen.append(made.processor.postpone(lambda: seen.append(stored(spool).numbers)))
        return write(framed, **settings)

    monkeypatch.setattr(made.processor._writer, "write", interrupted)
    made.ask(1)
    assert seen == [True, [1]]
    assert not made.processor.postpone(seen.clear)


def test_a_flush_gives_up_at_its_limit(recording: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that hangs does not hang the app."""
    made = recording()
    disk = Stalled(made.processor, monkeypatch)
    made.ask(1)
    assert disk.entered.wait(PATIENCE_S)
    assert not made.processor.flush(0.05)
    disk.release()
    assert made.processor.flush(PATIENCE_S)


def test_shutdown_writes_all_and_gives_the_segment_to_its_reader(recording: Any, spool: Path, stored: Any) -> None:
    """Afterwards the segment is dead, later spans are counted, and a second shutdown does nothing."""
    made = recording()
    made.ask(1)
    made.processor.shutdown()
    assert [segment.alive for segment in list_segments(spool)] == [False]
    made.ask(2)
    made.processor.shutdown()
    assert not made.processor.flush()
    assert stored(spool).numbers == [1]
    assert stored(spool).drops == {AFTER_SHUTDOWN: 1}
    assert not any(segment.alive for segment in list_segments(spool))


def test_a_shutdown_of_a_processor_that_recorded_nothing_leaves_nothing(recording: Any, spool: Path) -> None:
    """No thread, no folder, no file."""
    made = recording()
    made.processor.shutdown()
    assert not spool.exists()
    assert made.processor._thread is None


def test_where_no_thread_can_start_the_exit_still_writes(
    recording: Any, spool: Path, stored: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process at its limit of threads, or an interpreter that ends."""

    def no_more(self: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    made = recording()
    monkeypatch.setattr(threading.Thread, "start", no_more)
    made.ask(1)
    assert "cannot start (can't start new thread)" in caplog.text
    assert made.processor.flush()
    assert stored(spool).numbers == [1]


def test_an_error_of_ours_is_counted_and_the_app_goes_on(
    recording: Any, spool: Path, stored: Any, monkeypatch: pytest.MonkeyPatch, warnings_said: Callable[[], list[str]]
) -> None:
    """Outside of our own tests an internal error is one line in the log and a count."""
    monkeypatch.delenv("GOLDRANK_STRICT")
    made = recording()

    def broken(*_: Any) -> None:
        message = "a fault of ours"
        raise LookupError(message)

    with monkeypatch.context() as patch:
        patch.setattr("goldrank.tracing.processor.encode_spans", broken)
        made.ask(1)
        assert not made.processor.flush()
    made.ask(2)
    assert made.processor.flush()
    assert stored(spool).numbers == [2]
    assert stored(spool).drops == {"internal error": 1}
    assert len(warnings_said()) == 1


def test_the_folder_is_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An app that changes its folder later goes on writing where it began."""
    monkeypatch.chdir(tmp_path)
    assert SpoolProcessor(Path("data/spool"), app="x").directory == tmp_path / "data" / "spool"
