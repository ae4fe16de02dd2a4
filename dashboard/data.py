"""What pages read and do: calls of actions, and the only caches, all bounded and short-lived.

A cache's key holds the store's path, so that two stores in one process (tests) never meet.
"""

from __future__ import annotations

import streamlit as st

from ..actions import (
    ArchiveCase,
    AskStatus,
    CaseState,
    CaseStates,
    ChunkDetail,
    ChunkView,
    ComplaintPage,
    Draft,
    ExportCases,
    Exported,
    FindRequests,
    FoundChunk,
    FoundChunks,
    LabelsSaved,
    ListCases,
    ListComplaints,
    NewLabel,
    OpenCase,
    Promote,
    Promoted,
    PromoteDraft,
    RemoveLabel,
    RequestView,
    Resolve,
    Resolved,
    SaveLabels,
    SearchChunks,
    ShowRequest,
    Status,
    UndoLabel,
    archive_case,
    chunk_detail,
    export_cases,
    find_requests,
    list_cases,
    list_complaints,
    open_case,
    promote,
    promote_draft,
    remove_label,
    resolve,
    save_labels,
    search_chunks,
    show,
    status,
    undo_label,
)
from ..actions.suggest import SuggestGold, suggest_gold
from ..model import EvalCase, Label
from ..store import Facets, Neighbours, RequestFilter, RequestPage, RequestRow, SpanPage
from .holder import workspace

_FRESH_S = 2
"""A page is at most this many seconds behind what others write; what one writes oneself is there at once."""


def _store() -> str:
    return str(workspace().store.path)


def page_of_requests(which: RequestFilter, *, limit: int, offset: int) -> RequestPage:
    """A page of the list."""
    return find_requests(workspace(), FindRequests(which=which, limit=limit, offset=offset))


@st.cache_resource(ttl=10, max_entries=8, show_spinner=False)
def _facets(store: str) -> Facets:  # noqa: ARG001 - a part of the cache's key
    return workspace().store.requests.facets()


def facets() -> Facets:
    """The values that filters offer."""
    return _facets(_store())


def neighbours(request_id: str, which: RequestFilter) -> Neighbours:
    """The requests before and after this one in a filtered list."""
    return workspace().store.requests.neighbours(request_id, which)


def meaning(text: str) -> Resolved:
    """The request that a pasted text means."""
    return resolve(workspace(), Resolve(text=text))


@st.cache_resource(ttl=_FRESH_S, max_entries=32, show_spinner=False)
def _view(store: str, request: str) -> RequestView:  # noqa: ARG001 - a part of the cache's key
    return show(workspace(), ShowRequest(request=request))


def view(request: str) -> RequestView:
    """Everything about one request; NotFound where this store has none such."""
    return _view(_store(), request)


def spans(request_id: str, *, limit: int, offset: int) -> SpanPage:
    """Raw spans of a request."""
    return workspace().store.requests.spans(request_id, limit=limit, offset=offset)


def found_chunks(ask: SearchChunks) -> FoundChunks:
    """Chunks that match, each with where it stood."""
    return search_chunks(workspace(), ask)


@st.cache_resource(ttl=60, max_entries=32, show_spinner=False)
def _suggested(store: str, request_id: str) -> tuple[FoundChunk, ...]:  # noqa: ARG001 - a part of the cache's key
    return suggest_gold(workspace(), SuggestGold(request_id=request_id)).rows


def suggested(request_id: str) -> tuple[FoundChunk, ...]:
    """At most nine passages that may have answered, by words alone."""
    return _suggested(_store(), request_id)


def one_chunk(request_id: str, chunk_id: str) -> ChunkView:
    """One chunk, seen from a request; NotFound where nothing ever held it."""
    return chunk_detail(workspace(), ChunkDetail(request_id=request_id, chunk_id=chunk_id))


@st.cache_resource(ttl=_FRESH_S, max_entries=32, show_spinner=False)
def _complaints(store: str, limit: int, offset: int) -> ComplaintPage:  # noqa: ARG001 - a part of the cache's key
    return list_complaints(workspace(), ListComplaints(limit=limit, offset=offset))


def complaints(*, limit: int, offset: int) -> ComplaintPage:
    """A page of complaints."""
    return _complaints(_store(), limit, offset)


def save(request_id: str, *labels: NewLabel) -> LabelsSaved:
    """Saves judgements; the pages show them at once."""
    saved = save_labels(workspace(), SaveLabels(request_id=request_id, labels=labels))
    forget()
    return saved


def take_back(request_id: str, label_id: str) -> LabelsSaved:
    """Removes one label."""
    saved = remove_label(workspace(), RemoveLabel(request_id=request_id, label_id=label_id))
    forget()
    return saved


def undo(request_id: str) -> LabelsSaved:
    """Undoes the newest change of a request's labels."""
    saved = undo_label(workspace(), UndoLabel(request_id=request_id))
    forget()
    return saved


def label_history(request_id: str) -> tuple[Label, ...]:
    """Every revision of a request's labels, oldest first."""
    return workspace().store.labels.history(request_id)


def draft(request_id: str) -> Draft:
    """The case as it would be promoted."""
    return promote_draft(workspace(), PromoteDraft(request_id=request_id))


def promoted(ask: Promote) -> Promoted:
    """Promotes a request."""
    done = promote(workspace(), ask)
    forget()
    return done


def cases(ask: ListCases) -> CaseStates:
    """A page of cases."""
    return list_cases(workspace(), ask)


def one_case(case_id: str) -> CaseState:
    """One case; NotFound where there is none such."""
    return open_case(workspace(), OpenCase(case_id=case_id))


@st.cache_resource(ttl=10, max_entries=512, show_spinner=False)
def _in_a_set(store: str, request_id: str) -> bool:  # noqa: ARG001 - a part of the cache's key
    return bool(workspace().store.cases.naming(request_id))


def in_a_set(row: RequestRow) -> bool:
    """Whether an eval set holds the request or its question. Only what has a label can have been promoted."""
    return row.inherited or (row.labelled and _in_a_set(_store(), row.request_id))


def case_history(case_id: str) -> tuple[EvalCase, ...]:
    """Every revision of a case, oldest first."""
    return workspace().store.cases.history(case_id)


def archive(case_id: str, *, archived: bool) -> None:
    """Takes a case out of its set, or back in."""
    archive_case(workspace(), ArchiveCase(case_id=case_id, archived=archived))
    forget()


def exported(ask: ExportCases) -> Exported:
    """Cases as JSON lines."""
    return export_cases(workspace(), ask)


@st.cache_resource(ttl=_FRESH_S, max_entries=8, show_spinner=False)
def _status(store: str) -> Status:  # noqa: ARG001 - a part of the cache's key
    return status(workspace(), AskStatus())


def state() -> Status:
    """The state of store, spool, ingester and hub."""
    return _status(_store())


def forget() -> None:
    """Drops what is cached, after something was written."""
    _view.clear()
    _in_a_set.clear()
    _complaints.clear()
    _facets.clear()
    _status.clear()
    _suggested.clear()
