"""What a person can do, one function each: a workspace and a question in, an answer out. Pages and commands render.

from goldrank.actions import ShowRequest, Workspace, show

view = show(Workspace(store=store, spool=spool), ShowRequest(request="7f3a9c12", gold=("refunds#2",)))
print(view.diagnosis.headline.sentence)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .add_complaint import AddComplaint, add_complaint
    from .assign_complaint import AssignComplaint, assign_complaint
    from .bad_line import BadLine
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
    from .chunks import (
        ChunkDetail,
        ChunkView,
        FoundChunk,
        FoundChunks,
        SearchChunks,
        Standing,
        chunk_detail,
        search_chunks,
    )
    from .close_complaint import CloseComplaint, ReopenComplaint, close_complaint, reopen_complaint
    from .complaint_change import ComplaintChanged
    from .complaints import ComplaintPage, ComplaintRow, ListComplaints, list_complaints
    from .corpus import AddCorpus, CorpusAdded, add_corpus
    from .find_candidates import Candidate, Candidates, FindCandidates, OtherRequest, find_candidates
    from .folder import Folder, data_directory
    from .hub_link import HubInfo, hub_lock, read_hub_info, remove_hub_info, write_hub_info
    from .import_complaints import ComplaintsImported, ImportComplaints, import_complaints
    from .ingest import Ingest, Ingested, ingest
    from .label import (
        LabelsSaved,
        NewLabel,
        RemoveLabel,
        SaveLabels,
        UndoLabel,
        remove_label,
        save_labels,
        target_name,
        undo_label,
    )
    from .link_complaint import LinkComplaint, UnlinkComplaint, link_complaint, unlink_complaint
    from .local import Session, open_session, open_workspace, perform
    from .note_complaint import NoteComplaint, note_complaint
    from .open_complaint import OpenComplaint, OpenedComplaint, open_complaint
    from .ping import Ping, Pong, ping
    from .promote import (
        Difference,
        Draft,
        OnConflict,
        Promote,
        Promoted,
        PromoteDraft,
        PromoteOutcome,
        promote,
        promote_draft,
    )
    from .query import Answered, QuerySql, query_sql
    from .read_ticket import ReadTicket, read_ticket
    from .registry import ACTIONS, Action, run_action
    from .reindex import Reindex, Reindexed, reindex
    from .requests import FindRequests, Resolve, Resolved, find_requests, resolve
    from .show import Answer, RequestView, ShowRequest, show
    from .snapshot import Snapshot, SnapshotMade, snapshot
    from .status import AskStatus, IngesterState, Status, Trouble, status
    from .workspace import RunningIngester, Workspace

_HOMES: Final = {
    "add_complaint": ("AddComplaint", "add_complaint"),
    "assign_complaint": ("AssignComplaint", "assign_complaint"),
    "bad_line": ("BadLine",),
    "cases": (
        "ArchiveCase",
        "CaseState",
        "CaseStates",
        "ExportCases",
        "Exported",
        "ImportCases",
        "Imported",
        "ListCases",
        "OpenCase",
        "archive_case",
        "export_cases",
        "import_cases",
        "list_cases",
        "open_case",
    ),
    "chunks": (
        "ChunkDetail",
        "ChunkView",
        "FoundChunk",
        "FoundChunks",
        "SearchChunks",
        "Standing",
        "chunk_detail",
        "search_chunks",
    ),
    "close_complaint": ("CloseComplaint", "ReopenComplaint", "close_complaint", "reopen_complaint"),
    "complaint_change": ("ComplaintChanged",),
    "complaints": ("ComplaintPage", "ComplaintRow", "ListComplaints", "list_complaints"),
    "corpus": ("AddCorpus", "CorpusAdded", "add_corpus"),
    "find_candidates": ("Candidate", "Candidates", "FindCandidates", "OtherRequest", "find_candidates"),
    "folder": ("Folder", "data_directory"),
    "hub_link": ("HubInfo", "hub_lock", "read_hub_info", "remove_hub_info", "write_hub_info"),
    "import_complaints": ("ComplaintsImported", "ImportComplaints", "import_complaints"),
    "ingest": ("Ingest", "Ingested", "ingest"),
    "label": (
        "LabelsSaved",
        "NewLabel",
        "RemoveLabel",
        "SaveLabels",
        "UndoLabel",
        "remove_label",
        "save_labels",
        "target_name",
        "undo_label",
    ),
    "link_complaint": ("LinkComplaint", "UnlinkComplaint", "link_complaint", "unlink_complaint"),
    "local": ("Session", "open_session", "open_workspace", "perform"),
    "note_complaint": ("NoteComplaint", "note_complaint"),
    "open_complaint": ("OpenComplaint", "OpenedComplaint", "open_complaint"),
    "ping": ("Ping", "Pong", "ping"),
    "promote": (
        "Difference",
        "Draft",
        "OnConflict",
        "Promote",
        "PromoteDraft",
        "PromoteOutcome",
        "Promoted",
        "promote",
        "promote_draft",
    ),
    "query": ("Answered", "QuerySql", "query_sql"),
    "read_ticket": ("ReadTicket", "read_ticket"),
    "registry": ("ACTIONS", "Action", "run_action"),
    "reindex": ("Reindex", "Reindexed", "reindex"),
    "requests": ("FindRequests", "Resolve", "Resolved", "find_requests", "resolve"),
    "show": ("Answer", "RequestView", "ShowRequest", "show"),
    "snapshot": ("Snapshot", "SnapshotMade", "snapshot"),
    "status": ("AskStatus", "IngesterState", "Status", "Trouble", "status"),
    "workspace": ("RunningIngester", "Workspace"),
}
"""Module -> what is taken from it, when first asked for."""

__all__ = [
    "ACTIONS",
    "Action",
    "AddComplaint",
    "AddCorpus",
    "Answer",
    "Answered",
    "ArchiveCase",
    "AskStatus",
    "AssignComplaint",
    "BadLine",
    "Candidate",
    "Candidates",
    "CaseState",
    "CaseStates",
    "ChunkDetail",
    "ChunkView",
    "CloseComplaint",
    "ComplaintChanged",
    "ComplaintPage",
    "ComplaintRow",
    "ComplaintsImported",
    "CorpusAdded",
    "Difference",
    "Draft",
    "ExportCases",
    "Exported",
    "FindCandidates",
    "FindRequests",
    "Folder",
    "FoundChunk",
    "FoundChunks",
    "HubInfo",
    "ImportCases",
    "ImportComplaints",
    "Imported",
    "Ingest",
    "Ingested",
    "IngesterState",
    "LabelsSaved",
    "LinkComplaint",
    "ListCases",
    "ListComplaints",
    "NewLabel",
    "NoteComplaint",
    "OnConflict",
    "OpenCase",
    "OpenComplaint",
    "OpenedComplaint",
    "OtherRequest",
    "Ping",
    "Pong",
    "Promote",
    "PromoteDraft",
    "PromoteOutcome",
    "Promoted",
    "QuerySql",
    "ReadTicket",
    "Reindex",
    "Reindexed",
    "RemoveLabel",
    "ReopenComplaint",
    "RequestView",
    "Resolve",
    "Resolved",
    "RunningIngester",
    "SaveLabels",
    "SearchChunks",
    "Session",
    "ShowRequest",
    "Snapshot",
    "SnapshotMade",
    "Standing",
    "Status",
    "Trouble",
    "UndoLabel",
    "UnlinkComplaint",
    "Workspace",
    "add_complaint",
    "add_corpus",
    "archive_case",
    "assign_complaint",
    "chunk_detail",
    "close_complaint",
    "data_directory",
    "export_cases",
    "find_candidates",
    "find_requests",
    "hub_lock",
    "import_cases",
    "import_complaints",
    "ingest",
    "link_complaint",
    "list_cases",
    "list_complaints",
    "note_complaint",
    "open_case",
    "open_complaint",
    "open_session",
    "open_workspace",
    "perform",
    "ping",
    "promote",
    "promote_draft",
    "query_sql",
    "read_hub_info",
    "read_ticket",
    "reindex",
    "remove_hub_info",
    "remove_label",
    "reopen_complaint",
    "resolve",
    "run_action",
    "save_labels",
    "search_chunks",
    "show",
    "snapshot",
    "status",
    "target_name",
    "undo_label",
    "unlink_complaint",
    "write_hub_info",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
