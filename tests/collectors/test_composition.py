"""Spans to requests with stages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.model import (
    Completeness,
    FlowSource,
    Message,
    Outcome,
    RecordedRequest,
    Span,
    Stage,
    StageInput,
    StageKind,
    wire,
)
from wire_spans import T0_NS, TRACE, make_request, make_span, make_stage, span_id


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def stage_of(**attributes: Any) -> Stage:
    """A stage with these wire attributes, in a request."""
    (stage,) = only(make_request(1), make_stage(2, 1, attributes=attributes)).stages
    return stage


def test_a_request_has_what_its_span_says() -> None:
    """Header, notes, resource; attributes of others beside ours."""
    attributes = {
        wire.HISTORY: json.dumps([{"role": "user", "text": "hi"}]),
        wire.ANSWER: "so",
        wire.USER: "u1",
        wire.SESSION: "s1",
        wire.TENANT: "t1",
        wire.GROUPS: ["a", "b"],
        wire.AS_OF: "2026-01-01",
        wire.NOTE_PREFIX + "plan": "pro",
        "http.route": "/ask",
        "raw": b"\xff",
    }
    request = only(make_request(1, attributes=attributes, end_ms=400)).request
    assert request.request_id == f"{TRACE}-{span_id(1)}"
    assert (request.app, request.environment, request.app_version) == ("bot", "test", "1.2")
    assert (request.question, request.answer, request.answer_note) == ("how?", "so", None)
    assert request.history == (Message(role="user", text="hi"),)
    assert (request.user, request.session, request.tenant, request.groups) == ("u1", "s1", "t1", ("a", "b"))
    assert request.notes == {"plan": "pro"}
    assert request.attributes == {"user.id": "u1", "session.id": "s1", "http.route": "/ask", "raw": "/w=="}
    assert (request.duration_ms, request.outcome, request.missing) == (400, Outcome.OK, ())


def test_no_group_and_no_word_about_groups_differ() -> None:
    """Absent is not recorded, the JSON text "[]" is in no group."""
    assert only(make_request(1)).request.groups is None
    assert only(make_request(1, attributes={wire.GROUPS: "[]"})).request.groups == ()


def test_a_stage_has_what_its_span_says() -> None:
    """Every wire attribute of a stage arrives in its field."""
    stage = stage_of(
        **{
            wire.KIND: "rerank",
            wire.NAME: "ce",
            wire.QUERY: "q",
            wire.QUERIES: '["a", "b"]',
            wire.TECHNIQUE: "expansion",
            wire.TOP_K: 5,
            wire.FILTERS: '{"lang": "en"}',
            wire.INDEX: "docs",
            wire.INDEX_VERSION: "v2",
            wire.EMBEDDING_MODEL: "e",
            wire.MODEL: "m",
            wire.SETTINGS: '{"threshold": 0.6}',
            wire.INPUTS: json.dumps([[span_id(9), 20], [span_id(8), None]]),
            wire.INPUTS_SOURCE: "declared",
            wire.TEXT: "t",
            wire.PROMPT: '[{"role": "system", "text": "be nice"}]',
            wire.CONTEXT: '["c1"]',
            wire.NOTE_PREFIX + "shard": 3,
            wire.OUTCOME: "error",
            wire.ERROR: "TimeoutError: no answer in 2 s",
        }
    )
    assert (stage.stage_id, stage.kind, stage.name, stage.query) == (span_id(2), StageKind.RERANK, "ce", "q")
    assert (stage.queries, stage.technique, stage.top_k, stage.filters) == (("a", "b"), "expansion", 5, {"lang": "en"})
    assert (stage.index, stage.index_version, stage.embedding_model, stage.model) == ("docs", "v2", "e", "m")
    assert stage.settings == {"threshold": 0.6}
    assert stage.inputs == (StageInput(stage_id=span_id(9), depth=20), StageInput(stage_id=span_id(8)))
    assert stage.flow_source is FlowSource.DECLARED
    assert stage.text == "t"
    assert stage.prompt == (Message(role="system", text="be nice"),)
    assert stage.declared_context == ("c1",)
    assert stage.notes == {"shard": 3}
    assert (stage.outcome, stage.error) == (Outcome.ERROR, "TimeoutError: no answer in 2 s")
    assert not stage.has_list
    assert stage.completeness is Completeness.COMPLETE


@pytest.mark.parametrize("key", [wire.HITS, wire.QUERIES, wire.SETTINGS, wire.INPUTS, wire.PROMPT, wire.CONTEXT])
@pytest.mark.parametrize("bad", ["{", '{"hits": 3}', "7", "[[]]", '"x', "\0", "[" * 100_000])
def test_unreadable_json_is_said_and_breaks_nothing(key: str, bad: str) -> None:
    """The stage stays; what could not be read counts as not recorded."""
    recorded = only(
        make_request(1), make_stage(2, 1, attributes={key: bad, wire.NAME: "ce"}), make_stage(3, 1, hits=[])
    )
    stage = recorded.stages[0]
    assert (stage.name, len(recorded.stages)) == ("ce", 2)
    if key == wire.HITS:
        assert stage.hits is None
        assert stage.completeness is Completeness.NOT_RECORDED
        assert recorded.request.missing == ("the list of ce is not readable",)


def test_of_a_newer_goldrank_nothing_is_guessed() -> None:
    """A span of a format that is not known here is kept as a span, and the request says why."""
    recorded = only(
        make_request(1),
        make_stage(2, 1, hits=[{"id": "a"}], name="new", attributes={wire.VERSION: wire.WIRE_VERSION + 1}),
    )
    assert recorded.stages == ()
    assert recorded.request.missing == ("new was written by a newer goldrank (format 3): update this one",)


def test_parents_are_the_nearest_stages() -> None:
    """Spans of others between two stages are passed over; a stage right below the request has none."""
    spans = (make_request(1), make_stage(2, 1, "tool"), make_span(3, 2), make_stage(4, 3, start_ms=1))
    assert [stage.parent_id for stage in only(*spans).stages] == [None, span_id(2)]


def test_a_request_inside_becomes_a_step() -> None:
    """Its question and answer stay readable, and what is in it stands inside it."""
    inner = make_request(2, 1, question="sub?", attributes={wire.ANSWER: "sub!"}, start_ms=1, name="agent")
    recorded = only(make_request(1), inner, make_stage(3, 2, start_ms=2))
    step, stage = recorded.stages
    assert (step.kind, step.name, step.query, step.text) == (StageKind.OTHER, "agent", "sub?", "sub!")
    assert stage.parent_id == step.stage_id


def test_an_orphan_says_so() -> None:
    """Its parent never came; the stage below it has its own."""
    recorded = only(make_request(1), make_stage(4, 99, "fuse", start_ms=2), make_stage(5, 4, "rerank", start_ms=3))
    assert [stage.parent_missing for stage in recorded.stages] == [True, False]
    assert recorded.request.missing == ("1 span missing",)


def test_a_clock_that_is_off_by_decades_is_told_in_whole_days() -> None:
    """A start of 1970 is what an unset clock gives."""
    (search,) = only(make_request(1), make_stage(2, 1, start_ms=-86_400_000 * 20_761, end_ms=0)).stages
    assert search.clock_note == "it is recorded 20,761 days before its request begins"


def test_skewed_clocks_do_not_change_the_order() -> None:
    """A span of another clock stands where the request's time puts it, and is marked; durations stay at 0 or above."""
    spans = (
        make_request(1, end_ms=400),
        make_stage(2, 1, start_ms=-240_000, end_ms=-239_900, name="search"),
        make_stage(3, 1, "rerank", start_ms=300, end_ms=250, name="rerank"),
        make_stage(4, 1, "generate", start_ms=310, end_ns=0, name="llm"),
        make_stage(5, 1, "generate", start_ms=320, end_ms=900_400, name="late"),
    )
    search, rerank, llm, late = only(*spans).stages
    assert (search.name, search.duration_ms) == ("search", 100)
    assert search.clock_note == "it is recorded 4 min before its request begins"
    assert (rerank.duration_ms, rerank.clock_note) == (0, "its end is recorded before its start")
    assert (llm.duration_ms, llm.outcome, llm.clock_note) == (None, Outcome.INCOMPLETE, None)
    assert late.clock_note == "it is recorded up to 15 min after its request ends"


