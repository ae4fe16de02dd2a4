"""The ingester: every frame in the store once, whatever happens in between."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from goldrank.collectors import Ingester, ingester, reading
from goldrank.model import (
    CorpusChunk,
    CorpusManifest,
    Drops,
    Feedback,
    FrameKind,
    Judgement,
    Label,
    LabelTarget,
    StoreError,
    wire,
)
from goldrank.store import BadFrame, IntakeBatch, RequestRow
from goldrank.store.duckdb import DuckStore
from goldrank.tracing.spool import SpoolWriter
from goldrank.tracing.spool import encode as encode_frame
from wire_spans import T0_NS, TRACE, encode, make_request, make_span, make_stage, span_id

Write = Callable[..., None]
Rows = Callable[[], tuple[RequestRow, ...]]
ROOT = f"{TRACE}-{span_id(1)}"


def a_request(number: int, question: str = "how?") -> tuple[Any, ...]:
    """A request with one list, in a trace of its own."""
    trace = f"{number:032x}"
    return (
        make_stage(2, 1, trace=trace, hits=[{"id": "a", "t": 0, "x": "text a", "s": 0.5}]),
        make_request(1, trace=trace, question=question),
    )


INGESTING = """
import sys
from pathlib import Path
from goldrank.collectors import Ingester
from goldrank.store import RequestFilter, open_store
with open_store(Path(sys.argv[2])) as store:
    assert Ingester(Path(sys.argv[1]), store).run_once() == 1
    assert store.requests.page(RequestFilter(), limit=1).stored == 40
print("pyarrow" in sys.modules, "pandas" in sys.modules)
"""


def wait_until(condition: Callable[[], bool]) -> None:
    """Gives other threads the time they need."""
    limit = threading.Event()
    for _ in range(2000):
        if condition():
            return
        limit.wait(0.005)
    pytest.fail("it did not happen within 10 s")


def test_taking_in_loads_no_pandas(write: Write, tmp_path: Path) -> None:
    """It costs a process 0.4 s and some 50 MB, and many a call of pyarrow brings it along; taking in lists does not."""
    write(*(span for number in range(40) for span in a_request(0x1000 + number)))
    ran = subprocess.run(
        [sys.executable, "-c", INGESTING, tmp_path / "spool", tmp_path / "other.duckdb"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.strip(), ran.stderr) == ("True False", "")


def test_what_an_app_wrote_is_in_the_store(ingester: Ingester, write: Write, store: DuckStore, rows: Rows) -> None:
    """A request with its list, its texts and its spans; a second look finds nothing new."""
    write(*a_request(0x11))
    assert ingester.run_once() == 1
    assert [row.request_id for row in rows()] == [ROOT]
    recorded = store.requests.get(ROOT)
    assert recorded is not None
    assert [(hit.chunk_id, hit.text) for hit in recorded.stages[0].hits or ()] == [("a", "text a")]
    assert store.requests.spans(ROOT, limit=10).total == 2
    assert ingester.run_once() == 0


def test_without_a_spool_there_is_nothing_to_read(ingester: Ingester) -> None:
    """An app that has not started yet is no trouble."""
    assert ingester.run_once() == 0
    assert ingester.state.healthy


def test_a_living_segment_stays_and_a_dead_one_goes(
    ingester: Ingester, write: Write, writer: SpoolWriter, spool: Path, store: DuckStore
) -> None:
    """It is deleted once its writer is gone and all of it is committed, and then forgotten."""
    write(*a_request(1))
    assert ingester.run_once() == 1
    assert len(list(spool.glob("*.seg"))) == len(store.intake.progress()) == 1
    writer.close()
    assert ingester.run_once() == 0
    assert list(spool.glob("*.seg")) == []
    assert store.intake.progress() == {}


def test_a_new_ingester_goes_on_where_the_store_stands(
    ingester: Ingester, write: Write, spool: Path, store: DuckStore, rows: Rows
) -> None:
    """After a restart nothing is read twice and nothing is left out."""
    write(*a_request(1), Drops(app="bot", pid=1, drops={"queue full": 3}, at_ns=1))
    ingester.run_once()
    write(*a_request(2))
    assert Ingester(spool, store).run_once() == 1
    assert len(rows()) == 2
    assert store.intake.counts()["drops"] == {"bot": {"queue full": 3}}


def test_killed_before_deleting_a_segment_it_is_not_read_again(
    *,
    ingester: Ingester,
    write: Write,
    writer: SpoolWriter,
    spool: Path,
    store: DuckStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The commit stands; the next ingester only deletes."""
    write(Drops(app="bot", pid=1, drops={"disk full": 2}, at_ns=1))
    writer.close()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "unlink", killed)
    with pytest.raises(KeyboardInterrupt):
        ingester.run_once()
    monkeypatch.undo()
    assert Ingester(spool, store).run_once() == 0
    assert list(spool.glob("*.seg")) == []
    assert store.intake.counts()["drops"] == {"bot": {"disk full": 2}}


