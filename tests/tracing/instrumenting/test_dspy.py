"""DSPy's retrievers, in a package of the same shape: what is recorded beside what the instrumentor sees.

The real package is heavy and no extra installs it; the last test is for where it is installed beside its instrumentor.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import goldrank
import pytest
from goldrank.tracing.instrumenting import known
from openinference.instrumentation import OITracer
from wrapt import FunctionWrapper

TEXTS = {"a": "Returns are free within 30 days.", "b": "Software cannot be returned."}
ALL = list(TEXTS.values())


class Prediction(SimpleNamespace):
    """As in DSPy: what it holds is in `_store`."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(_store=fields, **fields)


class Passage:
    """What a retrieval model returns."""

    def __init__(self, name: str, score: float) -> None:
        self.long_text, self.id, self.score = TEXTS[name], name, score
        self.metadata = {"source": f"{name}.md"}


def a_model(query: str, k: int) -> list[Passage]:
    """A retrieval model of the app."""
    return [Passage("b", 0.0), Passage("a", 0.25)][:k]


class Instrumentor:
    """As OpenInference's: takes ColBERTv2's passages for objects, and `self` for the name of every first parameter."""

    is_instrumented_by_opentelemetry = False

    def instrument(self, tracer_provider: Any, config: Any) -> None:
        self._tracer = OITracer(tracer_provider.get_tracer("openinference.instrumentation.dspy"), config=config)
        self.is_instrumented_by_opentelemetry = True
        kind = sys.modules["dspy"].ColBERTv2
        kind.__call__ = FunctionWrapper(
            kind.__call__, lambda call, _self, args, kw: [p["pid"] for p in call(*args, **kw)]
        )

    def uninstrument(self) -> None:
        kind = sys.modules["dspy"].ColBERTv2
        kind.__call__ = kind.__dict__["__call__"].__wrapped__
        self.is_instrumented_by_opentelemetry = False


def _first_ids(call: Any, _self: Any, args: Any, kwargs: Any) -> Any:
    return [passage["pid"] for passage in call(*args, **kwargs)]


def _get_input_value(method: Any, *args: Any, **kwargs: Any) -> str:
    if next(iter(kwargs), "question") != "question":
        raise TypeError("missing a required argument: 'this'")
    return json.dumps({"question": args[0] if args else kwargs.get("question")})


def a_package() -> dict[str, ModuleType]:
    """The parts of DSPy that matter here, and the instrumentor beside it."""
    dspy, unbatchify = ModuleType("dspy"), ModuleType("dspy.utils.unbatchify")
    settings = SimpleNamespace(rm=a_model)

    @contextlib.contextmanager
    def context(rm: Any) -> Iterator[None]:
        before, settings.rm = settings.rm, rm
        yield
        settings.rm = before

    class Retrieve:
        def __init__(self, k: int = 3) -> None:
            self.k = k

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self.forward(*args, **kwargs)

        def forward(self, query: str, k: int | None = None) -> Any:
            return Prediction(passages=[one.long_text for one in settings.rm(query, k=k or self.k)])

    class Unbatchify:
        def __call__(self, query: str) -> Any:
            return ALL, [0, 1], [0.75, 0.5]

    class Embeddings:
        k = 2

        def __call__(self, query: str) -> Any:
            passages, indices, _scores = Unbatchify()(query)
            return Prediction(passages=passages, indices=indices)

    class ColBERTv2:
        def __call__(self, query: str, k: int = 10, simplify: bool = False) -> Any:
            found = [{"text": text, "long_text": text, "pid": n, "score": 9.5 - n} for n, text in enumerate(ALL)][:k]
            return [one["long_text"] for one in found] if simplify else found

    for one in (Retrieve, Embeddings, ColBERTv2):
        setattr(dspy, one.__name__, one)
    dspy.settings, dspy.context, unbatchify.Unbatchify = settings, context, Unbatchify
    beside = ModuleType("openinference.instrumentation.dspy")
    beside._get_input_value = _get_input_value
    beside.DSPyInstrumentor = type("DSPyInstrumentor", (Instrumentor,), {"__module__": beside.__name__})
    made = {"dspy": dspy, "dspy.utils": ModuleType("dspy.utils"), "dspy.utils.unbatchify": unbatchify}
    return made | {beside.__name__: beside}


