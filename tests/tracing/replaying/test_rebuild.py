"""What a stage returned is made again from what the shim recorded of it, or refused with the reason."""

from __future__ import annotations

import collections
import datetime as dt
import uuid
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from goldrank.model import Hit as RecordedHit
from goldrank.model import StageKind, TextState
from goldrank.tracing.replaying.rebuild import rebuild_pin
from goldrank.tracing.replaying.refusals import NotRebuildable
from langchain_core.documents import Document
from pydantic import BaseModel, field_validator

WHEN = dt.datetime(2026, 3, 1, 9, 30, tzinfo=dt.UTC)
UUID = uuid.UUID("0b5f2f0e-6d0a-4c53-9d0e-0f7f4b0a9a11")


class Marked(Document):
    """A subclass, as apps make them."""

    shelf: int = 0


@dataclass(frozen=True)
class Frozen:
    """A hit as many apps have it."""

    chunk_id: str
    doc_id: str
    text: str
    score: float
    metadata: dict[str, Any]


@dataclass(init=False)
class NoInit:
    """Its constructor takes something else."""

    id: int
    content: str
    page: int
    tags: list[str] = field(default_factory=list)

    def __init__(self, line: str) -> None:
        self.id, self.content, self.page = len(line), line, 3
        self.tags = ["a", "b"]


class Row(NamedTuple):
    """A row."""

    chunk_id: str
    score: float
    text: str
    section: str | None = None


class Checked(BaseModel):
    """Its validator counts."""

    id: str
    text: str
    score: float
    url: str
    doc_id: str

    @field_validator("text")
    @classmethod
    def count(cls, text: str) -> str:
        COUNT.append(1)
        return text


COUNT: list[int] = []


class Slotted:
    """Has no __dict__."""

    __slots__ = ("id", "text")

    def __init__(self) -> None:
        self.id, self.text = "c1", "one"


class Plain:
    """Declares no fields."""

    def __init__(self) -> None:
        self.id, self.text = "c1", "one"


def lc(text: str, **metadata: Any) -> Document:
    """A document of LangChain."""
    return Document(page_content=text, metadata={"source": "a.md", **metadata})


EQUAL = {
    "langchain": [lc("one", chunk_id="c1"), lc("two", chunk_id="c2", page=4)],
    "langchain with ids": [Document(id="u1", page_content="one", metadata={})],
    "langchain and score": [(lc("one"), 0.5), (lc("two"), 0.25)],
    "numpy scores": [(lc("one", when=WHEN), np.float32(0.1)), (lc("two", when=WHEN), np.float32(0.2))],
    "dates and uuids": [lc("one", when=WHEN, ref=UUID, day=WHEN.date(), pages=(1, 2))],
    "score in the metadata": [lc("one", relevance_score=0.75)],
    "a subclass": [Marked(page_content="one", metadata={"chunk_id": "c1"}, shelf=3)],
    "dicts": [{"id": "c1", "text": "one", "score": 0.5, "metadata": {"a": 1}}],
    "dicts with numbers": [
        {"id": 7, "content": "one", "distance": np.float32(0.5), "page": 3, "note": None, "tags": []}
    ],
    "dicts with two documents": [{"id": "c1", "doc_id": "d", "url": "https://x", "title": "T", "text": "one"}],
    "odd keys": [{"id": "c1", "text": "one", "my key, [x]": 3}],
    "a tuple of dicts": ({"id": "c1", "text": "one"},),
    "named tuples": [Row("c1", 0.5, "one"), Row("c2", 0.25, "two", "intro")],
    "frozen dataclass": [Frozen("c1", "d1", "one", 0.5, {"title": "T", "n": [1, 2]})],
    "dataclass without init": [NoInit("one")],
    "pydantic": [Checked(id="c1", text="one", score=0.5, url="https://x", doc_id="d")],
    "chroma": {
        "ids": [["c1", "c2"]],
        "documents": [["one", "two"]],
        "metadatas": [[{"a": 1}, None]],
        "distances": [[0.1, 0.2]],
        "embeddings": None,
        "uris": None,
        "included": ["metadatas", "documents", "distances"],
    },
    "id and score": [("c1", 0.5), ("c2", 0.25)],
    "score and id": [(0.5, "c1"), (0.25, "c2")],
    "id, score, text": [("c1", 0.5, "one")],
    "pairs as lists": [["c1", 0.5], ["c2", 0.25]],
    "dict of scores": {"c1": 0.5, "c2": 0.25},
    "parallel": (["c1", "c2"], [0.5, 0.25]),
    "ids": ["c1", "c2"],
    "whole ids": [7, 8],
    "texts": ["The first passage of several words.", "The second passage of several words."],
    "nothing": [],
}


def llama() -> Any:
    """A list of LlamaIndex."""
    from llama_index.core.schema import NodeWithScore, TextNode

    return [NodeWithScore(node=TextNode(text="one", id_="c1", metadata={"a": 1}), score=0.5)]


def haystack() -> Any:
    """What a component of Haystack returns."""
    from haystack import Document as HaystackDocument

    return {"documents": [HaystackDocument(content="one", meta={"a": 1}, score=0.5)]}


def qdrant_points() -> Any:
    """A list of Qdrant."""
    from qdrant_client.http.models import ScoredPoint

    return [ScoredPoint(id=3, version=1, score=0.5, payload={"text": "one", "a": 1})]


def qdrant() -> Any:
    """An answer of Qdrant."""
    from qdrant_client.http.models import QueryResponse, ScoredPoint

    return QueryResponse(points=[ScoredPoint(id=str(UUID), version=1, score=0.5, payload={"text": "one"})])


