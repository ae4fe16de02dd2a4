"""What the ingester brings in comes out as it was received and composed, in one transaction with its progress."""

from __future__ import annotations

import json
import math

import pytest
from goldrank.model import (
    Complaint,
    Completeness,
    Drops,
    Feedback,
    FlowSource,
    Hit,
    IdSource,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    ScoreKind,
    Span,
    SpanEvent,
    Stage,
    StageInput,
    StageKind,
    TextState,
    wire,
)
from goldrank.store import BadFrame, IntakeBatch, Progress, open_store
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ROUND_TRIP = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
"""Without shrinking: an example writes to a store, and making a failing one small would take minutes."""

LONG = "Refunds are possible within 14 days of the purchase, and the support team answers within one working day. " * 3
AWKWARD = (
    "a\x00b",
    "bell\x07 escape\x1b[31m",
    "line\u2028paragraph\u2029next\x85",
    "\u202etxet lamron\u202c",
    "\ufeffbom \ufffe",
    "e\u0301 \U0001f600",
    '"quoted" \\ back\\slash',
    "",
    " ",
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.sampled_from((*AWKWARD, LONG))
maybe = st.none() | texts
whole = st.integers(-(2**63), 2**63 - 1)
numbers = st.floats(allow_nan=False)
json_values = st.recursive(
    st.none() | st.booleans() | whole | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
messages = st.builds(Message, role=texts, text=texts)
hits = st.builds(
    Hit,
    rank=st.integers(-(2**62), 2**62),
    chunk_id=texts,
    id_source=st.sampled_from(IdSource),
    doc_id=maybe,
    index=maybe,
    score=st.none() | numbers,
    score_kind=st.sampled_from(ScoreKind),
    text=maybe,
    text_hash=maybe,
    text_state=st.sampled_from(TextState),
    metadata=objects,
    parent_id=maybe,
)


@st.composite
def stage_lists(draw: st.DrawFn) -> tuple[Stage, ...]:
    """Stages with ids of their own."""
    return tuple(
        draw(
            st.builds(
                Stage,
                stage_id=st.just(f"{place:016x}"),
                kind=st.sampled_from(StageKind),
                name=texts,
                parent_id=maybe,
                parent_missing=st.booleans(),
                start_ns=whole,
                end_ns=st.none() | whole,
                clock_note=maybe,
                outcome=st.sampled_from(Outcome),
                error=maybe,
                query=maybe,
                queries=st.lists(texts, max_size=2).map(tuple),
                technique=maybe,
                top_k=st.none() | whole,
                filters=json_values,
                index=maybe,
                index_version=maybe,
                embedding_model=maybe,
                model=maybe,
                settings=objects,
                hits=st.none() | st.lists(hits, max_size=3).map(tuple),
                length=st.none() | whole,
                missing_top=st.integers(0, 100),
                completeness=st.sampled_from(Completeness),
                shape=maybe,
                inputs=st.lists(st.builds(StageInput, stage_id=texts, depth=st.none() | whole), max_size=2).map(tuple),
                flow_source=st.sampled_from(FlowSource),
                text=maybe,
                prompt=st.none() | st.lists(messages, max_size=2).map(tuple),
                declared_context=st.none() | st.lists(texts, max_size=2).map(tuple),
            )
        )
        for place in range(draw(st.integers(0, 3)))
    )


requests = st.builds(
    Request,
    request_id=st.just("r"),
    trace_id=st.just("t"),
    provisional=st.booleans(),
    app=texts,
    environment=texts,
    app_version=maybe,
    question=maybe,
    question_source=maybe,
    history=st.lists(messages, max_size=2).map(tuple),
    answer=maybe,
    answer_note=maybe,
    user=maybe,
    session=maybe,
    tenant=maybe,
    groups=st.none() | st.lists(texts, max_size=2).map(tuple),
    as_of=maybe,
    outcome=st.sampled_from(Outcome),
    error=maybe,
    start_ns=whole,
    end_ns=st.none() | whole,
    replay_of=maybe,
    notes=objects,
    attributes=objects,
    missing=st.lists(texts, max_size=2).map(tuple),
    repaired=st.booleans(),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """One store for many examples."""
    with open_store(tmp_path_factory.mktemp("kept") / "store.duckdb") as opened:
        yield opened


@ROUND_TRIP
@given(request=requests, stages=stage_lists())
def test_every_request_comes_back_equal(kept, request, stages):
    """Whatever a request holds, it is rebuilt exactly as it was composed, and replaces what was there."""
    recorded = RecordedRequest(request=request, stages=stages)
    kept.intake.commit(IntakeBatch(requests=(recorded,)))
    assert kept.requests.get("r") == recorded


attribute_values = st.recursive(
    st.none() | st.booleans() | whole | numbers | texts | st.binary(max_size=20) | json_values.map(json.dumps),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@ROUND_TRIP
@given(
    attributes=st.dictionaries(texts, attribute_values, max_size=4),
    resource=st.dictionaries(texts, attribute_values, max_size=2),
    event=st.dictionaries(texts, attribute_values, max_size=2),
    name=texts,
)
def test_every_span_comes_back_equal(kept, attributes, resource, event, name):
    """Whatever a span holds, it comes back with every attribute letter for letter, and replaces what was there."""
    span = Span(
        trace_id="t",
        span_id="s",
        parent_span_id=None,
        name=name,
        kind=3,
        start_ns=1,
        end_ns=2**63 - 1,
        status=2,
        status_message="failed",
        attributes=attributes,
        resource=resource,
        scope="scope",
        events=(SpanEvent("exception", 5, event),),
        links=(("t2", "s2"),),
        dropped_attributes=3,
        dropped_events=4,
        repaired=True,
    )
    kept.intake.commit(IntakeBatch(spans=(span,)))
    assert kept.intake.spans_of(("t",)) == (span,)


@pytest.mark.parametrize("writer", [json.dumps, lambda value: json.dumps(value, ensure_ascii=False)])
def test_json_attributes_keep_their_letters(store, make, writer):
    """A list of hits inside an attribute comes back in the letters it was sent in, whoever wrote them."""
    value = writer(
        {"hits": [{"id": "a", "x": LONG + 'naïve "quote"\n\t'}, {"id": "b", "x": LONG}, {"id": "c", "s": 1.0}]}
    )
    span = make.span("t", "s", None, "search", 1, {wire.HITS: value}, {})
    store.intake.commit(IntakeBatch(spans=(span,)))
    assert store.intake.spans_of(("t",))[0].attributes[wire.HITS] == value


def test_nan_in_an_attribute_stays_nan(store, make):
    """NaN is no null."""
    store.intake.commit(IntakeBatch(spans=(make.span("t", "s", None, "x", 1, {"score": math.nan, "none": None}, {}),)))
    attributes = store.intake.spans_of(("t",))[0].attributes
    assert math.isnan(attributes["score"])
    assert attributes["none"] is None


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_comes_back_equal(store, make, text):
    """NUL, control characters, line separators and marks of direction are text like any other."""
    made = make.request(question=text, answer=text, chunks=((f"id{text}", text),), user=text, notes={text: text})
    store.intake.commit(make.batch(made))
    assert store.requests.get(made.request_id) == made.recorded


def test_lone_surrogate_does_not_fail_a_batch(store, make):
    """The ingester repairs them; one that slips through becomes U+FFFD and costs nobody else a request."""
    bad = make.request(1, question="half \ud83d pair", answer="\udc00", notes={"k": "\ud800"})
    good = make.request(2)
    store.intake.commit(make.batch(bad, good))
    assert store.requests.get(good.request_id) == good.recorded
    found = store.requests.get(bad.request_id)
    assert found.request.question == "half \ufffd pair"
    assert found.stages[0].query == "half \ufffd pair"


def test_times_beyond_64_bits_do_not_fail_a_batch(store, make):
    """A clock that sends nonsense is stored as the largest time there is."""
    store.intake.commit(IntakeBatch(spans=(make.span("t", "s", None, "x", 2**64 - 1, {}, {}, end_ns=0),)))
    assert store.intake.spans_of(("t",))[0].start_ns == 2**63 - 1


def test_the_same_batch_twice_changes_nothing(store, make):
    """A batch that is committed again leaves one of everything."""
    batch = make.batch(
        make.request(1),
        make.request(2),
        feedback=(Feedback(feedback_id="f", request_id="r", score=-1, at_ns=1),),
        complaints=(Complaint(complaint_id="T-1", text="wrong", at_ns=1),),
    )
    store.intake.commit(batch)
    before = store.intake.counts()["rows"]
    store.intake.commit(batch)
    assert store.intake.counts()["rows"] == before
    revisions = "select (select count(*) from complaints), (select count(*) from feedback)"
    assert store.query(revisions, limit=1).rows == ((1, 1),)
    assert before["requests"] == 2
    assert before["spans"] == 12


def test_a_text_is_stored_once(store, make):
    """A passage in four lists, in a span and in a prompt is one row, and the prompt refers to it."""
    made = make.request(chunks=((("c1"), LONG), ("c2", LONG + "!")))
    store.intake.commit(make.batch(made))
    rows = store.query("select text, parts from texts", limit=100).rows
    assert [text for text, _ in rows].count(LONG) == 1
    assert sum(1 for text, parts in rows if text is None and parts is not None) == 1
    assert store.requests.get(made.request_id) == made.recorded


def test_an_answer_is_kept_with_its_request_alone(store, make):
    """Not among the texts, though a stage gave it and a span says it again; a stage that said something else keeps it.

    When it changes, so does what the stage shows.
    """
    made = make.request(1, answer=LONG)
    store.intake.commit(make.batch(made))
    assert LONG not in [text for (text,) in store.query("select text from texts", limit=100).rows]
    assert store.requests.get(made.request_id) == made.recorded
    spans = {span.span_id: span.attributes for span in store.intake.spans_of((made.recorded.request.trace_id,))}
    assert spans == {span.span_id: span.attributes for span in made.spans}
    assert store.requests.get(made.request_id, texts=False).stages[-1].text == ""

    other = made.recorded.model_copy(update={"request": made.recorded.request.model_copy(update={"answer": "No."})})
    store.intake.commit(make.batch(made._replace(recorded=other)))
    found = store.requests.get(made.request_id)
    assert (found.request.answer, found.stages[-1].text) == ("No.", LONG)


def test_a_hit_keeps_the_text_it_had_then(store, make):
    """When a chunk gets another text, older requests still show the old one."""
    old, new = make.request(1, chunks=(("c1", "Old text."),)), make.request(2, chunks=(("c1", "New text."),))
    store.intake.commit(make.batch(old))
    store.intake.commit(make.batch(new))
    assert store.requests.get(old.request_id).stages[0].hits[0].text == "Old text."
    assert store.requests.get(new.request_id).stages[0].hits[0].text == "New text."
    assert store.chunks.get("support-bot", "c1").text == "New text."


def test_the_view_of_hits_spells_out_what_the_table_holds_in_numbers(store, make):
    """A list with a hole, ranks shared, kinds of scores mixed: each row as it was recorded."""
    ranks, kinds = (1, 2, 2, 7), (ScoreKind.RERANK, ScoreKind.RERANK, ScoreKind.UNKNOWN, ScoreKind.RERANK)
    listed = tuple(
        make.hit(rank, f"c{place}", "A text." if place else None, score_kind=kind, score=place / 4)
        for place, (rank, kind) in enumerate(zip(ranks, kinds, strict=True))
    )
    made = make.request(1)
    first, *others = made.recorded.stages
    stages = (first.model_copy(update={"hits": listed, "length": 7}), *others)
    recorded = made.recorded.model_copy(update={"stages": stages})
    store.intake.commit(make.batch(made._replace(recorded=recorded)))
    assert store.requests.get(made.request_id) == recorded
    rows = store.query(
        "select stage_id, place, rank, chunk_id, score, score_kind, text_state from hits join chunks using (chunk_key)",
        limit=100,
    ).rows
    assert sorted(rows) == sorted(
        (stage.stage_id, place, hit.rank, hit.chunk_id, hit.score, hit.score_kind.value, hit.text_state.value)
        for stage in stages
        for place, hit in enumerate(stage.hits or ())
    )


@pytest.mark.parametrize("rank", [2**63 - 1, -(2**63)])
def test_a_rank_that_is_no_rank_is_cut_and_the_request_is_read(store, make, rank):
    """Telemetry may say any number; what is added to it in the store stays within 64 bits."""
    made = make.request(1)
    first, *others = made.recorded.stages
    stages = (
        first.model_copy(update={"hits": (make.hit(1, "a", None), make.hit(rank, "b", None, score=0.0))}),
        *others,
    )
    store.intake.commit(make.batch(made._replace(recorded=made.recorded.model_copy(update={"stages": stages}))))
    read = store.requests.get(made.request_id).stages[0].hits
    assert [hit.rank for hit in read] == [1, 2**62 if rank > 0 else -(2**62)]
    assert store.query("select max(abs(rank)) from hits", limit=1).rows == ((2**62,),)


def test_a_recomposed_request_is_replaced_whole(store, make):
    """Stages and hits of the former composition are gone."""
    first, second = make.request(1), make.request(1, chunks=(("only", "one"),))
    store.intake.commit(make.batch(first))
    rid = store.query("select rid from requests", limit=1).rows
    store.intake.commit(make.batch(second))
    assert store.requests.get(first.request_id) == second.recorded
    assert store.query("select rid from requests", limit=2).rows == rid
    assert store.query("select count(*) from hits", limit=1).rows == ((4,),)


def test_a_request_span_takes_over_the_provisional_row(store, make):
    """When the root comes, the row keeps its number, and labels, complaints and feedback go along."""
    made = make.request(1)
    trace_id = made.recorded.request.trace_id
    provisional = RecordedRequest(
        request=made.recorded.request.model_copy(update={"request_id": trace_id, "provisional": True}),
        stages=made.recorded.stages,
    )
    store.intake.commit(
        IntakeBatch(spans=made.spans[1:], requests=(provisional,), members={trace_id: made.members[1:]})
    )
    rid = store.query("select rid from requests", limit=1).rows
    store.labels.save((make.label(trace_id),))
    store.complaints.save(Complaint(complaint_id="T-1", text="x", at_ns=1, request_id=trace_id))
    store.intake.commit(make.batch(made, renamed={trace_id: made.request_id}, dissolved=(trace_id,)))
    assert store.query("select rid from requests", limit=2).rows == rid
    assert store.requests.get(trace_id) is None
    assert [label.request_id for label in store.labels.of(made.request_id)] == [made.request_id]
    assert [complaint.complaint_id for complaint in store.complaints.of(made.request_id)] == ["T-1"]
    assert store.requests.spans(made.request_id, limit=10).total == 6


def test_a_dissolved_request_is_gone(store, make):
    """A provisional request whose spans all belong to others leaves no row."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    store.intake.commit(IntakeBatch(dissolved=(made.request_id,)))
    assert store.requests.get(made.request_id) is None
    assert store.query("select (select count(*) from hits) + (select count(*) from stages)", limit=1).rows == ((0,),)


def test_spans_below_another_root_move(store, make):
    """A span that was stored earlier goes to the request it belongs to now."""
    first, second = make.request(1), make.request(2)
    store.intake.commit(make.batch(first))
    members = {first.request_id: first.members[:2], second.request_id: (*second.members, *first.members[2:])}
    store.intake.commit(IntakeBatch(spans=second.spans, requests=(first.recorded, second.recorded), members=members))
    assert store.requests.spans(first.request_id, limit=20).total == 2
    assert store.requests.spans(second.request_id, limit=20).total == 10
    assert store.intake.trace_of_request((first.request_id, second.request_id, "unknown")) == {
        first.request_id: (f"{1:032x}",),
        second.request_id: (f"{1:032x}", f"{2:032x}"),
    }


def test_progress_comes_with_the_rows_or_not_at_all(store, make):
    """A batch that fails leaves neither rows nor progress, and the next one is stored as if it had not been."""
    store.intake.commit(IntakeBatch(progress=(Progress(segment="a", upto=10),)))
    made = make.request(1)
    broken = make.request(2).recorded.model_copy(
        update={"request": make.request(2).recorded.request.model_copy(update={"app": None})}
    )
    with pytest.raises(Exception, match="NOT NULL"):
        store.intake.commit(
            IntakeBatch(requests=(made.recorded, broken), spans=made.spans, progress=(Progress(segment="a", upto=99),))
        )
    assert store.intake.progress() == {"a": 10}
    assert store.intake.counts()["rows"]["requests"] == 0
    store.intake.commit(make.batch(made, progress=(Progress(segment="a", upto=50), Progress(segment="b", upto=1))))
    assert store.requests.get(made.request_id) == made.recorded
    assert store.intake.progress() == {"a": 50, "b": 1}
    store.intake.forget_segments(("a",))
    assert store.intake.progress() == {"b": 1}


def test_losses_are_summed_by_app_and_reason(store):
    """Drops of several writers add up; a bad frame that is reported again is one."""
    frame = BadFrame(segment="s", offset=5, reason="crc", saved_as="bad/1", at_ns=7)
    store.intake.commit(
        IntakeBatch(
            drops=(
                Drops(app="bot", pid=1, drops={"queue full": 2, "not sampled": 1}, at_ns=1),
                Drops(app="bot", pid=2, drops={"queue full": 3}, at_ns=2),
            ),
            bad_frames=(frame,),
        )
    )
    store.intake.commit(IntakeBatch(bad_frames=(frame,)))
    counts = store.intake.counts()
    assert counts["drops"] == {"bot": {"not sampled": 1, "queue full": 5}}
    assert counts["bad_frames"] == 1
    assert counts["bytes"] > 0
    assert store.intake.bad_frames() == (frame,)


def test_numbers_of_values_survive_a_reopened_store(opener, path, make):
    """A store that is opened again knows its texts and gives no number twice."""
    with opener(path) as store:
        store.intake.commit(make.batch(make.request(1)))
        texts = store.intake.counts()["rows"]["texts"]
    with opener(path) as store:
        store.intake.commit(make.batch(make.request(1), make.request(2)))
        assert store.intake.counts()["rows"]["texts"] > texts
        doubled = "select count(*) - count(distinct text_key) + count(*) - count(distinct digest) from texts"
        assert store.query(doubled, limit=1).rows == ((0,),)
        for number in (1, 2):
            assert store.requests.get(make.request(number).request_id) == make.request(number).recorded
