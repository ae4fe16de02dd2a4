"""Text from traces, made safe to show: literal in bodies, escaped where Streamlit only takes Markdown.

Bodies go through `literal` into `st.text`, which parses nothing. Headings, captions, badges, buttons, metrics
and alerts are Markdown: `escaped` makes a text come out there letter for letter.
"""

from __future__ import annotations

import re

_CONTROL_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: "␡"}

_INVISIBLE = {
    0x00AD: "SHY",
    0x061C: "ALM",
    0x180E: "MVS",
    0x200B: "ZWSP",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
"""Characters that change the order of others or cannot be seen. Joiners (U+200C, U+200D) stay: scripts and emoji
are written with them."""

_VISIBLE = (
    _CONTROL_PICTURES
    | {code: f"⟦{name}⟧" for code, name in _INVISIBLE.items()}
    | {code: f"⟦U+{code:04X}⟧" for code in range(0x80, 0xA0)}
    | {code: f"⟦U+{code:04X}⟧" for code in range(0xD800, 0xE000)}
    | {code: f"⟦U+{code:05X}⟧" for code in range(0xE0000, 0xE0080)}
)

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|>~$:<&@^=/\"'])")

_SPLIT = ":small[]"
"""An empty directive: draws nothing, but ends the text node. Several of Streamlit's and GFM's replacements work
on finished text nodes, where a backslash is already gone: bare links, mail addresses, emoji, arrows."""

_COMMAND = re.compile(r"`(goldrank[^`\n]*)`")
"""A command inside one of our own sentences."""
_BARE_WWW = re.compile(r"w(?=ww\\\.)", re.IGNORECASE)
_ARROW = re.compile(r"(?<=[-<>~])(?=\\[-=>])")


def literal(text: str) -> str:
    """`text` with characters made visible that would otherwise act: controls, bidi overrides, invisible ones.

    Line feeds and tabs stay; a carriage return before a line feed goes.
    """
    return text.replace("\r\n", "\n").translate(_VISIBLE)


def escaped(text: str) -> str:
    """`text` as Markdown that shows it letter for letter, on one line (a line feed becomes ↵)."""
    line = literal(text).strip("\n").replace("\n", " ↵ ").replace("\t", " ")
    line = re.sub(r"^ | (?= )", "\N{NO-BREAK SPACE}", line)
    line = _MARKDOWN.sub(r"\\\1", line)
    line = _BARE_WWW.sub(lambda match: match.group() + _SPLIT, line)
    line = line.replace(r"\:", r"\:" + _SPLIT).replace(r"\@", r"\@" + _SPLIT)
    return _ARROW.sub(_SPLIT, line)


def in_badge(text: str) -> str:
    """`text` for a badge, which is a directive and cannot hold another: word joiners end the text nodes instead."""
    return escaped(text).replace(_SPLIT, "\N{WORD JOINER}")


def message(text: str) -> str:
    """A sentence of ours, and what it quotes, as Markdown: letter for letter, its commands set as code."""
    parts = _COMMAND.split(text)
    return "".join(f"`{literal(part)}`" if number % 2 else escaped(part) for number, part in enumerate(parts))


def in_figure(text: str) -> str:
    """`text` for Plotly, whose labels know a few HTML tags, entities and TeX."""
    line = literal(text).replace("\n", " ")
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "&#36;")


def cell(text: str | None, limit: int = 300) -> str:
    """`text` for a table's cell: one line, at most `limit` characters; nothing is the empty string."""
    return shortened(" ".join(literal(text or "").split()), limit)


def shortened(text: str, limit: int) -> str:
    """The beginning of `text`, at most `limit` characters with the dots that say that there is more."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def around(text: str, words: str, limit: int = 260) -> str:
    """A part of `text` of about `limit` characters that shows the first of `words`; the beginning if none is in it."""
    line = " ".join(literal(text).split())
    lowered = line.casefold()
    places = [place for word in words.casefold().split() if len(word) > 2 and (place := lowered.find(word)) >= 0]
    start = max(0, min(places) - limit // 4) if places else 0
    if start and start + limit > len(line):
        start = max(0, len(line) - limit)
    return ("…" if start else "") + shortened(line[start:], limit)
