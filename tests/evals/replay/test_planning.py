"""From a recorded request to a plan: what is asked, which stages can be pinned, and why not."""

from __future__ import annotations

import pytest
from goldrank.evals.replay import AsUser, PinChoice, parse_override, plan_replay, split_overrides, stage_choices
from goldrank.model import (
    Completeness,
    Hit,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    Stage,
    StageKind,
    TextState,
    UsageError,
)
from goldrank.model.replay import Injection

HITS = (Hit(rank=1, chunk_id="c1", text="one", text_state=TextState.KNOWN),)


def stage(number: int, kind: str, **fields: object) -> Stage:
    """A stage that began `number`th."""
    if StageKind(kind) in {StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK, StageKind.OTHER}:
        fields = {"hits": HITS, "shape": "list[dict{id, text}]", **fields}
    return Stage(
        stage_id=f"{number:016x}", kind=kind, name=f"{kind} {number}", start_ns=number, end_ns=number, **fields
    )


PIPELINE = (
    stage(1, "rewrite", queries=("q",)),
    stage(2, "embed"),
    stage(3, "retrieve", query="q"),
    stage(4, "fuse"),
    stage(5, "filter"),
    stage(6, "rerank", query="q"),
    stage(7, "filter"),
    stage(8, "assemble", text="prompt"),
    stage(9, "generate", text="answer"),
)


def recorded(*stages: Stage, **fields: object) -> RecordedRequest:
    """A request with these stages."""
    request = Request(
        request_id="r1",
        trace_id="t",
        question="refunds?",
        history=(Message(role="user", text="hi"),),
        user="ann",
        session="s1",
        groups=("staff",),
        start_ns=0,
    ).model_copy(update=fields)
    return RecordedRequest(request=request, stages=stages or PIPELINE)


def pinned(planned) -> list[str]:
    """Names of the stages that are pinned."""
    return [pin.name for pin in planned.plan.pins]


def test_the_call_is_what_was_recorded():
    """Question, history, and who asked."""
    call = plan_replay(recorded(), batch="b1").plan.call
    assert (call.question, call.user, call.session, call.groups) == ("refunds?", "ann", "s1", ("staff",))
    assert call.history == (Message(role="user", text="hi"),)


def test_another_user_asks():
    """Only what is set replaces what was recorded; no group at all is something that is set."""
    call = plan_replay(recorded(), as_user=AsUser(groups=())).plan.call
    assert (call.user, call.groups) == ("ann", ())


def test_nothing_is_pinned_unless_asked():
    """All runs live."""
    assert pinned(plan_replay(recorded())) == []


def test_the_recorded_rewrites():
    """The words that were searched then; every search runs."""
    planned = plan_replay(recorded(), pins=PinChoice.REWRITE)
    assert pinned(planned) == ["rewrite 1"]
    assert planned.refused == ()


@pytest.mark.parametrize(
    ("line", "overrides"),
    [
        ("", ()),
        (" dense.exact=true  rrf.k=20 ", ("dense.exact=true", "rrf.k=20")),
        ("retrieve.query=reset router rerank=off", ("retrieve.query=reset router", "rerank=off")),
        ("rewrite=off retrieve.query=is it off", ("rewrite=off", "retrieve.query=is it off")),
        ('retrieve.query="set a.b=1 \\"x\\" off" rerank=off', ('retrieve.query="set a.b=1 \\"x\\" off"', "rerank=off")),
        ('request.groups=["staff", "hr"] bm25.top_k=9', ('request.groups=["staff", "hr"]', "bm25.top_k=9")),
        ('retrieve.query=a 3" pipe rerank=off', ('retrieve.query=a 3" pipe', "rerank=off")),
    ],
)
def test_overrides_in_one_line(line, overrides):
    """One ends where the next begins; a value may have spaces, and in double quotes nothing begins."""
    assert split_overrides(line) == overrides


def test_the_recorded_candidates():
    """What came before the first rerank; the rewrite too, so that the query stays."""
    planned = plan_replay(recorded(), pins=PinChoice.CANDIDATES)
    assert pinned(planned) == ["rewrite 1", "retrieve 3", "fuse 4", "filter 5"]
    assert planned.refused == ()


