"""Spans of ours where the app has no tracer provider, or `own_provider=True`: OpenTelemetry's interface, no more.

The SDK's span pays for samplers, limits, locks and metrics that nobody configured here. These are the same spans to
everybody who meets one: current in the context, parents of other instrumentations' spans, OTLP when written.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import time_ns
from typing import Any, Final

from opentelemetry import context as otel
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.util._decorator import _agnosticcontextmanager

from .context import span_in

_FLAGS: Final = TraceFlags(TraceFlags.SAMPLED | TraceFlags.RANDOM_TRACE_ID)
_UNSET: Final = Status(StatusCode.UNSET)

_ids: Final = random.Random()  # noqa: S311 - ids are no secrets; seeded from the system, and apart from the app's
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ids.seed)  # a child must not give out its parent's next ids


class OwnSpan(trace.Span, ReadableSpan):
    """One span, which is handed to `when_ended` as it ends; nothing can be added to it after that."""

    # What few spans have, so that the others need not set it.
    _events: tuple[Event, ...] = ()
    _links: tuple[Link, ...] = ()
    _status = _UNSET
    _instrumentation_info = None

    def __init__(
        self,
        name: str,
        *,
        context: SpanContext,
        parent: SpanContext | None,
        tracer: OwnTracer,
        kind: SpanKind = SpanKind.INTERNAL,
        start_time: int | None = None,
    ) -> None:
        self._name = name
        self._context: SpanContext = context
        self._parent = parent
        self._kind = kind
        self._attributes: dict[str, Any] = {}
        self._start_time = start_time or time_ns()
        self._end_time: int | None = None
        self._resource = tracer.resource
        self._instrumentation_scope = tracer.scope
        self._when_ended = tracer.when_ended

    def get_span_context(self) -> SpanContext:
        """Its ids."""
        return self._context

    def is_recording(self) -> bool:
        """Whether it still runs."""
        return self._end_time is None

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Sets attributes as they are."""
        if self._end_time is None:
            self._attributes.update(attributes)

    def set_attribute(self, key: str, value: Any) -> None:
        """Sets an attribute as it is."""
        if self._end_time is None:
            self._attributes[key] = value

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        """Adds a timed event."""
        if self._end_time is None:
            self._events = (*self._events, Event(name, attributes, timestamp))

    def add_link(self, context: SpanContext, attributes: Any = None) -> None:
        """Adds a link to another span."""
        if self._end_time is None and context.is_valid:
            self._links = (*self._links, Link(context, attributes))

    def update_name(self, name: str) -> None:
        """Gives it another name."""
        if self._end_time is None:
            self._name = name

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        """Sets the status; one that is OK stays."""
        if self._end_time is None and self._status.status_code is not StatusCode.OK:
            self._status = status if isinstance(status, Status) else Status(status, description)

    def record_exception(
        self, exception: BaseException, attributes: Any = None, timestamp: int | None = None, escaped: bool = False
    ) -> None:
        """Adds an event with the exception's type; its message may hold what people wrote."""
        said = {"exception.type": type(exception).__qualname__, "exception.escaped": str(escaped)}
        self.add_event("exception", {**said, **(attributes or {})}, timestamp)

    def end(self, end_time: int | None = None) -> None:
        """Ends it, once, and hands it on."""
        if self._end_time is None:
            self._end_time = end_time or time_ns()
            self._when_ended(self)


class OwnTracer(trace.Tracer):
    """Makes spans that are all recorded. Ids are drawn apart from `random`, whose seed may be the app's."""

    def __init__(self, resource: Resource, scope: str, when_ended: Callable[[ReadableSpan], None]) -> None:
        self.resource = resource
        self.scope = InstrumentationScope(scope)
        self.when_ended = when_ended

    def start_span(  # noqa: PLR0917 - OpenTelemetry's signature
        self,
        name: str,
        context: otel.Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Any = None,
        links: Sequence[Link] | None = None,
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
    ) -> OwnSpan:
        """A span below the current one of `context`, or the first one of a new trace."""
        above = span_in(otel.get_current() if context is None else context)
        parent = None if above is None else above.get_span_context()
        if parent is None or not parent.is_valid:
            parent = None
            trace_id = _ids.getrandbits(128) or 1
        else:
            trace_id = parent.trace_id
        span_context = SpanContext(trace_id, _ids.getrandbits(64) or 1, is_remote=False, trace_flags=_FLAGS)
        span = OwnSpan(name, context=span_context, parent=parent, tracer=self, kind=kind, start_time=start_time)
        if attributes:
            span.set_attributes(attributes)
        for link in links or ():
            span.add_link(link.context, link.attributes)
        return span

    @_agnosticcontextmanager
    def start_as_current_span(  # noqa: PLR0917
        self,
        name: str,
        context: otel.Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Any = None,
        links: Sequence[Link] | None = (),
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
        end_on_exit: bool = True,
    ) -> Iterator[trace.Span]:
        """The same, as the current span of a block."""
        span = self.start_span(name, context, kind, attributes, links, start_time)
        with trace.use_span(
            span,
            end_on_exit=end_on_exit,
            record_exception=record_exception,
            set_status_on_exception=set_status_on_exception,
        ):
            yield span
