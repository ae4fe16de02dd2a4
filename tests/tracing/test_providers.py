"""Beside OpenTelemetry: an app's own provider, its sampler and its limits, and spans of ours where it has none."""

from __future__ import annotations

from typing import Any

import goldrank
import pytest
from goldrank.model import wire
from goldrank.tracing import providers
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased


class App(TracerProvider):
    """An app with OpenTelemetry set up: its provider and what its exporter got."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(
            resource=Resource({"service.name": "the app", "team": "x"}), shutdown_on_exit=False, **arguments
        )
        self.exporter = InMemorySpanExporter()
        self.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def exported(self) -> dict[str, Any]:
        return {span.name: span for span in self.exporter.get_finished_spans()}


@pytest.fixture
def app(monkeypatch):
    """Sets a provider as the global one, for this test."""

    def start(**arguments: Any) -> App:
        provider = App(**arguments)
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
        return provider

    return start


@goldrank.retrieve
def search(query):
    """A search that always finds the same."""
    return [{"id": f"c{n}", "text": "x" * 50, "score": 0.5} for n in range(50)]


@goldrank.request
def answer(question):
    """A request."""
    with trace.get_tracer("theirs").start_as_current_span("their span"):
        search(question)
    return goldrank.request_id()


def test_spans_go_through_the_apps_own_provider(app, record):
    """The app's exporters see our spans, its spans stand in the same trace, and our resource names the app."""
    provider = app()
    kept = record(app="support-bot", environment="staging", version="1.2")
    with provider.get_tracer("web").start_as_current_span("POST /ask") as server:
        request_id = answer("q")

    assert set(provider.exported) == {"POST /ask", "answer", "their span", "search"}
    assert kept.names() == ["search", "their span", "answer", "POST /ask"]
    assert kept.span("search").parent.span_id == kept.span("their span").context.span_id
    assert kept.span("answer").parent.span_id == server.get_span_context().span_id
    assert request_id.startswith(f"{server.get_span_context().trace_id:032x}-")
    assert dict(kept.span("their span").resource.attributes) == {
        "service.name": "support-bot",
        "service.version": "1.2",
        "deployment.environment.name": "staging",
        "team": "x",
    }
    assert provider.exported["answer"].resource.attributes["service.name"] == "the app"


@pytest.mark.parametrize(
    "limits",
    [
        SpanLimits(max_span_attribute_length=64),
        SpanLimits(max_attribute_length=64),
        SpanLimits(max_span_attributes=4),
    ],
)
def test_an_apps_limits_do_not_cut_our_json(app, record, limits, warnings_said):
    """What the provider would cut or drop reaches the spool whole, without a warning for each span."""
    app(span_limits=limits)
    kept = record()
    answer("a question that is longer than the limit allows: " + "z" * 100)
    assert len(kept.hits("search")) == 50
    assert kept.attributes("search")[wire.QUERY].endswith("z" * 100)
    assert kept.attributes("answer")[wire.KIND] == "request"
    assert warnings_said() == []


def test_more_hits_than_attributes(app, record):
    """300 hits with text and metadata are one attribute: the question and the last hit are both there."""
    app()
    kept = record()

    @goldrank.request(name="ask")
    def ask(question):
        with goldrank.stage("retrieve", name="vector", query=question) as s:
            s.hits([{"id": f"c{n}", "text": f"passage {n}", "meta": {"page": n}} for n in range(300)])

    ask("Which clause?")
    assert len(kept.hits("vector")) == 300
    assert kept.attributes("ask")[wire.QUESTION] == "Which clause?"


def test_an_unsampled_request_is_counted_and_still_has_an_id(app, record):
    """Under a sampler that drops everything: an id, a count, no span, no work."""
    app(sampler=ParentBased(ALWAYS_OFF))
    kept = record()
    request_id = answer("q")
    assert len(request_id) == 32 + 1 + 16
    assert kept.spans == []
    assert kept.counts == {"not sampled": 1}


def test_own_provider_records_beside_the_apps(app, record):
    """With own_provider=True the app's sampler does not matter, and its spans and context are left alone."""
    provider = app(sampler=ALWAYS_OFF)
    kept = record(own_provider=True)
    with provider.get_tracer("web").start_as_current_span("POST /ask") as server:
        before = trace.get_current_span()
        answer("q")
        assert trace.get_current_span() is before
    assert kept.names() == ["search", "answer"]
    assert provider.exported == {}
    assert kept.span("search").parent.span_id == kept.span("answer").context.span_id
    assert kept.span("answer").context.trace_id == server.get_span_context().trace_id


def test_a_provider_that_the_app_sets_later_is_adopted(monkeypatch, record):
    """init before the app's own set-up: no provider of ours stands in its way, and later requests go through it."""
    kept = record()
    answer("q")
    assert not isinstance(trace.get_tracer_provider(), TracerProvider)
    provider = App()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)  # as set_tracer_provider does, which works once a process
    answer("q")
    assert set(provider.exported) == {"answer", "their span", "search"}
    assert kept.names().count("answer") == 2


def test_a_second_init_takes_over_from_the_first(app, record):
    """A provider never lets a processor go: spans reach only the newest outlet, once."""
    app()
    first, second = record(), record()
    answer("q")
    assert first.spans == []
    assert second.names() == ["search", "their span", "answer"]


def test_a_switched_off_sdk_records_nothing(monkeypatch, app, record):
    """OTEL_SDK_DISABLED is respected: the count says that the request was not recorded."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    app()
    kept = record()
    assert len(answer("q")) == 49
    assert kept.spans == []
    assert kept.counts == {"not sampled": 1}


def test_our_own_spans_keep_opentelemetrys_interface(record):
    """Where the app has no provider, code that meets our span as the current one can use all of it."""
    kept = record(app="bot")

    @goldrank.request(name="ask")
    def ask(question):
        span = trace.get_current_span()
        span.set_attribute("theirs", 1)
        span.add_event("cache", {"hit": True})
        span.record_exception(ValueError("x"))
        other = trace.SpanContext(1, 2, is_remote=False)
        span.add_link(other)
        span.set_status(trace.StatusCode.OK)
        assert span.is_recording()

    ask("q")
    span = kept.span("ask")
    assert span.attributes["theirs"] == 1
    assert [event.name for event in span.events] == ["cache", "exception"]
    assert [link.context.span_id for link in span.links] == [2]
    assert span.status.status_code is trace.StatusCode.OK
    assert span.resource.attributes["service.name"] == "bot"
    assert span.end_time >= span.start_time
    assert span.context.trace_flags.sampled


def test_tracers_of_ours_make_current_spans():
    """The tracer is a whole one: blocks, parents, links."""
    from goldrank.tracing.own_spans import OwnTracer

    ended: list[Any] = []
    tracer = OwnTracer(Resource({}), "test", ended.append)
    with tracer.start_as_current_span("outer", attributes={"a": 1}) as outer:
        assert trace.get_current_span() is outer
        with pytest.raises(KeyError), tracer.start_as_current_span("inner"):
            raise KeyError("k")
    assert [(span.name, span.status.status_code.name) for span in ended] == [("inner", "ERROR"), ("outer", "UNSET")]
    assert ended[0].parent.span_id == ended[1].context.span_id
    assert providers.SCOPE == "goldrank"
