"""Spans of Phoenix: of its API, of a dataframe in a file, or JSON lines; flattened again as OpenInference is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...model import Span, SpanEvent, wire
from ..dialects.json_text import load
from ..dialects.values import as_text
from .export_values import attribute, first, made_span, mapping, required, text_of, time_ns

SCOPE: Final = "openinference"
_ATTRIBUTES: Final = "attributes."
_TEXTS: Final = ("metadata", "variables", "invocation_parameters", "parameters", "json_schema", "value", "arguments")
"""Last parts of names whose value is one text, JSON where it is an object."""


def is_span(record: Mapping[str, Any]) -> bool:
    """Whether a record is a span: its kind, its ids, and what OpenInference says of it."""
    if isinstance(record.get("context.span_id"), str) and any(str(key).startswith(_ATTRIBUTES) for key in record):
        return True
    context = record.get("context")
    return isinstance(context, Mapping) and "span_id" in context and "span_kind" in record and "attributes" in record


def lacks_its_ids(record: Mapping[str, Any]) -> bool:
    """Whether a record is a span of a data frame that was written without its index."""
    marks = "context.trace_id" in record and "span_kind" in record and "context.span_id" not in record
    return marks and any(str(key).startswith(_ATTRIBUTES) for key in record)


def is_trace(record: Mapping[str, Any]) -> bool:
    """Whether a record is a trace with its spans, as Phoenix's command line writes it."""
    inner = record.get("spans")
    return isinstance(inner, list) and bool(inner) and all(isinstance(one, Mapping) and is_span(one) for one in inner)


def phoenix_spans(record: Mapping[str, Any], *, app: str) -> tuple[Span, ...]:
    """One span, or those of a trace."""
    if is_trace(record):
        return tuple(span for one in record["spans"] for span in phoenix_spans(one, app=app))
    context = mapping(record.get("context")) or {
        "span_id": record.get("context.span_id"),
        "trace_id": record.get("context.trace_id"),
    }
    attributes = dict(_flat(_said(record)))
    kind = as_text(record.get("span_kind"))
    if kind and kind != "UNKNOWN":
        attributes.setdefault("openinference.span.kind", kind)
    failed = str(record.get("status_code")).upper() == "ERROR"
    span = made_span(
        trace=required(context, "trace_id"),
        span=required(context, "span_id"),
        parent=record.get("parent_id"),
        name=record.get("name"),
        start=required(record, "start_time"),
        end=record.get("end_time"),
        error=(as_text(record.get("status_message")) or "error") if failed else None,
        attributes=attributes,
        resource={wire.APP: app or as_text(attributes.get("openinference.project.name")) or "phoenix"},
        scope=SCOPE,
    )
    rows = load(record.get("events"))
    return (span._replace(events=tuple(_event(one) for one in rows or () if isinstance(one, Mapping))),)


def _said(record: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes: in one object, or in a column each."""
    found = dict(mapping(record.get("attributes")))
    for key, value in record.items():
        if str(key).startswith(_ATTRIBUTES) and value is not None and value != "":
            found[str(key).removeprefix(_ATTRIBUTES)] = value
    return found


def _flat(attributes: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Objects and lists of objects as numbered keys: `retrieval.documents.0.document.id`."""
    for key, held in attributes.items():
        name = f"{before}{key}"
        value = _loaded(name, held)
        if value is None:
            continue
        if name.rpartition(".")[2] in _TEXTS:
            yield name, text_of(value)
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for place, one in enumerate(value):
                yield from _flat(one, f"{name}.{place}.")
        elif isinstance(value, list) and not value:
            yield name, "[]"
        else:
            yield name, attribute(value)


def _loaded(name: str, value: Any) -> Any:  # noqa: ANN401 - a value of an export
    """Lists of objects that CSV and some dataframes hold as texts."""
    if isinstance(value, str) and name.rpartition(".")[2] not in _TEXTS and value[:2] in ("[{", "{'", '{"'):
        return load(value)
    return value


def _event(row: Mapping[str, Any]) -> SpanEvent:
    when = time_ns(first(row, "timestamp", "time"), "event's time")
    attributes = {str(key): attribute(value) for key, value in _flat(mapping(row.get("attributes")))}
    return SpanEvent(str(row.get("name", "")), when, attributes)
