"""Telemetry of other writers, as real packages sent it, becomes the request that really happened."""

from __future__ import annotations

import pytest
from goldrank.collectors import compose
from goldrank.model import Completeness, Outcome, RecordedRequest, StageKind
from not_done import NOT_DONE
from recordings import FOLDER, load, load_protobuf, names, not_recoverable, truth
from states import STATES
from truths import LISTS, compare, question_of, wrong_ranks

NAMES = names()
PARTIAL = not_recoverable()
pytestmark = pytest.mark.skipif(not NAMES, reason=f"no recordings in {FOLDER}: set GOLDRANK_CAPTURES to their folder")


def requests_of(name: str) -> list[RecordedRequest]:
    """The requests of a recording; the truth is not at hand here."""
    return [one.recorded for one in compose(load(name).spans)]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PARTIAL])
def test_what_was_sent_is_understood(name: str) -> None:
    """Question, answer, stages, queries, ids, ranks, scores and errors are the true ones."""
    differences = compare(truth(name), load(name), requests_of(name))
    if name in NOT_DONE:
        assert differences, f"{name} is right now: take it out of not_done.py"
        pytest.skip(NOT_DONE[name])
    assert differences == []


@pytest.mark.parametrize("name", [name for name in NAMES if name in PARTIAL])
def test_what_cannot_be_known_is_said(name: str) -> None:
    """The state of the list is exactly the true one, and no chunk stands at a wrong rank."""
    requests = requests_of(name)
    assert wrong_ranks(truth(name), requests) == []
    state = STATES.get(name)
    if (name in STATES and state is None) or not load(name).spans:
        assert requests == []
        return
    asked = truth(name)["question"]
    asked = asked if isinstance(asked, list) else [asked]
    said = {one for one in asked if load(name).says(one)}
    assert {question_of(truth(name), one) for one in requests} <= said | {None}
    stages = [stage for one in requests for stage in one.stages if stage.kind in LISTS]
    if state is None:  # a recording that the table of states does not know: what is not whole must be said
        missing = [words for one in requests for words in one.request.missing]
        assert stages or missing
        for stage in stages:
            whole = stage.completeness is Completeness.COMPLETE and stage.hits is not None
            whole = whole or stage.outcome is Outcome.ERROR  # a step that failed has no list to miss
            assert whole or stage.kind is StageKind.TOOL or any(words.startswith(stage.name) for words in missing)
        return
    assert [one.request.question for one in requests] == [asked[0] if said else None]
    (stage,) = stages
    assert (stage.completeness, stage.missing_top, stage.length) == state[:3]
    assert (stage.hits is not None) == state.listed
    if state.completeness is not Completeness.COMPLETE:
        assert any(said.startswith(f"{stage.name}: ") for said in requests[0].request.missing)


@pytest.mark.parametrize("name", [name for name in NAMES if (FOLDER / f"{name}.pb").exists()])
def test_json_and_protobuf_are_one(name: str) -> None:
    """The same telemetry in either form gives the same requests."""
    spans = load_protobuf(name)
    assert spans is not None
    assert [one.recorded for one in compose(spans)] == requests_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_stack_trace_stands_for_an_error(name: str) -> None:
    """An error is a type and a message, whoever raised it."""
    for one in requests_of(name):
        errors = [one.request.error, *(stage.error for stage in one.stages)]
        assert not any("Traceback" in error for error in errors if error)
        assert all(stage.error for stage in one.stages if stage.outcome is Outcome.ERROR)
