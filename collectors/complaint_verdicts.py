"""When a complaint first had a verdict: the time from complaint to verdict is kept."""

from __future__ import annotations

from ..model import Complaint, Verdict
from ..store import Store


def with_verdict(store: Store, complaint: Complaint, at_ns: int) -> Complaint:
    """The complaint with `at_ns` as the time of its verdict, where its request has one and it had none before."""
    if complaint.verdict_at_ns is not None or complaint.request_id is None:
        return complaint
    diagnosis = store.requests.diagnosis(complaint.request_id)
    if diagnosis is None or diagnosis.headline.verdict is Verdict.NO_LABEL:
        return complaint
    return complaint.model_copy(update={"verdict_at_ns": at_ns})


def note_verdict(store: Store, request_id: str, at_ns: int) -> None:
    """After the labels of a request changed: its complaints have their verdict now. A verdict that goes again, by an
    undo, leaves the time of the first one."""
    for complaint in store.complaints.of(request_id):
        dated = with_verdict(store, complaint, at_ns)
        if dated != complaint:
            store.complaints.save(dated)
