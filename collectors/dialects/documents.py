"""Documents in values of any shape: what frameworks, stores and people's own functions return from a search.

One table of names for each thing that a document has, in the order in which they are tried. A list counts as a list of
documents only where every item of it looks like one: a wrong list is worse than none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...model import IdSource, ScoreKind, TextState
from .facts import REDACTED, Doc
from .hits import PARENT_KEYS
from .json_text import load
from .reprs import HAYSTACK_PREFIX, NODE_PREFIXES, read_repr, split_reprs
from .values import as_id, as_json_value, as_score

TEXT_KEYS: Final = ("page_content", "content", "text", "chunk_text", "passage", "snippet", "body", "document")
ID_KEYS: Final = ("chunk_id", "chunkId", "id", "id_", "_id", "node_id", "passage_id", "uuid", "point_id", "pk")
DOC_KEYS: Final = ("doc_id", "document_id", "doc_uri", "ref_doc_id", "source", "file_path")
META_ID_KEYS: Final = ("chunk_id", "chunkId", "chunk", "node_id", "passage_id")
META_KEYS: Final = ("metadata", "meta", "meta_data", "payload", "fields", "entity", "properties", "_source")
SCORE_KEYS: Final = (
    ("score", ScoreKind.UNKNOWN),
    ("relevance_score", ScoreKind.RERANK),
    ("rerank_score", ScoreKind.RERANK),
    ("similarity", ScoreKind.SIMILARITY),
    ("similarity_score", ScoreKind.SIMILARITY),
    ("distance", ScoreKind.DISTANCE),
    ("_score", ScoreKind.UNKNOWN),
    ("_distance", ScoreKind.DISTANCE),
    ("$dist", ScoreKind.DISTANCE),
)
LIST_KEYS: Final = (
    *("documents", "docs", "source_nodes", "nodes", "hits", "matches", "results", "chunks", "passages", "points"),
    *("retrieved_documents", "context", "contexts", "artifact", "output", "outputs", "result", "data", "content"),
    *("kwargs", "items", "records"),
)
"""LangChain's tool message holds what the model reads as `content` and the documents as `artifact`."""
_COLUMN_KEYS: Final = {"ids": "id", "documents": "document", "metadatas": "metadata", "distances": "distance"}
_COLUMNS: Final = frozenset({"ids", "documents"})
_PREFIX: Final = "document."
_POINT: Final = "_id"
"""Under this key stores put their own id of a chunk into its metadata; it counts where there is no other."""
_INNER_KEYS: Final = ("node", "document", "chunk", "kwargs", "data", "doc")
"""Keys under which a document may be wrapped."""
_NAME: Final = re.compile(r"[!-~]{1,128}\Z")
"""A text without any space, of letters that need one between words: an id, and no passage."""
_OF_THE_DOCUMENT: Final = frozenset(
    (*TEXT_KEYS, *ID_KEYS, *META_KEYS, *(key for key, _ in SCORE_KEYS), *_INNER_KEYS, "type", "cut")
)
_MANY: Final = 10_000
"""No list of a search is longer; what is, is not looked at as one."""
_ARGUMENTS: Final = 32
"""So many arguments of a function are looked at."""
_KNOWN, _CUT = TextState.KNOWN.value, TextState.CUT.value
_NO_TEXT, _HIDDEN = TextState.NOT_CAPTURED.value, TextState.REDACTED.value
_FROM_METADATA, _FROM_FIELD = IdSource.METADATA.value, IdSource.FIELD.value
"""The value of an enumeration's member takes a call to get."""
_UNKNOWN_SCORE: Final = ScoreKind.UNKNOWN.value
_NAMED_NUMBERS: Final = {"nan": "NaN", "inf": "Infinity", "infinity": "Infinity", "-inf": "-Infinity"}


def documents_in(value: object, *, texts: bool = False, depth: int = 0) -> tuple[Doc, ...] | None:
    """The documents that a value holds, in order; None where it holds no such list. Empty: a list that is empty.

    `texts`: a list of plain texts counts as documents, too: known of a retriever, a guess of anything else.
    """
    value = load(value)
    if isinstance(value, str):
        value = split_reprs(value) or value
    if isinstance(value, list):
        return _from_list(value, texts=texts, depth=depth)
    if isinstance(value, dict) and value.keys() >= _COLUMNS and isinstance(value["ids"], list):
        return _from_columns(value)
    if isinstance(value, dict) and depth < 3:  # deeper is another thing's list
        for key in LIST_KEYS:
            if key in value:
                found = documents_in(value[key], texts=texts, depth=depth + 1)
                if found is not None:
                    return found
    return None


