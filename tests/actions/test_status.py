"""Status, ingest, complaints, corpus, query and snapshot."""

import pytest
from goldrank.actions import (
    AddCorpus,
    AskStatus,
    Ingest,
    ListComplaints,
    QuerySql,
    Snapshot,
    add_corpus,
    ingest,
    list_complaints,
    query_sql,
    snapshot,
    status,
)
from goldrank.collectors.ingester import IngesterState
from goldrank.model import BadInput, Complaint, Drops, FrameKind, Refused, UsageError
from goldrank.store import BadFrame, IntakeBatch
from goldrank.tracing.spool import SpoolWriter, encode


def write(desk, *payloads):
    """A segment with one complaint frame for each payload; its writer is gone."""
    writer = SpoolWriter(desk.workspace.spool, app="bot")
    assert not writer.write([encode(FrameKind.COMPLAINT, payload) for payload in payloads])
    writer.sync()
    writer.close()


def ticket(number, text="Wrong."):
    """A complaint as a spool frame holds it."""
    return Complaint(complaint_id=f"T-{number}", text=text, at_ns=number).model_dump_json().encode()


def told(state):
    """What is said and what to do about it."""
    return {trouble.what: trouble.remedy for trouble in state.troubles}


def test_a_spool_that_nobody_ever_wrote_is_named(desk):
    """Most first troubles are a dashboard that looks into another folder than the app writes."""
    state = status(desk.workspace, AskStatus())

    assert state.spool == str(desk.workspace.spool)
    assert not state.spool_written
    assert f"No app has ever recorded into {desk.workspace.spool}." in told(state)


def test_what_waits_in_the_spool_is_said_until_it_is_read(desk):
    """Without a hub the spool grows; `goldrank ingest` reads it."""
    write(desk, ticket(1), ticket(2))

    before = status(desk.workspace, AskStatus())
    done = ingest(desk.workspace, Ingest())
    after = status(desk.workspace, AskStatus())

    assert (before.spool_unread, after.spool_unread) == (1, 0)
    assert "1 segment of the spool wait to be read." in told(before)
    assert (done.frames_read, done.frames_bad) == (2, 0)
    assert told(after) == {}
    assert list_complaints(desk.workspace, ListComplaints()).total == 2


def test_what_receivers_took_and_refused_is_added_up(desk):
    """Each report is a part; a receiver stands once, what came most first, and its refusals with what to do."""

    def report(name, at_ns, received, refused):
        return Drops(app=name, pid=1, drops={}, at_ns=at_ns, received=received, refused=refused)

    first = report("hub a:8501", 1, {"requests": 2, "spans": 12}, {"no token": 1})
    second = report("hub a:8501", 5, {"requests": 1, "spans": 6, "feedback": 1}, {"no token": 2, "spool full": 1})
    other = report("collector b:4318", 3, {"requests": 1}, {})
    desk.store.intake.commit(IntakeBatch(drops=(first, other)))
    desk.store.intake.commit(IntakeBatch(drops=(second,)))

    state = status(desk.workspace, AskStatus())

    collector, hub = state.receivers
    assert (collector.receiver, collector.received, collector.refused) == ("collector b:4318", {"requests": 1}, {})
    assert list(hub.received.items()) == [("spans", 18), ("requests", 3), ("feedback", 1)]
    assert list(hub.refused.items()) == [("no token", 3), ("spool full", 1)]
    assert hub.last_ns == 5
    said = told(state)
    assert "OTEL_EXPORTER_OTLP_HEADERS" in said["hub a:8501: 3 messages refused (no token)."]
    assert "goldrank ingest" in said["hub a:8501: 1 message refused (spool full)."]
    assert state.drops == {}


def test_losses_and_bad_frames_are_counted_with_a_remedy(desk):
    """Nothing is lost silently."""
    write(desk, ticket(1))
    ingest(desk.workspace, Ingest())
    drops = Drops(app="bot", pid=1, drops={"queue full": 12, "not sampled": 3}, at_ns=1)
    bad = BadFrame(segment="s", offset=1, reason="no protobuf", saved_as="s-1", at_ns=1)
    desk.store.intake.commit(IntakeBatch(drops=(drops,), bad_frames=(bad,)))

    said = told(status(desk.workspace, AskStatus()))

    assert "GOLDRANK_QUEUE_SIZE" in said["bot: 12 spans not recorded (queue full)."]
    assert "own_provider=True" in said["bot: 3 spans not recorded (not sampled)."]
    assert "spool/bad" in said["1 frame could not be read and were set aside."]


class Running:
    """An ingester that is at work in the hub."""

    def __init__(self, message="", on_look=lambda: None):
        self.message, self.on_look, self.frames = message, on_look, 0

    @property
    def state(self):
        """As the hub's ingester tells it."""
        self.frames += self.on_look() or 0
        return IngesterState(
            running=True,
            healthy=not self.message,
            message=self.message,
            last_commit_ns=1,
            oldest_unread_s=None,
            frames_read=self.frames,
            frames_bad=0,
        )


