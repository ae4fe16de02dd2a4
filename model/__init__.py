"""The types of goldrank: pydantic models and pure definitions, shared by every room.

from goldrank.model import Hit, RecordedRequest, Request, Stage, StageKind

hit = Hit(rank=1, chunk_id="refunds#2", score=0.83)
stage = Stage(stage_id="00f067aa0ba902b7", kind=StageKind.RETRIEVE, name="bm25", start_ns=0, hits=(hit,))
"""

from __future__ import annotations

from .case import CaseHit, CaseLabel, CaseList, CaseOrigin, EvalCase, make_case_key, normalise_question
from .chunk import Chunk, CorpusChunk, CorpusManifest, LabelFacts
from .complaint import Complaint, Feedback
from .errors import BadInput, GoldrankError, NotFound, Refused, StoreError, StoreLocked, UsageError
from .hit import Hit, IdSource, ScoreKind, TextState
from .identity import IdForm, IdMention, find_ids, make_request_id, short_id
from .label import Judgement, Label, LabelTarget, Level
from .request import RecordedRequest, Request
from .span import Span, SpanEvent
from .spool import Drops, FrameKind, SegmentHeader
from .stage import Completeness, FlowSource, Message, Outcome, Stage, StageInput, StageKind
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

__all__ = [
    "DERIVED_ID_PREFIX",
    "RULES_VERSION",
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
    "find_ids",
    "make_case_key",
    "make_request_id",
    "normalise_question",
    "normalise_text",
    "short_id",
    "text_hash",
]
