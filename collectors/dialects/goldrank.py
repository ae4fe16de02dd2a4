"""The dialect of goldrank's own shim (`model.wire`): request spans and stage spans.

What cannot be read leaves a trouble in words and never an exception: the stage stays, its list counts as
not recorded.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final, TypeVar

from ...model import Completeness, FlowSource, Message, Outcome, Span, Stage, StageInput, StageKind, wire
from . import hits
from .hit_form import parse_hits
from .plain import read_resource, read_status
from .reading import ChunkBook, Mark, Reading, Role
from .values import UNREADABLE, as_count, as_json_value, as_text, as_texts, parse_json

REQUEST_KIND: Final = "request"
NAMESPACE: Final = "goldrank."
_SPAN_ID_DIGITS: Final = 16
_REQUEST_ID: Final = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}")

_Value = TypeVar("_Value", bound=StrEnum)


def mark(span: Span) -> Mark:
    """Role and request of a span; a span of another writer may name its request, too."""
    attributes = span.attributes
    request_id = attributes.get(wire.REQUEST_ID)
    named = request_id if isinstance(request_id, str) and _REQUEST_ID.fullmatch(request_id) else None
    kind = attributes.get(wire.KIND)
    if kind is None or not is_readable(span):
        return Mark(Role.OTHER, named)
    return Mark(Role.REQUEST if kind == REQUEST_KIND else Role.STAGE, named)


def is_readable(span: Span) -> bool:
    """Whether the span's writer spoke a version that is known here."""
    version = span.attributes.get(wire.VERSION, wire.WIRE_VERSION)
    return not isinstance(version, int) or version <= wire.WIRE_VERSION


def read(span: Span, book: ChunkBook) -> Reading | None:
    """A request's header, or a stage with its list."""
    kind = span.attributes.get(wire.KIND)
    if kind is None:
        return None
    if not is_readable(span):
        version = span.attributes[wire.VERSION]
        return Reading(troubles=(f"{span.name} was written by a newer goldrank (format {version}): update this one",))
    return read_request(span) if kind == REQUEST_KIND else read_stage(span, book)


def collect_texts(span: Span, book: ChunkBook) -> None:
    """Adds the chunk texts that this span carries, and keeps its list as parsed."""
    if wire.HITS in span.attributes:
        form = parse_hits(span.attributes[wire.HITS])
        book.lists[span.trace_id, span.span_id] = form
        hits.collect_texts(form, book)


def collect_indexes(span: Span, book: ChunkBook) -> None:
    """Adds the index in which this span found its chunks, once all texts are known."""
    index = as_text(span.attributes.get(wire.INDEX))
    form = book.lists.get((span.trace_id, span.span_id))
    if index is not None and form is not None:
        hits.collect_indexes(form, book, index=index, list_id=span.span_id)


def read_request(span: Span) -> Reading:
    """The header of a request."""
    attributes = span.attributes
    troubles: list[str] = []
    history = _messages(attributes.get(wire.HISTORY))
    if history is None and wire.HISTORY in attributes:
        troubles.append("the history is not readable")
    troubles += [f"the {_last_part(key)} was cut: {length:,} characters" for key, length in _cuts(attributes).items()]
    answer = as_text(attributes.get(wire.ANSWER))
    header: dict[str, Any] = {
        **read_resource(span),
        "question": as_text(attributes.get(wire.QUESTION)),
        "history": history or (),
        "answer": answer,
        "answer_note": as_text(attributes.get(wire.ANSWER_NOTE)) or (None if answer is not None else "not recorded"),
        "user": as_text(attributes.get(wire.USER)),
        "session": as_text(attributes.get(wire.SESSION)),
        "tenant": as_text(attributes.get(wire.TENANT)),
        "groups": as_texts(attributes[wire.GROUPS]) if wire.GROUPS in attributes else None,
        "as_of": as_text(attributes.get(wire.AS_OF)),
        "replay_of": as_text(attributes.get(wire.REPLAY_OF)),
        "outcome": _outcome(span),
        "error": _error(span),
        "notes": _notes(attributes),
        "attributes": {key: as_json_value(value) for key, value in attributes.items() if not key.startswith(NAMESPACE)},
    }
    return Reading(request=header, troubles=tuple(troubles))


def read_stage(span: Span, book: ChunkBook) -> Reading:
    """A stage; its parent, its clock note and its place are for composition to say."""
    attributes = span.attributes
    name = as_text(attributes.get(wire.NAME)) or span.name
    found = _read_list(span, book)
    troubles = [f"the list of {name} {found.trouble}"] if found.trouble else []
    prompt = _messages(attributes.get(wire.PROMPT))
    queries = as_texts(attributes.get(wire.QUERIES))
    settings = _mapping(attributes.get(wire.SETTINGS))
    inputs = _inputs(attributes.get(wire.INPUTS))
    context = as_texts(attributes.get(wire.CONTEXT))
    read = {wire.QUERIES: queries, wire.SETTINGS: settings, wire.INPUTS: inputs, wire.PROMPT: prompt}
    read[wire.CONTEXT] = context
    troubles += [
        f"the {_last_part(key)} of {name} is not readable"
        for key, value in read.items()
        if value is None and key in attributes
    ]
    cuts = _cuts(attributes)
    troubles += [f"the {_last_part(key)} of {name} was cut: {length:,} characters" for key, length in cuts.items()]
    filters = parse_json(attributes.get(wire.FILTERS))
    stage = Stage(
        stage_id=span.span_id,
        kind=_member(StageKind, attributes.get(wire.KIND), StageKind.OTHER),
        name=name,
        start_ns=span.start_ns,
        end_ns=span.end_ns or None,
        outcome=_outcome(span),
        error=_error(span),
        query=as_text(attributes.get(wire.QUERY)),
        queries=queries or (),
        technique=as_text(attributes.get(wire.TECHNIQUE)),
        top_k=as_count(attributes.get(wire.TOP_K)),
        filters=attributes.get(wire.FILTERS) if filters is UNREADABLE else as_json_value(filters),
        index=as_text(attributes.get(wire.INDEX)),
        index_version=as_text(attributes.get(wire.INDEX_VERSION)),
        embedding_model=as_text(attributes.get(wire.EMBEDDING_MODEL)),
        model=as_text(attributes.get(wire.MODEL)),
        settings=settings or {},
        notes=_notes(attributes),
        hits=None if found.columns is None else (),
        length=found.length,
        missing_top=found.missing_top,
        completeness=_completeness(found, cuts, has_prompt=prompt is not None),
        shape=as_text(attributes.get(wire.SHAPE)) or found.shape,
        inputs=inputs or (),
        flow_source=_flow_source(attributes, inputs),
        text=as_text(attributes.get(wire.TEXT)),
        prompt=prompt,
        declared_context=context,
    )
    return Reading(stage=stage, hits=found.columns, troubles=tuple(troubles))