def test_a_request_without_an_end_is_incomplete() -> None:
    """Neither its duration nor its outcome is guessed."""
    request = only(make_request(1, end_ns=0, attributes={wire.OUTCOME: "ok"})).request
    assert (request.end_ns, request.duration_ms, request.outcome) == (None, None, Outcome.INCOMPLETE)


@pytest.mark.parametrize("outcome", ["ok", "error", "cancelled", "closed_early"])
def test_the_outcome_is_the_recorded_one(outcome: str) -> None:
    """The shim's own word counts before OpenTelemetry's status, which knows neither cancelling nor closing."""
    request = only(make_request(1, attributes={wire.OUTCOME: outcome, wire.ANSWER: "part"}, status=1)).request
    assert request.outcome == outcome


def test_without_a_request_span_the_question_is_unknown() -> None:
    """A provisional request has the app, the time of its first span, and no end."""
    recorded = only(make_stage(2, 1, start_ms=5, hits=[{"id": "a"}]))
    request = recorded.request
    assert (request.request_id, request.provisional, request.question) == (TRACE, True, None)
    assert (request.app, request.start_ns, request.end_ns) == ("bot", T0_NS + 5_000_000, None)
    assert request.outcome is Outcome.INCOMPLETE
    assert len(recorded.stages) == 1


