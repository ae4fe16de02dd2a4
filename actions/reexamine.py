"""After labels, cases or the corpus changed: diagnoses anew."""

from __future__ import annotations

from ..collectors.examiner import examine_request
from ..model import Diagnosis, EvalCase, NotFound
from ..store import Store


def reexamine(store: Store, request_id: str) -> Diagnosis:
    """The diagnosis under the labels that count now; it is saved."""
    diagnosis = examine_request(store, request_id)
    if diagnosis is None:
        raise NotFound(f"Request {request_id} is not stored any more.")
    return diagnosis


def reexamine_case(store: Store, case: EvalCase) -> None:
    """Judges anew the requests that the case came from, and those that inherit from it."""
    for request_id in dict.fromkeys((*case.source_requests, *store.requests.with_case_key(case.case_key))):
        examine_request(store, request_id)
