"""Lists of documents from attributes: as one value, or flattened over numbered keys; what is missing said in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import repeat
from typing import Any, Final, NamedTuple

from ...model import Completeness, IdSource, ScoreKind, Span, TextState
from .documents import TEXT_KEYS, Described, describe, documents_in, find_score, make_doc
from .facts import REDACTED, Doc, DocList
from .json_text import load, load_cut
from .numbered import Columns, numbered_columns
from .values import as_id, as_text

LIMIT_HINT: Final = "the exporter dropped its oldest attributes; raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"
EVENT_HINT: Final = "the exporter dropped its oldest events; raise OTEL_SPAN_EVENT_COUNT_LIMIT"
CUT_HINT: Final = "its text was cut; raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"
_FIELDS: Final = ("document.id", "document.content", "document.score", "document.metadata")
_UNKNOWN, _KNOWN = ScoreKind.UNKNOWN.value, TextState.KNOWN.value
_FIELD, _METADATA = IdSource.FIELD.value, IdSource.METADATA.value
_SHORT: Final = 2_000
"""Characters of metadata up to which they are kept once read."""


def list_from(value: object, *, texts: bool = True) -> DocList | None:
    """The list in one value. None where there is no value; one that holds no list gives a list that was not readable.

    `texts`: plain texts count as documents.
    """
    if value is None:
        return None
    if value == REDACTED:
        return DocList(
            None, completeness=Completeness.REDACTED, reason="its documents were hidden before they were sent"
        )
    loaded, cut = load_cut(value)
    docs = documents_in(loaded, texts=texts)
    if cut:
        return _cut_list(docs or ())
    if docs is None:
        return None
    return whole(docs)


def whole(docs: Sequence[Doc], ranks: tuple[int, ...] | None = None) -> DocList:
    """A list that was sent whole; documents of which nothing but the place is known make it partly readable."""
    blank = len([doc for doc in docs if doc.chunk_id is None and doc.text is None])
    if not blank:
        return DocList(tuple(docs), ranks, length=len(docs))
    which = "all of its documents" if blank == len(docs) else f"{blank} of its documents"
    reason = f"{which} came with neither an id nor a text; give the documents an id where they are made"
    return DocList(tuple(docs), ranks, len(docs), Completeness.PARTLY_READABLE, reason)


def _cut_list(docs: Sequence[Doc]) -> DocList:
    """The documents before the cut. Of the last one something may be missing: it is kept where its id is certain."""
    known = list(docs)
    if known and (known[-1].chunk_id is None or not known[-1].metadata):
        known.pop()
    return DocList(tuple(known) or None, completeness=Completeness.TRUNCATED, reason=CUT_HINT)


def flattened(span: Span, prefix: str) -> DocList | None:
    """The list of documents under `<prefix>.<number>.document.`, ranks by number; None where there is none.

    What is missing at the top is missing: exporters drop the oldest attributes, and those are the best ranks.
    """
    columns = numbered_columns(span.attributes, prefix, _FIELDS)
    if not columns.ranks:
        explicit = span.attributes.get(prefix)
        return None if explicit is None else list_from(explicit)
    docs = dict(zip(columns.ranks, _flat_docs(span.attributes, columns), strict=True))
    first = columns.ranks[0]
    if span.dropped_attributes and len(docs) > 1 and docs[first].chunk_id is None and docs[first].text is None:
        del docs[first]  # the drop ends inside it: what is left of it names no document
    return by_rank(docs, dropped=span.dropped_attributes > 0)


def by_rank(docs: Mapping[int, Doc], *, dropped: bool, hint: str = LIMIT_HINT) -> DocList:
    """A list from documents with their ranks, in the order of the ranks. Empty of no documents."""
    if docs and all(_is_hidden(doc) for doc in docs.values()):
        reason = "its documents were hidden before they were sent (content capture is off)"
        return DocList(None, length=max(docs), completeness=Completeness.REDACTED, reason=reason)
    ranks = tuple(docs)
    known = tuple(docs.values())
    gap = ranks[0] - 1 if ranks else 0
    if gap:
        words = "rank 1 is missing" if gap == 1 else f"ranks 1 to {gap} are missing"
        return DocList(known, ranks, ranks[-1], Completeness.TOP_MISSING, f"{words}: {hint}")
    if ranks and ranks[-1] != len(ranks):
        lost = ranks[-1] - len(ranks)
        reason = f"{lost} of its ranks were not received" + (f": {hint}" if dropped else "")
        return DocList(known, ranks, ranks[-1], Completeness.PARTLY_READABLE, reason)
    return whole(known, ranks)


def _is_hidden(doc: Doc) -> bool:
    return doc.text_state == "redacted" and doc.chunk_id is None


def _flat_docs(attributes: Mapping[str, Any], columns: Columns) -> Iterable[Doc]:
    """The documents of a flattened list: all at once where nothing about them is odd, as nearly always."""
    get: Callable[[str], Any] = attributes.get
    parts: Iterable[list[Any]] = ([None if name is None else get(name) for name in names] for names in columns.names)
    ids, texts, scores, written = parts
    said = [_say(one) for one in written]
    plain = _are(ids, str) and _are(texts, str) and _are(scores, float)
    if not plain or not all(map(math.isfinite, scores)) or "" in ids or REDACTED in texts:
        return map(_flat_doc, ids, texts, scores, said)
    values, chunk_ids, doc_ids, parents = zip(*(one.described for one in said), strict=True)
    sources: Iterable[str] = repeat(_FIELD)
    if any(chunk_ids):
        sources = [_FIELD if named is None else _METADATA for named in chunk_ids]
        ids = [named or own for named, own in zip(chunk_ids, ids, strict=True)]
    rest = repeat(_UNKNOWN), repeat(None), texts, repeat(_KNOWN), values, parents
    return map(_doc, zip(ids, sources, doc_ids, scores, *rest, strict=False))


_doc: Final[Callable[[Iterable[Any]], Doc]] = partial(tuple.__new__, Doc)
"""As `Doc._make`, without counting: a quarter of its time."""


def _are(values: Iterable[object], kind: type) -> bool:
    return set(map(type, values)) == {kind}


def _flat_doc(own_id: object, content: object, score: Any, said: _Said) -> Doc:  # noqa: ANN401 - whatever was sent
    text = as_text(content)
    if text is None:
        text = next((said.metadata[key] for key in TEXT_KEYS[:1] if isinstance(said.metadata.get(key), str)), None)
    plain = type(score) is float and math.isfinite(score)
    found = (score, _UNKNOWN, None) if plain else find_score({"score": score}, said.metadata)
    return make_doc(own_id=as_id(own_id), text=text, said=said.described, score=found)


class _Said(NamedTuple):
    """The metadata of a document, and what they say."""

    metadata: Mapping[str, Any]
    described: Described


def _say(written: object) -> _Said:
    """The metadata in a value."""
    if written is None:
        return _SAYS_NOTHING
    return _read_kept(written) if isinstance(written, str) and len(written) <= _SHORT else _read_metadata(written)


def _read_metadata(written: object) -> _Said:
    metadata = load(written)
    metadata = metadata if isinstance(metadata, dict) else {}
    return _Said(metadata, describe(metadata))


_read_kept = lru_cache(maxsize=8192)(_read_metadata)
"""The same, kept: chunks come back in list after list. What it gives is shared, and nobody changes it."""
_SAYS_NOTHING: Final = _read_metadata(None)
