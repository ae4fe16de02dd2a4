"""Long texts leave the attributes and come back letter for letter."""

from __future__ import annotations

import json

import orjson
import pytest
from goldrank.store.duckdb.packing import SHORTEST_TEXT, cut, numbers_in, pack, unpack
from goldrank.store.duckdb.texts import split
from hypothesis import given
from hypothesis import strategies as st

LONG = "Refunds are possible within 14 days of the purchase, if the plan was not used. " * 2
QUOTED = 'He said "no refunds", then\n\tleft; naïve \\ path. ' * 4


def round_trip(attributes):
    """The attributes after packing, with the body and the texts in between."""
    packed = pack(attributes)
    cards = [card for dealt in packed.lists() for card in dealt.cards]
    keys = {text: number for number, text in enumerate(dict.fromkeys([*packed.texts(), *cards]), 1)}
    body = packed.numbered(keys.__getitem__)
    assert numbers_in(body) == set(keys.values())
    return unpack(body, {number: text for text, number in keys.items()}), body, list(keys)


@pytest.mark.parametrize(
    "writer",
    [json.dumps, lambda value: json.dumps(value, ensure_ascii=False), lambda value: orjson.dumps(value).decode()],
)
@pytest.mark.parametrize("text", [LONG, QUOTED, LONG + "\u2028\x7f", "\U0001f600" * 200])
def test_texts_inside_json_are_taken_out_decoded(writer, text):
    """Whoever wrote the JSON, the text that is kept is the one that a hit holds."""
    attributes = {"hits": writer({"hits": [{"id": "a", "x": text}, {"id": "b", "x": LONG}]}), "n": 1}
    again, body, texts = round_trip(attributes)
    assert again == attributes
    assert set(texts) == {text, LONG}
    assert "possible" not in body


def test_a_long_text_is_one_reference():
    """An attribute that is a text, also inside lists and mappings."""
    attributes = {"q": LONG, "short": "x" * (SHORTEST_TEXT - 1), "list": [LONG, {"k": QUOTED}], "none": None}
    again, _, texts = round_trip(attributes)
    assert again == attributes
    assert texts == [LONG, QUOTED]


def test_a_text_that_stays_is_left_where_it_stands():
    """As a whole attribute, and as a literal among others that go, whatever its escapes."""
    attributes = {"answer": QUOTED, "messages": json.dumps([{"content": QUOTED}, {"content": LONG}]), "q": LONG}
    packed = pack(attributes, frozenset({QUOTED}))
    assert set(packed.texts()) == {LONG}
    body = packed.numbered({LONG: 1}.__getitem__)
    assert unpack(body, {1: LONG}) == attributes


@pytest.mark.parametrize(
    "text",
    [
        '["' + "\\u0041" * 60 + '"]',
        '["' + "a" * 200,
        '{"broken": "' + "\\x" * 100 + '"}',
        "[" + "1.25, " * 100 + "]",
        '[""' + LONG + '""]',
        "{" + '"' * 300,
    ],
)
def test_letters_that_no_writer_would_write_stay(text):
    """Odd escapes and broken JSON come back as they were."""
    assert round_trip({"a": text})[0] == {"a": text}


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_comes_back(first, second):
    """Whatever the letters are."""
    surrogates = any("\ud800" <= letter <= "\udfff" for letter in first + second)
    if not surrogates:
        attributes = {"a": json.dumps([first, second]), "b": "[" + first + '"' + second, "c": first + second}
        assert round_trip(attributes)[0] == attributes


def test_nothing_is_cut_out_of_short_texts():
    """What is short stays where it is."""
    assert cut("short") is None
    assert cut('["' + '", "'.join(["short"] * 100) + '"]') is None


def test_a_prompt_is_split_at_its_passages():
    """The longest passage first, each at its first place; joined it is the prompt again."""
    one, two = "A passage about refunds that is long enough to be found.", "Another passage, about gift cards, as long."
    prompt = f"Context:\n{one}\n\n{two + ' And more of it.'}\n{one}"
    parts = split(prompt, [one, two + " And more of it.", two, "tiny"])
    assert "".join(part.text for part in parts) == prompt
    assert [part.text for part in parts if not part.is_literal] == [one, two + " And more of it."]
    assert split(prompt, []) == [(prompt, True)]
    assert split(one, [one]) == [(one, True)]
    assert split(f"{one} {one}", [one]) == [(f"{one} ", True), (one, False)]