FRAMEWORKS = (llama, haystack, qdrant_points, qdrant)
"""Made when they are asked for: to load these takes seconds, in each process that collects tests."""


@pytest.mark.parametrize("what", [*EQUAL, *FRAMEWORKS])
def test_what_is_known_is_made_again(pinned, what):
    """Value and types are as they were."""
    value = what() if callable(what) else EQUAL[what]
    rebuilt = rebuild_pin(pinned(value))
    assert rebuilt.value == value
    assert rebuilt.notes == ()
    assert types_in(rebuilt.value) == types_in(value)


def types_in(value: Any) -> list[str]:
    """Of the value, its elements, and theirs."""
    found = [type(value).__name__]
    if isinstance(value, list | tuple):
        found += [name for item in value for name in types_in(item)]
    return found


def test_no_validator_runs_again(pinned):
    """A model is made as recorded: its validators saw it then."""
    COUNT.clear()
    value = [Checked(id="c1", text="one", score=0.5, url="u", doc_id="d")]
    assert COUNT == [1]
    assert rebuild_pin(pinned(value)).value == value
    assert COUNT == [1]


def local() -> Any:
    """An object whose class nobody can import."""

    @dataclass
    class Local:
        id: str
        text: str

    return [Local("c1", "one")]


REFUSED = {
    "a set": ({"c1", "c2"}, "set"),
    "an int-keyed dict": ({1: 0.5}, "int keys"),
    "an ordered dict": (collections.OrderedDict(c1=0.5), "collections.OrderedDict"),
    "numpy arrays in metadata": ([lc("one", vec=np.zeros(3))], "numpy.ndarray"),
    "a local class": (local(), "local class"),
    "slots": ([Slotted()], "Slotted"),
    "a plain class": ([Plain()], "Plain"),
    "numpy array": (np.array([1, 2]), "numpy.ndarray"),
    "scores of earlier stages": ([{"id": "c1", "text": "one", "score": 0.5, "bm25_score": 0.2}], "bm25_score"),
    "nested": ([{"id": "c1", "text": "one", "highlight": {"a": 1}}], "highlight"),
    "score beside a score": ([(lc("one", score=0.1), 0.5)], "score"),
    "NaN": ([("c1", float("nan")), ("c2", 0.5)], "score of hit 1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_certain_is_refused(pinned, what):
    """The reason names the type or the field."""
    value, reason = REFUSED[what]
    with pytest.raises(NotRebuildable, match=reason):
        rebuild_pin(pinned(value))


def test_a_generator_is_refused(pinned):
    """A generator that was returned was read by the app; what it gave cannot be a generator of this one again."""
    pin = pinned(hit for hit in ["c1"])
    with pytest.raises(NotRebuildable):
        rebuild_pin(pin)


def test_vectors_are_left_out_with_a_note(pinned):
    """They are never recorded, and nobody reads them after the search."""
    rebuilt = rebuild_pin(pinned([{"id": "c1", "text": "one", "vector": [0.1, 0.2]}]))
    assert rebuilt.value == [{"id": "c1", "text": "one", "vector": None}]
    assert rebuilt.notes == ("vector is not recorded, and None here",)


def test_the_users_rebuild_comes_first(pinned):
    """It gets the hits as dicts in rank order, and whatever it returns is the value."""
    pin = pinned([Slotted()])
    assert rebuild_pin(pin, own=lambda hits: [(hit["rank"], hit["id"], hit["text"]) for hit in hits]).value == [
        (1, "c1", "one")
    ]


@pytest.mark.parametrize("state", [TextState.REDACTED, TextState.CUT])
def test_hidden_texts_are_refused(pinned, state):
    """A passage that is not whole would make another prompt."""
    pin = pinned(EQUAL["frozen dataclass"])
    assert pin.hits
    hit: RecordedHit = pin.hits[0].model_copy(update={"text_state": state})
    with pytest.raises(NotRebuildable, match=state.value):
        rebuild_pin(pin.model_copy(update={"hits": (hit,)}))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a query", StageKind.REWRITE),
        (["a query", "another"], StageKind.REWRITE),
        (["one"], StageKind.REWRITE),
        (("one", "two"), StageKind.REWRITE),
        ("the prompt", StageKind.ASSEMBLE),
        (("the prompt", [{"id": "c1", "text": "one"}]), StageKind.ASSEMBLE),
        ([{"id": "c1", "text": "one"}], StageKind.ASSEMBLE),
        ("the answer", StageKind.GENERATE),
        ("some text", StageKind.TOOL),
    ],
)
def test_texts_are_made_again(pinned, value, kind):
    """A text, several, or a text with its list."""
    assert rebuild_pin(pinned(value, kind)).value == value


@pytest.mark.parametrize(
    ("value", "kind", "reason"),
    [
        ([{"role": "user", "content": "hi"}], StageKind.ASSEMBLE, "only the text"),
        ({"answer": "yes"}, StageKind.GENERATE, "only the text"),
        ([0.1, 0.2], StageKind.EMBED, "not recorded"),
    ],
)
def test_texts_inside_something_are_refused(pinned, value, kind, reason):
    """Messages and answer objects are recorded as their text alone."""
    with pytest.raises(NotRebuildable, match=reason):
        rebuild_pin(pinned(value, kind))


@pytest.mark.parametrize(
    "shape", ["list[os.system]", "list[subprocess.Popen]", "list[antigravity.X]", "list[", "list[x…", "{}"]
)
def test_a_hostile_tag_makes_nothing(pinned, shape):
    """A name from outside neither imports nor calls anything."""
    pin = pinned([{"id": "c1", "text": "one"}]).model_copy(update={"shape": shape})
    with pytest.raises(NotRebuildable):
        rebuild_pin(pin)
