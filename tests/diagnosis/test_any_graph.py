"""Whatever was recorded, diagnosis answers, and what it says holds together."""

from __future__ import annotations

from goldrank.diagnosis import examine, gold_path_text, three_questions
from goldrank.model import (
    Completeness,
    FlowSource,
    Hit,
    Judgement,
    Label,
    LabelFacts,
    LabelTarget,
    Level,
    Message,
    Outcome,
    PointState,
    RecordedRequest,
    Request,
    Stage,
    StageInput,
    StageKind,
    TextState,
    Verdict,
)
from hypothesis import given, settings
from hypothesis import strategies as st

IDS = ("a", "b", "c", "g", "g#1", "042", "doc")
TEXTS = (
    None,
    "",
    "Intro",
    "The refund window is thirty days from delivery.",
    "Refunds. The refund window is thirty days from delivery. No more.",
    "x\u0301 [S1] (a) \\n",
)
STAGE_IDS = ("s0", "s1", "s2", "s3", "s4")
NAMES = ("dense", "rerank", "")

hits = st.builds(
    Hit,
    rank=st.integers(1, 9),
    chunk_id=st.sampled_from(IDS),
    doc_id=st.sampled_from((None, "doc", "other")),
    index=st.sampled_from((None, "docs")),
    score=st.one_of(st.none(), st.sampled_from((0.1, 0.5, 0.5, -1.0))),
    text=st.sampled_from(TEXTS),
    text_state=st.sampled_from(TextState),
    parent_id=st.sampled_from((None, "g", "a")),
    metadata=st.sampled_from(
        ({}, {"version": 3}, {"superseded": "2020-01-01"}, {"groups": ["x"]}, {"acl": {"read": 3}})
    ),
)
messages = st.builds(
    Message,
    role=st.just("user"),
    text=st.sampled_from([text or "" for text in TEXTS] + ["[a] cites", "\n".join(t or "" for t in TEXTS)]),
)
stages = st.builds(
    Stage,
    stage_id=st.sampled_from(STAGE_IDS),
    kind=st.sampled_from(StageKind),
    name=st.sampled_from(NAMES),
    parent_id=st.sampled_from((None, *STAGE_IDS)),
    start_ns=st.integers(0, 5),
    end_ns=st.one_of(st.none(), st.integers(0, 7)),
    outcome=st.sampled_from(Outcome),
    error=st.sampled_from((None, "ValueError: x")),
    query=st.sampled_from((None, "how long?", "before how long?")),
    hits=st.one_of(st.none(), st.lists(hits, max_size=5).map(tuple)),
    length=st.one_of(st.none(), st.integers(0, 20)),
    missing_top=st.integers(0, 3),
    completeness=st.sampled_from(Completeness),
    settings=st.sampled_from(({}, {"threshold": 0.3}, {"k": True}, {"k": -1})),
    filters=st.sampled_from((None, [], {"min_score": 0.2})),
    inputs=st.lists(
        st.builds(StageInput, stage_id=st.sampled_from((*STAGE_IDS, "gone")), depth=st.sampled_from((None, 2))),
        max_size=3,
    ).map(tuple),
    flow_source=st.sampled_from(FlowSource),
    text=st.sampled_from(TEXTS),
    prompt=st.one_of(st.none(), st.lists(messages, max_size=2).map(tuple)),
    declared_context=st.one_of(st.none(), st.lists(st.sampled_from(IDS), max_size=3).map(tuple)),
)
requests = st.builds(
    RecordedRequest,
    request=st.builds(
        Request,
        request_id=st.just("r"),
        trace_id=st.just("t"),
        question=st.sampled_from((None, "how long?", "what is E-4012?")),
        answer=st.sampled_from((None, "", "Thirty days [S1].", "See a, (doc)")),
        history=st.sampled_from(((), (Message(role="user", text="before that it was"),))),
        groups=st.sampled_from((None, (), ("x",))),
        start_ns=st.integers(0, 5),
    ),
    stages=st.lists(stages, max_size=6).map(tuple),
)
targets = st.builds(
    LabelTarget,
    level=st.sampled_from(Level),
    chunk_id=st.sampled_from((None, *IDS)),
    doc_id=st.sampled_from((None, "doc")),
    index=st.sampled_from((None, "docs")),
    text=st.sampled_from(TEXTS),
    quote=st.sampled_from(TEXTS),
)
labels = st.lists(
    st.builds(
        Label,
        label_id=st.uuids().map(str),
        request_id=st.just("r"),
        app=st.just("bot"),
        judgement=st.sampled_from(Judgement),
        evidence=st.sampled_from((None, 1, 2)),
        target=targets,
        who=st.just("ann"),
        at_ns=st.just(0),
    ),
    max_size=3,
)
facts = st.lists(
    st.builds(
        LabelFacts,
        corpus_known=st.booleans(),
        present=st.sampled_from((None, True, False)),
        same_text=st.sampled_from((None, True, False)),
        relinked=st.sampled_from(((), ("b",))),
    ),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(requests, labels, facts, st.sampled_from(((), ("30 days",))))
def test_any_graph_is_answered(recorded, labels, facts, expected):
    """No recorded request, however odd, stops the diagnosis; and verdict, place and path agree."""
    diagnosis = examine(recorded, labels, facts, expected=expected, manifest={"a": {"version": 4}})
    assert len(diagnosis.outcomes) == sum(label.judgement is Judgement.GOLD for label in labels)
    assert sorted(diagnosis.flow.order) == sorted({stage.stage_id for stage in recorded.stages})
    places = {stage_id: place for place, stage_id in enumerate(diagnosis.flow.order)}
    assert all(places[edge.source_id] < places[edge.target_id] for edge in diagnosis.flow.edges)
    three_questions(diagnosis, labels, facts)
    for outcome in diagnosis.outcomes:
        gold_path_text(outcome, diagnosis.flow, recorded.stages)
        holds_together(outcome, diagnosis)


def holds_together(outcome, diagnosis):
    """Invariants of one outcome."""
    verdict = outcome.finding.verdict
    found = [point for point in outcome.path if point.state is PointState.FOUND]
    assert (outcome.last_list is not None) == bool(found)
    assert verdict is not Verdict.NO_LABEL
    if verdict in {Verdict.DELIVERED, Verdict.IGNORED}:
        assert outcome.lost_at is None
        assert not outcome.lost_at_context
    if outcome.position is not None:
        assert diagnosis.context.known
        assert verdict in {
            Verdict.DELIVERED,
            Verdict.IGNORED,
            Verdict.PARTLY_FOUND,
            Verdict.DROPPED_FROM_PROMPT,
            Verdict.UNKNOWN,
        }
    if verdict in {Verdict.NOT_RETRIEVED, Verdict.NOT_IN_CORPUS, Verdict.STALE_LABEL}:
        assert not found
    if verdict in {Verdict.FILTERED, Verdict.REMOVED_BY_STAGE}:
        assert outcome.lost_at is not None
    if verdict in {Verdict.DEMOTED, Verdict.LOST_IN_FUSION}:
        assert outcome.blamed is not None
    if verdict is Verdict.REACHED_LAST_LIST:
        assert not diagnosis.context.known
    assert outcome.finding.title
    assert not outcome.finding.sentence.endswith("..")
