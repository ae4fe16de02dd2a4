"""Which tracer provider makes our spans: the app's own where there is one, else one of ours beside it."""

from __future__ import annotations

import weakref
from typing import Final, NamedTuple

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.trace import Tracer

from ..model import wire
from .guest import COUNTER
from .own_spans import OwnTracer
from .recorder import SWITCH, Outlet, Recorder
from .relay import Relay
from .settings import Settings
from .texts import TextRules

SCOPE: Final = "goldrank"
_NOT_KNOWN: Final = object()

_relays: weakref.WeakKeyDictionary[TracerProvider, Relay] = weakref.WeakKeyDictionary()


class Provided(NamedTuple):
    """A tracer, and what has to be known about the provider behind it."""

    tracer: Tracer
    relay: Relay
    beside: bool
    """Our spans stand beside the app's: the app's current span stays what it is."""
    resource: Resource | None
    """To be laid over the provider's resource, where that does not say what our settings say."""
    limits: tuple[int | None, int | None] | None


def provide(settings: Settings, outlet: Outlet) -> Provided:
    """A tracer of the app's provider with our relay added, or one of ours.

    No provider of ours is installed globally: OpenTelemetry takes only the first global provider, and an app that sets
    its own after `init` must find the place free. Then `adopt` changes over to it.
    """
    found = None if settings.own_provider else app_provider()
    ours = Resource(_resource_attributes(settings))
    if found is None:
        tracer = OwnTracer(Resource.create(dict(ours.attributes)), SCOPE, outlet.on_end)
        return Provided(tracer, Relay(), settings.own_provider, None, None)
    same = all(found.resource.attributes.get(key) == value for key, value in ours.attributes.items())
    limits = getattr(found, "_span_limits", None) or SpanLimits()
    return Provided(
        found.get_tracer(SCOPE),
        _relay_of(found),
        beside=False,
        resource=None if same else ours,
        limits=(limits.max_span_attributes, limits.max_span_attribute_length),
    )


def app_provider() -> TracerProvider | None:
    """The provider that the app set, if it takes span processors."""
    found = trace.get_tracer_provider()
    return found if isinstance(found, TracerProvider) else None


def _relay_of(provider: TracerProvider) -> Relay:
    relay = _relays.get(provider)
    if relay is None:
        relay = _relays[provider] = Relay()
        provider.add_span_processor(relay)
    return relay


def _resource_attributes(settings: Settings) -> dict[str, str]:
    named = {wire.APP: settings.app, wire.APP_VERSION: settings.version, wire.ENVIRONMENT: settings.environment}
    return {key: value for key, value in named.items() if value}


def switch_on(settings: Settings, outlet: Outlet) -> None:
    """Records to `outlet` from now on. `init` does this; tests hand in an outlet of their own."""
    provided = provide(settings, outlet)
    provided.relay.turn(outlet, provided.resource)
    rules = TextRules.of(capture=settings.capture_text, redact=settings.redact, max_chars=settings.max_text_chars)
    COUNTER.count = outlet.count
    SWITCH.recorder = Recorder(
        settings, provided.tracer, provided.relay, outlet, rules, provided.beside, provided.limits
    )
    SWITCH.waits_for_app = not settings.own_provider and app_provider() is None


def adopt() -> None:
    """Changes over to the provider that the app has set since `init`; asked before each request until it has."""
    if getattr(trace, "_TRACER_PROVIDER", _NOT_KNOWN) is None:
        return  # nobody has set one: `get_tracer_provider` would look at the environment again, each time
    recorder = SWITCH.recorder
    if recorder is None or app_provider() is None:
        return
    recorder.relay.turn(None, None)
    switch_on(recorder.settings, recorder.outlet)
