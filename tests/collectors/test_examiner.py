"""Diagnosis of stored requests: when it is made, and under which labels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from goldrank import diagnosis
from goldrank.collectors import Ingester, cases_of, examine_request, labels_in_force, reindex
from goldrank.model import (
    RULES_VERSION,
    CaseLabel,
    EvalCase,
    Judgement,
    Label,
    LabelTarget,
    RecordedRequest,
    make_case_key,
    wire,
)
from goldrank.store.duckdb import DuckStore
from wire_spans import T0_NS, TRACE, make_request, make_stage, span_id

Write = Callable[..., None]
ROOT = f"{TRACE}-{span_id(1)}"
OTHER = "ab" * 16


def a_request(trace: str = TRACE, **attributes: Any) -> tuple[Any, ...]:
    """A request whose only list holds a, then b."""
    hits = [{"id": "a", "x": "text a"}, {"id": "b", "x": "text b"}]
    return make_stage(2, 1, trace=trace, hits=hits), make_request(1, trace=trace, attributes=attributes)


def label(request_id: str, chunk_id: str) -> Label:
    """A gold label."""
    return Label(
        label_id=f"{request_id[:8]} {chunk_id}",
        request_id=request_id,
        app="bot",
        judgement=Judgement.GOLD,
        grade=1,
        evidence=1,
        target=LabelTarget(chunk_id=chunk_id),
        who="ann",
        at_ns=1,
    )


def case(number: int, chunk_id: str, question: str = "How ?") -> EvalCase:
    """A case with one gold."""
    key = make_case_key(app="bot", question=question, history=(), tenant=None, groups=())
    return EvalCase(
        case_id=f"case-{number}",
        case_key=key,
        eval_set=f"set {number}",
        app="bot",
        question=question,
        labels=(CaseLabel(judgement=Judgement.GOLD, grade=1, evidence=1, target=LabelTarget(chunk_id=chunk_id)),),
        expected_answer_contains=("so",),
        created_ns=number,
    )


def recorded(store: DuckStore, request_id: str) -> RecordedRequest:
    """A request that is there."""
    found = store.requests.get(request_id)
    assert found is not None
    return found


def test_a_request_with_the_key_of_a_case_is_examined_as_it_comes(
    ingester: Ingester, write: Write, store: DuckStore
) -> None:
    """It inherits the case's labels, which are stored nowhere else; one without them is not examined."""
    store.cases.save(case(1, "b"), expected_revision=None)
    write(*a_request(), *a_request(OTHER, **{wire.QUESTION: "something else"}))
    ingester.run_once()
    diagnosis = store.requests.diagnosis(ROOT)
    assert diagnosis is not None
    assert diagnosis.inherited_from == ("case-1",)
    assert [point.rank for point in diagnosis.outcomes[0].path] == [2]
    assert store.labels.of(ROOT) == ()
    assert store.requests.diagnosis(f"{OTHER}-{span_id(1)}") is None


def test_a_late_span_makes_a_labelled_request_be_examined_again(
    ingester: Ingester, write: Write, store: DuckStore
) -> None:
    """The diagnosis is of what is recorded now."""
    write(*a_request())
    ingester.run_once()
    store.labels.save((label(ROOT, "b"),))
    examine_request(store, ROOT)
    write(make_stage(3, 1, "rerank", hits=[{"id": "b"}, {"id": "a"}], start_ms=1))
    ingester.run_once()
    diagnosis = store.requests.diagnosis(ROOT)
    assert diagnosis is not None
    assert [point.rank for point in diagnosis.outcomes[0].path] == [2, 1]


