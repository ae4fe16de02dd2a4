"""Every action by name: what the hub serves, and what a command sends to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ..model import GoldrankError, NotFound
from ..model.batch import BatchResult
from ..model.ticket import TicketReading
from ..store import RequestPage
from .add_complaint import AddComplaint, add_complaint
from .assign_complaint import AssignComplaint, assign_complaint
from .backup import BackedUp, Backup, backup
from .cases import (
    ArchiveCase,
    CaseState,
    CaseStates,
    ExportCases,
    Exported,
    ImportCases,
    Imported,
    ListCases,
    OpenCase,
    archive_case,
    export_cases,
    import_cases,
    list_cases,
    open_case,
)
from .chunks import ChunkDetail, ChunkView, FoundChunks, SearchChunks, chunk_detail, search_chunks
from .close_complaint import CloseComplaint, ReopenComplaint, close_complaint, reopen_complaint
from .compare import Compared, CompareRequests, compare
from .complaint_change import ComplaintChanged
from .complaints import ComplaintPage, ListComplaints, list_complaints
from .corpus import AddCorpus, CorpusAdded, add_corpus
from .doctor import AskDoctor, DoctorSays, doctor
from .failures import failure_of, usage_error
from .find_candidates import Candidates, FindCandidates, find_candidates
from .forget import Forgetting, Forgotten, forget
from .import_complaints import ComplaintsImported, ImportComplaints, import_complaints
from .ingest import Ingest, Ingested, ingest
from .label import LabelsSaved, RemoveLabel, SaveLabels, UndoLabel, remove_label, save_labels, undo_label
from .label_imported import ImportedLabelled, LabelImported, label_imported
from .link_complaint import LinkComplaint, UnlinkComplaint, link_complaint, unlink_complaint
from .live_replay import (
    ReplaysDone,
    RunBatch,
    RunReplay,
    cancel_batch,
    resume_batch,
    run_batch_at_hub,
    run_replay,
)
from .neighbour import FindNeighbour, PassingNeighbour, find_neighbour
from .note_complaint import NoteComplaint, note_complaint
from .open_complaint import OpenComplaint, OpenedComplaint, open_complaint
from .ping import Ping, Pong, ping
from .promote import Draft, Promote, Promoted, PromoteDraft, promote, promote_draft
from .prune import Prune, Pruned, prune
from .query import Answered, QuerySql, query_sql
from .read_ticket import ReadTicket, read_ticket
from .reindex import Reindex, Reindexed, reindex
from .replay import DraftReplay, FinishReplay, ReplayDraft, Replayed, draft_replay, finish_replay
from .replay_batch import (
    BatchState,
    BatchStates,
    ListBatches,
    NewBatch,
    NextOfBatch,
    OneBatch,
    RecordResult,
    list_batches,
    next_of_batch,
    open_batch,
    record_result,
    start_batch,
)
from .requests import FindRequests, Resolve, Resolved, find_requests, resolve
from .restore import Restore, Restored, restore
from .saved_filters import (
    AskFilters,
    RemoveFilter,
    SavedFilters,
    SaveFilter,
    remove_filter,
    save_filter,
    saved_filters,
)
from .show import RequestView, ShowRequest, show
from .snapshot import Snapshot, SnapshotMade, snapshot
from .status import AskStatus, Status, status
from .steps import Steps, steps
from .suggest import Suggested, SuggestGold, suggest_gold
from .triage import AskQueue, Assign, Queued, SetAside, UndoTriage, assign, queued, set_aside, undo_triage
from .undo import AskLastChange, LastChange, UndoLast, last_change, undo_last
from .workspace import Workspace


class Action(NamedTuple):
    """One thing a person can do."""

    name: str
    ask: type[BaseModel]
    answer: type[BaseModel]
    run: Callable[[Workspace, Any], BaseModel]
    writes: bool
    """It can change the store."""


_ALL = (
    Action("add_complaint", AddComplaint, ComplaintChanged, add_complaint, writes=True),
    Action("add_corpus", AddCorpus, CorpusAdded, add_corpus, writes=True),
    Action("archive_case", ArchiveCase, CaseState, archive_case, writes=True),
    Action("assign", Assign, Queued, assign, writes=True),
    Action("assign_complaint", AssignComplaint, ComplaintChanged, assign_complaint, writes=True),
    Action("backup", Backup, BackedUp, backup, writes=False),
    Action("cancel_batch", OneBatch, BatchState, cancel_batch, writes=True),
    Action("chunk_detail", ChunkDetail, ChunkView, chunk_detail, writes=False),
    Action("close_complaint", CloseComplaint, ComplaintChanged, close_complaint, writes=True),
    Action("compare", CompareRequests, Compared, compare, writes=False),
    Action("doctor", AskDoctor, DoctorSays, doctor, writes=False),
    Action("draft_replay", DraftReplay, ReplayDraft, draft_replay, writes=False),
    Action("export_cases", ExportCases, Exported, export_cases, writes=False),
    Action("find_candidates", FindCandidates, Candidates, find_candidates, writes=False),
    Action("find_neighbour", FindNeighbour, PassingNeighbour, find_neighbour, writes=False),
    Action("find_requests", FindRequests, RequestPage, find_requests, writes=False),
    Action("finish_replay", FinishReplay, Replayed, finish_replay, writes=True),
    Action("forget", Forgetting, Forgotten, forget, writes=True),
    Action("import_cases", ImportCases, Imported, import_cases, writes=True),
    Action("import_complaints", ImportComplaints, ComplaintsImported, import_complaints, writes=True),
    Action("ingest", Ingest, Ingested, ingest, writes=True),
    Action("label_imported", LabelImported, ImportedLabelled, label_imported, writes=True),
    Action("last_change", AskLastChange, LastChange, last_change, writes=False),
    Action("link_complaint", LinkComplaint, ComplaintChanged, link_complaint, writes=True),
    Action("list_batches", ListBatches, BatchStates, list_batches, writes=False),
    Action("list_cases", ListCases, CaseStates, list_cases, writes=False),
    Action("list_complaints", ListComplaints, ComplaintPage, list_complaints, writes=False),
    Action("next_of_batch", NextOfBatch, ReplayDraft, next_of_batch, writes=False),
    Action("note_complaint", NoteComplaint, ComplaintChanged, note_complaint, writes=True),
    Action("open_batch", OneBatch, BatchState, open_batch, writes=False),
    Action("open_case", OpenCase, CaseState, open_case, writes=False),
    Action("open_complaint", OpenComplaint, OpenedComplaint, open_complaint, writes=False),
    Action("ping", Ping, Pong, ping, writes=False),
    Action("promote", Promote, Promoted, promote, writes=True),
    Action("promote_draft", PromoteDraft, Draft, promote_draft, writes=False),
    Action("prune", Prune, Pruned, prune, writes=True),
    Action("query_sql", QuerySql, Answered, query_sql, writes=False),
    Action("queued", AskQueue, Queued, queued, writes=False),
    Action("read_ticket", ReadTicket, TicketReading, read_ticket, writes=False),
    Action("record_result", RecordResult, BatchResult, record_result, writes=True),
    Action("reindex", Reindex, Reindexed, reindex, writes=True),
    Action("remove_filter", RemoveFilter, SavedFilters, remove_filter, writes=True),
    Action("remove_label", RemoveLabel, LabelsSaved, remove_label, writes=True),
    Action("reopen_complaint", ReopenComplaint, ComplaintChanged, reopen_complaint, writes=True),
    Action("resolve", Resolve, Resolved, resolve, writes=False),
    Action("restore", Restore, Restored, restore, writes=True),
    Action("resume_batch", OneBatch, BatchState, resume_batch, writes=True),
    Action("run_batch_at_hub", RunBatch, BatchState, run_batch_at_hub, writes=True),
    Action("run_replay", RunReplay, ReplaysDone, run_replay, writes=True),
    Action("save_filter", SaveFilter, SavedFilters, save_filter, writes=True),
    Action("save_labels", SaveLabels, LabelsSaved, save_labels, writes=True),
    Action("saved_filters", AskFilters, SavedFilters, saved_filters, writes=False),
    Action("search_chunks", SearchChunks, FoundChunks, search_chunks, writes=False),
    Action("set_aside", SetAside, Queued, set_aside, writes=True),
    Action("show", ShowRequest, RequestView, show, writes=False),
    Action("snapshot", Snapshot, SnapshotMade, snapshot, writes=False),
    Action("start_batch", NewBatch, BatchState, start_batch, writes=True),
    Action("status", AskStatus, Status, status, writes=False),
    Action("steps", ShowRequest, Steps, steps, writes=False),
    Action("suggest_gold", SuggestGold, Suggested, suggest_gold, writes=False),
    Action("undo_label", UndoLabel, LabelsSaved, undo_label, writes=True),
    Action("undo_last", UndoLast, LastChange, undo_last, writes=True),
    Action("undo_triage", UndoTriage, Queued, undo_triage, writes=True),
    Action("unlink_complaint", UnlinkComplaint, ComplaintChanged, unlink_complaint, writes=True),
)

ACTIONS: dict[str, Action] = {action.name: action for action in _ALL}
"""Name -> action. The name is that of the function."""


class Caller(BaseModel):
    """Who asks: stands beside the question's own fields."""

    model_config = ConfigDict(frozen=True)

    who: str = ""
    """Kept with labels and cases; empty: the workspace's own."""


def run_action(workspace: Workspace, name: str, body: bytes) -> bytes:
    """Runs an action on JSON and answers in JSON: its answer, or `failures.Failed` with what went wrong.

    `body` is the question's fields, and `who` beside them where the caller has a name. Errors that are no
    GoldrankError go through to the caller: they are defects.
    """
    try:
        action = ACTIONS.get(name)
        if action is None:
            raise NotFound(f"There is no action {name!r}. There are: {', '.join(ACTIONS)}.")
        try:
            ask = action.ask.model_validate_json(body)
            caller = Caller.model_validate_json(body)
        except ValidationError as error:
            raise usage_error(error, name) from error
        if caller.who:
            workspace = workspace._replace(who=caller.who)
        return action.run(workspace, ask).model_dump_json().encode("utf-8", "replace")
    except GoldrankError as error:
        return failure_of(error).model_dump_json().encode("utf-8", "replace")
