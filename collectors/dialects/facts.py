"""What a dialect of another writer says of one span, before the spans of a request are seen together.

Values stay as they were sent where composition may not need them: `given_value` and `made_value` are read by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...model import Completeness, IdSource, Message, ScoreKind, StageKind, TextState

LOG_EVENT: Final = "goldrank.log.event"
"""On a span that was made of a log record: the name of its event. It says something of its parent."""
LOG_BODY: Final = "goldrank.log.body"

REDACTED: Final = "__REDACTED__"
"""What OpenInference writes in place of a hidden value."""


class Doc(NamedTuple):
    """One document of a list, as far as its writer says."""

    chunk_id: str | None = None
    id_source: str = IdSource.FIELD.value
    doc_id: str | None = None
    score: float | None = None
    score_kind: str = ScoreKind.UNKNOWN.value
    score_note: str | None = None
    text: str | None = None
    text_state: str = TextState.NOT_CAPTURED.value
    metadata: Mapping[str, Any] = {}
    parent_id: str | None = None


class DocList(NamedTuple):
    """A list of documents in rank order."""

    docs: tuple[Doc, ...] | None = None
    """None: the list itself was not sent, or is not readable. Empty: explicitly nothing."""
    ranks: tuple[int, ...] | None = None
    """1-based rank of each document as sent; None: 1, 2, 3, ..."""
    length: int | None = None
    """True length where it is known."""
    completeness: Completeness = Completeness.COMPLETE
    reason: str = ""
    """What is missing, why, and the one change that helps; empty where nothing is."""

    @property
    def missing_top(self) -> int:
        """How many of the best ranks are missing."""
        return self.ranks[0] - 1 if self.ranks and self.completeness is Completeness.TOP_MISSING else 0

    @property
    def first_rank(self) -> int:
        """The best rank that was sent; 1 of an empty list."""
        return self.ranks[0] if self.ranks else 1


class Facts(NamedTuple):
    """What one span says. Fields that it does not say are None or empty."""

    writer: str = ""
    """The dialect that decided what the span is."""
    kind: StageKind | None = None
    """None: it only holds others (a chain, an agent, a workflow)."""
    name: str | None = None
    query: str | None = None
    top_k: int | None = None
    searched: str | None = None
    """The index, collection or store that was searched."""
    model: str | None = None
    embedding_model: str | None = None
    filters: Any = None
    documents: DocList | None = None
    """The list that it made, where the dialect has a place for it."""
    given: tuple[DocList, ...] = ()
    """The lists that it was given, where the dialect has a place for them."""
    prompt: tuple[Message, ...] | None = None
    text: str | None = None
    """What it made, where that is a text: an answer, a rendered prompt."""
    given_value: Any = None
    """Its input, not looked into yet."""
    made_value: Any = None
    """Its output, not looked into yet."""
    asked_value: Any = None
    """What the whole request was asked, where the writer says so on one of its spans; not looked into yet."""
    answered_value: Any = None
    """What the whole request answered, likewise."""
    environment: str | None = None
    """Where it ran, by a key of the writer's own."""
    app_version: str | None = None
    asked_text: str | None = None
    """What it was asked, where that is a plain text whatever it looks like."""
    prompt_cut: str = ""
    """Where a part of the prompt did not come: which, and what to change."""
    session: str | None = None
    user: str | None = None
    error: str | None = None
    setup: bool = False
    """It prepares (makes an agent, fills an index) and answers nobody."""
    app_root: bool = False
    """Its writer says that a request begins here, whatever is above it."""
    hint: str = ""
    """Where its list is not sent: why, and what to change."""
    notes: Mapping[str, Any] = {}
    metadata: Mapping[str, Any] = {}


NOTHING: Final = Facts()


def fill(first: Facts, second: Facts) -> Facts:
    """What the first says, and where it says nothing what the second does. What a span is, the first alone says."""
    if first is NOTHING:
        return second
    gaps = {
        field: other
        for field, own, other in zip(Facts._fields, first, second, strict=True)
        if other is not own and field not in _DECIDED and _is_nothing(own) and not _is_nothing(other)
    }
    documents = _fill_list(first.documents, second.documents)
    if first.kind is None and first.writer:
        gaps.pop("documents", None)
        documents = first.documents
    return first._replace(**(gaps | {"documents": documents}))


_DECIDED: Final = frozenset({"writer", "kind", "setup", "documents", "hint"})


def _is_nothing(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str | tuple | Mapping) and not value)


def _fill_list(own: DocList | None, other: DocList | None) -> DocList | None:
    """One dialect's list; the other one only gives what single documents lack."""
    if own is None or (own.docs is None and own.completeness is Completeness.NOT_RECORDED):
        return other or own
    if other is None or not own.docs or not other.docs or len(own.docs) != len(other.docs):
        return own
    return own._replace(docs=fill_docs(own.docs, other.docs))


def fill_docs(own: Sequence[Doc], other: Sequence[Doc]) -> tuple[Doc, ...]:
    """The documents of two lists of one length, each with what the first lacks; none where they contradict."""
    if any(not _agree(one, two) for one, two in zip(own, other, strict=True)):
        return tuple(own)
    return tuple(fill_doc(one, two) for one, two in zip(own, other, strict=True))


def fill_doc(own: Doc, other: Doc) -> Doc:
    """A document with what another record of the same one says beside it."""
    changes: dict[str, Any] = {}
    if own.chunk_id is None and other.chunk_id is not None:
        changes |= {"chunk_id": other.chunk_id, "id_source": other.id_source}
    if own.score is None and own.score_note is None and (other.score is not None or other.score_note is not None):
        changes |= {"score": other.score, "score_kind": other.score_kind, "score_note": other.score_note}
    if own.text is None and other.text is not None:
        changes |= {"text": other.text, "text_state": other.text_state}
    for field in ("doc_id", "parent_id"):
        if getattr(own, field) is None and getattr(other, field) is not None:
            changes[field] = getattr(other, field)
    if not own.metadata and other.metadata:
        changes["metadata"] = other.metadata
    return own._replace(**changes) if changes else own


def _agree(one: Doc, two: Doc) -> bool:
    if one.text is not None and two.text is not None and one.text == two.text:
        return True
    return one.chunk_id is None or two.chunk_id is None or one.chunk_id == two.chunk_id
