"""The processor that an app's tracer provider gets: hands each ended span on, as goldrank's settings name the app.

It stands for the outlet because a provider never lets a processor go: a second `init` only turns the relay.
Where the provider's limits would cut our JSON, the span is handed on with what it should have carried.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from .guest import Guard
from .values import is_a

if TYPE_CHECKING:
    from .recorder import Outlet

_HANDING_ON: Final = Guard("handing on a span")


class Relay(SpanProcessor):
    """Hands ended spans to `outlet`, with the app's name and environment in their resource."""

    def __init__(self) -> None:
        self.outlet: Outlet | None = None
        """None: switched off."""
        self._resource: Resource | None = None
        self._merged: tuple[Resource, Resource] | None = None
        self._whole: dict[int, Mapping[str, Any]] = {}

    def turn(self, outlet: Outlet | None, resource: Resource | None) -> None:
        """From now on spans go to `outlet`; `resource` is laid over theirs (None: theirs is right)."""
        self._merged = None
        self._resource = resource
        self.outlet = outlet

    def set_limited(
        self, span: trace.Span, attributes: Mapping[str, Any], most: int | None, longest: int | None
    ) -> None:
        """Onto a span that ends next and whose provider keeps `most` attributes of at most `longest` characters each.

        What they would cut goes whole by this relay, and not to others.
        """
        if longest is not None or (most is not None and 2 * len(attributes) > most):
            self._whole[span.get_span_context().span_id] = attributes
            attributes = {
                key: value
                for key, value in list(attributes.items())[: None if most is None else most // 2]
                if longest is None or not is_a(value, str) or len(value) <= longest
            }
        span.set_attributes(attributes)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing: a span is recorded when it ends."""

    def on_end(self, span: ReadableSpan) -> None:
        """Hands the span on."""
        outlet = self.outlet
        with _HANDING_ON:
            whole = self._whole.pop(span.context.span_id, None) if self._whole else None
            if outlet is None:
                return
            if self._resource is not None or whole is not None:
                span = self._as_ours(span, whole)
            outlet.on_end(span)

    def _as_ours(self, span: ReadableSpan, whole: Mapping[str, Any] | None) -> ReadableSpan:
        """A copy: the other processors of the provider see the span as it is."""
        ours = copy.copy(span)
        changes: dict[str, Any] = {"_resource": self._over(span.resource)}
        if whole is not None:
            changes["_attributes"] = {**(span.attributes or {}), **whole}
        vars(ours).update(changes)
        return ours

    def _over(self, resource: Resource) -> Resource:
        if self._resource is None:
            return resource
        merged = self._merged
        if merged is None or merged[0] is not resource:
            merged = self._merged = (resource, resource.merge(self._resource))
        return merged[1]

    def shutdown(self) -> None:
        """The app's provider ends: everything handed on is written."""
        if self.outlet is not None:
            self.outlet.flush(2.0)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """The app's provider flushes."""
        return True if self.outlet is None else self.outlet.force_flush(timeout_millis)
