"""What an app does to send its spans: the SDK's provider and OTLP exporter, and one instrumentation."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import re
import sys
import types
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

QUESTION = "Can I return an annual plan?"
PASSAGES = {
    "refunds#1": "Monthly plans are not refunded.",
    "refunds#2": "Annual plans can be returned within 30 days of the payment.",
    "refunds#3": "A refund arrives on the card within ten working days.",
    "plans#1": "Plans are changed in the settings, at any time.",
    "plans#2": "An annual plan costs ten times a monthly plan.",
}
INSTRUMENTORS = {
    "openinference-langchain": ("openinference.instrumentation.langchain", "LangChainInstrumentor"),
    "openinference-llama_index": ("openinference.instrumentation.llama_index", "LlamaIndexInstrumentor"),
    "openinference-haystack": ("openinference.instrumentation.haystack", "HaystackInstrumentor"),
    "traceloop-langchain": ("opentelemetry.instrumentation.langchain", "LangchainInstrumentor"),
    "traceloop-llama_index": ("opentelemetry.instrumentation.llamaindex", "LlamaIndexInstrumentor"),
}


def begin(app: str) -> TracerProvider:
    """Sets up sending, to OTEL_EXPORTER_OTLP_ENDPOINT, and the instrumentation that the command line names."""
    provider = TracerProvider(resource=Resource.create({"service.name": app}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    which = sys.argv[1]
    if which == "haystack-own":
        from haystack import tracing
        from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

        tracing.tracer.is_content_tracing_enabled = True
        tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
        return provider
    if which == "traceloop-llama_index":  # a namespace that is there once any model's integration is installed
        sys.modules.setdefault("llama_index.llms", types.ModuleType("llama_index.llms")).__path__ = []
    module, name = INSTRUMENTORS[which]
    getattr(importlib.import_module(module), name)().instrument(tracer_provider=provider)
    return provider


def end(provider: TracerProvider, **truth: Any) -> None:
    """Sends what is left, and prints what really happened."""
    provider.shutdown()
    sys.stdout.write(json.dumps(truth))


def vector(text: str) -> list[float]:
    """An embedding that needs no model: each word counts at one place."""
    found = [0.0] * 256
    for word in re.findall(r"\w+", text.lower()):
        found[hashlib.sha256(word.removesuffix("s").encode()).digest()[0]] += 1.0
    length = math.sqrt(sum(value * value for value in found)) or 1.0
    return [value / length for value in found]
