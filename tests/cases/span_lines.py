"""Span lines: one span a line, in the words of the cases, as a span of goldrank's shim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from goldrank.model import Outcome, Span, StageKind, wire

APP = "case"
RESOURCE = {wire.APP: APP, wire.ENVIRONMENT: "test"}

KINDS = {"context": "assemble", "step": "other", "llm": "generate", "search": "retrieve", "fusion": "fuse"}
"""Words of the cases that are not goldrank's own; any unknown one is `other`."""


def with_ids(line: Mapping[str, Any]) -> dict[str, Any]:
    """The line with its ids as hex digits in full length, however short, large or as numbers they were written."""
    lengths = {"trace_id": 32, "span_id": 16, "parent_span_id": 16}
    ids = {key: _hex(line.get(key), length) for key, length in lengths.items()}
    links = [{key: _hex(link.get(key), lengths[key]) for key in ("trace_id", "span_id")} for link in _links(line)]
    return {**line, **ids, "links": links}


def _links(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return line.get("links") or []


def _hex(value: Any, length: int) -> str | None:
    if value is None or value == "":
        return None
    return f"{value:0{length}x}" if isinstance(value, int) else str(value).lower().rjust(length, "0")


def spans_of(line: Mapping[str, Any]) -> Iterator[Span]:
    """The span of a line; a list on a request span itself becomes a stage of its own below it."""
    line = with_ids(line)
    attributes = dict(line.get("attributes") or {})
    kind = str(line.get("kind", "other"))
    is_request = kind == "request"
    own_list = attributes.pop("hits", None) if is_request else None
    yield _span(line, wire_attributes(kind, str(line.get("name", "")), attributes, line.get("status")))
    if own_list is not None:
        below = hashlib.sha256(f"{line['trace_id']}{line['span_id']}".encode()).hexdigest()[:16]
        stage = {**line, "span_id": below, "parent_span_id": line["span_id"], "name": "hits"}
        yield _span(stage, wire_attributes("retrieve", "hits", {"hits": own_list}, None))


def wire_attributes(kind: str, name: str, given: Mapping[str, Any], status: str | None) -> dict[str, Any]:
    """The attributes that the shim would have set."""
    kind = KINDS.get(kind, kind)
    if kind != "request" and kind not in set(StageKind):
        kind = "other"
    attributes: dict[str, Any] = {wire.VERSION: wire.WIRE_VERSION, wire.KIND: kind, wire.NAME: name}
    given = dict(given)
    if kind != "request" and "output" in given:
        given["text"] = given.pop("output")
    about = {key: given.pop(key, None) for key in ("length", "state", "completeness", "unreadable")}
    if about["unreadable"]:
        attributes[wire.HITS] = _json({wire.HITS_STATE: "not_recorded"})
    elif given.get("hits") is not None:
        attributes[wire.HITS] = hits_json(given.pop("hits"), about["length"], about["state"] or about["completeness"])
    for key, value in given.items():
        if value is not None:
            name_on_wire, write = WRITERS.get(key, (key, _as_it_is))
            attributes[name_on_wire] = write(value)
    outcome = {"failed": "error", "error": "error", "unset": None}.get(str(status), status)
    if outcome in set(Outcome):
        attributes[wire.OUTCOME] = outcome
    return attributes


def hits_json(hits: list[Mapping[str, Any]], length: int | None = None, state: str | None = None) -> str:
    """A list in the words of the cases as the HITS attribute; with its true length and state where a case says so."""
    keys = {"id": wire.HIT_ID, "doc_id": wire.HIT_DOC, "score": wire.HIT_SCORE, "text": wire.HIT_TEXT}
    hits = [as_hit(hit) for hit in hits]
    keys |= {"meta": wire.HIT_METADATA, "metadata": wire.HIT_METADATA, "parent_id": wire.HIT_PARENT}
    items = [{keys[key]: value for key, value in hit.items() if key in keys and value is not None} for hit in hits]
    body = {wire.HITS_LENGTH: length or len(items), wire.HITS_SHAPE: "list[dict]", wire.HITS_LIST: items}
    return _json(body | ({wire.HITS_STATE: state} if state else {}))


def as_hit(hit: Any) -> dict[str, Any]:
    """A hit of a list: an object with its fields, or its bare id."""
    return dict(hit) if isinstance(hit, Mapping) else {"id": hit}


def _span(line: Mapping[str, Any], attributes: dict[str, Any]) -> Span:
    failed = attributes.get(wire.OUTCOME) == "error"
    return Span(
        trace_id=line["trace_id"],
        span_id=line["span_id"],
        parent_span_id=line.get("parent_span_id"),
        name=str(line.get("name", "")),
        kind=1,
        start_ns=line["start_ns"],
        end_ns=line.get("end_ns") or 0,
        status=2 if failed else 0,
        status_message="",
        attributes=attributes,
        resource=RESOURCE,
        scope="goldrank",
        links=tuple((link["trace_id"], link["span_id"]) for link in line.get("links") or ()),
    )


def _messages(value: Any) -> list[dict[str, str]]:
    """A prompt or history: a text, texts, or messages with role and text (or content)."""
    items = value if isinstance(value, list) else [value]
    return [
        {"role": str(item.get("role", "")), "text": str(item.get("text", item.get("content", "")))}
        if isinstance(item, Mapping)
        else {"role": "user" if isinstance(value, list) else "", "text": str(item)}
        for item in items
    ]


def _json(value: Any) -> str:
    """As the shim writes it; with a lone surrogate everything beyond ASCII stays an escape."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def _groups(value: Any) -> Any:
    return [str(group) for group in value] or "[]"


def _as_it_is(value: Any) -> Any:
    return value


WRITERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "question": (wire.QUESTION, str),
    "answer": (wire.ANSWER, str),
    "output": (wire.ANSWER, str),
    "user": (wire.USER, str),
    "session": (wire.SESSION, str),
    "tenant": (wire.TENANT, str),
    "as_of": (wire.AS_OF, str),
    "groups": (wire.GROUPS, _groups),
    "user_groups": (wire.GROUPS, _groups),
    "history": (wire.HISTORY, lambda value: _json(_messages(value))),
    "query": (wire.QUERY, str),
    "queries": (wire.QUERIES, _json),
    "technique": (wire.TECHNIQUE, str),
    "top_k": (wire.TOP_K, int),
    "requested_k": (wire.TOP_K, int),
    "top_n": (wire.TOP_K, int),
    "filters": (wire.FILTERS, _json),
    "index": (wire.INDEX, str),
    "index_version": (wire.INDEX_VERSION, str),
    "embedding_model": (wire.EMBEDDING_MODEL, str),
    "model": (wire.MODEL, str),
    "settings": (wire.SETTINGS, _json),
    "inputs": (wire.INPUTS, _json),
    "text": (wire.TEXT, str),
    "prompt": (wire.PROMPT, lambda value: _json(_messages(value))),
    "context": (wire.CONTEXT, lambda value: _json([str(chunk_id) for chunk_id in value])),
    "error": (wire.ERROR, str),
    "request_id": (wire.REQUEST_ID, str),
    "replay_of": (wire.REPLAY_OF, str),
}
"""Attribute of a line -> the shim's attribute, and how it is written there; any other attribute stays as it is."""
