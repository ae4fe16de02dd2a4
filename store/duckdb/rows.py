"""What a row of each recording table holds, column by column, in the order of the schema."""

from __future__ import annotations

from typing import NamedTuple


class RequestRecord(NamedTuple):
    """A row of `requests`. Lists and mappings are JSON, None where empty."""

    rid: int
    request_id: str
    trace_id: str
    provisional: bool
    app: str
    environment: str
    app_version: str | None
    question: str | None
    question_source: str | None
    history: str | None
    answer: str | None
    answer_note: str | None
    user_id: str | None
    session: str | None
    tenant: str | None
    groups: str | None
    """JSON list; None where not recorded, "[]" for no group."""
    as_of: str | None
    outcome: str
    error: str | None
    start_ns: int
    end_ns: int | None
    replay_of: str | None
    notes: str | None
    attributes: str | None
    missing: str | None
    repaired: bool
    case_key: str | None
    """`make_case_key`; None without a question, which no case can have."""
    extra: str | None
    id_end: int | None
    """`end_of` its id: by it a request is found without reading all ids."""
    id_begin: int | None
    """`beginning_of` its id: the same for the digits that pages show."""


class StageRecord(NamedTuple):
    """A row of `stages`."""

    rid: int
    place: int
    """0-based place among the request's stages as recorded."""
    stage_id: str
    kind: str
    name: str
    parent_id: str | None
    parent_missing: bool
    start_ns: int
    end_ns: int | None
    clock_note: str | None
    outcome: str
    error: str | None
    query: str | None
    queries: str | None
    technique: str | None
    top_k: int | None
    filters: str | None
    index_name: str | None
    index_version: str | None
    embedding_model: str | None
    model: str | None
    settings: str | None
    has_list: bool
    length: int | None
    missing_top: int
    completeness: str
    shape: str | None
    inputs: str | None
    """JSON list of [stage id, depth or null]."""
    flow_source: str
    text_key: int | None
    prompt: str | None
    """JSON list of [role, number of the text]; None where not recorded."""
    declared_context: str | None
    extra: str | None
    score_kinds: str | None
    """The kind of all scores of its list, or a JSON list with one for each hit; None without hits."""


class ChunkRecord(NamedTuple):
    """A row of `chunks`: what identifies a chunk."""

    chunk_key: int
    digest: bytes
    app: str
    index_name: str | None
    """The index it was found in, as far as the request says; not what the hit itself says."""
    chunk_id: str
    name_key: int
    """`chunk_key` of what a person takes for this chunk: the same id in a known index, where this row has none."""


class Description(NamedTuple):
    """How a list described a chunk, beside its text."""

    doc_id: str | None
    parent_id: str | None
    id_source: str
    index_name: str | None
    """As the hit itself says."""
    metadata: str | None
    """JSON; None where empty."""
    extra: str | None


class MetaRecord(NamedTuple):
    """A row of `metas`: a number, a digest and a `Description`."""

    meta_key: int
    digest: bytes
    doc_id: str | None
    parent_id: str | None
    id_source: str
    index_name: str | None
    metadata: str | None
    extra: str | None


class VersionRecord(NamedTuple):
    """A row of `chunk_versions`: a chunk as lists showed it."""

    version_key: int
    digest: bytes
    chunk_key: int
    text_key: int | None
    meta_key: int
    text_state: str


class PassageRecord(NamedTuple):
    """A row of `passages`: a chunk with one text that it had, for search."""

    passage_key: int
    digest: bytes
    chunk_key: int
    text_key: int | None
    doc_id: str | None
    words: int
    """How many words it has, headings and ids included."""


class VocabularyWord(NamedTuple):
    """A row of `vocabulary`."""

    h: int
    word: str


class ResourceRecord(NamedTuple):
    """A row of `resources`."""

    resource_key: int
    digest: bytes
    body: str


class SpanRecord(NamedTuple):
    """A row of `spans`."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    rid: int
    name: str
    kind: int
    start_ns: int
    end_ns: int
    status: int
    status_message: str | None
    resource_key: int
    scope: str
    attributes: str
    """JSON object; long texts are numbers of `texts`, see `packing`."""
    events: str | None
    links: str | None
    dropped_attributes: int
    dropped_events: int
    repaired: bool