def test_trouble_of_the_hubs_ingester_comes_first(desk):
    """A page that looks fine over a dead ingester is the worst of all."""
    hub = {"pid": 7, "url": "http://127.0.0.1:1", "since_ns": 1}
    workspace = desk.workspace._replace(ingester=Running("disk full"), hub=hub)

    state = status(workspace, AskStatus())

    assert state.troubles[0].what == "The ingester has trouble: disk full"
    assert (state.ingester.running, state.ingester.healthy, state.hub) == (True, False, hub)


def test_ingest_beside_a_hub_waits_for_the_hub(desk):
    """One ingester reads the spool; the command sees to it that everything recorded so far is stored."""
    write(desk, ticket(1))

    def read_by_the_hub():
        return ingest(desk.workspace, Ingest()).frames_read

    done = ingest(desk.workspace._replace(ingester=Running(on_look=read_by_the_hub)), Ingest())

    assert done.message == ""
    assert desk.store.complaints.count() == 1


def test_a_bad_frame_is_set_aside_and_counted(desk):
    """The rest of the segment is read."""
    write(desk, b"{", ticket(2))

    done = ingest(desk.workspace, Ingest())

    assert (done.frames_read, done.frames_bad) == (1, 1)
    assert any((desk.workspace.spool / "bad").iterdir())


def test_complaints_come_with_question_and_verdict(desk):
    """The way in: what was said, about which request, and how far it is."""
    request_id = desk.record(1, question="How do I cancel?", prompt="a")
    desk.complain("T-1", "Wrong.", request_id)
    desk.complain("T-2", "Also wrong.")
    desk.label(request_id, "a")

    rows = list_complaints(desk.workspace, ListComplaints()).rows

    assert [(one.complaint.complaint_id, one.request_id, one.question, one.verdict, one.labelled) for one in rows] == [
        ("T-2", None, None, "", False),
        ("T-1", request_id, "How do I cancel?", "delivered", True),
    ]


CHUNKS = '{"id": "a", "text": "Alpha.", "doc_id": "d", "page": 3, "metadata": {"lang": "en"}}\n\n{"chunk_id": 7}\n'


def load(desk, text, **more):
    """Adds a corpus of the index `docs`."""
    fields = {"app": "bot", "index": "docs", "version": "1", **more}
    return add_corpus(desk.workspace, AddCorpus(text=text, source="chunks.jsonl", **fields))


def test_a_corpus_keeps_every_field_and_judges_labelled_requests_anew(desk):
    """Unknown fields are metadata; a gold that is not in it becomes "not in the corpus"."""
    request_id = desk.record(1, legs={"dense": "b c"}, prompt="b")
    desk.label(request_id, "gone")

    done = load(desk, CHUNKS)

    assert (done.chunks, done.documents, done.reexamined) == (2, 1, 1)
    chunk = desk.store.chunks.get("bot", "a")
    assert (chunk.doc_id, chunk.text, chunk.metadata) == ("d", "Alpha.", {"page": 3, "lang": "en"})
    assert desk.store.requests.diagnosis(request_id).headline.verdict.value == "not_in_corpus"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CHUNKS + "{", "Line 4: it is no JSON"),
        (CHUNKS + '{"id": "a"}', "Line 4: chunk 'a' stands in line 1 already"),
        (CHUNKS + '{"text": "x"}', "Line 4: it has no chunk id"),
        ('{"id": "a", "text": ["x"]}', "Line 1: `text` holds a JSON list, a text was expected"),
        ("[]", "Line 1: a JSON list was found, an object was expected"),
        ("\n", "holds no chunk"),
    ],
)
def test_a_corpus_with_a_bad_line_is_not_loaded(desk, text, reason):
    """Half a manifest would call passages absent that are there."""
    with pytest.raises(BadInput, match=reason):
        load(desk, text)

    assert desk.store.corpora.list() == ()


def test_a_corpus_needs_an_app_an_index_and_a_version(desk):
    """Without them nothing could be said of it."""
    with pytest.raises(UsageError, match="version is empty"):
        load(desk, CHUNKS, version=" ")


def test_a_query_answers_in_values_that_json_has(desk):
    """Times, bytes and decimals become texts; rows beyond the limit are said."""
    sql = "select 1::decimal(5,2), '\\x01'::blob, date '2026-11-30', [1, 2], {'a': null} from range(3)"

    answer = query_sql(desk.workspace, QuerySql(sql=sql, limit=2))

    assert answer.rows == (("1.00", "01", "2026-11-30", [1, 2], {"a": None}),) * 2
    assert answer.more


def test_a_query_that_writes_is_refused(desk):
    """`goldrank sql` cannot change what is stored."""
    for sql in ("delete from requests", "create table x(a int)", "", "select 1; drop table requests"):
        with pytest.raises(UsageError):
            query_sql(desk.workspace, QuerySql(sql=sql))


def test_a_snapshot_never_lands_on_the_store(desk, tmp_path):
    """Nor on another file, unless that is said."""
    with pytest.raises(Refused, match="is the store itself"):
        snapshot(desk.workspace, Snapshot(target=str(desk.store.path), overwrite=True))
    (tmp_path / "there").touch()
    with pytest.raises(Refused, match="exists already"):
        snapshot(desk.workspace, Snapshot(target=str(tmp_path / "there")))
    with pytest.raises(UsageError, match="absolute path"):
        snapshot(desk.workspace, Snapshot(target="copy.duckdb"))
