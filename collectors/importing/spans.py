"""Requests of a log as spans in goldrank's own words, and spans as OTLP."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from ...model import Outcome, Span, SpanEvent, StageKind, wire
from ...tracing.spool.otlp import Encoded, encode_spans
from .logged import LoggedRequest, LoggedStage

SCOPE: Final = "goldrank.import"
_MOMENT_NS: Final = 1000
"""How long a stage of an unknown length lasts, so that stages stand in their order."""
_ERROR: Final = 2
_INTERNAL: Final = 1


def request_spans(logged: LoggedRequest, form: str) -> tuple[Span, ...]:
    """The spans of one request, its own first. Stages come one after the other, as far as their lengths are known.

    Searches before the first other stage begin together: a log does not say that one waited for the other.
    """
    common: dict[str, Any] = {wire.VERSION: wire.WIRE_VERSION, wire.REQUEST_ID: logged.request_id, wire.IMPORTED: form}
    resource = dict(logged.resource)
    spans: list[Span] = []
    at = begin = logged.start_ns
    latest = at
    for place, stage in enumerate(logged.stages):
        if stage.kind is not StageKind.RETRIEVE:
            begin = latest
        end = begin + place + (_MOMENT_NS if stage.duration_ns is None else stage.duration_ns)
        latest = max(latest, end)
        span_id = hashlib.blake2b(f"{logged.span_id}\0{place}\0{stage.name}".encode(), digest_size=8).hexdigest()
        spans.append(
            Span(
                trace_id=logged.trace_id,
                span_id=span_id,
                parent_span_id=logged.span_id,
                name=stage.name,
                start_ns=begin + place,  # a nanosecond apart, so that they keep the order of the log
                end_ns=end,
                attributes=common | _stage_attributes(stage),
                resource=resource,
                **_ended(stage.error),
            )
        )
    end_ns = max(latest, logged.start_ns + (logged.duration_ns or 0))
    attributes = common | {wire.KIND: "request"} | dict(logged.attributes)
    if logged.error:
        attributes |= {wire.OUTCOME: Outcome.ERROR.value, wire.ERROR: logged.error}
    own = Span(
        trace_id=logged.trace_id,
        span_id=logged.span_id,
        parent_span_id=None,
        name="request",
        start_ns=logged.start_ns,
        end_ns=end_ns,
        attributes=attributes,
        resource=resource,
        **_ended(logged.error),
    )
    return (own, *spans)


def _stage_attributes(stage: LoggedStage) -> dict[str, Any]:
    attributes = {wire.KIND: stage.kind.value, wire.NAME: stage.name, **stage.attributes}
    if stage.error:
        attributes |= {wire.OUTCOME: Outcome.ERROR.value, wire.ERROR: stage.error}
    return attributes


def _ended(error: str) -> dict[str, Any]:
    """What is the same of all spans, and how this one ended."""
    return {"kind": _INTERNAL, "scope": SCOPE, "status": _ERROR if error else 0, "status_message": error}


def encode(spans: Iterable[Span]) -> Encoded:
    """Spans as OTLP messages for the spool."""
    return encode_spans([_readable(span) for span in spans])


def _readable(span: Span) -> ReadableSpan:
    trace_id = int(span.trace_id, 16)
    return ReadableSpan(
        name=span.name,
        context=_context(trace_id, int(span.span_id, 16)),
        parent=_context(trace_id, int(span.parent_span_id, 16)) if span.parent_span_id else None,
        resource=_resource(tuple(sorted((key, str(value)) for key, value in span.resource.items()))),
        attributes=span.attributes,
        events=[_event(event) for event in span.events],
        links=[Link(_context(int(trace, 16), int(linked, 16))) for trace, linked in span.links],
        kind=_KINDS.get(span.kind, SpanKind.INTERNAL),
        status=Status(_STATUS.get(span.status, StatusCode.UNSET), span.status_message or None)
        if span.status == _ERROR
        else _STATUSES.get(span.status, _UNSET),
        start_time=span.start_ns,
        end_time=span.end_ns,
        instrumentation_scope=_scope(span.scope),
    )


_KINDS: Final = {kind.value + 1: kind for kind in SpanKind}
_STATUS: Final = {code.value: code for code in StatusCode}
_UNSET: Final = Status()
_STATUSES: Final = {1: Status(StatusCode.OK)}
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=_SAMPLED)


def _event(event: SpanEvent) -> Event:
    return Event(event.name, event.attributes, event.time_ns)


@lru_cache(maxsize=1000)
def _resource(attributes: tuple[tuple[str, str], ...]) -> Resource:
    return Resource(dict(attributes))


@lru_cache(maxsize=100)
def _scope(name: str) -> InstrumentationScope:
    return InstrumentationScope(name)
