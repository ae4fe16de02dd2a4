"""What a person can do, one function each: a workspace and a question in, an answer out. Pages and commands render.

from goldrank.actions import ShowRequest, Workspace, show

view = show(Workspace(store=store, spool=spool), ShowRequest(request="7f3a9c12", gold=("refunds#2",)))
print(view.diagnosis.headline.sentence)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
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
    from .complaints import ComplaintPage, ComplaintRow, ListComplaints, list_complaints
    from .corpus import AddCorpus, CorpusAdded, add_corpus
    from .folder import Folder, data_directory
    from .hub_link import HubInfo, hub_lock, read_hub_info, remove_hub_info, write_hub_info
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
    from .local import Session, open_session, open_workspace, perform
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
    from .registry import ACTIONS, Action, run_action
    from .reindex import Reindex, Reindexed, reindex
    from .requests import FindRequests, Resolve, Resolved, find_requests, resolve
    from .show import Answer, RequestView, ShowRequest, show
    from .snapshot import Snapshot, SnapshotMade, snapshot
    from .status import AskStatus, IngesterState, Status, Trouble, status
    from .workspace import RunningIngester, Workspace

_HOMES: Final = {
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
    "complaints": ("ComplaintPage", "ComplaintRow", "ListComplaints", "list_complaints"),
    "corpus": ("AddCorpus", "CorpusAdded", "add_corpus"),
    "folder": ("Folder", "data_directory"),
    "hub_link": ("HubInfo", "hub_lock", "read_hub_info", "remove_hub_info", "write_hub_info"),
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
    "local": ("Session", "open_session", "open_workspace", "perform"),
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
    "AddCorpus",
    "Answer",
    "Answered",
    "ArchiveCase",
    "AskStatus",
    "BadLine",
    "CaseState",
    "CaseStates",
    "ChunkDetail",
    "ChunkView",
    "ComplaintPage",
    "ComplaintRow",
    "CorpusAdded",
    "Difference",
    "Draft",
    "ExportCases",
    "Exported",
    "FindRequests",
    "Folder",
    "FoundChunk",
    "FoundChunks",
    "HubInfo",
    "ImportCases",
    "Imported",
    "Ingest",
    "Ingested",
    "IngesterState",
    "LabelsSaved",
    "ListCases",
    "ListComplaints",
    "NewLabel",
    "OnConflict",
    "OpenCase",
    "Ping",
    "Pong",
    "Promote",
    "PromoteDraft",
    "PromoteOutcome",
    "Promoted",
    "QuerySql",
    "Reindex",
    "Reindexed",
    "RemoveLabel",
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
    "Workspace",
    "add_corpus",
    "archive_case",
    "chunk_detail",
    "data_directory",
    "export_cases",
    "find_requests",
    "hub_lock",
    "import_cases",
    "ingest",
    "list_cases",
    "list_complaints",
    "open_case",
    "open_session",
    "open_workspace",
    "perform",
    "ping",
    "promote",
    "promote_draft",
    "query_sql",
    "read_hub_info",
    "reindex",
    "remove_hub_info",
    "remove_label",
    "resolve",
    "run_action",
    "save_labels",
    "search_chunks",
    "show",
    "snapshot",
    "status",
    "target_name",
    "undo_label",
    "write_hub_info",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
