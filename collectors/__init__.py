"""How telemetry gets in: frames of the spool become spans, spans become requests, requests go to the store.

from goldrank.collectors import compose, decode_traces

spans = decode_traces(payload)          # OTLP protobuf
for composed in compose(spans):
    print(composed.recorded.request.request_id, composed.recorded.request.question)
"""

from __future__ import annotations

from .composition import Composed, compose
from .otlp import decode_traces

__all__ = ["Composed", "compose", "decode_traces"]
