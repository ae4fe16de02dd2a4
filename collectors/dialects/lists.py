"""Lists of documents from attributes: as one value, or flattened over numbered keys; what is missing said in words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ...model import Completeness, ScoreKind, Span
from .documents import TEXT_KEYS, Described, describe, documents_in, find_score, make_doc
from .facts import REDACTED, Doc, DocList
from .json_text import load, load_cut
from .values import as_id, as_text

LIMIT_HINT: Final = "the exporter dropped its oldest attributes; raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"
EVENT_HINT: Final = "the exporter dropped its oldest events; raise OTEL_SPAN_EVENT_COUNT_LIMIT"
CUT_HINT: Final = "its text was cut; raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"
_NUMBERED: Final = re.compile(r"(\d{1,9})\.(.+)", re.DOTALL)
_UNKNOWN: Final = ScoreKind.UNKNOWN.value
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


def whole(docs: Sequence[Doc]) -> DocList:
    """A list that was sent whole; documents of which nothing but the place is known make it partly readable."""
    blank = sum(doc.chunk_id is None and doc.text is None for doc in docs)
    if not blank:
        return DocList(tuple(docs), length=len(docs))
    which = "all of its documents" if blank == len(docs) else f"{blank} of its documents"
    reason = f"{which} came with neither an id nor a text; give the documents an id where they are made"
    return DocList(tuple(docs), length=len(docs), completeness=Completeness.PARTLY_READABLE, reason=reason)


def _cut_list(docs: Sequence[Doc]) -> DocList:
    """The documents before the cut. Of the last one something may be missing: it is kept where its id is certain."""
    known = list(docs)
    if known and (known[-1].chunk_id is None or not known[-1].metadata):
        known.pop()
    return DocList(tuple(known) or None, completeness=Completeness.TRUNCATED, reason=CUT_HINT)


def numbered(attributes: Mapping[str, Any], prefix: str) -> dict[int, dict[str, Any]]:
    """Attributes `<prefix>.<number>.<rest>` as number -> rest -> value, by number as a number (10 after 9)."""
    start = prefix + "."
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(start):
            parts = _parts(key, len(start))
            if parts is not None:
                number, rest = parts
                if number in found:
                    found[number][rest] = value
                else:
                    found[number] = {rest: value}
    return dict(sorted(found.items()))


@lru_cache(maxsize=16_384)
def _parts(key: str, start: int) -> tuple[int, str] | None:
    """Number and rest of a numbered key; the same keys come with every span of a kind."""
    match = _NUMBERED.match(key, start)
    return None if match is None else (int(match[1]), match[2])


def flattened(span: Span, prefix: str, *, part: str = "document.") -> DocList | None:
    """The list of documents under `<prefix>.<number>.<part>`, ranks by number; None where there is none.

    What is missing at the top is missing: exporters drop the oldest attributes, and those are the best ranks.
    """
    explicit = span.attributes.get(prefix)
    rows = numbered(span.attributes, prefix)
    if not rows:
        return None if explicit is None else list_from(explicit)
    docs = {number + 1: _flat_doc(row, part) for number, row in rows.items()}
    first = min(docs)
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
    return whole(known)._replace(ranks=ranks)


def _is_hidden(doc: Doc) -> bool:
    return doc.text_state == "redacted" and doc.chunk_id is None


def _flat_doc(row: Mapping[str, Any], part: str) -> Doc:
    written = row.get(f"{part}metadata")
    short = isinstance(written, str) and len(written) <= _SHORT
    metadata, said = _described(written) if short else _describe(written)
    text = as_text(row.get(f"{part}content"))
    if text is None:
        text = next((metadata[key] for key in TEXT_KEYS[:1] if isinstance(metadata.get(key), str)), None)
    score = row.get(f"{part}score")
    plain = type(score) is float and math.isfinite(score)
    found = (score, _UNKNOWN, None) if plain else find_score({"score": score}, metadata)
    return make_doc(own_id=as_id(row.get(f"{part}id")), text=text, said=said, score=found)


def _describe(written: object) -> tuple[Mapping[str, Any], Described]:
    """The metadata in a value, and what they say."""
    metadata = load(written)
    metadata = metadata if isinstance(metadata, dict) else {}
    return metadata, describe(metadata)


_described = lru_cache(maxsize=8192)(_describe)
"""The same, kept: chunks come back in list after list. What it gives is shared, and nobody changes it."""
