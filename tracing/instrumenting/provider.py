"""The tracer provider that instrumentors get: its spans go wherever `init` sends goldrank's own, now and later.

Which tracer makes a span is asked as each span starts, so `init` and `instrument` may be called in any order, and a
provider that the app sets later is taken over like for our own spans. Until `init` nothing is recorded.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Final

from opentelemetry import context as otel
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits
from opentelemetry.trace import Link, NoOpTracer, SpanKind, Tracer

from ..context import open_stage, span_in, with_span
from ..guest import Guard
from ..own_spans import CurrentSpans, OwnSpan, OwnTracer
from ..providers import adopt, app_provider
from ..recorder import SWITCH, Recorder
from ..texts import TextRules

MAX_ATTRIBUTES: Final = 20_000
"""A list of 1,000 hits takes 4,000. The SDK's own limit is 128, and it drops the oldest: the best ranks."""
_NOWHERE: Final = NoOpTracer()
_REDACTING: Final = Guard("redacting what an instrumentor's span says of an error")


class InstrumentedProvider(trace.TracerProvider):
    """Gives each instrumentor a tracer of ours."""

    def get_tracer(
        self,
        instrumenting_module_name: str,
        instrumenting_library_version: str | None = None,
        schema_url: str | None = None,  # noqa: ARG002 - OpenTelemetry's signature
        attributes: Any = None,  # noqa: ARG002 - the same
    ) -> Tracer:
        """A tracer of that scope."""
        return InstrumentedTracer(instrumenting_module_name, instrumenting_library_version)


class InstrumentedTracer(CurrentSpans):
    """Hands each span to the tracer that records now."""

    def __init__(self, scope: str, version: str | None) -> None:
        self.scope = scope
        self.version = version
        self.made: tuple[Recorder, Tracer] | None = None
        """The tracer of this scope for the recorder that was there last."""

    def start_span(  # noqa: PLR0917 - OpenTelemetry's signature
        self,
        name: str,
        context: otel.Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Any = None,
        links: Sequence[Link] | None = None,
        start_time: int | None = None,
        record_exception: bool = True,  # noqa: FBT001, FBT002 - the same
        set_status_on_exception: bool = True,  # noqa: FBT001, FBT002 - the same
    ) -> trace.Span:
        """A span, which is recorded where anything is."""
        if SWITCH.waits_for_app:
            adopt()
        recorder = SWITCH.recorder
        if recorder is None:
            return _NOWHERE.start_span(name, context)
        made = self.made
        if made is None or made[0] is not recorder:
            made = self.made = (recorder, _tracer_for(recorder, self.scope, self.version))
        if recorder.beside:
            context = _beside(otel.get_current() if context is None else context)
        return made[1].start_span(
            name, context, kind, attributes, links, start_time, record_exception, set_status_on_exception
        )


def _tracer_for(recorder: Recorder, scope: str, version: str | None) -> Tracer:
    own = recorder.tracer
    if isinstance(own, OwnTracer):
        return OwnTracer(own.resource, scope, _hand_on(recorder.rules, own.when_ended))  # they have no limits
    provider = app_provider()
    if provider is None:
        return _NOWHERE
    tracer = provider.get_tracer(scope, version)
    limits = getattr(tracer, "_span_limits", None)
    if isinstance(limits, SpanLimits):
        tracer._span_limits = raised(limits)  # type: ignore[attr-defined] # noqa: SLF001 - the SDK has no other way
    return tracer


def _hand_on(rules: TextRules, when_ended: Callable[[ReadableSpan], None]) -> Callable[[ReadableSpan], None]:
    """What errors say of people is redacted, or left out with `capture_text=False`; attributes are by `Masking`."""
    if rules.capture and not rules.redact:
        return when_ended

    def hand_on(span: ReadableSpan) -> None:
        if isinstance(span, OwnSpan):
            with _REDACTING:
                span.reword(lambda text: rules.apply(text).text if rules.capture else None)
        when_ended(span)

    return hand_on


def raised(limits: SpanLimits) -> SpanLimits:
    """The app's limits with room for long lists; the other limits stay the app's."""
    if limits.max_span_attributes is None or limits.max_span_attributes >= MAX_ATTRIBUTES:
        return limits
    ours = copy.copy(limits)
    ours.max_span_attributes = MAX_ATTRIBUTES
    return ours


def _beside(context: otel.Context) -> otel.Context:
    """With `own_provider=True` the app's current span is no parent: below our own span, below the stage, or a root."""
    if isinstance(span_in(context), OwnSpan):
        return context
    stage = open_stage(context)
    return otel.Context() if stage is None else with_span(otel.Context(), stage.span)
