"""How one element of a list is read as a hit: a list of small functions, the first that answers wins.

They go by the shape of the value (its fields, its length), never by a vendor's class, so no vendor is imported.
To add one: write a function `(element, reading) -> RawHit | None`, put it into RECOGNISERS, add a test with a
real object, and a line to docs/recording.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ..model.hit_words import IdSource, ScoreKind
from ..model.stage_words import StageKind
from . import names
from .store_shapes import Store, store_of
from .values import fields_of, id_text, is_a, is_metadata, is_number, score_of


class Reading(NamedTuple):
    """What is known beforehand about the list that is read."""

    word: str
    """Kind of the stage, as the span carries it."""
    plain_score_word: str | None = None
    """What a score measures whose key does not say (a ScoreKind's value); None: that is not known."""
    mapped: bool = False
    """The elements come from the app's own `hits=` mapping."""
    strict: bool = False
    """Plain strings and numbers are no hits: the stage may return anything."""
    is_text: Callable[[str], bool] | None = None
    """Whether a plain string of this list is a chunk's text rather than its id."""
    row: Callable[[Any], dict[str, Any]] | None = None
    """The app's own table of columns: an element as a dict with usual names."""


@lru_cache(maxsize=1_000)
def reading_of(word: str, stage: str, mapped: bool = False, strict: bool = False) -> Reading:  # noqa: FBT001, FBT002
    """The reading of a stage's list; stages are few and their lists many."""
    score = None
    if word == StageKind.RERANK:
        score = ScoreKind.RERANK.value
    elif word == StageKind.FUSE and any(name in stage.lower() for name in names.RRF_NAMES):
        score = ScoreKind.RRF.value
    return Reading(word, score, mapped, strict)


class RawHit(NamedTuple):
    """One hit as read, before its text is numbered. Every part may be missing; without id and text it is none."""

    chunk_id: str | None = None
    id_source: IdSource = IdSource.FIELD
    text: str | None = None
    score: float | None = None
    score_word: str | None = None
    """The value of its ScoreKind; None: unknown."""
    doc_id: str | None = None
    parent_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    inner: Any = None
    """The chunk object inside the element, where the element only carries it (a pair, a node with a score)."""
    store: str | None = None
    """The search engine or vector store from whose own fields it was read, where these keep no place of their own."""


class FieldPlan(NamedTuple):
    """Which of an element's fields are read as what; made once for a set of field names."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    scores: tuple[tuple[str, str | None], ...]
    documents: tuple[str, ...]
    parents: tuple[str, ...]
    metadatas: tuple[str, ...]
    inners: tuple[str, ...]
    document_ids: tuple[str, ...]
    rest: tuple[str, ...]
    is_message: bool
    """It is a chat message: role and content, and nothing that names a chunk."""
    store: Store | None
    """A search engine or vector store whose fields have other names; the rest of this plan is then of no use."""


class MetadataPlan(NamedTuple):
    """Which keys of a metadata dict are read as what; made once for a set of keys."""

    ids: tuple[str, ...]
    late_ids: tuple[str, ...]
    texts: tuple[str, ...]
    scores: tuple[tuple[str, str | None], ...]
    documents: tuple[str, ...]
    parents: tuple[str, ...]
    keep: tuple[str, ...] | None
    """The keys that are metadata; None where all are."""
    nested: str | None
    """The key of the app's own metadata, inside what a store keeps beside a vector (a payload, a source)."""


def read_hit(element: Any, reading: Reading) -> RawHit | None:
    """`element` as a hit, or None where nothing recognises it."""
    for recognise in RECOGNISERS:
        hit = recognise(element, reading)
        if hit is not None:
            return hit
    return None


def read_dict(element: Any, reading: Reading) -> RawHit | None:
    """A dict with usual keys; also what Pinecone, Elasticsearch, Milvus and Qdrant give as JSON."""
    return _read_fields(element, reading, 0) if is_a(element, dict) else None


def read_string(element: Any, reading: Reading) -> RawHit | None:
    """A plain string: a chunk id, or a chunk's text where the list says so."""
    if not is_a(element, str) or not element or reading.strict:
        return None
    text = str.__str__(element)
    if reading.is_text is not None and reading.is_text(text):
        return RawHit(text=text, id_source=IdSource.DERIVED)
    return RawHit(chunk_id=text, id_source=_source(reading))


def read_pair(element: Any, reading: Reading) -> RawHit | None:
    """(id, score), (object, score), (score, object), and either with the text or the metadata as a third."""
    if not is_a(element, tuple | list) or not 2 <= len(element) <= 3 or hasattr(type(element), "_fields"):
        return None
    first, second = element[0], element[1]
    third = element[2] if len(element) == 3 else None
    if is_a(first, float) or (is_number(first) and not is_number(second) and not _is_row(second, third)):
        first, second = second, first
    score = second
    if not is_number(score):
        if not is_number(third) and not (is_a(element, tuple) and is_a(score, str)):
            return None
        score, third = third, score
    return _with_score(first, score, third, reading)


def _is_row(second: Any, third: Any) -> bool:
    """Whether a number before these is a row's id, rather than a score: (7, "text", 0.5), (7, "a passage of words")."""
    return is_number(third) or (third is None and is_a(second, str) and looks_like_text(second))


def looks_like_text(said: str) -> bool:
    """Whether a text of unknown meaning is a passage, by its look: several words, or lines."""
    return "\n" in said or said.count(" ") >= _FEWEST_WORDS_OF_A_TEXT - 1


def read_object(element: Any, reading: Reading) -> RawHit | None:
    """A dataclass, pydantic or plain object with usual fields: LangChain, Haystack, LlamaIndex, Qdrant, your own."""
    fields = None if is_a(element, str | int | float | list) else fields_of(element)
    return _read_fields(fields, reading, 0) if fields else None


def read_plain_id(element: Any, reading: Reading) -> RawHit | None:
    """A number (numpy's too) or UUID that the app uses as the chunk's id."""
    chunk_id = None if reading.strict or is_a(element, float | list | tuple | dict) else id_text(element)
    return None if chunk_id is None else RawHit(chunk_id=chunk_id, id_source=_source(reading))


_FEWEST_WORDS_OF_A_TEXT: Final = 4

RECOGNISERS: Final[tuple[Callable[[Any, Reading], RawHit | None], ...]] = (
    read_dict,
    read_string,
    read_pair,
    read_object,
    read_plain_id,
)


def _source(reading: Reading) -> IdSource:
    return IdSource.MAPPED if reading.mapped else IdSource.FIELD


def _with_score(chunk: Any, score: Any, third: Any, reading: Reading) -> RawHit | None:
    reading = reading._replace(strict=False) if reading.strict else reading
    hit = read_hit(chunk, reading) if not is_number(chunk) else read_plain_id(chunk, reading)
    if hit is None:
        return None
    if is_a(third, str) and third:
        hit = hit._replace(text=hit.text or third)
    elif is_a(third, dict):
        beside = _read_fields(third, reading, 1)
        hit = hit._replace(
            metadata=third if beside is None else beside.metadata, text=hit.text or (beside and beside.text)
        )
    inner = None if is_a(chunk, str | int) else chunk
    if not is_number(score):
        return hit._replace(inner=inner)
    return hit._replace(score=score_of(score), score_word=reading.plain_score_word, inner=inner)


def _read_fields(fields: Mapping[str, Any], reading: Reading, depth: int) -> RawHit | None:
    """An element by its fields: its own first, then its metadata's, then those of the chunk object inside it."""
    plan = field_plan(tuple(fields), reading.word)
    store = plan.store
    if store is not None:
        fields = store.usual(fields)
        plan = field_plan(tuple(fields), reading.word)
    if plan.is_message:
        return None
    hit = _of_own_fields(fields, plan, reading)
    metadata = _metadata_in(fields, plan)
    if metadata:
        hit = _with_metadata(hit, metadata, reading)
    if "relationships" in fields:
        hit = _with_relations(hit, fields["relationships"])
    if plan.rest:
        beside = {key: fields[key] for key in plan.rest if is_metadata(fields[key])}
        hit = hit._replace(metadata={**beside, **(hit.metadata or {})}) if beside else hit
    if plan.inners and not depth:
        hit = _with_inner(hit, *_inner_hit(fields, plan, reading))
    if hit.chunk_id is None and hit.text is None:
        chunk_id = _first_id(fields, plan.document_ids, None)
        hit = hit._replace(chunk_id=chunk_id)
    if store is not None and not store.rebuildable:
        hit = hit._replace(store=store.name)
    return hit if hit.chunk_id is not None or hit.text is not None else None


def _of_own_fields(fields: Mapping[str, Any], plan: FieldPlan, reading: Reading) -> RawHit:
    text, text_key = _first_text(fields, plan.texts)
    score, score_word = _first_score(fields, plan.scores, reading)
    return RawHit(
        chunk_id=_first_id(fields, plan.ids, None),
        id_source=_source(reading),
        text=text,
        score=score,
        score_word=score_word,
        doc_id=_first_id(fields, plan.documents, text_key),
        parent_id=_first_id(fields, plan.parents, None),
    )


def _with_metadata(hit: RawHit, metadata: Mapping[str, Any], reading: Reading) -> RawHit:
    """What a hit lacks is taken from its metadata; a chunk id there is the app's own and comes first."""
    plan = metadata_plan(tuple(metadata))
    chunk_id, source = _first_id(metadata, plan.ids, None), hit.id_source
    if chunk_id is None and hit.chunk_id is None:
        chunk_id = _first_id(metadata, plan.late_ids, None)
    if chunk_id is not None and not reading.mapped:
        source = IdSource.METADATA
    text, text_key = (hit.text, None) if hit.text is not None else _first_text(metadata, plan.texts)
    score, word = hit.score, hit.score_word
    if score is None:
        score, word = _first_score(metadata, plan.scores, reading)
    hit = hit._replace(
        chunk_id=chunk_id or hit.chunk_id,
        id_source=source,
        text=text,
        score=score,
        score_word=word,
        doc_id=hit.doc_id or _first_id(metadata, plan.documents, text_key),
        parent_id=hit.parent_id or _first_id(metadata, plan.parents, None),
        metadata=metadata if plan.keep is None else {key: metadata[key] for key in plan.keep},
    )
    if plan.nested is not None and is_a(metadata[plan.nested], dict):
        own = _with_metadata(hit, metadata[plan.nested], reading)
        return own._replace(metadata=hit.metadata)  # it stays where the store has it
    return hit


def _with_inner(hit: RawHit, chunk: Any, inner: RawHit | None) -> RawHit:
    """What a hit lacks is taken from the chunk object that it carries, whose id comes first."""
    if inner is None:
        return hit
    return hit._replace(
        chunk_id=inner.chunk_id or hit.chunk_id,
        id_source=inner.id_source if inner.chunk_id else hit.id_source,
        text=hit.text or inner.text,
        score=inner.score if hit.score is None else hit.score,
        score_word=inner.score_word if hit.score is None else hit.score_word,
        doc_id=hit.doc_id or inner.doc_id,
        parent_id=hit.parent_id or inner.parent_id,
        metadata={**(inner.metadata or {}), **(hit.metadata or {})},
        inner=chunk,
    )


def _inner_hit(fields: Mapping[str, Any], plan: FieldPlan, reading: Reading) -> tuple[Any, RawHit | None]:
    for key in plan.inners:
        value = fields[key]
        if value is None or is_a(value, str | int | float | list | tuple):
            continue
        inner = fields_of(value)
        hit = None if inner is None else _read_fields(inner, reading, 1)
        if hit is not None:
            return value, hit
    return None, None


def _metadata_in(fields: Mapping[str, Any], plan: FieldPlan) -> Mapping[str, Any] | None:
    for key in plan.metadatas:
        value = fields[key]
        metadata = value if is_a(value, dict) else None if value is None else fields_of(value)
        if metadata:
            return metadata
    return None


def _first_text(fields: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str | None, str | None]:
    for key in keys:
        value = fields[key]
        if type(value) is str and value:
            return value, key
        if is_a(value, str) and value:
            return str.__str__(value), key
        if key == "text_resource" and value is not None:
            text = (fields_of(value) or {}).get("text")
            if is_a(text, str) and text:
                return text, key
    return None, None


def _first_id(fields: Mapping[str, Any], keys: tuple[str, ...], other_than: str | None) -> str | None:
    for key in keys:
        if key != other_than:
            found = id_text(fields[key])
            if found is not None:
                return found
    return None


def _first_score(
    fields: Mapping[str, Any], keys: tuple[tuple[str, str | None], ...], reading: Reading
) -> tuple[float | None, str | None]:
    for key, word in keys:
        score = score_of(fields[key])
        if score is not None:
            return score, word or reading.plain_score_word
    return None, None


def _with_relations(hit: RawHit, relationships: Any) -> RawHit:
    """Document and parent of a LlamaIndex node: relationships keyed by an enum with SOURCE and PARENT."""
    found: dict[str | None, str | None] = {}
    for relation, related in relationships.items() if is_a(relationships, dict) else ():
        found[getattr(relation, "name", None)] = id_text((fields_of(related) or {}).get("node_id"))
    return hit._replace(doc_id=hit.doc_id or found.get("SOURCE"), parent_id=hit.parent_id or found.get("PARENT"))


_MESSAGE_MARKS: Final = frozenset({"role", "additional_kwargs", "tool_calls"})
_CHUNK_MARKS: Final = frozenset({*names.SCORES, "chunk_id", "doc_id", "document_id", "page_content"})


@lru_cache(maxsize=2_000)
def field_plan(keys: tuple[Any, ...], word: str) -> FieldPlan:
    """The plan for elements with these fields in the list of such a stage."""
    present = frozenset(keys)

    def those(known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(key for key in known if key in present)

    scores = _score_keys(present, word)
    metadatas = those(names.METADATAS)
    texts = those((*names.TEXTS, "text_resource"))
    ids, documents = those(names.ID_FIELDS), those(names.DOCUMENTS)
    used = {*ids[:1], *texts, *metadatas, *names.INNER, *names.SCORES, *documents[:1], *names.PARENTS}
    rest = tuple(
        key
        for key in keys
        if is_a(key, str) and key not in used and key not in names.NOT_METADATA and not key.startswith("__")
    )
    return FieldPlan(
        ids=ids,
        texts=texts,
        scores=scores,
        documents=documents,
        parents=those(names.PARENTS),
        metadatas=metadatas,
        inners=those(names.INNER),
        document_ids=those(names.DOCUMENT_AS_ID),
        rest=rest,
        is_message=bool(present & _MESSAGE_MARKS) and not present & _CHUNK_MARKS,
        store=store_of(present),
    )


@lru_cache(maxsize=2_000)
def metadata_plan(keys: tuple[Any, ...]) -> MetadataPlan:
    """The plan for metadata with these keys."""
    present = frozenset(keys)

    def those(known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(key for key in known if key in present)

    texts = those(names.METADATA_TEXTS)
    left_out = {*texts, *names.SCORES, *names.NOT_METADATA} - {"type"}
    return MetadataPlan(
        ids=those(names.METADATA_IDS),
        late_ids=those(names.METADATA_LATE_IDS),
        texts=texts,
        scores=_score_keys(present, ""),
        documents=those(names.DOCUMENTS),
        parents=those(names.PARENTS),
        keep=tuple(key for key in keys if key not in left_out) if present & left_out else None,
        nested=next((key for key in names.NESTED if key in present), None),
    )


def _score_keys(present: frozenset[Any], word: str) -> tuple[tuple[str, str | None], ...]:
    first = next((keys for kind, keys in names.SCORES_FIRST.items() if kind == word), ())
    order = (*first, *(key for key in names.SCORES if key not in first))
    kinds = ((key, names.SCORES[key]) for key in order if key in present)
    return tuple((key, None if kind is ScoreKind.UNKNOWN else kind.value) for key, kind in kinds)
