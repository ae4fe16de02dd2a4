"""Text from traces cannot steer a terminal."""

from __future__ import annotations

import json

import pytest
from goldrank.commands.visible import safe_json, visible_line, visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 null\x00 back\x08", "bell␇ null␀ back␈"),
        ("eight bits \x9b31m", "eight bits \\u009b31m"),
        ("delete\x7f", "delete␡"),
        ("left \u202ethgir", "left \\u202ethgir"),
        ("half \ud83d", "half \\ud83d"),
        ("Grüße 质量 \U0001f600", "Grüße 质量 \U0001f600"),
    ],
)
def test_what_steers_a_terminal_is_shown_as_a_mark(text, shown):
    """Escape sequences, bells, 8-bit controls and reordering marks are seen, not obeyed."""
    assert visible_line(text) == shown
    assert visible_text(text) == shown


def test_a_line_stays_one_line():
    """Line ends and tabs inside a cell are marks; in a text they do what they say."""
    assert visible_line("a\nb\tc\r") == "a␊b␉c␍"
    assert visible_text("a\r\nb\tc\rd") == "a\nb\tc␍d"


def test_json_says_the_same_without_a_control():
    """Escapes stand for what a terminal would obey; a reader gets the text as it was."""
    value = {"text": "\x9b31m \u202e \u2028 ü"}
    document = json.dumps(value, ensure_ascii=False)

    assert json.loads(safe_json(document)) == value
    assert safe_json(document).isprintable()
