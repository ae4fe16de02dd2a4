"""Step replay: what each stage was given, what it gave, and where the gold stood."""

from __future__ import annotations

from typing import Any

from goldrank.diagnosis import examine
from goldrank.diagnosis.steps import steps_of
from goldrank.model import FlowSource


def _steps(recorded: Any, *labels: Any) -> dict[str, Any]:
    return {step.name: step for step in steps_of(recorded, examine(recorded, labels))}


def test_a_step_says_what_went_in_what_came_out_and_what_moved(make: Any) -> None:
    """Ranks before are the best among the lists that went in."""
    recorded = make.recorded(
        make.stage("bm25", "a b"),
        make.stage("dense", "b c"),
        make.stage("rrf", "b a", kind="fuse", inputs=["bm25", "dense"]),
    )
    step = _steps(recorded)["rrf"]
    assert step.sentence == "rrf took 2 of bm25 and 2 of dense and gave 2 hits: 1 moved, 1 left out."
    assert [(one.chunk_id, one.before, one.after) for one in step.moves] == [("b", 1, 1), ("a", 1, 2), ("c", 2, None)]
    assert step.flow_source is FlowSource.RECORDED


def test_only_what_was_handed_over_went_in(make: Any) -> None:
    """A chunk below the depth was never given, so it was not left out."""
    recorded = make.recorded(
        make.stage("dense", "a b c"), make.stage("rerank", "b a", kind="rerank", inputs=[("dense", 2)])
    )
    step = _steps(recorded)["rerank"]
    assert step.inputs[0].length == 2
    assert [one.chunk_id for one in step.moves if one.after is None] == []


def test_nothing_is_said_to_move_where_the_flow_is_not_known(make: Any) -> None:
    """Two lists that share nothing."""
    recorded = make.recorded(make.stage("dense", "a b"), make.stage("rerank", "x y", kind="rerank"))
    step = _steps(recorded)["rerank"]
    assert step.flow_source is FlowSource.UNKNOWN
    assert {one.before for one in step.moves} == {None}
    assert step.sentence == "rerank gave 2 hits."


def test_the_step_that_lost_the_gold_says_so(make: Any) -> None:
    """And every step before it where the gold stood."""
    recorded = make.recorded(
        make.stage("dense", "g a b"),
        make.stage("groups", "a b", kind="filter", inputs=["dense"]),
        make.prompt("a b"),
    )
    steps = _steps(recorded, make.label("g"))
    assert steps["dense"].golds[0].point.rank == 1
    assert not steps["dense"].golds[0].lost_here
    assert steps["groups"].golds[0].lost_here


def test_a_failed_step_and_one_without_a_list_have_their_words(make: Any) -> None:
    """No list is no empty list."""
    steps = _steps(
        make.recorded(make.failed("dense", "TimeoutError: no answer"), make.stage("bm25", ""), make.prompt(""))
    )
    assert steps["dense"].sentence == "dense failed."
    assert steps["dense"].length_out is None
    assert steps["bm25"].sentence == "bm25 gave 0 hits."
    assert steps["bm25"].length_out == 0


def test_steps_are_numbered_from_1_in_the_order_of_the_flow(make: Any) -> None:
    """A request without stages has none."""
    assert steps_of(make.recorded(), examine(make.recorded())) == ()
    numbers = [step.number for step in _steps(make.recorded(make.stage("a", "x"), make.stage("b", "y"))).values()]
    assert numbers == [1, 2]