@pytest.fixture
def dspy(monkeypatch, kept) -> Iterator[Any]:
    """The package, recorded."""
    before = sys.modules.pop("goldrank.tracing.instrumenting.dspy", None)
    for name, module in a_package().items():
        monkeypatch.setitem(sys.modules, name, module)
    found = importlib.util.find_spec
    monkeypatch.setattr(known, "find_spec", lambda name: object() if name.endswith("dspy") else found(name))
    assert goldrank.instrument("dspy") == ("dspy",)
    yield sys.modules["dspy"]
    goldrank.uninstrument()
    sys.modules.pop("goldrank.tracing.instrumenting.dspy")
    if before is not None:
        sys.modules["goldrank.tracing.instrumenting.dspy"] = before


def documents(span: Any) -> list[dict[str, Any]]:
    """The documents of a span, in order of rank; metadata as they were."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in (span.attributes or {}).items():
        if key.startswith("retrieval.documents."):
            place, _, name = key.removeprefix("retrieval.documents.").partition(".document.")
            found.setdefault(int(place), {})[name] = json.loads(value) if name == "metadata" else value
    return [found[place] for place in sorted(found)]


def test_a_retrieval_model_gives_ids_and_scores(dspy, kept):
    """`Retrieve` hands on texts alone; what its model returned says more of the same ones. A score of 0 is one."""
    found = dspy.Retrieve(k=2)("returns")
    assert found.passages == [TEXTS["b"], TEXTS["a"]]
    span = kept.span("Retrieve")
    assert documents(span) == [
        {"id": "b", "content": TEXTS["b"], "score": 0.0, "metadata": {"source": "b.md", "doc_id": "b.md"}},
        {"id": "a", "content": TEXTS["a"], "score": 0.25, "metadata": {"source": "a.md", "doc_id": "a.md"}},
    ]
    assert json.loads(span.attributes["input.value"]) == {"query": "returns", "k": 2}
    assert dspy.settings.rm is a_model


def test_equal_texts_stay_apart(dspy, kept):
    """By their places in one list; what two searches say of a text in two ways is said of neither."""
    twins = [Passage("a", 0.5), Passage("a", 0.25), Passage("b", 0.1)]
    twins[1].id = "a2"
    dspy.settings.rm = lambda query, k: twins
    dspy.Retrieve()("returns")
    assert [(one["id"], one["score"]) for one in documents(kept.span("Retrieve"))] == [
        ("a", 0.5),
        ("a2", 0.25),
        ("b", 0.1),
    ]

    class Searcher(dspy.Retrieve):
        def forward(self, query: str) -> Any:
            found = dspy.settings.rm(query, k=3)
            return Prediction(passages=[found[2].long_text, found[0].long_text])

    Searcher()("returns")
    assert [(one.get("id"), one.get("score")) for one in documents(kept.span("Searcher"))] == [("b", 0.1), (None, None)]


def test_an_index_of_embeddings_is_a_retriever(dspy, kept):
    """It keeps its scores to itself; a place in the corpus is no id."""
    dspy.Embeddings()("returns")
    assert documents(kept.span("Embeddings")) == [
        {"content": ALL[0], "score": 0.75, "metadata": {"corpus_index": 0}},
        {"content": ALL[1], "score": 0.5, "metadata": {"corpus_index": 1}},
    ]


@pytest.mark.parametrize(
    "found",
    [
        lambda: Prediction(passages=ALL, ids=["a", "b"], scores=[2.0, 1.0]),
        lambda: [
            Prediction(long_text=TEXTS["a"], id="a", score=2.0),
            Prediction(long_text=TEXTS["b"], id="b", score=1),
        ],
        lambda: [{"text": TEXTS["a"], "id": "a", "score": 2.0}, {"text": TEXTS["b"], "id": "b", "score": 1.0}],
    ],
)
def test_a_retriever_that_searches_itself(dspy, kept, found):
    """A subclass with a `forward` of its own, whatever it returns."""

    class Searcher(dspy.Retrieve):
        def forward(self, query: str, k: int | None = None) -> Any:
            return found()

    Searcher()("returns", k=2)
    listed = [(one["id"], one["content"], one["score"]) for one in documents(kept.span("Searcher"))]
    assert listed == [("a", TEXTS["a"], 2.0), ("b", TEXTS["b"], 1.0)]


def test_colbert_with_and_without_its_objects(dspy, kept):
    """Plain texts reach the app, which they would not with the instrumentor alone."""
    colbert = dspy.ColBERTv2()
    assert colbert("returns", k=1)[0]["pid"] == 0
    assert colbert("returns", k=2, simplify=True) == ALL
    first, second = map(documents, kept.spans)
    assert [(one["id"], one["score"]) for one in first] == [("0", 9.5)]
    assert [one["content"] for one in second] == ALL


def test_nothing_found_and_nothing_readable(dspy, kept):
    """An empty list is said; of something else nothing is."""

    class Searcher(dspy.Retrieve):
        def forward(self, query: str) -> Any:
            return Prediction(passages=[]) if query == "none" else iter(ALL)

    Searcher()("none")
    Searcher()("odd")
    first, second = (dict(span.attributes or {}) for span in kept.spans)
    assert list(first["retrieval.documents"]) == []
    assert not any(key.startswith("retrieval.") for key in second)


def test_a_retriever_that_fails(dspy, kept):
    """The app gets the error, and the settings are its own again."""
    dspy.settings.rm = failing = lambda query, k: 1 / 0
    with pytest.raises(ZeroDivisionError):
        dspy.Retrieve()("returns")
    assert kept.span("Retrieve").status.status_code.name == "ERROR"
    dspy.settings.rm = failing


def test_a_first_parameter_of_another_name_is_no_error(dspy):
    """What cannot be bound is written down as it came."""
    read = sys.modules["openinference.instrumentation.dspy"]._get_input_value
    assert json.loads(read(None, question="how?")) == {"question": "how?"}
    assert json.loads(read(None, "x", other="how?")) == {"args": ["x"], "kwargs": {"other": "how?"}}


def test_letting_go_puts_all_back(dspy, kept):
    """Nothing is recorded afterwards."""
    goldrank.uninstrument("dspy")
    assert dspy.Retrieve(k=1)("returns").passages == [TEXTS["b"]]
    assert dspy.ColBERTv2()("returns", k=1)[0]["pid"] == 0
    assert kept.spans == []


def test_the_real_package(kept):
    """A module with each of its retrievers, where DSPy is installed."""
    pytest.importorskip("openinference.instrumentation.dspy", reason="NOT TRIED: DSPy is not installed here")
    real = pytest.importorskip("dspy", reason="NOT TRIED: DSPy is not installed here")
    import numpy as np

    goldrank.instrument("dspy")
    try:
        index = real.Embeddings(ALL, embedder=lambda texts: np.eye(2)[[len(text) % 2 for text in texts]], k=2)
        index("returns")
        with real.context(rm=a_model):
            real.Retrieve(k=2)("returns")
    finally:
        goldrank.uninstrument("dspy")
    assert len(documents(kept.span("Embeddings"))) == 2
    assert [one["id"] for one in documents(kept.span("Retrieve"))] == ["b", "a"]
    real.Embeddings.__call__(index, "again")
    assert kept.names().count("Embeddings") == 1
