"""LiteLLM's functions, in a module of the same shape: arguments by place, and functions that outlive the recording."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar

import goldrank
import pytest
from goldrank.tracing.instrumenting import known

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


class LiteLLMInstrumentor:
    """As OpenInference's: looks at arguments by name alone, and forgets the functions as it goes."""

    is_instrumented_by_opentelemetry = False
    original_litellm_funcs: ClassVar[dict[str, Any]] = {}
    seen: ClassVar[list[tuple[Any, Any]]] = []

    def instrument(self, tracer_provider: Any, config: Any) -> None:
        module = sys.modules["litellm"]
        self.seen.clear()
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
    module.completion_with_retries = completion_with_retries
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
    imported, awaited = litellm.completion, litellm.acompletion
    goldrank.uninstrument("litellm")
    assert (litellm.completion, litellm.acompletion) == (completion, acompletion)
    assert imported("gpt", MESSAGES) == ("gpt", MESSAGES, None, {})
    assert asyncio.run(awaited("gpt", MESSAGES)) == ("gpt", MESSAGES, {})
    assert LiteLLMInstrumentor.seen == []


@pytest.mark.parametrize("name", ["bedrock", "dspy", "litellm"])
def test_what_to_install_is_named(name, caplog, monkeypatch):
    """These have no extra: it is the instrumentor's own package."""
    monkeypatch.setattr(known, "find_spec", lambda module: None if "openinference" in module else object())
    goldrank.tracing.guest.forget_what_was_said()
    assert goldrank.instrument(name) == ()
    assert caplog.text.rstrip().endswith(f"pip install openinference-instrumentation-{name}")