def _read_list(span: Span, book: ChunkBook) -> hits.HitList:
    if wire.HITS not in span.attributes:
        return hits.HitList()
    key = (span.trace_id, span.span_id)
    form = book.lists[key] if key in book.lists else parse_hits(span.attributes[wire.HITS])
    return hits.read_list(form, book, index=as_text(span.attributes.get(wire.INDEX)), list_id=span.span_id)


def _notes(attributes: dict[str, Any]) -> dict[str, Any]:
    """What the app noted, and what a replay says of itself: "replay.pinned", "replay.batch", "replay.overrides"."""
    of_replay = {
        key.removeprefix(NAMESPACE): (
            list(as_texts(value) or ()) if key == wire.REPLAY_OVERRIDES else as_json_value(value)
        )
        for key in (wire.REPLAY_PINNED, wire.REPLAY_BATCH, wire.REPLAY_OVERRIDES)
        if (value := attributes.get(key)) is not None
    }
    return of_replay | {
        key.removeprefix(wire.NOTE_PREFIX): as_json_value(value)
        for key, value in attributes.items()
        if key.startswith(wire.NOTE_PREFIX)
    }


def _last_part(key: str) -> str:
    return key.removeprefix(NAMESPACE)


def _cuts(attributes: dict[str, Any]) -> dict[str, int]:
    """Attribute -> true length of a text in it that was cut; the texts of hits say so themselves."""
    lengths = _mapping(attributes.get(wire.TEXT_CUT)) or {}
    found = {key: as_count(length) for key, length in lengths.items() if key != wire.HITS}
    return {key: length for key, length in found.items() if length is not None}


def _completeness(found: hits.HitList, cuts: dict[str, int], *, has_prompt: bool) -> Completeness:
    """Of the list; where there is none, of the prompt, else of the text: cut, it was recorded up to a limit."""
    said = wire.PROMPT if has_prompt else wire.TEXT
    if found.columns is None and found.completeness is Completeness.COMPLETE and said in cuts:
        return Completeness.TRUNCATED
    return found.completeness


def _outcome(span: Span) -> Outcome:
    if span.end_ns == 0:
        return Outcome.INCOMPLETE
    return _member(Outcome, span.attributes.get(wire.OUTCOME), read_status(span))


def _error(span: Span) -> str | None:
    return as_text(span.attributes.get(wire.ERROR)) or span.status_message or None


def _flow_source(attributes: dict[str, Any], inputs: tuple[StageInput, ...] | None) -> FlowSource:
    if inputs is None:
        return FlowSource.UNKNOWN
    return _member(FlowSource, attributes.get(wire.INPUTS_SOURCE), FlowSource.RECORDED)


def _inputs(value: object) -> tuple[StageInput, ...] | None:
    """[[span id, deepest rank or null], ...]; None where it is absent or no such list."""
    parsed = parse_json(value)
    if not isinstance(parsed, list):
        return None
    inputs: list[StageInput] = []
    for item in parsed:
        if not isinstance(item, list) or not item or not isinstance(item[0], str):
            return None
        depth = as_count(item[1]) if len(item) > 1 else None
        inputs.append(StageInput(stage_id=item[0].lower().rjust(_SPAN_ID_DIGITS, "0"), depth=depth))
    return tuple(inputs)


def _messages(value: object) -> tuple[Message, ...] | None:
    """[{"role", "text"}, ...]; a plain text is one message without a role. None where it is neither."""
    if value is None:
        return None
    parsed = parse_json(value)
    if parsed is UNREADABLE or isinstance(parsed, str):
        return (Message(role="", text=value),) if isinstance(value, str) and value[:1] not in "[{" else None
    if not isinstance(parsed, list):
        return None
    messages: list[Message] = []
    for item in parsed:
        if isinstance(item, str):
            messages.append(Message(role="", text=item))
        elif isinstance(item, dict):
            messages.append(Message(role=as_text(item.get("role")) or "", text=as_text(item.get("text")) or ""))
        else:
            return None
    return tuple(messages)


def _mapping(value: object) -> dict[str, Any] | None:
    parsed = parse_json(value)
    return as_json_value(parsed) if isinstance(parsed, dict) else None


def _member(kind: type[_Value], value: object, default: _Value) -> _Value:
    try:
        return kind(value) if isinstance(value, str) else default
    except ValueError:
        return default
