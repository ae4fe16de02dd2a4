"""Spans of ours where the app has no tracer provider, or `own_provider=True`: OpenTelemetry's interface, no more.

The SDK's span pays for samplers, limits, locks and metrics that nobody configured here. These are the same spans to
everybody who meets one: current in the context, parents of other instrumentations' spans, OTLP when written.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import time_ns
from types import MappingProxyType
from typing import Any, Final

from opentelemetry import context as otel
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.util._decorator import _agnosticcontextmanager

from ..model import wire
from .context import span_in
from .hits import LaterHits
from .sorts import REQUEST_WORD

_FLAGS: Final = TraceFlags(TraceFlags.SAMPLED | TraceFlags.RANDOM_TRACE_ID)
_UNSET: Final = Status(StatusCode.UNSET)

_ids: Final = random.Random()  # noqa: S311 - ids are no secrets; seeded from the system, and apart from the app's
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ids.seed)  # a child must not give out its parent's next ids


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=_FLAGS)


class OwnSpan(trace.Span, ReadableSpan):
    """One span, which is handed to `when_ended` as it ends; nothing can be added to it after that."""

    # What few spans have, so that the others need not set it.
    _events: tuple[Event, ...] = ()
    _links: tuple[Link, ...] = ()
    _status = _UNSET
    _instrumentation_info = None

    _kind = SpanKind.INTERNAL
    _end_time: int | None = None
    _context: SpanContext | None = None
    _later: LaterHits | None = None
    """Its list, whose JSON is still to be made."""
    _hits: tuple[bytes, bool] | None = None
    """The JSON that was made of it, and whether a text in it was repaired."""
    _foreign_parent: SpanContext | None = None
    """The span above, where another library made it."""

    def __init__(self, name: str, tracer: OwnTracer, above: trace.Span | None, start_time: int | None = None) -> None:
        self._name = name
        self._tracer = tracer
        self.trace_id: int
        self.parent_id: int
        self.span_id: int = _ids.getrandbits(64) or 1
        if type(above) is OwnSpan:
            self.trace_id = above.trace_id
            self.parent_id = above.span_id
        else:
            parent = None if above is None else above.get_span_context()
            if parent is not None and parent.is_valid:
                self._foreign_parent = parent
                self.trace_id, self.parent_id = parent.trace_id, parent.span_id
            else:
                self.trace_id, self.parent_id = _ids.getrandbits(128) or 1, 0
        self._attributes: dict[str, Any] = {}
        self._start_time = start_time or time_ns()

    def get_span_context(self) -> SpanContext:
        """Its ids; made when first asked for, because few are."""
        context = self._context
        if context is None:
            context = self._context = _context(self.trace_id, self.span_id)
        return context

    @property
    def context(self) -> SpanContext:
        """The same."""
        return self.get_span_context()

    @property
    def parent(self) -> SpanContext | None:
        """The ids of the span above it."""
        if not self.parent_id:
            return None
        return self._foreign_parent or _context(self.trace_id, self.parent_id)

    @property
    def resource(self) -> Resource:
        """The app."""
        return self._tracer.resource

    @property
    def instrumentation_scope(self) -> InstrumentationScope:
        """Us."""
        return self._tracer.scope

    def end_with(self, attributes: dict[str, Any], later: LaterHits | None = None) -> None:
        """Ends it with all of its attributes, which are not copied: whoever calls lets go of them.

        `later` is its list, whose JSON is made when `attributes` are first asked for.
        """
        if self._end_time is None:
            self._attributes = {**self._attributes, **attributes} if self._attributes else attributes
            self._later = later
            self._end_time = time_ns()
            self._tracer.when_ended(self)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """All of them."""
        attributes, hits = self.parts()
        if hits is None:
            return MappingProxyType(attributes)
        said, repaired = hits
        marked = {wire.REPAIRED: True} if repaired else {}
        return MappingProxyType({**attributes, wire.HITS: said.decode(), **marked})

    def parts(self) -> tuple[dict[str, Any], tuple[bytes, bool] | None]:
        """The attributes apart from its list; and the JSON of that, as UTF-8, with whether a text in it was repaired.

        For the thread that writes it, which needs no text made of the bytes. None: there is no list.
        """
        later = self._later
        if later is not None:
            with later.lock:
                if self._later is not None:
                    self._hits = later.json()
                    self._later = None
        return self._attributes, self._hits

    @property
    def tracer(self) -> OwnTracer:
        """The one that made it."""
        return self._tracer

    def is_plain(self) -> bool:
        """Whether it has nothing that few spans have: a kind, events, links, a status, a parent of another library."""
        return (
            self._kind is SpanKind.INTERNAL
            and not self._events
            and not self._links
            and self._status is _UNSET
            and self._foreign_parent is None
        )

    def is_recording(self) -> bool:
        """Whether it still runs."""
        return self._end_time is None

    def set_kind(self, kind: SpanKind) -> None:
        """Says that it is no internal one."""
        self._kind = kind

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

    def reword(self, said: Callable[[str], str | None]) -> None:
        """What its status and its events tell in the words of `said`; None: not at all. Types of errors stay.

        For whoever is told that it has ended.
        """
        if self._status.description:
            self._status = Status(self._status.status_code, said(self._status.description))
        events = []
        for event in self._events:
            told = {
                key: said(value) if type(value) is str and not key.endswith(".type") else value
                for key, value in (event.attributes or {}).items()
            }
            kept = {key: value for key, value in told.items() if value is not None}
            events.append(Event(event.name, kept, event.timestamp))
        self._events = tuple(events)

    def end(self, end_time: int | None = None) -> None:
        """Ends it, once, and hands it on."""
        if self._end_time is None:
            self._end_time = end_time or time_ns()
            self._tracer.when_ended(self)


def ends_request(span: ReadableSpan) -> bool:
    """Whether a request ends with this span: one of ours says so, an instrumentor's has nothing above it.

    Of a span of ours the kind alone is looked at: its other attributes may be made later.
    """
    if type(span) is OwnSpan:
        return not span.parent_id or span._attributes.get(wire.KIND) == REQUEST_WORD  # noqa: SLF001 - ours
    attributes = span.attributes
    return span.parent is None or (attributes is not None and attributes.get(wire.KIND) == REQUEST_WORD)


class CurrentSpans(trace.Tracer):
    """What a tracer does beside starting spans: it makes one the current span of a block."""

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


class OwnTracer(CurrentSpans):
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
        span = OwnSpan(name, self, span_in(otel.get_current() if context is None else context), start_time)
        if kind is not SpanKind.INTERNAL:
            span.set_kind(kind)
        if attributes:
            span.set_attributes(attributes)
        for link in links or ():
            span.add_link(link.context, link.attributes)
        return span