def _from_columns(value: Mapping[str, Any]) -> tuple[Doc, ...] | None:
    """What Chroma's client returns: ids, texts, metadata and distances side by side, a list of each for every query.

    None where it answers several queries: that is no one list.
    """
    several = any(isinstance(one, list) for one in value["ids"])
    if several and len(value["ids"]) != 1:
        return None
    columns = {key: value[name] for name, key in _COLUMN_KEYS.items() if isinstance(value.get(name), list)}
    if several:
        columns = {key: column[0] for key, column in columns.items() if column and isinstance(column[0], list)}
    if any(len(column) != len(columns["id"]) for column in columns.values()):
        return None
    return _from_list(
        [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], texts=False, depth=1
    )


def given_documents(value: object) -> tuple[tuple[Doc, ...], ...]:
    """The lists of documents among the arguments of a call, in their order."""
    value = load(value)
    found: list[tuple[Doc, ...]] = []
    for item in map(load, value.values() if isinstance(value, dict) else (value,)):
        if isinstance(item, dict):
            found += [docs for inner in item.values() if (docs := documents_in(inner))]
        elif docs := (None if _is_of_lists(item) else documents_in(item)):
            found.append(docs)
        elif isinstance(item, list):  # several lists, or the arguments of a function, other things among them
            found += [docs for inner in item[:_ARGUMENTS] if isinstance(inner, list) and (docs := documents_in(inner))]
    return tuple(found)


def _is_of_lists(item: object) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(inner, list) for inner in item)


def _from_list(items: list[Any], *, texts: bool, depth: int) -> tuple[Doc, ...] | None:
    if len(items) > _MANY:
        return None
    if len(items) == 1 and isinstance(items[0], list) and depth < 3:  # a batch of one query
        return _from_list(items[0], texts=texts, depth=depth + 1)
    if texts and items and (named := _named(items)) is not None:
        return named
    docs = [read_document(item, texts=texts) for item in items]
    known = [doc for doc in docs if doc is not None]
    return tuple(known) if len(known) == len(docs) else None


def _named(items: list[Any]) -> tuple[Doc, ...] | None:
    """Documents of a list of ids alone, or of pairs of an id and a score; None where an item may be a passage."""
    pairs = [item if isinstance(item, list) and len(item) == 2 else (item, None) for item in items]
    if not all(isinstance(one, str) and _NAME.match(one) for one, _ in pairs):
        return None
    if not all(score is None or isinstance(score, int | float) for _, score in pairs):
        return None
    read = [(one, *read_score(score)) for one, score in pairs]
    return tuple(Doc(chunk_id=one, score=score, score_note=note) for one, score, note in read)


def read_document(item: object, *, texts: bool = False) -> Doc | None:
    """One document of any shape; None where it is none."""
    if isinstance(item, str):
        if item.startswith((*NODE_PREFIXES, HAYSTACK_PREFIX)):
            read = read_repr(item)
            return None if read is None else _from_fields(read)
        loaded = load(item)
        if isinstance(loaded, str):
            return Doc(text=item, text_state=TextState.KNOWN.value) if texts and item else None
        item = loaded
    if isinstance(item, list | tuple) and len(item) == 2:  # (document, score)
        doc = read_document(item[0])
        if doc is None or isinstance(item[1], list | dict):
            return None
        score, note = read_score(item[1])
        return doc._replace(score=score, score_note=note)
    return _from_fields(item) if isinstance(item, dict) else None


def _from_fields(item: Mapping[str, Any]) -> Doc | None:
    inner = next((item[key] for key in _INNER_KEYS if isinstance(item.get(key), dict)), None)
    if inner is not None and not any(isinstance(item.get(key), str) for key in TEXT_KEYS):
        doc = _from_fields(inner)
        if doc is None:
            return None
        score, kind, note = find_score(item, {})
        known = score is not None or note is not None
        return doc._replace(score=score, score_kind=kind, score_note=note) if known else doc
    if "role" in item or "generation_info" in item or "function" in item:
        return None
    item = _without_prefix(item)
    metadata = _metadata(item)
    text = next((item[key] for key in TEXT_KEYS if isinstance(item.get(key), str)), None)
    if text is None:
        text = next((metadata[key] for key in TEXT_KEYS[:4] if isinstance(metadata.get(key), str)), None)
    own_id = next((found for key in ID_KEYS if (found := as_id(item.get(key))) is not None), None)
    score, kind, note = find_score(item, metadata)
    if text is None and own_id is None and not _is_bare(item):
        return None
    if text is not None and not _looks_like_one(item):
        return None
    return make_doc(
        own_id=own_id,
        text=text,
        said=describe(metadata if metadata or not item.keys().isdisjoint(META_KEYS) else _beside(item)),
        flat=item,
        score=(score, kind, note),
        cut=item.get("cut") is True,
    )


