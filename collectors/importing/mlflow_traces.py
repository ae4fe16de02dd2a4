"""Traces of MLflow, as `Trace.to_json` and its pages write them, as the spans that it would send over OTLP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import BadInput, Span, SpanEvent, wire
from ..dialects.values import as_text
from .export_values import ERROR, attribute, first, made_span, mapping, text_of, time_ns

SCOPE: Final = "mlflow"
_SESSION: Final = "mlflow.trace.session"
_USER: Final = "mlflow.trace.user"
_ENCODED: Final = ("mlflow.", "user.", "session.")


def is_trace(record: Mapping[str, Any]) -> bool:
    """Whether a record is a trace: what is known of it, and its spans. A row of `search_traces` is one, too."""
    if isinstance(record.get("info"), Mapping) and "data" in record:
        return True
    return "trace" in record and ("spans" in record or "trace_id" in record) and _whole(record["trace"]) is not None


def trace_spans(record: Mapping[str, Any], *, app: str) -> tuple[Span, ...]:
    """All spans of a trace; BadInput where it has none."""
    trace = record if isinstance(record.get("info"), Mapping) else _whole(record.get("trace")) or {}
    info, data = mapping(trace.get("info")), mapping(trace.get("data"))
    rows = data.get("spans")
    if not isinstance(rows, list) or not rows:
        raise BadInput("the trace has no spans: its data was not exported with it.")
    about = {**mapping(info.get("trace_metadata")), **mapping(info.get("request_metadata"))}
    external = as_text(first(info, "trace_id", "request_id"))
    name = as_text(first(mapping(info.get("tags")), "mlflow.traceName")) or ""
    resource = {wire.APP: app or as_text(about.get("mlflow.source.name")) or name or "mlflow"}
    return tuple(_span(one, external, about, resource) for one in rows if isinstance(one, Mapping))


def _whole(value: Any) -> Mapping[str, Any] | None:  # noqa: ANN401 - a value of an export
    found = mapping(value)
    return found if isinstance(found.get("info"), Mapping) and "data" in found else None


def _span(one: Mapping[str, Any], external: str | None, about: Mapping[str, Any], resource: Mapping[str, Any]) -> Span:
    context = mapping(one.get("context"))  # the form before 2025
    parent = first(one, "parent_span_id", "parent_id")
    attributes = {str(key): _value(str(key), value) for key, value in mapping(one.get("attributes")).items()}
    if external:
        attributes.setdefault("mlflow.traceRequestId", text_of([external])[1:-1])  # type: ignore[index]
    if parent in (None, ""):
        attributes |= {key: about[key] for key in (_SESSION, _USER) if about.get(key) is not None}
    span = made_span(
        trace=first(one, "trace_id") or first(context, "trace_id") or external,
        span=first(one, "span_id") or first(context, "span_id"),
        parent=parent,
        name=one.get("name"),
        start=first(one, "start_time_unix_nano", "start_time", "start_time_ns"),
        end=first(one, "end_time_unix_nano", "end_time", "end_time_ns"),
        error=_error(one),
        attributes=attributes,
        resource=resource,
        scope=SCOPE,
    )
    rows = one.get("events")
    return span._replace(events=tuple(_event(row) for row in rows if isinstance(row, Mapping))) if rows else span


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 - a value of an export
    """MLflow's own attributes are JSON in texts; some of its exports have them read already."""
    if key.startswith(_ENCODED) and not isinstance(value, str):
        return text_of(value)
    return attribute(value)


def _error(one: Mapping[str, Any]) -> str | None:
    status = mapping(one.get("status"))
    code = as_text(first(status, "code") or one.get("status_code")) or ""
    if "ERROR" not in code.upper() and code != str(ERROR):
        return None
    return as_text(first(status, "message", "description")) or as_text(one.get("status_message")) or "error"


def _event(row: Mapping[str, Any]) -> SpanEvent:
    when = time_ns(first(row, "time_unix_nano", "timestamp"), "event's time")
    attributes = {str(key): attribute(value) for key, value in mapping(row.get("attributes")).items()}
    return SpanEvent(str(row.get("name", "")), when, attributes)
