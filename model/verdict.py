"""What diagnosis says: flow, context, gold path, verdict. All derived, all rebuilt by `goldrank reindex`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from .label import Level
from .stage_words import FlowSource

RULES_VERSION = 3
"""Raised whenever a change of the rules can change a verdict, so that stored findings are recomputed."""


class Verdict(StrEnum):
    """Which stage lost a gold and why; the rows of DESIGN's verdict table."""

    DELIVERED = "delivered"
    IGNORED = "ignored"
    STALE_LABEL = "stale_label"
    NOT_IN_CORPUS = "not_in_corpus"
    NOT_RETRIEVED = "not_retrieved"
    STAGE_FAILED = "stage_failed"
    UNKNOWN = "unknown"
    FILTERED = "filtered"
    REMOVED_BY_STAGE = "removed_by_stage"
    REACHED_LAST_LIST = "reached_last_list"
    DROPPED_FROM_PROMPT = "dropped_from_prompt"
    DEMOTED = "demoted"
    LOST_IN_FUSION = "lost_in_fusion"
    BELOW_CUT = "below_cut"
    PARTLY_FOUND = "partly_found"
    NO_LABEL = "no_label"

    @property
    def words(self) -> str:
        """As pages show it."""
        return self.value.replace("_", " ")


class Certainty(StrEnum):
    """How a statement is known."""

    RECORDED = "recorded"
    DERIVED = "derived"
    INFERRED = "inferred"
    UNKNOWN = "unknown"


class MatchedBy(StrEnum):
    """Why a hit counts as the gold."""

    ID_AND_TEXT = "id and text"
    ID = "id"
    """A text was unknown or cut: certainty derived."""
    TEXT_IN_DOCUMENT = "same text in the same document"
    RELINKED = "re-linked by text"
    QUOTE = "quoted sentence in the same document"
    PARENT = "parent chunk"
    DOCUMENT = "document"


class PointState(StrEnum):
    """Where the gold stood after one stage."""

    FOUND = "found"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    """The list is incomplete or was not recorded, and the gold is not in what was."""
    FAILED = "failed"


class GoldPoint(BaseModel):
    """The gold after one stage."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    state: PointState
    rank: int | None = None
    """1-based, as listed; the first place where it occurs."""
    distinct_rank: int | None = None
    """1-based, each id counted once. Verdicts use this one."""
    score: float | None = None
    matched_by: MatchedBy | None = None
    chunk_id: str | None = None
    """The id under which it was found."""
    part: bool = False
    """Only a part of the labelled chunk (a child of the labelled parent)."""
    document_rank: int | None = None
    """1-based among the distinct documents of the list; of a label at document level alone."""


class Edge(BaseModel):
    """One stage's output went into another."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    target_id: str
    flow_source: FlowSource


class Flow(BaseModel):
    """The graph of the stages that have lists or texts in it."""

    model_config = ConfigDict(frozen=True)

    order: tuple[str, ...] = ()
    """All stage ids as a page shows them: topological, then start, then span id."""
    edges: tuple[Edge, ...] = ()
    level: dict[str, int] = {}
    """Stage id -> longest way from a stage without inputs, from 0."""
    unknown: tuple[str, ...] = ()
    """Stages with a list, other than retrievers and tools, whose inputs are not known: shown apart."""


class ContextSource(StrEnum):
    """How the context is known, the most certain first."""

    PROMPT = "prompt"
    ASSEMBLE = "assemble"
    DECLARED = "declared"
    UNKNOWN = "unknown"


class InPrompt(StrEnum):
    """In which form a chunk is in the context."""

    WHOLE = "whole"
    CUT = "cut"
    BY_PARENT = "by its parent"
    BY_ID = "by id only"


