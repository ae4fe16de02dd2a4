"""Values that were written into texts: JSON once or thrice, Python literals, JSON that was cut off.

Nothing here raises, whatever the text is.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final, NamedTuple

import orjson

TIMES: Final = 3
"""How often a text may hold a JSON text that holds a JSON text."""
_LITERAL_LENGTH: Final = 200_000
"""Longest text, in characters, that is tried as a Python literal: its parser is slow and greedy for memory."""
_OPENERS: Final = ("[", "{", '"')


class Loaded(NamedTuple):
    """A value read from a text."""

    value: Any
    cut: bool = False
    """The text was cut off; the value is what stood before the cut and is complete, containers closed."""


def load(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """The value inside a text, or the text itself where it is none; other values as they are."""
    if isinstance(value, str):
        return load_cut(value).value if value.lstrip().startswith(_OPENERS) else value
    return load_cut(value).value if isinstance(value, bytes) else value


def load_cut(value: object) -> Loaded:
    """As `load`, and whether the text was cut off."""
    cut = False
    if isinstance(value, bytes):
        value = _decoded(value)
    for _ in range(TIMES):
        if not isinstance(value, str):
            break
        text = value.strip()
        if not text.startswith(_OPENERS):
            break
        try:
            value = _parse(text)
        except (ValueError, RecursionError):
            literal = _literal(text)
            if literal is not None:
                value = literal
                continue
            salvaged = salvage(text)
            if salvaged is None:
                break
            value, cut = salvaged, True
    return Loaded(value, cut)


def _decoded(raw: bytes) -> str | bytes:
    """JSON that was sent as bytes; other bytes are left as they are."""
    if not raw.lstrip().startswith((b"[", b"{", b'"')):
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _parse(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """JSON; NaN and infinities, which JSON has not, become their names."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text, parse_constant=str)


def _literal(text: str) -> Any:  # noqa: ANN401 - any literal
    """A Python dict or list as `repr` writes it; None where it is none.

    Arrays of numpy write no commas: ['one' 'two'] are two texts, which Python would read as one.
    """
    if len(text) > _LITERAL_LENGTH or text[0] == '"' or "'" not in text:
        return None
    try:
        found = ast.literal_eval(_SIDE_BY_SIDE.sub(_divided, text) if _NEIGHBOURS.search(text) else text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


_NEIGHBOURS: Final = re.compile(r"['\"]\s+['\"]")
_SIDE_BY_SIDE: Final = re.compile(r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?P<gap>\s+(?=['\"]))?", re.DOTALL)


def _divided(match: re.Match[str]) -> str:
    return match[0] if match["gap"] is None else match["text"] + ", "


def salvage(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """What of a JSON text that was cut off is complete: up to its last comma or closing bracket; None where nothing is.

    A value that the cut may have shortened is left out: half an id would be another chunk's.
    """
    stack: list[str] = []
    safe: tuple[int, str] | None = None
    for match in _MARKS.finditer(text):
        mark = match[0]
        if mark in "[{":
            stack.append("]" if mark == "[" else "}")
        elif (mark in "]}" and (not stack or stack.pop() != mark)) or (mark in "]}" and not stack):
            return None
        elif mark[0] == '"' or not stack:
            continue
        if mark != "{":
            safe = (match.start() if mark == "," else match.end(), "".join(reversed(stack)))
    if safe is None or not stack:
        return None
    try:
        return _parse(text[: safe[0]] + safe[1])
    except (ValueError, RecursionError):
        return None


def is_cut_off(text: str) -> bool:
    """Whether a text is the beginning of a JSON object or list, and no more of it: it never closes."""
    if _BEGINNING.match(text) is None:
        return False
    depth = 0
    for match in _MARKS.finditer(text):
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth == 0:
            return False
    return True


_BEGINNING: Final = re.compile(r'\s*(?:\{\s*"|\[\s*["{\[])')
_MARKS: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{},]', re.DOTALL)
"""Texts, the last one maybe cut, and what holds values together."""
