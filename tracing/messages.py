"""Answers, prompts and histories as texts, from whatever an app holds them in. Never a repr."""

from __future__ import annotations

from typing import Any, Final

from . import names
from .values import fields_of, is_a

MAX_MESSAGES: Final = 1_000

RoleText = tuple[str, str]
"""(role, text) of one message; the role is empty where the app gave none."""


def text_of(value: Any, depth: int = 0) -> str | None:
    """The text in an answer: a string, `.content`, `.text`, a usual key, an OpenAI-like choice.

    A list counts only as the parts of one message: a list of passages is no answer.
    """
    if is_a(value, str):
        return str.__str__(value)
    if is_a(value, bytes):
        return value.decode("utf-8", "replace")
    if depth > 3 or value is None:
        return None
    if is_a(value, list):
        return _joined(value, depth) if depth else None
    fields = None if is_a(value, int | float | tuple) and not hasattr(type(value), "_fields") else fields_of(value)
    if not fields:
        return None
    choices = fields.get("choices")
    if is_a(choices, list) and choices:
        return _of_choice(choices[0], depth)
    for name in names.ANSWERS:
        if fields.get(name) is not None:
            text = text_of(fields[name], depth + 1)
            if text is not None:
                return text
    return None


def _of_choice(choice: Any, depth: int) -> str | None:
    fields = fields_of(choice) or {}
    for name in ("message", "delta"):
        if fields.get(name) is not None:
            return text_of(fields[name], depth + 1)
    return text_of(fields.get("text"), depth + 1)


def _joined(parts: list[Any], depth: int) -> str | None:
    """The texts of a list of parts ([{"type": "text", "text": …}, …]); None where it holds none."""
    texts = [text_of(part, depth + 1) for part in parts[:MAX_MESSAGES] if not is_a(part, int | float)]
    found = [text for text in texts if text is not None]
    return "".join(found) if found else None


def messages_of(value: Any) -> list[RoleText] | None:
    """A prompt or history as (role, text) pairs in order; None where it is not readable.

    Read are: a text, dicts and objects with role and content, (role, text) pairs, and (question, answer) pairs.
    """
    if is_a(value, str):
        return [("", str.__str__(value))]
    held = None if is_a(value, list | tuple) else fields_of(value)
    if held:
        value = held.get("messages", [value])
    if not is_a(value, list | tuple):
        return None
    found: list[RoleText] = []
    for item in value[:MAX_MESSAGES]:
        read = _messages_in(item)
        if read is None:
            return None
        found += read
    return found


_KNOWN_ROLES: Final = frozenset({"user", "assistant", "system", "developer", "tool", "function", *names.ROLE_WORDS})


def _messages_in(item: Any) -> list[RoleText] | None:
    if is_a(item, str):
        return [("", str.__str__(item))]
    if is_a(item, tuple | list) and not hasattr(type(item), "_fields"):
        return _pair(item)
    fields = fields_of(item)
    if not fields:
        return None
    text = next((found for key in names.MESSAGE_TEXTS if (found := text_of(fields.get(key), 1)) is not None), None)
    if text is None:
        return _turn(fields)
    return [(_role(fields), text)]


def _pair(item: tuple[Any, ...] | list[Any]) -> list[RoleText] | None:
    if len(item) != 2 or not all(part is None or is_a(part, str) for part in item):
        return None
    first, second = item
    if first in _KNOWN_ROLES:
        return [(names.ROLE_WORDS.get(first, first), second or "")]
    return [(role, text) for role, text in (("user", first), ("assistant", second)) if text is not None]


def _turn(fields: Any) -> list[RoleText] | None:
    """{"question": …, "answer": …}; a message that only calls tools has no text and stands as an empty one."""
    question, answer = fields.get("question"), fields.get("answer")
    if is_a(question, str):
        return [("user", question), *([("assistant", answer)] if is_a(answer, str) else [])]
    return [(_role(fields), "")] if any(key in fields for key in names.ROLES) else None


def _role(fields: Any) -> str:
    for key in names.ROLES:
        role = fields.get(key)
        role = getattr(role, "value", role)
        if is_a(role, str):
            return names.ROLE_WORDS.get(role, role)
    return ""


def last_of_user(messages: list[RoleText]) -> str | None:
    """The text of the last message, where it is the user's: the question of a chat request."""
    if messages and messages[-1][0] in {"user", ""}:
        return messages[-1][1]
    return None
