"""Which labels count for a request: its own, else those of what it replays, else those of a case with its key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..model import EvalCase, Label, RecordedRequest, Request, make_case_key
from ..store import Store

REPLAYS_OF_REPLAYS = 16
"""So many steps back from a replay are looked at, here and where a list of requests says what is labelled."""


class UsedLabels(NamedTuple):
    """Labels with the phrases that a right answer contains."""

    labels: tuple[Label, ...]
    expected: tuple[str, ...]


def cases_of(store: Store, request: Request) -> tuple[EvalCase, ...]:
    """Cases with this request's key, oldest first; a request whose question is not known has none."""
    key = key_of(request)
    return oldest_first(store.cases.by_key(key)) if key else ()


def key_of(request: Request) -> str:
    """The key that a case of this request has; empty where its question is not known."""
    if not request.question:
        return ""
    return make_case_key(
        app=request.app,
        question=request.question,
        history=request.history,
        tenant=request.tenant,
        groups=request.groups or (),
    )


def oldest_first(cases: Iterable[EvalCase]) -> tuple[EvalCase, ...]:
    """The order in which cases count for a request."""
    return tuple(sorted(cases, key=lambda case: (case.created_ns, case.case_id)))


def labels_in_force(store: Store, recorded: RecordedRequest, cases: tuple[EvalCase, ...] | None = None) -> UsedLabels:
    """The labels that count, with the expected phrases of the first case with the request's key that has some.

    `cases` are the request's (`cases_of`), where the caller has them already.
    """
    request = recorded.request
    cases = cases_of(store, request) if cases is None else cases
    expected = next((case.expected_answer_contains for case in cases if case.expected_answer_contains), ())
    own = store.labels.of(request.request_id)
    if own:
        return UsedLabels(own, expected)
    replayed = _of_replayed(store, request)
    if replayed.labels:
        return replayed._replace(expected=replayed.expected or expected)
    return UsedLabels(inherited(request, cases[0]) if cases else (), expected)


def inherited(request: Request, case: EvalCase) -> tuple[Label, ...]:
    """The labels of `case` as this request counts them; they are stored nowhere else."""
    return tuple(
        Label(
            label_id=f"{case.case_id}-{number}",
            request_id=request.request_id,
            app=request.app,
            environment=request.environment,
            judgement=label.judgement,
            grade=label.grade,
            evidence=label.evidence,
            target=label.target,
            who=label.who or case.author,
            at_ns=label.at_ns,
            from_case=case.case_id,
        )
        for number, label in enumerate(case.labels, start=1)
    )


def _of_replayed(store: Store, replay: Request) -> UsedLabels:
    """The labels that count for the request that was replayed: its own, else those of a case with its key.

    Where it has none and is a replay itself, those of what it replays; none at the end of a ring.
    """
    seen = {replay.request_id}
    origin = replay.replay_of
    while origin and origin not in seen and len(seen) <= REPLAYS_OF_REPLAYS:
        seen.add(origin)
        recorded = store.requests.get(origin, texts=False)
        cases = cases_of(store, recorded.request) if recorded else ()
        labels = store.labels.of(origin)
        if not labels and recorded and cases:
            labels = inherited(recorded.request, cases[0])
        if labels:
            expected = next((case.expected_answer_contains for case in cases if case.expected_answer_contains), ())
            taken = {"request_id": replay.request_id, "from_request": origin}
            return UsedLabels(tuple(label.model_copy(update=taken) for label in labels), expected)
        origin = recorded.request.replay_of if recorded else None
    return UsedLabels((), ())
