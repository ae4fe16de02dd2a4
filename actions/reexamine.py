"""After labels, cases or the corpus changed: diagnoses anew."""

from __future__ import annotations

from ..collectors.examiner import examine_request
from ..model import Diagnosis, EvalCase, NotFound, RecordedRequest
from ..store import Store


def reexamine(store: Store, request_id: str, recorded: RecordedRequest | None = None) -> Diagnosis:
    """The diagnosis under the labels that count now; it is saved. Those of its replays follow.

    `recorded` is the request with its texts, where the caller has read it already.
    """
    diagnosis = examine_request(store, request_id, recorded)
    if diagnosis is None:
        raise NotFound(f"Request {request_id} is not stored any more.")
    for replay in store.requests.replays_of((request_id,)):
        examine_request(store, replay)
    return diagnosis


def reexamine_app(store: Store, app: str) -> int:
    """Judges anew the app's requests that have labels, own or inherited; how many there are."""
    ids = [request_id for request_id in store.requests.labelled_ids() if _app_of(store, request_id) == app]
    for request_id in ids:
        examine_request(store, request_id)
    return len(ids)


def _app_of(store: Store, request_id: str) -> str | None:
    recorded = store.requests.get(request_id, texts=False)
    return recorded.request.app if recorded is not None else None


def reexamine_case(store: Store, case: EvalCase) -> None:
    """Judges anew the requests that the case came from, those that inherit from it, and the replays of both."""
    asked = tuple(dict.fromkeys((*case.source_requests, *store.requests.with_case_key(case.case_key))))
    for request_id in dict.fromkeys((*asked, *store.requests.replays_of(asked))):
        examine_request(store, request_id)
