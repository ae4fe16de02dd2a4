"""Traces and observations of Langfuse, from its API, its pages or its storage export, as its SDK's spans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import Span, wire
from ..dialects.values import as_text
from .export_values import attribute, first, made_span, mapping, required, text_of

SCOPE: Final = "langfuse-sdk"
_TYPES: Final = frozenset(
    ("SPAN", "GENERATION", "EVENT", "EMBEDDING", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "GUARDRAIL", "EVALUATOR")
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_trace(record: Mapping[str, Any]) -> bool:
    """Whether a record is a trace with its observations."""
    inner = record.get("observations")
    return isinstance(inner, list) and (
        "timestamp" in record or isinstance(record.get("trace"), Mapping) or any(_looks_like_one(one) for one in inner)
    )


def is_observation(record: Mapping[str, Any]) -> bool:
    """Whether a record is one observation."""
    return _looks_like_one(record) and ("traceId" in record or "trace_id" in record)


def is_bare_trace(record: Mapping[str, Any]) -> bool:
    """Whether a record is a trace without its observations, as the list of traces is exported."""
    marks = ("sessionId", "session_id", "htmlPath", "bookmarked", "public")
    return "timestamp" in record and "id" in record and "input" in record and sum(key in record for key in marks) >= 2


def _looks_like_one(record: Any) -> bool:  # noqa: ANN401 - a value of an export
    return (
        isinstance(record, Mapping)
        and str(record.get("type", "")).upper() in _TYPES
        and ("startTime" in record or "start_time" in record)
    )


def langfuse_spans(record: Mapping[str, Any], *, app: str) -> tuple[Span, ...]:
    """The spans of a trace, or of one observation.

    Observations without a parent stand below a span of the trace itself where there are several, or where the trace
    says more than its one root does.
    """
    if isinstance(record.get("observations"), list):
        trace = {**mapping(record.get("trace")), **{k: v for k, v in record.items() if k != "trace"}}
        return _trace_spans(_snake(trace), app)
    one = _snake(record)
    return (_observation(one, {}, app),) if "type" in one else (_trace_span(one, app),)


def _trace_spans(trace: dict[str, Any], app: str) -> tuple[Span, ...]:
    observations = [_snake(one) for one in trace["observations"] if isinstance(one, Mapping)]
    trace_id = first(trace, "id", "trace_id") or (observations and first(observations[0], "trace_id"))
    trace = trace | {"id": required({"id": trace_id}, "id")}
    known = {str(one.get("id")) for one in observations}
    roots = [one for one in observations if str(one.get("parent_observation_id")) not in known]
    spans = [_observation(one, trace, app) for one in observations]
    if len(roots) == 1 and not _says_more(trace, roots[0]):
        return tuple(spans)
    top = _trace_span(trace, app, ends=[span.end_ns for span in spans])
    below = {id(one) for one in roots}
    return (
        top,
        *(
            span._replace(parent_span_id=top.span_id) if id(one) in below else span
            for one, span in zip(observations, spans, strict=True)
        ),
    )


def _says_more(trace: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    return any(trace.get(key) is not None and root.get(key) is None for key in ("input", "output"))


def _trace_span(trace: Mapping[str, Any], app: str, ends: list[int] | None = None) -> Span:
    """The trace itself as the span around its observations."""
    trace_id = required(trace, "id")
    start = required(trace, "timestamp", "start_time")
    span = made_span(
        trace=trace_id,
        span=f"langfuse trace {trace_id}",
        parent=None,
        name=trace.get("name") or "trace",
        start=start,
        end=start,
        error=None,
        attributes={
            "langfuse.observation.type": "span",
            "langfuse.observation.input": text_of(trace.get("input")),
            "langfuse.observation.output": text_of(trace.get("output")),
            **_of_trace(trace),
            **_of_metadata(trace),
        },
        resource=_resource(trace, app),
        scope=SCOPE,
    )
    return span._replace(end_ns=max([span.start_ns, *(ends or [])]))


def _observation(one: Mapping[str, Any], trace: Mapping[str, Any], app: str) -> Span:
    level = as_text(one.get("level"))
    failed = as_text(first(one, "status_message")) or "error" if level == "ERROR" else None
    kind = str(required(one, "type")).lower()
    return made_span(
        trace=first(one, "trace_id") or required(trace, "id"),
        span=required(one, "id"),
        parent=one.get("parent_observation_id"),
        name=one.get("name"),
        start=required(one, "start_time"),
        end=one.get("end_time") or (one.get("start_time") if kind == "event" else None),
        error=failed,
        attributes={
            "langfuse.observation.type": kind,
            "langfuse.observation.input": text_of(one.get("input")),
            "langfuse.observation.output": text_of(one.get("output")),
            "langfuse.observation.level": level,
            "langfuse.observation.status_message": as_text(one.get("status_message")),
            "langfuse.observation.model.name": as_text(first(one, "model", "provided_model_name")),
            "langfuse.observation.model.parameters": text_of(one.get("model_parameters")),
            "langfuse.internal.is_app_root": True if one.get("is_root_observation") is True else None,
            **_of_trace({**trace, **{key: value for key, value in one.items() if key in ("user_id", "session_id")}}),
            **_of_metadata(one),
        },
        resource=_resource({**trace, **{key: value for key, value in one.items() if value is not None}}, app),
        scope=SCOPE,
    )


def _of_trace(trace: Mapping[str, Any]) -> dict[str, Any]:
    tags = trace.get("tags")
    return {
        "user.id": as_text(trace.get("user_id")),
        "session.id": as_text(trace.get("session_id")),
        "langfuse.trace.tags": tags if isinstance(tags, list) and tags else None,
    }


def _of_metadata(record: Mapping[str, Any]) -> dict[str, Any]:
    found = mapping(record.get("metadata"))
    return {f"langfuse.observation.metadata.{key}": attribute(value) for key, value in found.items()}


def _resource(record: Mapping[str, Any], app: str) -> dict[str, Any]:
    environment = as_text(record.get("environment"))
    return {
        wire.APP: app or "langfuse",
        wire.ENVIRONMENT: None if environment == "default" else environment,
        wire.APP_VERSION: as_text(first(record, "release", "version")),
    }


def _snake(record: Mapping[str, Any]) -> dict[str, Any]:
    """The API writes parentObservationId, the storage export parent_observation_id."""
    return {_CAMEL.sub("_", str(key)).lower(): value for key, value in record.items()}
