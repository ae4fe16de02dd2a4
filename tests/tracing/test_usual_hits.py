"""The fast way reads what the recognisers read, or leaves the list to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from goldrank.model import wire
from goldrank.tracing.hits import HitList
from goldrank.tracing.recognisers import read_hit, reading_of
from goldrank.tracing.usual_hits import TEXTS, read_usual
from hypothesis import given, settings
from hypothesis import strategies as st


@dataclass
class Chunk:
    """A chunk as an app may hold it."""

    id: str
    content: str
    score: float = 0.5
    meta: dict[str, Any] = field(default_factory=dict)


def each(elements: list[Any], word: str) -> tuple[list[dict[str, Any]], list[str | None]]:
    """Bodies and texts as the recognisers read them one by one."""
    found = HitList(elements, "")
    for element in elements:
        hit = read_hit(element, reading_of(word, "rrf"))
        assert hit is not None
        found.add(hit)
    return [{k: v for k, v in body.items() if v != {}} for body in found.bodies], found.texts


def by_row(usual: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str | None]]:
    """What was read fast, as `each` gives it."""
    texts = usual.pop(TEXTS)
    rows = wire.rows_of(usual)
    assert rows is not None
    return [{k: v for k, v in row.items() if v != {}} for row in rows], texts


@pytest.mark.parametrize("word", ["retrieve", "fuse", "rerank"])
@pytest.mark.parametrize(
    "elements",
    [
        [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}],
        [{"chunk_id": "a", "doc_id": "d", "text": "one", "score": 0.5, "metadata": {"page": 1}}],
        [{"chunk_id": "a", "score": 0.5, "lang": "en", "embedding": [0.1], "metadata": {"page": 1, "lang": "de"}}],
        [{"id": "a", "rerank_score": 0.5, "score": 0.1}],
        [{"id": "a", "distance": 0.5, "document": "text of it"}],
        [Chunk("a", "one"), Chunk("b", "two", 0.25, {"source": "x"})],
        [{"id": "a", "metadata": {"source": "x", "doc_id": "d"}}, {"id": "b", "metadata": {"source": "y"}}],
        [{"id": "a", "text": "one", "payload": {"metadata": {"source": "x"}}}],
    ],
)
def test_usual_lists_are_read_fast_and_alike(elements, word):
    """The same ids, documents, scores, texts and metadata."""
    usual = read_usual(elements, reading_of(word, "rrf"))
    if usual is not None:
        assert by_row(usual) == each(elements, word)


def test_the_plainest_list_is_usual():
    """The fast way is taken at all."""
    assert read_usual([{"id": "a", "text": "one", "score": 0.5}], reading_of("retrieve", "x")) is not None
    assert read_usual([Chunk("a", "one")], reading_of("retrieve", "x")) is not None
    documents = [Chunk("a", "one", 0.5, {"source": "a.md", "page": 1}), Chunk("b", "two", 0.25, {"source": "b.md"})]
    usual = read_usual(documents, reading_of("retrieve", "x"))
    assert usual is not None
    assert by_row(usual) == each(documents, "retrieve")


@pytest.mark.parametrize(
    "odd",
    [
        {"id": 2, "text": "x", "score": 0.5},
        {"id": "", "text": "x", "score": 0.5},
        {"id": "b", "text": None, "score": 0.5},
        {"id": "b", "text": "x", "score": 1},
        {"id": "b", "text": "x", "score": float("nan")},
        {"id": "b", "score": 0.5, "body": "x"},
        ("b", 0.5),
    ],
)
def test_one_odd_hit_leaves_the_list_to_the_recognisers(odd):
    """Nothing is read by halves."""
    assert read_usual([{"id": "a", "text": "one", "score": 0.5}, odd], reading_of("retrieve", "x")) is None


_VALUES = st.one_of(
    st.text(max_size=3),
    st.floats(),
    st.integers(-3, 3),
    st.none(),
    st.booleans(),
    st.dictionaries(
        st.sampled_from(["page", "chunk_id", "source", "text", "score", "id", "parent_id", "embedding"]),
        st.one_of(st.text(max_size=3), st.integers(-3, 3), st.floats(allow_nan=False)),
        max_size=3,
    ),
)
_KEYS = st.sampled_from(
    ["id", "chunk_id", "text", "content", "score", "distance", "doc_id", "source", "metadata", "payload", "lang", "doc"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.dictionaries(_KEYS, _VALUES, max_size=5), min_size=1, max_size=3))
def test_whatever_is_read_fast_is_read_alike(elements):
    """For any dicts: the fast way declines, or reads what the recognisers read."""
    usual = read_usual(elements, reading_of("retrieve", "x"))
    if usual is not None:
        assert by_row(usual) == each(elements, "retrieve")