def test_a_part_of_a_request_that_was_continued_knows_its_question() -> None:
    """While the request span is missing, a request span below it says what was asked."""
    named = {wire.REQUEST_ID: f"{'ee' * 16}-{span_id(1)}"}
    recorded = only(make_request(5, question="from afar?", attributes=named))
    assert (recorded.request.request_id, recorded.request.question) == ("ee" * 16, "from afar?")


def test_telemetry_of_others_is_listed() -> None:
    """With its topmost span as the request, and without a question or stages."""
    spans = (make_span(1, status=2, status_message="boom", attributes={"a": 1.5, "n": float("nan")}), make_span(2, 1))
    recorded = only(*spans)
    request = recorded.request
    assert (request.request_id, request.provisional) == (f"{TRACE}-{span_id(1)}", False)
    assert (request.question, request.outcome, request.error) == (None, Outcome.ERROR, "boom")
    assert request.attributes == {"a": 1.5, "n": None}
    assert recorded.stages == ()


def test_spans_of_others_inside_a_request_are_no_stages() -> None:
    """They are members of the request and nothing more."""
    (one,) = compose([make_request(1), make_span(2, 1), make_stage(3, 2)])
    assert [stage.stage_id for stage in one.recorded.stages] == [span_id(3)]
    assert len(one.members) == 3


def test_the_index_of_a_hit_follows_its_id() -> None:
    """From the retriever to every later list; an id of two indexes stays open."""
    spans = (
        make_request(1),
        make_stage(2, 1, hits=[{"id": "a"}, {"id": "both"}], attributes={wire.INDEX: "docs"}),
        make_stage(3, 1, hits=[{"id": "b"}, {"id": "both"}], attributes={wire.INDEX: "wiki"}, start_ms=1),
        make_stage(4, 1, "fuse", hits=[{"id": "b"}, {"id": "a"}, {"id": "both"}, {"id": "new"}], start_ms=2),
    )
    fused = only(*spans).stages[-1].hits
    assert fused is not None
    assert [hit.index for hit in fused] == ["wiki", "docs", None, None]


def test_a_repair_anywhere_marks_the_request() -> None:
    """A reader must know that what is shown is not letter for letter what was sent."""
    assert only(make_request(1), make_stage(2, 1, repaired=True)).request.repaired
    assert not only(make_request(1), make_stage(2, 1)).request.repaired


def test_a_cut_prompt_says_so() -> None:
    """What stood behind the cut is not known, so the prompt is not whole."""
    cut = {wire.TEXT_CUT: json.dumps({wire.PROMPT: 30_000_000})}
    prompt = {wire.PROMPT: json.dumps([{"role": "", "text": "z"}])}
    recorded = only(make_request(1), make_stage(2, 1, "generate", name="llm", attributes=prompt | cut))
    assert recorded.stages[0].completeness is Completeness.TRUNCATED
    assert recorded.request.missing == ("the prompt of llm was cut: 30,000,000 characters",)
