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
    keys = {text: number for number, text in enumerate(dict.fromkeys(packed.texts()), 1)}
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


@given(st.text("ab ", max_size=300), st.lists(st.text("ab ", min_size=48, max_size=60), max_size=4))
def test_split_parts_are_the_text(text, passages):
    """Overlapping passages and repetitions never lose or double a letter."""
    assert "".join(part.text for part in split(text, passages)) == text
