"""Which labels count for a request: its own, else those of a case with its key, else those of what it replays."""

from __future__ import annotations

from typing import NamedTuple

from ..model import EvalCase, Label, RecordedRequest, Request, make_case_key
from ..store import Store


class UsedLabels(NamedTuple):
    """Labels with the phrases that a right answer contains."""

    labels: tuple[Label, ...]
    expected: tuple[str, ...]


def cases_of(store: Store, request: Request) -> tuple[EvalCase, ...]:
    """Cases with this request's key, oldest first; a request whose question is not known has none."""
    if not request.question:
        return ()
    key = make_case_key(
        app=request.app,
        question=request.question,
        history=request.history,
        tenant=request.tenant,
        groups=request.groups or (),
    )
    return tuple(sorted(store.cases.by_key(key), key=lambda case: (case.created_ns, case.case_id)))


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
    if cases:
        return UsedLabels(inherited(request, cases[0]), expected)
    if request.replay_of is not None and request.replay_of != request.request_id:
        return UsedLabels(_of_replayed(store, request.replay_of), ())
    return UsedLabels((), ())


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


def _of_replayed(store: Store, request_id: str) -> tuple[Label, ...]:
    """Labels of the request that was replayed: its own, else those of a case with its key."""
    own = store.labels.of(request_id)
    if own:
        return own
    replayed = store.requests.get(request_id, texts=False)
    if replayed is None:
        return ()
    cases = cases_of(store, replayed.request)
    return inherited(replayed.request, cases[0]) if cases else ()