def test_killed_before_forgetting_a_segment_it_is_forgotten_later(
    ingester: Ingester, write: Write, writer: SpoolWriter, spool: Path, store: DuckStore
) -> None:
    """Progress of a file that is gone goes at the next start."""
    write(*a_request(1))
    ingester.run_once()
    writer.close()
    for path in spool.glob("*.seg"):
        path.unlink()
    Ingester(spool, store).run_once()
    assert store.intake.progress() == {}


def test_a_full_batch_leaves_the_rest_for_the_next(
    ingester: Ingester, write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded transactions, in order, until nothing waits."""
    monkeypatch.setattr(reading, "BATCH_BYTES", 1000)
    for number in range(1, 11):
        write(*a_request(number))
    counts = []
    while read := ingester.run_once():
        counts.append(read)
        assert (ingester.state.oldest_unread_s is None) == (sum(counts) == 10)
    assert len(counts) > 2
    assert (sum(counts), len(rows())) == (10, 10)


def test_the_request_span_takes_over_what_came_before(
    ingester: Ingester, write: Write, store: DuckStore, rows: Rows
) -> None:
    """Stages alone are a provisional request; the request span takes over its row and labels."""
    stage, request = a_request(0x11)
    write(stage)
    ingester.run_once()
    assert [(row.request_id, row.question, row.missing) for row in rows()] == [(TRACE, None, ("request span missing",))]
    label = Label(
        label_id="l1",
        request_id=TRACE,
        app="bot",
        judgement=Judgement.GOLD,
        grade=1,
        evidence=1,
        target=LabelTarget(chunk_id="a"),
        who="ann",
        at_ns=1,
    )
    store.labels.save((label,))
    write(request)
    ingester.run_once()
    assert [(row.request_id, row.question, row.missing) for row in rows()] == [(ROOT, "how?", ())]
    assert [label.label_id for label in store.labels.of(ROOT)] == ["l1"]


def test_late_and_doubled_spans_repair_or_change_nothing(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Every order and repetition ends at the same request."""
    stage, request = a_request(0x11)
    write(stage, request)
    ingester.run_once()
    expected = store.requests.get(ROOT)
    write(request, stage, request)
    write(stage)
    ingester.run_once()
    write(make_request(1, question="still running", end_ns=0))
    ingester.run_once()
    assert store.requests.get(ROOT) == expected
    write(make_stage(3, 1, "rerank", hits=[{"id": "a"}], start_ms=1))
    ingester.run_once()
    recorded = store.requests.get(ROOT)
    assert recorded is not None
    assert [stage.kind for stage in recorded.stages] == ["retrieve", "rerank"]


def test_an_outer_request_that_comes_last_swallows_the_inner_ones(ingester: Ingester, write: Write, rows: Rows) -> None:
    """Inner request spans end first, so they are listed until the outer one comes."""
    write(make_request(2, 1, question="sub 1?", start_ms=1), make_request(3, 1, question="sub 2?", start_ms=2))
    ingester.run_once()
    assert len(rows()) == 2
    write(make_request(1, question="all?"))
    ingester.run_once()
    assert [(row.request_id, row.question) for row in rows()] == [(ROOT, "all?")]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_a_request_over_several_traces_is_one_in_any_order(
    ingester: Ingester, write: Write, rows: Rows, store: DuckStore, order: tuple[int, ...]
) -> None:
    """Each part comes in a batch of its own; the end is always one request with all its spans."""
    named = {wire.REQUEST_ID: ROOT}
    parts = (
        make_request(1),
        make_stage(5, 4, trace="ab" * 16, hits=[{"id": "a"}], attributes=named),
        make_span(4, trace="ab" * 16),
    )
    for place in order:
        write(parts[place])
        ingester.run_once()
    assert [row.request_id for row in rows()] == [ROOT]
    assert store.requests.spans(ROOT, limit=10).total == 3


def test_a_frame_that_cannot_be_read_is_set_aside(
    ingester: Ingester, write: Write, spool: Path, store: DuckStore, rows: Rows
) -> None:
    """It is kept with the reason, which never holds its content; its neighbours are in."""
    write(*a_request(1))
    write(b"secret garbage")
    write(*a_request(2))
    assert ingester.run_once() == 3
    assert len(rows()) == 2
    (bad,) = store.intake.bad_frames()
    assert bad.saved_as is not None
    kept = spool / "bad" / bad.saved_as
    assert kept.read_bytes() == b"secret garbage"
    assert kept.stat().st_mode & 0o077 == 0
    reason = kept.with_suffix(".reason.txt").read_text()
    assert reason.startswith("14 bytes were read as an OTLP trace request")
    assert "secret" not in reason + bad.reason
    assert (ingester.state.frames_read, ingester.state.frames_bad) == (3, 1)


@pytest.mark.parametrize(
    ("kind", "payload", "reason"),
    [
        (FrameKind.FEEDBACK, b'{"secret": 1}', "A feedback frame of 13 bytes is not readable: feedback_id"),
        (FrameKind.COMPLAINT, b"secret", "A complaint frame of 6 bytes is not readable: Invalid JSON"),
        (FrameKind.LOGS, b"secret", "6 bytes were read as an OTLP log request"),
        (99, b"secret", "A frame of kind 99 is not read"),
    ],
)
def test_messages_that_cannot_be_read_are_set_aside_too(
    *, ingester: Ingester, writer: SpoolWriter, store: DuckStore, kind: int, payload: bytes, reason: str
) -> None:
    """The reason says what was expected, and nothing of what was there."""
    writer.write([encode_frame(kind, payload)])
    assert ingester.run_once() == 1
    (bad,) = store.intake.bad_frames()
    assert bad.reason.startswith(reason)
    assert "secret" not in bad.reason


def test_the_garbage_collector_is_as_it_was(ingester: Ingester, write: Write) -> None:
    """It pauses while a batch is built, and goes on whatever happened to the batch."""
    write(*a_request(1))
    ingester.run_once()
    assert gc.isenabled()
    gc.disable()
    try:
        write(*a_request(2))
        ingester.run_once()
        assert not gc.isenabled()
    finally:
        gc.enable()


class Refusing:
    """An intake that refuses some batches, in front of a real one."""

    def __init__(self, real: Any, refuses: Callable[[IntakeBatch], Exception | None]) -> None:
        self._real = real
        self._refuses = refuses

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def commit(self, batch: IntakeBatch) -> None:
        """Refused, or as the real one."""
        error = self._refuses(batch)
        if error is not None:
            raise error
        self._real.commit(batch)


class RefusingStore:
    """A store with such an intake."""

    def __init__(self, real: DuckStore, refuses: Callable[[IntakeBatch], Exception | None]) -> None:
        self._real = real
        self.intake = Refusing(real.intake, refuses)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@pytest.mark.parametrize("error", [ValueError("secret"), StoreError("secret")])
def test_a_frame_that_fails_alone_is_found_and_set_aside(
    *, spool: Path, store: DuckStore, write: Write, rows: Rows, error: Exception
) -> None:
    """Of many frames in a transaction only the one that cannot be stored is left out."""

    def refuses(batch: IntakeBatch) -> Exception | None:
        return error if any(span.name == "poison" for span in batch.spans) else None

    for number in range(1, 20):
        write(*a_request(number))
        if number == 7:
            write(make_request(1, trace="ff" * 16, name="poison"))
    ingester = Ingester(spool, RefusingStore(store, refuses))  # type: ignore[arg-type]
    assert ingester.run_once() == 20
    assert len(rows()) == 19
    (bad,) = store.intake.bad_frames()
    assert bad.reason == f"it could not be taken in ({type(error).__name__})"
    assert ingester.run_once() == 0


def test_when_every_frame_fails_none_is_to_blame(spool: Path, store: DuckStore, write: Write, rows: Rows) -> None:
    """A store that takes in no frame at all is at fault itself, though it answers: nothing is set aside."""
    broken = True
    refusing = RefusingStore(store, lambda batch: ValueError("secret") if broken and batch.spans else None)
    at_work = Ingester(spool, refusing)  # type: ignore[arg-type]
    for number in range(1, 6):
        write(*a_request(number))
    for _ in range(ingester.ATTEMPTS + 1):
        with pytest.raises(ValueError, match="secret"):
            at_work.run_once()
    assert store.intake.bad_frames() == ()
    broken = False
    assert at_work.run_once() == 5
    assert len(rows()) == 5


def test_a_frame_that_keeps_failing_on_its_own_is_set_aside(spool: Path, store: DuckStore, write: Write) -> None:
    """With no other frame to compare, only after some attempts."""
    at_work = Ingester(spool, RefusingStore(store, lambda batch: ValueError() if batch.spans else None))  # type: ignore[arg-type]
    write(*a_request(1))
    for _ in range(ingester.ATTEMPTS - 1):
        with pytest.raises(ValueError, match=r"^$"):
            at_work.run_once()
    assert at_work.run_once() == 1
    assert len(store.intake.bad_frames()) == 1


def test_trouble_with_the_store_loses_and_sets_aside_nothing(
    *, spool: Path, store: DuckStore, write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While no commit succeeds the ingester says so and tries again; then everything is there."""
    monkeypatch.setattr(ingester, "BACKOFF_S", (0.01, 0.02))
    broken = threading.Event()
    broken.set()
    at_work = Ingester(
        spool,
        RefusingStore(store, lambda _: StoreError("The disk is full.") if broken.is_set() else None),  # type: ignore[arg-type]
    )
    write(*a_request(1))
    stop = threading.Event()
    thread = threading.Thread(target=at_work.run, args=(stop,))
    thread.start()
    try:
        wait_until(lambda: not at_work.state.healthy)
        assert at_work.state.running
        assert at_work.state.message.startswith("The disk is full. Nothing is lost")
        assert at_work.state.oldest_unread_s is not None
        broken.clear()
        wait_until(lambda: at_work.state.healthy and at_work.state.frames_read == 1)
        write(*a_request(2))
        wait_until(lambda: len(rows()) == 2)
        assert at_work.state.oldest_unread_s is None
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()
    assert not at_work.state.running
    assert store.intake.bad_frames() == ()


def test_a_stop_during_trouble_does_not_wait_for_a_retry(spool: Path, store: DuckStore, write: Write) -> None:
    """A hub that ends must not hang on a full disk."""
    at_work = Ingester(spool, RefusingStore(store, lambda _: StoreError("no")))  # type: ignore[arg-type]
    write(*a_request(1))
    stop = threading.Event()
    thread = threading.Thread(target=at_work.run, args=(stop,))
    thread.start()
    wait_until(lambda: not at_work.state.healthy)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


def test_the_torn_end_of_a_dead_writer_is_kept_and_told(
    *, ingester: Ingester, write: Write, writer: SpoolWriter, spool: Path, store: DuckStore, rows: Rows
) -> None:
    """What was acknowledged is in; the half frame behind it is set aside once."""
    write(*a_request(1))
    writer.close()
    (segment,) = spool.glob("*.seg")
    with segment.open("ab") as file:
        file.write(encode_frame(FrameKind.TRACES, b"x" * 100)[:50])
    assert ingester.run_once() == 1
    assert len(rows()) == 1
    (bad,) = store.intake.bad_frames()
    assert "ends inside a frame" in bad.reason
    assert (spool / "bad" / str(bad.saved_as)).stat().st_size == 50
    assert list(spool.glob("*.seg")) == []


def test_damage_in_a_living_segment_waits_for_its_writer(
    ingester: Ingester, write: Write, writer: SpoolWriter, spool: Path, store: DuckStore
) -> None:
    """It is told at once and set aside when the writer is gone; until then nothing is deleted."""
    write(*a_request(1))
    (segment,) = spool.glob("*.seg")
    with segment.open("ab") as file:
        file.write(b"\x07" * 40)
    assert ingester.run_once() == 1
    assert f"{segment.name} is damaged at byte" in ingester.state.message
    assert store.intake.bad_frames() == ()
    writer.close()
    ingester.run_once()
    assert ingester.state.healthy
    assert len(store.intake.bad_frames()) == 1
    assert list(spool.glob("*.seg")) == []


def test_feedback_drops_and_corpus_arrive(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Every kind of message has its place."""
    manifest = CorpusManifest(
        app="bot", environment="test", index="docs", version="v1", chunks=(CorpusChunk(chunk_id="a", text="text a"),)
    )
    write(
        *a_request(0x11),
        Feedback(feedback_id="f1", request_id=ROOT, app="bot", score=-1, comment="wrong", at_ns=5),
        Drops(app="bot", pid=7, drops={"queue full": 3, "not sampled": 2}, at_ns=6),
        manifest,
    )
    assert ingester.run_once() == 4
    assert [one.comment for one in store.complaints.feedback(ROOT)] == ["wrong"]
    assert store.intake.counts()["drops"] == {"bot": {"queue full": 3, "not sampled": 2}}
    assert [(state.version, state.chunks) for state in store.corpora.list()] == [("v1", 1)]


def test_redaction_reaches_what_others_wrote(
    *, spool: Path, store: DuckStore, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    """Foreign spans and comments are redacted; the shim's own spans were redacted at home."""

    def hide(text: str) -> str:
        if "fail" in text:
            raise RuntimeError(text)
        return text.replace("ann", "[name]")

    foreign = make_span(1, trace="ab" * 16, attributes={"a": ["ann", {"b": "ann"}], "c": "ann must fail", "n": 1})
    write(
        foreign,
        *a_request(0x11, question="ann?"),
        Feedback(feedback_id="f1", request_id=ROOT, score=-1, comment="by ann", at_ns=T0_NS),
    )
    Ingester(spool, store, redact=(hide,)).run_once()
    (span,) = store.requests.spans(f"{'ab' * 16}-{span_id(1)}", limit=5).rows
    assert span.attributes == {"a": ["[name]", {"b": "[name]"}], "c": "[hidden: redaction failed]", "n": 1}
    recorded = store.requests.get(ROOT)
    assert recorded is not None
    assert recorded.request.question == "ann?"
    assert store.complaints.feedback(ROOT)[0].comment == "by [name]"
    assert "ann" not in caplog.text


def test_half_an_emoji_goes_all_the_way(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """In a plain attribute and as an escape inside JSON: replaced, marked, and the neighbours untouched."""
    bad = make_request(1, question="Is the \ud83e sticker free?", attributes={})
    hits = make_stage(2, 1, attributes={wire.HITS: r'{"hits": [{"id": "c1", "x": "\udc00 a\u0000b"}]}'})
    write(bad, hits, make_request(1, trace="ab" * 16, question="fine \U0001f642"))
    assert ingester.run_once() == 1
    recorded = store.requests.get(ROOT)
    assert recorded is not None
    assert recorded.request.question == "Is the \ufffd sticker free?"
    assert recorded.request.repaired
    assert (recorded.stages[0].hits or ())[0].text == "\ufffd a\0b"
    healthy = store.requests.get(f"{'ab' * 16}-{span_id(1)}")
    assert healthy is not None
    assert (healthy.request.question, healthy.request.repaired) == ("fine \U0001f642", False)


def test_the_bad_frame_of_a_batch_is_committed_with_it(
    ingester: Ingester, write: Write, store: DuckStore, spool: Path
) -> None:
    """Read again after a crash it would be set aside under the same name: one file, one row."""
    write(b"\xff\xff")
    ingester.run_once()
    (first,) = store.intake.bad_frames()
    assert isinstance(first, BadFrame)
    store.intake.forget_segments(tuple(store.intake.progress()))
    Ingester(spool, store).run_once()
    assert len(store.intake.bad_frames()) == 1
    assert len(list((spool / "bad").glob("*.bin"))) == 1


def test_encoding_and_decoding_meet(write: Write, ingester: Ingester, store: DuckStore) -> None:
    """Spans that are asked back from the store are the spans that came."""
    spans = (make_request(1, attributes={"raw": b"\x00\xff", "deep": [{"a": [1.5, None, True]}]}), make_span(2, 1))
    write(*spans)
    assert encode(spans)
    ingester.run_once()
    assert store.intake.spans_of((TRACE,)) == spans
