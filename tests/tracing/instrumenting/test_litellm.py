"""LiteLLM's functions, in a module of the same shape: arguments by place, and functions that outlive the recording."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import goldrank
import pytest
from goldrank.tracing.instrumenting import known
from openinference.instrumentation import OITracer

MESSAGES = [{"role": "user", "content": "How long?"}]


def completion(model: str, messages: list[Any] | None = None, timeout: float | None = None, **kwargs: Any) -> Any:
    """As LiteLLM's."""
    return model, messages, timeout, kwargs


async def acompletion(model: str, messages: list[Any] | None = None, **kwargs: Any) -> Any:
    """As LiteLLM's."""
    return model, messages, kwargs


def completion_with_retries(*args: Any, **kwargs: Any) -> Any:
    """As LiteLLM's."""
    return args, kwargs


def rerank(model: str, query: str, documents: list[Any], top_n: int | None = None, **kwargs: Any) -> Any:
    """As LiteLLM's: the last one is the best."""
    if query == "fail":
        raise ConnectionError("reranker is away")
    places = range(len(documents))[::-1][:top_n]
    return SimpleNamespace(results=[{"index": place, "relevance_score": place / 10} for place in places])


async def arerank(model: str, query: str, documents: list[Any], **kwargs: Any) -> Any:
    """As LiteLLM's."""
    return rerank(model, query, documents, **kwargs)


class LiteLLMInstrumentor:
    """As OpenInference's: looks at arguments by name alone, and forgets the functions as it goes."""

    is_instrumented_by_opentelemetry = False
    original_litellm_funcs: ClassVar[dict[str, Any]] = {}
    seen: ClassVar[list[tuple[Any, Any]]] = []

    def instrument(self, tracer_provider: Any, config: Any) -> None:
        module = sys.modules["litellm"]
        self.seen.clear()
        self._tracer = OITracer(tracer_provider.get_tracer("openinference.instrumentation.litellm"), config=config)
        for name in ("completion", "acompletion", "completion_with_retries"):
            self.original_litellm_funcs[name] = getattr(module, name)
            setattr(module, name, self._recorded(name))
        self.is_instrumented_by_opentelemetry = True

    def _recorded(self, name: str) -> Any:
        def record(*args: Any, **kwargs: Any) -> Any:
            self.seen.append((kwargs.get("model"), kwargs.get("messages")))
            return self.original_litellm_funcs[name](*args, **kwargs)

        return record

    def uninstrument(self) -> None:
        for name, function in self.original_litellm_funcs.items():
            setattr(sys.modules["litellm"], name, function)
        self.original_litellm_funcs.clear()


@pytest.fixture
def litellm(monkeypatch) -> Iterator[Any]:
    """The module, recorded."""
    module, beside = ModuleType("litellm"), ModuleType("openinference.instrumentation.litellm")
    module.completion, module.acompletion = completion, acompletion
    module.completion_with_retries, module.rerank, module.arerank = completion_with_retries, rerank, arerank
    beside.LiteLLMInstrumentor = LiteLLMInstrumentor
    before = sys.modules.pop("goldrank.tracing.instrumenting.litellm", None)
    monkeypatch.setitem(sys.modules, "litellm", module)
    monkeypatch.setitem(sys.modules, beside.__name__, beside)
    found = importlib.util.find_spec
    monkeypatch.setattr(known, "find_spec", lambda name: object() if name.endswith("litellm") else found(name))
    assert goldrank.instrument("litellm") == ("litellm",)
    yield module
    goldrank.uninstrument()
    sys.modules.pop("goldrank.tracing.instrumenting.litellm")
    if before is not None:
        sys.modules["goldrank.tracing.instrumenting.litellm"] = before


def test_arguments_by_place_have_names(litellm):
    """Model and prompt are recorded however they are given, and the function gets them as they were."""
    assert litellm.completion("gpt", MESSAGES, 2.0, top_p=1) == ("gpt", MESSAGES, 2.0, {"top_p": 1})
    assert litellm.completion("gpt", messages=MESSAGES) == ("gpt", MESSAGES, None, {})
    assert asyncio.run(litellm.acompletion("gpt", MESSAGES, user="u")) == ("gpt", MESSAGES, {"user": "u"})
    assert LiteLLMInstrumentor.seen == [("gpt", MESSAGES)] * 3