class CameFrom(BaseModel):
    """A place where a delivered chunk stood before."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    rank: int


class ContextEntry(BaseModel):
    """One chunk of the context."""

    model_config = ConfigDict(frozen=True)

    position: int
    """1-based place inside the context."""
    chunk_id: str
    doc_id: str | None = None
    text_hash: str | None = None
    form: InPrompt
    chars_sent: int | None = None
    chars_total: int | None = None
    ambiguous_with: tuple[str, ...] = ()
    """Other chunk ids that hold the same text, where no assembled list names one of them."""
    came_from: tuple[CameFrom, ...] = ()
    """Its place in every list before, in flow order."""
    span: tuple[int, int] | None = None
    """Where it stands in the prompt: start and end in characters of `Context.prompt_text`."""


class Context(BaseModel):
    """The chunks that reached the prompt of the answer, in order."""

    model_config = ConfigDict(frozen=True)

    source: ContextSource
    stage_id: str | None = None
    """The generate or assemble stage that says so."""
    entries: tuple[ContextEntry, ...] = ()
    prompt_text: str | None = None
    """The messages of the prompt joined by a blank line, to which `ContextEntry.span` refers."""
    notes: tuple[str, ...] = ()
    earlier_only: tuple[str, ...] = ()
    """Chunk ids found only in an earlier prompt than the one that wrote the answer."""

    @property
    def known(self) -> bool:
        """Whether it is known what reached the prompt."""
        return self.source is not ContextSource.UNKNOWN


class Finding(BaseModel):
    """One sentence with its evidence: a title, the ranks in words, how sure, and what it cannot tell."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    title: str
    """Cause in a few words, a sentence without its full stop: "The reranker pushed it out"."""
    body: str
    """Evidence, without a full stop: "rank 1 in bm25, 14 in dense, 2 after rrf; the prompt takes 5"."""
    certainty: Certainty
    cannot_tell: str | None = None
    """One sentence on what the recording does not say, or None."""

    @property
    def sentence(self) -> str:
        """Title and body as one sentence."""
        return f"{self.title}: {self.body}." if self.body else f"{self.title}."


class GoldOutcome(BaseModel):
    """What became of one gold."""

    model_config = ConfigDict(frozen=True)

    label_id: str
    evidence: int
    name: str
    """Chunk id, or the document at document level, as shown."""
    level: Level
    finding: Finding
    path: tuple[GoldPoint, ...]
    """One point for each stage with a list (or a failed one), in the flow's order."""
    position: int | None = None
    """Position in the context, or None."""
    lost_at: str | None = None
    """Stage id of S, the stage that lost it. None: delivered, never found, or lost on the way into the prompt."""
    lost_at_context: bool = False
    blamed: str | None = None
    """Stage id of the stage that the verdict names: S, or the reranker or fusion found by walking back.

    None: the prompt builder, or nobody."""
    last_list: str | None = None
    """Stage id of L, the last list on its way."""
    takes: int | None = None
    """Length of S's list, or how many of L's hits are in the context."""
    notes: tuple[str, ...] = ()
    """Near misses and re-links, one sentence each."""


class ChunkMark(StrEnum):
    """A mark on a chunk in this request, derived from what is recorded."""

    GOLD = "gold"
    FORBIDDEN = "forbidden"
    NOT_RELEVANT = "not relevant"
    SUPERSEDED = "superseded"
    NEAR_DUPLICATE = "near-duplicate"
    SAME_TEXT = "same text"


class Leak(BaseModel):
    """A chunk that this user must not see stands in a list."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    reason: str
    """"labelled forbidden", "its groups (staff) exclude the user's (customers)", "of tenant a"."""
    stages: tuple[CameFrom, ...]
    in_context: bool | None
    """None: the context is not known."""


class Modifier(BaseModel):
    """A circumstance beside the verdict."""

    model_config = ConfigDict(frozen=True)

    kind: str
    """crowded, superseded_above, incomplete_telemetry, stage_failed, duplicates, same_text, ties, fusion_counts,
    stale_label, empty_context, exact_word, no_rewrite, glued_history, earlier_prompt."""
    text: str
    """One sentence."""
    stage_id: str | None = None
    certainty: Certainty = Certainty.DERIVED


class ListNote(BaseModel):
    """What is worth knowing about one list apart from its hits."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    text: str
    """"c1 stands 3 times", "ranks 1 to 3 have equal scores; the recorded order decides"."""


class Diagnosis(BaseModel):
    """Everything that diagnosis says of one request with its labels."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    rules_version: int = RULES_VERSION
    headline: Finding
    outcomes: tuple[GoldOutcome, ...] = ()
    flow: Flow
    context: Context
    names: dict[str, str] = {}
    """Stage id -> its name as the sentences say it: "dense (2)" where several lists share a name."""
    marks: dict[str, tuple[ChunkMark, ...]] = {}
    """Chunk id -> its marks in this request."""
    leaks: tuple[Leak, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    list_notes: tuple[ListNote, ...] = ()
    inherited_from: tuple[str, ...] = ()
    """Case ids whose labels were used because the request has none of its own."""


class GoldRank(BaseModel):
    """A row of `gold_ranks`: where one label's gold stood after one stage."""

    model_config = ConfigDict(frozen=True)

    label_id: str
    stage_id: str
    rank: int | None
    matched_by: MatchedBy | None
