"""Step: one request's documents together: what one list says of them and another does not. Rules 2, 14."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from ...model import DERIVED_ID_PREFIX, HitColumns, IdSource, ScoreKind, Span, StageKind, TextState, derived_chunk_id
from ..dialects.facts import Doc, DocList, fill_doc
from ..dialects.hits import hash_of, hashes_of
from ..dialects.json_text import load_cut
from .step import LISTED, Step

_KNOWN: Final = TextState.KNOWN.value
_DERIVED: Final = IdSource.DERIVED.value
_RERANK, _RRF, _UNKNOWN = ScoreKind.RERANK.value, ScoreKind.RRF.value, ScoreKind.UNKNOWN.value
_RECIPROCAL: Final = re.compile(r"(?<![a-z])rrf(?![a-z])|reciprocal", re.IGNORECASE)
_SHORTEST_LIMIT: Final = 32
_PASSAGE: Final = ".document.content"
_SAME_LENGTH: Final = 3
"""So many different texts of exactly the greatest length were cut to that length."""


def find_length_limit(spans: Iterable[Span]) -> int | None:
    """Rule 14: the length to which an exporter cut its texts, where many share one greatest length; None: no sign.

    Objects in JSON that are whole are as long as their fields make them, often all alike: they are no sign. Nor are
    passages alone: an app may have divided its documents into chunks of one length.
    """
    spans = tuple(spans)
    texts = [value for span in spans for value in span.attributes.values() if type(value) is str]
    lengths = list(map(len, texts))
    longest = max(lengths, default=0)
    if longest < _SHORTEST_LIMIT or lengths.count(longest) < _SAME_LENGTH:
        return None
    alike = {text for text in texts if len(text) == longest}
    if sum(not _is_whole_object(text) for text in alike) < _SAME_LENGTH:
        return None
    fields = (item for span in spans for item in span.attributes.items())
    others = any(text in alike for key, text in fields if type(text) is str and not key.endswith(_PASSAGE))
    return longest if others else None


def _is_whole_object(text: str) -> bool:
    loaded = load_cut(text) if text.startswith("{") and text.endswith("}") else None
    return loaded is not None and not loaded.cut and isinstance(loaded.value, dict)


def share_chunks(steps: Sequence[Step], limit: int | None, own: Sequence[HitColumns] = ()) -> None:
    """Rule 2: lists of one request match by id, else by text: a document without an id has the one under which
    another list has its text; one that came without text, document or metadata has those of its id. Where an id has two
    texts nothing is shared. Lists of goldrank's own stages in the request (`own`) give, and take nothing. Rule 14: a
    text as long as the limit is cut."""
    lists = [step for step in steps if step.kind in LISTED and step.documents is not None and step.docs]
    for step in lists:
        if limit is not None:
            _put(step, [_mark_cut(doc, limit) for doc in step.docs or ()])
    docs = [doc for step in lists for doc in step.docs or ()]
    if all(map(_is_whole, docs)) and len({doc.parent_id is None for doc in docs}) < 2:
        return  # no list can say anything that another one lacks
    ids: dict[str, set[str]] = {}
    known: dict[str, list[Doc]] = {}
    for doc in chain(docs, *map(_docs_of, own)):
        if doc.chunk_id is None:
            continue
        known.setdefault(doc.chunk_id, []).append(doc)
        if doc.text is not None and doc.text_state == TextState.KNOWN.value:
            ids.setdefault(hash_of(doc.text), set()).add(doc.chunk_id)
    richest = {chunk_id: full for chunk_id, docs in known.items() if (full := _richest(docs)) is not None}
    for step in lists:
        _put(step, [_shared(doc, ids, richest) for doc in step.docs or ()])


def _docs_of(hits: HitColumns) -> Iterator[Doc]:
    """The chunks of a list of our own, without those whose id was made of their text."""
    fields = (hits.chunk_ids, hits.id_sources, hits.doc_ids, hits.texts, hits.text_states, hits.metadata)
    for chunk_id, source, doc_id, text, state, metadata in zip(*fields, strict=True):
        if source != _DERIVED:
            yield Doc(chunk_id, source, doc_id, text=text, text_state=state, metadata=metadata)


def _is_whole(doc: Doc) -> bool:
    """Whether it says itself all that lists share, but for its parent."""
    return doc.chunk_id is not None and doc.text_state == _KNOWN and doc.doc_id is not None and bool(doc.metadata)


def _put(step: Step, docs: list[Doc]) -> None:
    if step.documents is not None:
        step.documents = step.documents._replace(docs=tuple(docs))


def _mark_cut(doc: Doc, limit: int) -> Doc:
    return doc._replace(text_state=TextState.CUT.value) if doc.text is not None and len(doc.text) == limit else doc


def _richest(docs: list[Doc]) -> Doc | None:
    """The document that says most of an id; None where the id has two texts."""
    texts = {doc.text for doc in docs if doc.text is not None and doc.text_state == TextState.KNOWN.value}
    if len(texts) > 1:
        return None
    merged = max(docs, key=lambda doc: (doc.text_state == TextState.KNOWN.value, len(doc.metadata)))
    for doc in docs:
        merged = fill_doc(merged, doc)
    return merged._replace(score=None, score_note=None)


def _shared(doc: Doc, ids: dict[str, set[str]], richest: dict[str, Doc]) -> Doc:
    if doc.chunk_id is None and doc.text is not None and doc.text_state == TextState.KNOWN.value:
        found = ids.get(hash_of(doc.text), set())
        if len(found) == 1:
            doc = doc._replace(chunk_id=next(iter(found)), id_source=IdSource.DERIVED.value)
    if doc.chunk_id is None or doc.chunk_id not in richest:
        return doc
    full = richest[doc.chunk_id]
    if doc.text_state == TextState.CUT.value and full.text is not None and full.text.startswith(doc.text or ""):
        doc = doc._replace(text=full.text, text_state=full.text_state)
    return fill_doc(doc, full)


def columns_of(step: Step, documents: DocList, indexes: dict[str, str | None]) -> HitColumns | None:
    """A list in the form in which lists travel; None where there is none."""
    docs = documents.docs
    if docs is None:
        return None
    ranks = documents.ranks or range(1, len(docs) + 1)
    ids, sources, doc_ids, scores, kinds, notes, texts, states, metadata, parents = _transposed(docs)
    if None in ids:
        made = [_identify(doc, step.stage_id, rank) for doc, rank in zip(docs, ranks, strict=True)]
        ids, sources = [chunk_id for chunk_id, _ in made], [source for _, source in made]
    own_kind = _RERANK if step.kind is StageKind.RERANK else _RRF if _by_rank(step) else None
    if own_kind is not None:
        kinds = [
            own_kind if kind == _UNKNOWN and score is not None else kind
            for kind, score in zip(kinds, scores, strict=True)
        ]
    own = step.facts.searched if step.kind is StageKind.RETRIEVE else None
    return HitColumns(
        ranks=ranks,
        chunk_ids=ids,
        id_sources=sources,
        doc_ids=doc_ids,
        indexes=[own] * len(docs) if own or not indexes else [indexes.get(chunk_id) for chunk_id in ids],
        scores=scores,
        score_kinds=kinds,
        score_notes=notes,
        texts=texts,
        text_hashes=hashes_of(texts),
        text_states=states,
        metadata=metadata,
        parent_ids=parents,
    )


def _by_rank(step: Step) -> bool:
    """Whether a fusion is called after the ranks that it adds up: its scores are then no similarities."""
    return step.kind is StageKind.FUSE and _RECIPROCAL.search(step.name) is not None


def _transposed(docs: Sequence[Doc]) -> Sequence[Sequence[Any]]:
    """The fields of documents, in their order, one column each."""
    return list(zip(*docs, strict=True)) if docs else [()] * len(Doc._fields)


def indexes_of(steps: Iterable[Step], own: Iterable[HitColumns] = ()) -> dict[str, str | None]:
    """Chunk id -> the one index in which retrievers found it; None where they name two. Those of other writers first,
    then what our own lists say."""
    found: dict[str, str | None] = {}
    for step in steps:
        if step.kind is StageKind.RETRIEVE and step.facts.searched is not None:
            for doc in step.docs or ():
                if doc.chunk_id is not None:
                    same = found.get(doc.chunk_id, step.facts.searched) == step.facts.searched
                    found[doc.chunk_id] = step.facts.searched if same else None
    for hits in own:
        for chunk_id, index in zip(hits.chunk_ids, hits.indexes, strict=True):
            found.setdefault(chunk_id, index)
    return found


def _identify(doc: Doc, list_id: str, rank: int) -> tuple[str, str]:
    """Id and where it is from: its own, else made of its text; of a cut text, or of none, one that nothing else has."""
    if doc.chunk_id is not None:
        return doc.chunk_id, doc.id_source
    if doc.text is not None and doc.text_state == TextState.KNOWN.value:
        return derived_chunk_id(doc.text), IdSource.DERIVED.value
    what = "cut" if doc.text_state == TextState.CUT.value else "no-text"
    return f"{DERIVED_ID_PREFIX}{what}:{list_id}:{rank}", IdSource.DERIVED.value