def test_own_labels_come_before_those_of_a_case(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """The case still says what a right answer contains; of several cases the oldest speaks."""
    store.cases.save(case(2, "b"), expected_revision=None)
    store.cases.save(case(1, "a"), expected_revision=None)
    write(*a_request())
    ingester.run_once()
    request = recorded(store, ROOT)
    assert [found.case_id for found in cases_of(store, request.request)] == ["case-1", "case-2"]
    used = labels_in_force(store, request)
    assert [(one.target.chunk_id, one.from_case) for one in used.labels] == [("a", "case-1")]
    store.labels.save((label(ROOT, "b"),))
    used = labels_in_force(store, request)
    assert [(one.target.chunk_id, one.from_case) for one in used.labels] == [("b", None)]
    assert used.expected == ("so",)


def test_a_replay_inherits_from_what_it_replays(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Also where its question was changed; and before a case that asks what it asks."""
    store.cases.save(case(1, "a", question="rewritten?"), expected_revision=None)
    write(*a_request(), *a_request(OTHER, **{wire.QUESTION: "rewritten?", wire.REPLAY_OF: ROOT}))
    ingester.run_once()
    replay = f"{OTHER}-{span_id(1)}"
    assert [(one.target.chunk_id, one.from_case) for one in labels_in_force(store, recorded(store, replay)).labels] == [
        ("a", "case-1")
    ]
    store.labels.save((label(ROOT, "b"),))
    used = labels_in_force(store, recorded(store, replay))
    assert [(one.target.chunk_id, one.request_id, one.from_request) for one in used.labels] == [("b", replay, ROOT)]
    assert store.labels.of(replay) == ()


def test_a_replay_inherits_what_the_replayed_inherits(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """The case of the first question reaches a replay of a replay, in whichever order they come."""
    store.cases.save(case(1, "b"), expected_revision=None)
    second, third = f"{OTHER}-{span_id(1)}", f"{'cd' * 16}-{span_id(1)}"
    write(*a_request("cd" * 16, **{wire.QUESTION: "once more?", wire.REPLAY_OF: second}))
    ingester.run_once()
    write(*a_request(OTHER, **{wire.QUESTION: "rewritten?", wire.REPLAY_OF: ROOT}))
    ingester.run_once()
    assert store.requests.diagnosis(second) is None
    write(*a_request())
    ingester.run_once()
    used = labels_in_force(store, recorded(store, third))
    assert [(one.target.chunk_id, one.from_case, one.from_request) for one in used.labels] == [("b", "case-1", ROOT)]
    assert used.expected == ("so",)
    assert set(store.requests.labelled_ids()) == {ROOT, second, third}
    assert all(store.requests.diagnosis(one) for one in (ROOT, second, third))


def test_requests_that_replay_each_other_inherit_nothing(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """What an app writes into the attribute cannot make the reading go round for ever."""
    other = f"{OTHER}-{span_id(1)}"
    write(*a_request(**{wire.REPLAY_OF: other}), *a_request(OTHER, **{wire.REPLAY_OF: ROOT}))
    ingester.run_once()
    assert labels_in_force(store, recorded(store, ROOT)).labels == ()
    assert store.requests.labelled_ids() == ()
    assert store.requests.replays_of((ROOT,)) == (other,)


def test_reindex_examines_every_labelled_request(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Own and inherited labels alike; the progress ends at all of them."""
    write(*a_request(), *a_request(OTHER, **{wire.QUESTION: "something else"}), *a_request("cd" * 16))
    ingester.run_once()
    store.labels.save((label(f"{OTHER}-{span_id(1)}", "a"),))
    store.cases.save(case(1, "b"), expected_revision=None)
    told: list[tuple[int, int]] = []
    assert reindex(store, lambda done, total: told.append((done, total))) == 3
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert all(store.requests.diagnosis(request_id) for request_id in store.requests.labelled_ids())


def test_a_diagnosis_that_fails_costs_only_itself(
    ingester: Ingester,
    write: Write,
    store: DuckStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The request is stored, the ingester goes on, and the log says which one."""
    store.cases.save(case(1, "b"), expected_revision=None)

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(diagnosis, "examine", fail)
    write(*a_request())
    assert ingester.run_once() == 1
    assert recorded(store, ROOT).request.start_ns == T0_NS
    assert f"request {ROOT} could not be examined" in caplog.text
    assert store.intake.bad_frames() == ()


def test_there_is_nothing_to_examine_of_an_unknown_request(store: DuckStore) -> None:
    """None, and nothing is stored."""
    assert examine_request(store, ROOT) is None


def test_older_rules_are_replaced_while_nothing_comes(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """The newest first; status counts those that wait, and in the end there are none."""
    write(*a_request(), *a_request(OTHER))
    store.cases.save(case(1, "b"), expected_revision=None)
    ingester.run_once()
    for request_id in store.requests.labelled_ids():
        diagnosis = store.requests.diagnosis(request_id)
        assert diagnosis is not None
        store.requests.save_diagnosis(diagnosis.model_copy(update={"rules_version": RULES_VERSION - 1}))
    assert len(store.requests.judged_by_older_rules()) == store.intake.counts()["older_rules"] == 2
    stop = threading.Event()
    thread = threading.Thread(target=ingester.run, args=(stop,))
    thread.start()
    while store.requests.judged_by_older_rules():
        stop.wait(0.05)
    stop.set()
    thread.join()
    assert {one.rules_version for one in map(store.requests.diagnosis, store.requests.labelled_ids()) if one} == {
        RULES_VERSION
    }