def test_arguments_that_have_no_name_stay_where_they_are(litellm):
    """Of a function that takes any arguments nothing is named, and a wrong call stays wrong in its own words."""
    assert litellm.completion_with_retries("gpt", n=1) == (("gpt",), {"n": 1})
    with pytest.raises(TypeError, match="multiple values for argument 'model'"):
        litellm.completion("gpt", model="other")
    with pytest.raises(TypeError, match="positional arguments"):
        litellm.completion("gpt", MESSAGES, 2.0, "too", "many")


def test_a_function_that_was_imported_goes_on(litellm):
    """Also after the instrumentor is gone, which forgets what it wrapped."""
    imported, awaited, ranked = litellm.completion, litellm.acompletion, litellm.rerank
    goldrank.uninstrument("litellm")
    assert (litellm.completion, litellm.acompletion, litellm.rerank) == (completion, acompletion, rerank)
    assert ranked("m", "q", ["a"]).results == [{"index": 0, "relevance_score": 0.0}]
    assert imported("gpt", MESSAGES) == ("gpt", MESSAGES, None, {})
    assert asyncio.run(awaited("gpt", MESSAGES)) == ("gpt", MESSAGES, {})
    assert LiteLLMInstrumentor.seen == []


def listed(span: Any, prefix: str) -> list[tuple[Any, Any, Any]]:
    """(id, text, score) of each document of a reranker, in order."""
    said = span.attributes
    places = sorted({int(key.split(".")[2]) for key in said if key.startswith(f"reranker.{prefix}.")})
    where = [f"reranker.{prefix}.{place}.document" for place in places]
    return [(said.get(f"{one}.id"), said.get(f"{one}.content"), said.get(f"{one}.score")) for one in where]


@pytest.mark.parametrize("call", ["by place", "by name", "awaited"])
def test_a_reranker(litellm, kept, call):
    """What went in, what came out with its scores; the app gets what it would get."""
    documents = ["one", {"id": "b", "text": "two"}, "three"]
    if call == "by place":
        found = litellm.rerank("cohere/m", "returns", documents, top_n=2)
    elif call == "by name":
        found = litellm.rerank(model="cohere/m", query="returns", documents=documents, top_n=2)
    else:
        found = asyncio.run(litellm.arerank("cohere/m", "returns", documents, top_n=2))
    assert [one["index"] for one in found.results] == [2, 1]
    span = kept.span("rerank")
    assert listed(span, "input_documents") == [(None, "one", None), ("b", "two", None), (None, "three", None)]
    assert listed(span, "output_documents") == [(None, "three", 0.2), ("b", "two", 0.1)]
    assert span.attributes["reranker.query"] == "returns"
    assert (span.attributes["reranker.model_name"], span.attributes["reranker.top_k"]) == ("cohere/m", 2)


def test_a_reranker_that_fails(litellm, kept):
    """The app gets the error, the span says so."""
    with pytest.raises(ConnectionError):
        litellm.rerank("m", "fail", ["a"])
    assert kept.span("rerank").status.status_code.name == "ERROR"


def test_a_rerankers_texts_can_be_hidden(litellm, record):
    """With capture_text=False neither query nor documents leave the process."""
    kept = record(capture_text=False)
    litellm.rerank("m", "a secret", ["a secret"])
    assert "secret" not in str(dict(kept.span("rerank").attributes))


@pytest.mark.parametrize("name", ["bedrock", "dspy", "litellm"])
def test_what_to_install_is_named(name, caplog, monkeypatch):
    """These have no extra: it is the instrumentor's own package."""
    monkeypatch.setattr(known, "find_spec", lambda module: None if "openinference" in module else object())
    goldrank.tracing.guest.forget_what_was_said()
    assert goldrank.instrument(name) == ()
    assert caplog.text.rstrip().endswith(f"pip install openinference-instrumentation-{name}")
