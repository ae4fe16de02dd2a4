"""The types of goldrank: pydantic models and pure definitions, shared by every room.

from goldrank.model import Hit, RecordedRequest, Request, Stage, StageKind

hit = Hit(rank=1, chunk_id="refunds#2", score=0.83)
stage = Stage(stage_id="00f067aa0ba902b7", kind=StageKind.RETRIEVE, name="bm25", start_ns=0, hits=(hit,))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .late_names import late_names

if TYPE_CHECKING:
    from .case import CaseHit, CaseLabel, CaseList, CaseOrigin, EvalCase, make_case_key, normalise_question
    from .chunk import SEEN_ENOUGH, Chunk, CorpusChunk, CorpusManifest, LabelFacts
    from .complaint import Complaint, Feedback
    from .errors import BadInput, GoldrankError, NotFound, Refused, StoreError, StoreLocked, UsageError
    from .frame_kind import FrameKind
    from .hit import Hit
    from .hit_columns import HitColumns
    from .hit_words import IdSource, ScoreKind, TextState
    from .identity import IdForm, IdMention, find_digits, find_ids
    from .label import Judgement, Label, LabelTarget, Level
    from .request import RecordedRequest, Request
    from .request_id import make_request_id, short_id
    from .span import Span, SpanEvent
    from .spool import Drops, SegmentHeader
    from .stage import Message, Stage, StageInput
    from .stage_words import Completeness, FlowSource, Outcome, StageKind
    from .texthash import DERIVED_ID_PREFIX, derived_chunk_id, normalise_text, text_hash
    from .verdict import (
        RULES_VERSION,
        CameFrom,
        Certainty,
        ChunkMark,
        Context,
        ContextEntry,
        ContextSource,
        Diagnosis,
        Edge,
        Finding,
        Flow,
        GoldOutcome,
        GoldPoint,
        GoldRank,
        InPrompt,
        Leak,
        ListNote,
        MatchedBy,
        Modifier,
        PointState,
        Verdict,
    )

_HOMES: Final = {
    "case": (
        "CaseHit",
        "CaseLabel",
        "CaseList",
        "CaseOrigin",
        "EvalCase",
        "make_case_key",
        "normalise_question",
    ),
    "chunk": (
        "SEEN_ENOUGH",
        "Chunk",
        "CorpusChunk",
        "CorpusManifest",
        "LabelFacts",
    ),
    "complaint": (
        "Complaint",
        "Feedback",
    ),
    "errors": (
        "BadInput",
        "GoldrankError",
        "NotFound",
        "Refused",
        "StoreError",
        "StoreLocked",
        "UsageError",
    ),
    "frame_kind": ("FrameKind",),
    "hit": ("Hit",),
    "hit_columns": ("HitColumns",),
    "hit_words": (
        "IdSource",
        "ScoreKind",
        "TextState",
    ),
    "identity": (
        "IdForm",
        "IdMention",
        "find_digits",
        "find_ids",
    ),
    "label": (
        "Judgement",
        "Label",
        "LabelTarget",
        "Level",
    ),
    "request": (
        "RecordedRequest",
        "Request",
    ),
    "request_id": (
        "make_request_id",
        "short_id",
    ),
    "span": (
        "Span",
        "SpanEvent",
    ),
    "spool": (
        "Drops",
        "SegmentHeader",
    ),
    "stage": (
        "Message",
        "Stage",
        "StageInput",
    ),
    "stage_words": (
        "Completeness",
        "FlowSource",
        "Outcome",
        "StageKind",
    ),
    "texthash": (
        "DERIVED_ID_PREFIX",
        "derived_chunk_id",
        "normalise_text",
        "text_hash",
    ),
    "verdict": (
        "RULES_VERSION",
        "CameFrom",
        "Certainty",
        "ChunkMark",
        "Context",
        "ContextEntry",
        "ContextSource",
        "Diagnosis",
        "Edge",
        "Finding",
        "Flow",
        "GoldOutcome",
        "GoldPoint",
        "GoldRank",
        "InPrompt",
        "Leak",
        "ListNote",
        "MatchedBy",
        "Modifier",
        "PointState",
        "Verdict",
    ),
}
"""Module -> what is taken from it, when first asked for: an app that records needs few, and all take long to build."""

__all__ = [
    "DERIVED_ID_PREFIX",
    "RULES_VERSION",
    "SEEN_ENOUGH",
    "BadInput",
    "CameFrom",
    "CaseHit",
    "CaseLabel",
    "CaseList",
    "CaseOrigin",
    "Certainty",
    "Chunk",
    "ChunkMark",
    "Complaint",
    "Completeness",
    "Context",
    "ContextEntry",
    "ContextSource",
    "CorpusChunk",
    "CorpusManifest",
    "Diagnosis",
    "Drops",
    "Edge",
    "EvalCase",
    "Feedback",
    "Finding",
    "Flow",
    "FlowSource",
    "FrameKind",
    "GoldOutcome",
    "GoldPoint",
    "GoldRank",
    "GoldrankError",
    "Hit",
    "HitColumns",
    "IdForm",
    "IdMention",
    "IdSource",
    "InPrompt",
    "Judgement",
    "Label",
    "LabelFacts",
    "LabelTarget",
    "Leak",
    "Level",
    "ListNote",
    "MatchedBy",
    "Message",
    "Modifier",
    "NotFound",
    "Outcome",
    "PointState",
    "RecordedRequest",
    "Refused",
    "Request",
    "ScoreKind",
    "SegmentHeader",
    "Span",
    "SpanEvent",
    "Stage",
    "StageInput",
    "StageKind",
    "StoreError",
    "StoreLocked",
    "TextState",
    "UsageError",
    "Verdict",
    "derived_chunk_id",
    "find_digits",
    "find_ids",
    "make_case_key",
    "make_request_id",
    "normalise_question",
    "normalise_text",
    "short_id",
    "text_hash",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
