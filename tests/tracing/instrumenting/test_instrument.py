"""`goldrank.instrument`: which frameworks it takes, when, and that the app does not notice."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import goldrank
import pytest
from goldrank.model.errors import UsageError
from goldrank.tracing.instrumenting import known, provider
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

INSTALLED = ("langchain", "llama_index", "haystack", "openai")


@pytest.fixture(autouse=True)
def _let_go() -> Iterator[None]:
    yield
    goldrank.uninstrument()


@pytest.fixture
def app_spans(monkeypatch) -> InMemorySpanExporter:
    """The app has a tracer provider with the SDK's usual limits; what it exports."""
    exporter = InMemorySpanExporter()
    apps = TracerProvider()
    apps.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", apps)
    return exporter


def search(k: int = 3, of: int = 5) -> list[Any]:
    """A retriever over a store in memory is asked once."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents([Document(id=f"c{n}", page_content=f"text {n}", metadata={"n": n}) for n in range(of)])
    return store.as_retriever(search_kwargs={"k": k}).invoke("what?")


def listed(span: Any, field: str) -> list[Any]:
    """A field of each document of a retriever's span, in order of rank."""
    found = []
    while (value := span.attributes.get(f"retrieval.documents.{len(found)}.document.{field}")) is not None:
        found.append(value)
    return found


def test_instrument_and_init_in_any_order(record):
    """Attached before `init`: nothing is recorded until then, everything after it, also after a second one."""
    assert goldrank.instrument("langchain") == ("langchain",)
    search()
    kept = record()
    search()
    assert kept.names() == ["VectorStoreRetriever"]
    again = record()
    search()
    assert (kept.names(), again.names()) == (["VectorStoreRetriever"], ["VectorStoreRetriever"])
    goldrank.shutdown()
    search()
    assert again.names() == ["VectorStoreRetriever"]


def test_two_calls_record_once(kept):
    """A second call does nothing new."""
    goldrank.instrument("langchain")
    assert goldrank.instrument("langchain", "langchain") == ("langchain",)
    search()
    assert kept.names() == ["VectorStoreRetriever"]


def test_several_names_and_names_as_pip_writes_them():
    """Several at once, with a dash or an underscore."""
    assert goldrank.instrument("llama-index", "haystack") == ("llama_index", "haystack")


def test_without_names_all_that_are_installed():
    """Every known framework that stands beside its instrumentor; the others are left alone."""
    assert goldrank.instrument() == INSTALLED


def test_an_unknown_name_is_refused_with_the_known_ones():
    """A mistake of the app's developer is said at the start, and nothing is attached by halves."""
    with pytest.raises(UsageError, match=r"'langchian'.*langchain, llama_index, haystack, openai"):
        goldrank.instrument("haystack", "langchian")
    assert goldrank.instrument("openai") == ("openai",)


def test_what_is_not_installed_is_one_line(warnings_said, monkeypatch):
    """It names the extra to install, once; the app runs on."""
    monkeypatch.setattr(known, "find_spec", lambda name: None if "openinference" in name else object())
    goldrank.tracing.guest.forget_what_was_said()
    assert goldrank.instrument("langchain") == goldrank.instrument("langchain") == ()
    (line,) = warnings_said()
    assert line.startswith("goldrank: langchain is not recorded, because its instrumentor is not installed")
    assert line.endswith("pip install 'goldrank[langchain]'")


def test_an_instrumentor_without_its_framework_is_one_line(caplog, monkeypatch):
    """The instrumentor alone records nothing."""
    monkeypatch.setattr(known, "find_spec", lambda name: object() if "openinference" in name else None)
    goldrank.tracing.guest.forget_what_was_said()
    with caplog.at_level(logging.WARNING, logger="goldrank"):
        assert goldrank.instrument("openai") == ()
    assert "because openai is not installed" in caplog.text


def test_uninstrument_puts_everything_back(kept):
    """Nothing is recorded afterwards, and LangChain's methods are its own again."""
    from langchain_core.callbacks import BaseCallbackManager
    from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever

    methods = [
        (BaseCallbackManager, "__init__"),
        (VectorStoreRetriever, "_get_relevant_documents"),
        (VectorStoreRetriever, "_aget_relevant_documents"),
        (InMemoryVectorStore, "similarity_search_with_score"),
        (InMemoryVectorStore, "_similarity_search_with_score_by_vector"),
    ]
    before = [vars(kind)[name] for kind, name in methods]
    goldrank.instrument("langchain")
    search()
    goldrank.uninstrument("langchain")
    search()
    assert [vars(kind)[name] for kind, name in methods] == before
    assert kept.names() == ["VectorStoreRetriever"]
    assert goldrank.instrument("langchain") == ("langchain",)


def test_an_error_of_ours_does_not_reach_the_app(kept, monkeypatch, caplog):
    """Without GOLDRANK_STRICT the app gets its documents; the log has one line."""
    monkeypatch.delenv("GOLDRANK_STRICT")
    goldrank.instrument("langchain")
    from goldrank.tracing.instrumenting import langchain

    monkeypatch.setattr(langchain, "score_of", lambda score: 1 / 0)
    with caplog.at_level(logging.WARNING, logger="goldrank"):
        assert len(search()) == len(search()) == 3
    assert caplog.text.count("looking at the scores of a vector store failed") == 1
    assert [listed(span, "id") for span in kept.spans] == [["c1", "c0", "c2"]] * 2


