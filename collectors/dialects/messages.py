"""Messages of a conversation in any writing: role and content, parts, LangChain's constructors, pairs, plain texts."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final

from ...model import Message
from .facts import REDACTED
from .json_text import load
from .reprs import read_chat_message

_ROLES: Final = {
    "human": "user",
    "humanmessage": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "systemmessage": "system",
    "developer": "system",
    "toolmessage": "tool",
    "function": "tool",
}
_LISTS: Final = ("messages", "input_messages", "contents")
_REPR: Final = re.compile(r"content=(?P<quote>['\"])(?P<text>.*?)(?P=quote) additional_kwargs=", re.DOTALL)
_REPRS: Final = re.compile(
    r"(?P<name>\w*Message)\(content=(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"), additional_kwargs=", re.DOTALL
)
_SPEAKERS: Final = re.compile(r"^(Human|AI|User|Assistant|user|assistant):\s", re.MULTILINE)
_PARTS: Final = ("parts", "content", "contents", "blocks")
_MANY: Final = 2000


def messages_in(value: object) -> tuple[Message, ...] | None:
    """The messages that a value holds, in order; None where it holds none. A plain text is no message."""
    value = load(value)
    if isinstance(value, dict):
        inner = next((value[key] for key in _LISTS if key in value), None)
        if inner is not None:
            return messages_in(inner)
        one = _read(value)
        return None if one is None else (one,)
    if not isinstance(value, list) or len(value) > _MANY:
        return None
    if len(value) == 1 and isinstance(value[0], list) and value[0] and not isinstance(value[0][0], str):
        return messages_in(value[0])
    found = [_read(load(item)) for item in value]
    known = [message for message in found if message is not None]
    return tuple(known) if known and len(known) == len(found) else None


def last_of(messages: tuple[Message, ...], role: str) -> int | None:
    """Place of the last message of this role that has a text; None where there is none."""
    return next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == role and messages[n].text), None)


def prompt_from(value: object) -> tuple[Message, ...] | None:
    """As `messages_in`; a plain text, or a list of them, is a prompt without roles."""
    messages = messages_in(value)
    if messages is not None:
        return messages
    value = load(value)
    texts = value if isinstance(value, list) else [value]
    if texts and all(isinstance(text, str) and text for text in texts):
        return tuple(Message(role="", text=text) for text in texts if text != REDACTED) or None
    return None


def _read(item: object) -> Message | None:
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        return Message(role=_role(item[0]), text=item[1]) if _role(item[0]) in _KNOWN_ROLES else None
    if isinstance(item, str):
        return _read_repr(item)
    if not isinstance(item, dict):
        return None
    for wrapper in ("kwargs", "data", "message"):
        if isinstance(item.get(wrapper), dict):
            inner = dict(item[wrapper])
            inner.setdefault("type", item.get("type"))
            if inner.get("type") == "constructor":
                inner["type"] = _class_of(item)
            return _read(inner)
    role = _role(item.get("role") or item.get("type"))
    place = next((key for key in _PARTS if key in item), None)
    if role not in _KNOWN_ROLES or place is None:
        return None
    parts = item[place]
    if _has_tool_result(parts):
        role = "tool"
    return Message(role=role, text=_text(parts))


_KNOWN_ROLES: Final = frozenset({"user", "assistant", "system", "tool"})


def _class_of(item: dict[str, Any]) -> str:
    path = item.get("id")
    return str(path[-1]) if isinstance(path, list) and path else ""


def _role(value: object) -> str:
    name = value.lower() if isinstance(value, str) else ""
    return _ROLES.get(name, name)


def _read_repr(text: str) -> Message | None:
    """Messages as `repr` writes them: Haystack's, and LangChain's, of which those with `tool_calls` are answers."""
    haystack = read_chat_message(text)
    if haystack is not None:
        return Message(role=_role(haystack[0]), text=haystack[1])
    match = _REPR.match(text)
    if match is None:
        return None
    return Message(role="assistant" if " tool_calls=" in text else "user", text=match["text"])


def history_from(value: object) -> tuple[Message, ...] | None:
    """An earlier conversation: messages in any writing, messages as Python writes a list of them, pairs of what a user
    said and what was answered, lines that say who speaks."""
    found = messages_in(value)
    if found is not None:
        return found
    value = load(value)
    if isinstance(value, str):
        return _from_reprs(value) or _from_lines(value)
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value[:_MANY]):
        lines = [_from_lines(one) for one in value[:_MANY]]
        return tuple(message for one in lines for message in one or ()) if all(lines) else None
    pairs = value if isinstance(value, list) and len(value) <= _MANY else []
    if pairs and all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in pairs):
        both = (zip(("user", "assistant"), one, strict=True) for one in pairs)
        return tuple(Message(role=role, text=text) for pair in both for role, text in pair if isinstance(text, str))
    return None


def _from_reprs(text: str) -> tuple[Message, ...] | None:
    """LangChain's messages as `str` writes a list of them; None where not all of it is such."""
    if not text.startswith("[") or "Message(content=" not in text:
        return None
    found = [(match["name"], _unquoted(match["text"])) for match in _REPRS.finditer(text)]
    whole = found and all(said is not None for _, said in found) and len(found) == text.count("Message(content=")
    return tuple(Message(role=_role(name), text=said or "") for name, said in found) if whole else None


def _unquoted(literal: str) -> str | None:
    try:
        found = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def _from_lines(text: str) -> tuple[Message, ...] | None:
    """Lines "Human: ..." and "AI: ..."; what follows without a name belongs to the one before."""
    parts = _SPEAKERS.split(text)
    if len(parts) < 3 or parts[0].strip():
        return None
    said = zip(parts[1::2], parts[2::2], strict=True)
    return tuple(Message(role=_role(name), text=one.strip()) for name, one in said)


def _has_tool_result(parts: object) -> bool:
    return isinstance(parts, list) and any(
        isinstance(part, dict) and part.get("type") in ("tool_call_response", "tool_result") for part in parts
    )


def _text(content: object) -> str:
    """The text of a content: as it is, or the texts of its parts in lines."""
    if isinstance(content, str):
        return "" if content == REDACTED else content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            found = part.get("content", part.get("text", part.get("result", part.get("response"))))
            if found is not None and part.get("type") != "tool_call":
                texts.append(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))
    return "\n".join(texts)