def test_the_recorded_context():
    """Everything up to the assemble stage."""
    planned = plan_replay(recorded(), pins=PinChoice.CONTEXT)
    assert pinned(planned) == [
        "rewrite 1", "retrieve 3", "fuse 4", "filter 5", "rerank 6", "filter 7", "assemble 8"
    ]  # fmt: skip


def test_a_stage_by_its_id():
    """As a page's check boxes ask for it."""
    assert pinned(plan_replay(recorded(), pins={PIPELINE[5].stage_id})) == ["rerank 6"]
    with pytest.raises(UsageError, match="no stage of r1"):
        plan_replay(recorded(), pins={"f" * 16})


def test_a_stage_inside_a_pinned_one_is_not_pinned_itself():
    """It is not called."""
    outer = stage(1, "retrieve")
    inner = stage(2, "retrieve", parent_id=outer.stage_id)
    planned = plan_replay(recorded(outer, inner), pins={outer.stage_id, inner.stage_id})
    assert pinned(planned) == ["retrieve 1"]
    assert planned.refused == ()
    assert planned.stages[1].reason == "the stage around it is pinned, so that it does not run"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"outcome": Outcome.ERROR}, "it did not end well then (error)"),
        ({"completeness": Completeness.TRUNCATED}, "its list is not complete (truncated)"),
        ({"completeness": Completeness.TEXT_NOT_RECEIVED}, "its list is not complete (text not received)"),
        ({"hits": None, "completeness": Completeness.NOT_RECORDED}, "what it returned was not recorded"),
        ({"shape": None}, "what type it returned was not recorded"),
        ({"hits": (HITS[0].model_copy(update={"text_state": TextState.REDACTED}),)}, "hidden by redaction"),
        ({"hits": (HITS[0].model_copy(update={"text_state": TextState.CUT}),)}, "cut when it was recorded"),
    ],
)
def test_what_cannot_be_pinned_runs_live_with_the_reason(changed, reason):
    """Never silently."""
    odd = stage(1, "retrieve").model_copy(update=changed)
    planned = plan_replay(recorded(odd), pins=PinChoice.CANDIDATES)
    assert planned.plan.pins == ()
    assert [choice.name for choice in planned.refused] == ["retrieve 1"]
    assert reason in planned.refused[0].reason
    assert not stage_choices(recorded(odd))[0].can_be_pinned


def test_with_a_chunk_to_inject_assemble_must_run():
    """The chunk is put into what it is given."""
    gold = Injection(chunk_id="g", text="gold")
    planned = plan_replay(recorded(), pins=PinChoice.CONTEXT, injection=gold)
    assert "assemble 8" not in pinned(planned)
    assert planned.refused[0].name == "assemble 8"
    assert planned.plan.injection == gold


def test_without_assemble_and_context_the_last_list_takes_the_chunk():
    """It is named, because the app cannot know which list will be the last."""
    planned = plan_replay(
        recorded(PIPELINE[2], PIPELINE[5], PIPELINE[8]), injection=Injection(chunk_id="g", text="gold")
    )
    assert planned.plan.injection is not None
    assert planned.plan.injection.stage == "rerank 6"


def test_a_question_that_was_not_recorded_cannot_be_asked():
    """With a sentence."""
    with pytest.raises(UsageError, match="question of r1 was not recorded"):
        plan_replay(recorded(question=None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("retrieve.top_k=200", ("retrieve", "top_k", 200)),
        ("rewrite=off", ("rewrite", "off", True)),
        ('request.groups=["staff"]', ("request", "groups", ["staff"])),
        ("bm25.mode=exact", ("bm25", "mode", "exact")),
        ("my.leg.top_k = 5", ("my.leg", "top_k", 5)),
        ('retrieve.filters={"lang": "en"}', ("retrieve", "filters", {"lang": "en"})),
        ("generate.prompt=a = b", ("generate", "prompt", "a = b")),
    ],
)
def test_an_override_as_it_is_typed(text, expected):
    """JSON where it is JSON."""
    override = parse_override(text)
    assert (override.target, override.parameter, override.value) == expected


@pytest.mark.parametrize("text", ["", "top_k=200", "retrieve.top_k", "=5", ".top_k=3", "rewrite=on"])
def test_what_is_no_override_is_refused(text):
    """With what is expected."""
    with pytest.raises(UsageError, match="expected is stage"):
        parse_override(text)