def _without_prefix(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document of OpenInference in one object: its keys are called `document.id`, `document.content`."""
    if "document.id" not in item and "document.content" not in item:
        return item
    return {key.removeprefix(_PREFIX): value for key, value in item.items()}


def _beside(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a document that has no place for them: whatever stands beside its id, text and score. Lists are
    none: they are vectors."""
    return {
        key: value
        for key, value in item.items()
        if key not in _OF_THE_DOCUMENT and value is not None and not isinstance(value, list | dict)
    }


def _looks_like_one(item: Mapping[str, Any]) -> bool:
    """A text alone is a message, a form, anything; with an id, a score or metadata beside it, it is a document."""
    beside = (*ID_KEYS, *META_KEYS, *DOC_KEYS, *(key for key, _ in SCORE_KEYS))
    return "page_content" in item or any(key in item for key in beside)


def _is_bare(item: Mapping[str, Any]) -> bool:
    """Id and score, both null: a document of which only its place is known."""
    return "score" in item and "id" in item


class Described(NamedTuple):
    """What the metadata of a document say of it."""

    values: Mapping[str, Any]
    """As JSON can hold them. Documents share them: nobody changes them."""
    chunk_id: str | None
    doc_id: str | None
    parent_id: str | None


def describe(metadata: Mapping[str, Any]) -> Described:
    """Reads the metadata of a document. A place in a document is no id."""
    return Described(
        values={str(key): as_json_value(item) for key, item in metadata.items()},
        chunk_id=next((found for key in META_ID_KEYS if (found := _meta_id(key, metadata)) is not None), None),
        doc_id=_first_id(DOC_KEYS, metadata),
        parent_id=_first_id(PARENT_KEYS, metadata),
    )


def make_doc(
    *,
    own_id: str | None,
    text: str | None,
    said: Described,
    flat: Mapping[str, Any] | None = None,
    score: tuple[float | None, str, str | None] = (None, _UNKNOWN_SCORE, None),
    cut: bool = False,
) -> Doc:
    """A document from its parts. Its id is the one in its metadata, else its own."""
    named, doc_id = said.chunk_id, said.doc_id
    if flat is not None:
        named = named if named is not None else _first_id(META_ID_KEYS[:2], flat)
        doc_id = doc_id or _first_id(DOC_KEYS, flat) or _related(flat) or _of_its_document(flat)
    state = _NO_TEXT if text is None else _CUT if cut else _KNOWN
    if text == REDACTED:
        text, state = None, _HIDDEN
    value, kind, note = score
    if named is None and own_id is None:
        named = as_id(said.values.get(_POINT))
    source = _FROM_FIELD if named is None else _FROM_METADATA
    return Doc(named or own_id, source, doc_id, value, kind, note, text, state, said.values, said.parent_id)


def _first_id(keys: tuple[str, ...], place: Mapping[str, Any]) -> str | None:
    return next((found for key in keys if key in place and (found := as_id(place[key])) is not None), None)


def _meta_id(key: str, metadata: Mapping[str, Any]) -> str | None:
    found = as_id(metadata.get(key))
    return None if found is None or (key == "chunk" and found.lstrip("-").isdigit()) else found


def _related(flat: Mapping[str, Any]) -> str | None:
    """LlamaIndex names the document of a node among its relationships, under the number of "source"."""
    relations = flat.get("relationships")
    source = relations.get("1") if isinstance(relations, dict) else None
    return as_id(source.get("node_id")) if isinstance(source, dict) else None


def _of_its_document(flat: Mapping[str, Any]) -> str | None:
    """The id of a document that is told of beside the text of its chunk: that of the document, not of the chunk."""
    inner = next((flat[key] for key in ("doc", "document") if isinstance(flat.get(key), dict)), None)
    return None if inner is None else _first_id(ID_KEYS, inner) or _first_id(DOC_KEYS, inner)


def _metadata(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a document; those of Haystack and of plain dicts stand beside the rest and are left there."""
    for key in META_KEYS:
        value = load(item.get(key))
        if isinstance(value, dict):
            return value
    return {}


def find_score(item: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[float | None, str, str | None]:
    """Score, its kind, and what stands there instead of a number; the document's own first, then its metadata's."""
    for place in (item, metadata):
        for key, kind in SCORE_KEYS:
            if key in place and place[key] is not None:
                score, note = read_score(place[key])
                if score is not None or note is not None:
                    return score, kind.value, note
    return None, _UNKNOWN_SCORE, None


def read_score(value: object) -> tuple[float | None, str | None]:
    """A finite number, or the name of what is no finite one. Some clients write numbers as texts."""
    if isinstance(value, str):
        named = _NAMED_NUMBERS.get(value.strip().lower())
        if named is not None:
            return None, named
        try:
            value = float(value)
        except ValueError:
            return None, None
    if isinstance(value, float) and not math.isfinite(value):
        return None, "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return as_score(value), None
