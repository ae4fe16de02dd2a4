"""Changing a complaint: one revision at a time, under the lock of all writers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from ..collectors.complaint_links import exact_mentions, exact_request
from ..collectors.complaint_verdicts import with_verdict
from ..model import Complaint, NotFound, UsageError
from ..store import Store
from .complaints import ComplaintRow, complaint_row
from .workspace import Workspace

_SHORTEST_PREFIX = 3


class ComplaintChanged(BaseModel):
    """The complaint as it is now."""

    model_config = ConfigDict(frozen=True)

    row: ComplaintRow
    changed: bool = True
    """False: it was so already."""


def required_complaint(store: Store, complaint_id: str) -> Complaint:
    """The complaint with this id, or with the only id that begins so; NotFound or UsageError otherwise."""
    found = store.complaints.get(complaint_id)
    if found is not None:
        return found
    ids = store.complaints.with_prefix(complaint_id) if len(complaint_id) >= _SHORTEST_PREFIX else ()
    if len(ids) > 1:
        raise UsageError(f"{len(ids)} complaints begin with {complaint_id!r}: {', '.join(ids)}.")
    one = store.complaints.get(ids[0]) if ids else None
    if one is None:
        raise NotFound(f"There is no complaint {complaint_id!r}: `goldrank complaints` lists them.")
    return one


def change_complaint(
    workspace: Workspace, complaint_id: str, change: Callable[[Complaint], Complaint]
) -> ComplaintChanged:
    """Stores what `change` makes of the current revision."""
    store = workspace.store
    with store.writing():
        before = required_complaint(store, complaint_id)
        after = with_verdict(store, change(before), workspace.now_ns())
        if after != before:
            store.complaints.save(after)
        return ComplaintChanged(row=row_of(store, before.complaint_id), changed=after != before)


def take_complaint(workspace: Workspace, arriving: Complaint) -> ComplaintChanged:
    """Stores a ticket that comes in, or comes again; its text links it where it names exactly one request."""
    store = workspace.store
    with store.writing():
        before = store.complaints.get(arriving.complaint_id)
        after = as_arrived(workspace, before, arriving)
        if after != before:
            store.complaints.save(after)
        return ComplaintChanged(row=row_of(store, arriving.complaint_id), changed=after != before)


def as_arrived(workspace: Workspace, before: Complaint | None, arriving: Complaint) -> Complaint:
    """What is stored of a ticket that comes in, or (`before`) comes again: linked where its text names exactly one
    request, and nobody has unlinked it."""
    store = workspace.store
    after = arriving if before is None else before.renewed(arriving)
    if after.request_id is None and after.linked_by is None:
        after = after.model_copy(update={"request_id": exact_request(store, exact_mentions(after.text))})
    return with_verdict(store, after, workspace.now_ns())


def row_of(store: Store, complaint_id: str) -> ComplaintRow:
    """The complaint with its state."""
    facts = store.complaints.facts(complaint_id)
    if facts is None:
        raise NotFound(f"There is no complaint {complaint_id!r} any more.")
    return complaint_row(store, facts)


def made_id(*said: object) -> str:
    """An id for a ticket that has none: the same for the same ticket."""
    text = "\0".join("" if one is None else str(one) for one in said)
    return f"c-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
