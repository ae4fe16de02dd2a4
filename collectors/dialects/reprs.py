"""What was written down with Python's `repr`: LlamaIndex's NodeWithScore, Haystack's Document, ChatMessages of both."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

NODE_PREFIXES: Final = ("<NodeWithScore(", "NodeWithScore(")
HAYSTACK_PREFIX: Final = "Document(id="

_LISTS: Final = ("[<NodeWithScore(", "[NodeWithScore(", "[Document(id=")
_BETWEEN: Final = re.compile(r"(?<=[)>]), (?=<?NodeWithScore\(node=|Document\(id=)")
_SHORT_NODE: Final = re.compile(
    r"<?NodeWithScore\(node=\w+\(id_=(?P<id>[^'\"].*?)\), score=(?P<score>[^()]*)\)>?\Z", re.DOTALL
)
_LONG_NODE: Final = re.compile(r"<?NodeWithScore\(node=\w+\(id_=(?P<id>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
_NODE_TEXT: Final = re.compile(r", text=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
_NODE_SCORE: Final = re.compile(r", score=([^(),\s]+)\)>?\Z")
_HAYSTACK: Final = re.compile(
    r"Document\(id=(?P<id>.*?)"
    r"(?:, content: '(?P<text>.*?)')?"
    r"(?:, dataframe: .*?)?(?:, blob: .*?)?"
    r"(?:, meta: (?P<meta>\{.*?\}))?"
    r"(?:, score: (?P<score>[^,()\s]+))?"
    r"(?:, embedding: [^()]*?)?(?:, sparse_embedding: [^()]*?)?\)\Z",
    re.DOTALL,
)
_CHAT: Final = re.compile(r"ChatMessage\((?:.*?, )?_?role=<(?:Chat|Message)Role\.\w+: '(?P<role>\w+)'>", re.DOTALL)
_CHAT_TEXT: Final = re.compile(
    r"(?:TextContent\(text=|ChatMessage\(content=|TextBlock\(block_type='text', text=)"
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
    re.DOTALL,
)
_HAYSTACK_CUT: Final = 103
"""Haystack writes at most 100 characters of a content, and then three dots."""


def read_repr(text: str) -> dict[str, Any] | None:
    """Keys id, text, score (as written), metadata, and "cut" where the text is not whole; None where it is no such."""
    text = text.strip()
    if text.startswith(NODE_PREFIXES):
        return _read_node(text)
    if text.startswith(HAYSTACK_PREFIX):
        return _read_haystack(text)
    return None


def split_reprs(text: str) -> list[str] | None:
    """The documents of a list that was written down as a whole; None where any of it is none."""
    if not text.startswith(_LISTS) or not text.endswith("]"):
        return None
    found = _BETWEEN.split(text[1:-1])
    return found if all(read_repr(one) is not None for one in found) else None


def read_chat_message(text: str) -> tuple[str, str] | None:
    """Role and text of a message of Haystack's or LlamaIndex's; None where it is none. Parts that are no text are left
    out."""
    match = _CHAT.match(text)
    if match is None:
        return None
    parts = [part for found in _CHAT_TEXT.finditer(text) if isinstance(part := _unquote(found[1]), str)]
    return match["role"], "\n".join(parts)


def _read_node(text: str) -> dict[str, Any] | None:
    short = _SHORT_NODE.match(text)
    if short is not None:
        return {"id": short["id"], "score": _number(short["score"])}
    long = _LONG_NODE.match(text)
    if long is None:
        return None
    found: dict[str, Any] = {"id": _unquote(long["id"])}
    said = _NODE_TEXT.search(text)
    if said is not None:
        found["text"] = _unquote(said[1])
    score = _NODE_SCORE.search(text)
    if score is not None:
        found["score"] = _number(score[1])
    return found


def _read_haystack(text: str) -> dict[str, Any] | None:
    match = _HAYSTACK.match(text)
    if match is None:
        return None
    found: dict[str, Any] = {"id": match["id"]}
    if match["text"] is not None:
        cut = len(match["text"]) == _HAYSTACK_CUT and match["text"].endswith("...")
        found |= {"text": match["text"][:-3] if cut else match["text"], "cut": cut}
    if match["meta"] is not None:
        found["metadata"] = _unquote(match["meta"])
    if match["score"] is not None:
        found["score"] = _number(match["score"])
    return found


def _number(text: str) -> Any:  # noqa: ANN401 - float, None, or the text that is no number
    if text == "None":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _unquote(text: str) -> Any:  # noqa: ANN401 - a literal
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def quoted(text: str) -> str | None:
    """A text that Python wrote in quotes; None where it is anything else, or was cut."""
    found = _unquote(text)
    return found if isinstance(found, str) and found.strip() else None