def test_long_lists_are_whole_also_under_the_apps_provider(app_spans, record):
    """The SDK keeps 128 attributes and drops the best ranks; spans of our instrumentor have room, the app's do not."""
    kept = record()
    goldrank.instrument("langchain")
    assert len(search(k=150, of=200)) == 150
    for spans in (kept.spans, app_spans.get_finished_spans()):
        (span,) = spans
        assert len(listed(span, "id")) == len(listed(span, "score")) == len(listed(span, "content")) == 150
        assert span.dropped_attributes == 0
        assert span.attributes["input.value"] == "what?"
    with trace.get_tracer("app").start_as_current_span("app's own") as span:
        span.set_attributes({f"k{n}": n for n in range(200)})
    assert len(app_spans.get_finished_spans()[-1].attributes) == 128


def test_a_provider_that_the_app_sets_after_init_is_taken_over(record, monkeypatch):
    """Also where the app never calls a function of ours."""
    kept = record()
    goldrank.instrument("langchain")
    search()
    exporter = InMemorySpanExporter()
    apps = TracerProvider()
    apps.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", apps)
    search()
    assert (len(kept.spans), len(exporter.get_finished_spans())) == (2, 1)


def test_own_provider_stands_beside_the_apps(app_spans, record):
    """Its exporter sees nothing; below the app's span ours begin a trace, below our request they are part of it."""
    kept = record(own_provider=True)
    goldrank.instrument("langchain")

    @goldrank.request
    def answer(question: str) -> str:
        return search()[0].page_content

    with trace.get_tracer("app").start_as_current_span("app's own"):
        search()
        answer("q")
    assert [span.name for span in app_spans.get_finished_spans()] == ["app's own"]
    alone, inside, request = kept.spans
    assert alone.parent is None
    assert inside.parent.span_id == request.context.span_id


def test_spans_of_a_framework_stand_inside_the_request(kept):
    """`goldrank.request` above it says question, user and answer."""
    goldrank.instrument("langchain")

    @goldrank.request
    def answer(question: str, user: str) -> str:
        return search()[0].page_content

    answer("q", "u1")
    inside, request = kept.spans
    assert inside.parent.span_id == request.context.span_id
    assert inside.instrumentation_scope.name == "openinference.instrumentation.langchain"


def test_redaction_and_capture_text_hold_for_frameworks(record):
    """Texts are redacted before they leave the process; with capture_text=False only ids and scores are recorded."""
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Fixed(BaseRetriever):
        """Always the same."""

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(id="c1", page_content="write to ann@example.org", metadata={"by": "bob@example.org"})]

    goldrank.instrument("langchain")
    kept = record(redact=["email"])
    Fixed().invoke("I am eve@example.org")
    said = str(dict(kept.span("Fixed").attributes))
    assert "example.org" not in said
    assert "write to" in said
    assert listed(kept.span("Fixed"), "id") == ["c1"]
    kept = record(capture_text=False)
    Fixed().invoke("I am eve@example.org")
    said = str(dict(kept.span("Fixed").attributes))
    assert "example.org" not in said
    assert "write to" not in said
    assert listed(kept.span("Fixed"), "id") == ["c1"]


def test_redaction_holds_for_errors_of_frameworks(record):
    """What an exception says is a text like any other; its type stays."""
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Failing(BaseRetriever):
        """Says whom it could not find."""

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            raise LookupError("nobody knows ann@example.org")

    goldrank.instrument("langchain")
    for hides, kept_words in (({"redact": ["email"]}, True), ({"capture_text": False}, False)):
        kept = record(**hides)
        with pytest.raises(LookupError):
            Failing().invoke("who?", {"tags": ["of eve@example.org"]})
        span = kept.span("Failing")
        said = str((dict(span.attributes), span.status.description, [dict(one.attributes) for one in span.events]))
        assert "example.org" not in said, said
        assert ("nobody knows" in said) is kept_words
        assert "LookupError" in said
        assert not span.status.is_ok


def test_lists_of_texts_are_redacted(record):
    """Such as tags."""
    from goldrank.tracing.instrumenting.masking import Masking

    record(redact=["email"])

    tags = Masking().mask("tag.tags", ["of eve@example.org", "plain"])

    assert "example.org" not in str(tags)
    assert tags[1] == "plain"


def test_limits_that_are_wider_stay_the_apps():
    """No limit is narrowed."""
    unlimited = SpanLimits(max_span_attributes=SpanLimits.UNSET)
    assert provider.raised(unlimited) is unlimited
    assert provider.raised(SpanLimits(max_span_attributes=10)).max_span_attributes == provider.MAX_ATTRIBUTES


def test_an_instrumentor_that_the_app_attached_stays_its_own(app_spans, record):
    """Its spans come by the app's provider, once; ids and scores are filled in all the same."""
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument()
    try:
        kept = record()
        assert goldrank.instrument("langchain") == ()
        search()
        (span,) = kept.spans
        assert listed(span, "id") == ["c1", "c0", "c2"]
        goldrank.uninstrument()
        assert LangChainInstrumentor().is_instrumented_by_opentelemetry
    finally:
        goldrank.uninstrument("langchain")
        LangChainInstrumentor().uninstrument()