@given(st.text("ab ", max_size=300), st.lists(st.text("ab ", min_size=48, max_size=60), max_size=4))
def test_split_parts_are_the_text(text, passages):
    """Overlapping passages and repetitions never lose or double a letter."""
    assert "".join(part.text for part in split(text, passages)) == text


def columns(count: int) -> dict[str, object]:
    """A list by column, as goldrank's own decorators write it."""
    return {
        "n": count,
        "scope": "0a0b0c0d",
        "cols": {
            "id": [f"refunds#{number}" for number in range(count)],
            "doc": ["refunds"] * count,
            "s": [1 - number / 7 for number in range(count)],
            "m": [{"page": number, "title": "Größe"} for number in range(count)],
            "x": [None if number == 1 else f"{number}\n{QUOTED}" for number in range(count)],
            "t": list(range(count)),
        },
    }


def flattened(count: int) -> dict[str, object]:
    """A list as OpenInference flattens it."""
    found: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": "q"}
    for number in range(count):
        prefix = f"retrieval.documents.{number}.document"
        found |= {
            f"{prefix}.id": f"refunds#{number}",
            f"{prefix}.content": f"{number} {QUOTED}",
            f"{prefix}.score": number / 7,
            f"{prefix}.metadata": '{"page": 3}',
        }
    return found | {"output.value": LONG}


def test_a_list_is_one_card_a_hit():
    """Id, document, metadata and text of a hit are one text, and the letters of the list come back."""
    attributes = {"goldrank.hits": orjson.dumps(columns(12)).decode(), "goldrank.kind": "retrieve"}
    again, body, cards = round_trip(attributes)
    assert again == attributes
    assert len(cards) == 12
    assert "refunds" not in body
    assert "0.8571428571428572" in body


def test_a_flattened_list_is_one_card_a_hit():
    """The attributes come back under their keys, in their order."""
    attributes = flattened(12)
    again, body, cards = round_trip(attributes)
    assert list(again.items()) == list(attributes.items())
    assert len(cards) == 13
    assert "refunds" not in body


def test_the_same_hits_in_another_list_have_the_same_cards():
    """Scores do not make another card."""
    value = columns(5)
    other = json.loads(json.dumps(value))
    other["cols"]["s"] = [0.5] * 5
    _, _, cards = round_trip({"a": orjson.dumps(value).decode(), "b": orjson.dumps(other).decode()})
    assert len(cards) == 5


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(columns(5)),
        orjson.dumps(columns(2)).decode(),
        orjson.dumps(columns(5)).decode().replace('"doc":[', '"doc": ['),
        orjson.dumps(columns(5)).decode()[:-1],
        orjson.dumps(columns(5) | {"cols": {"id": ["a"] * 5, "m": [{"score": 0.1234}] * 5}, "x": LONG}).decode(),
        orjson.dumps(columns(5) | {"cols": 3, "x": LONG}).decode(),
    ],
)
def test_lists_that_cards_would_not_give_back_stay(text):
    """Other letters than orjson's, a list cut off, few hits, measured numbers in the metadata."""
    again, _, _ = round_trip({"goldrank.hits": text})
    assert again == {"goldrank.hits": text}


@pytest.mark.parametrize("change", ["hole", "order", "missing", "leading zero", "bytes"])
def test_flattened_lists_with_something_odd_come_back(change):
    """Whatever the keys are, the attributes come back."""
    attributes = flattened(6)
    if change == "hole":
        del attributes["retrieval.documents.2.document.id"]
    elif change == "order":
        attributes["retrieval.documents.0.document.id"] = attributes.pop("retrieval.documents.0.document.id")
    elif change == "missing":
        del attributes["retrieval.documents.5.document.metadata"]
    elif change == "leading zero":
        attributes["retrieval.documents.06.document.id"] = "x"
    else:
        attributes["retrieval.documents.3.document.metadata"] = b"\x00"
    again, _, _ = round_trip(attributes)
    assert list(again.items()) == list(attributes.items())
