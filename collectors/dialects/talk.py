"""Question, history and answer in what a root span, a chain or a tool was given and gave back."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from ...model import Message
from .facts import REDACTED
from .json_text import is_cut_off, load
from .messages import history_from, last_of, messages_in
from .reprs import quoted
from .values import as_count

QUESTION_KEYS: Final = (
    *("question", "user_question", "query", "query_str", "user_query", "search_query", "input", "user_input"),
    *("message", "q", "text", "prompt", "input_str", "content"),
)
_NAMES: Final = QUESTION_KEYS[:6]
"""Those that name nothing else."""
ANSWER_KEYS: Final = (
    *("answer", "final_answer", "final_result", "output", "outputs", "response", "result", "results", "text"),
    *("content", "completion", "reply", "replies", "choices", "generations", "message", "messages", "update"),
)
_WRAPPERS: Final = (
    "inputs",
    "args",
    "kwargs",
    "kwds",
    "data",
    "query_bundle",
    "str_or_query_bundle",
    "qb",
    "str_or_bundle",
)
_HISTORY_KEYS: Final = ("chat_history", "history", "conversation", "messages")
_DEPTH_KEYS: Final = ("top_k", "k", "limit", "n_results", "top_n")
_FILTER_KEYS: Final = ("filters", "filter", "where")
_DEPTH: Final = 5
_NULL: Final = "null"
"""JSON's word for nothing, where a writer puts every value in JSON."""
_NO_ANSWERS: Final = ("<generator object", "<async_generator object", "<coroutine object")

_STOPPED: Final = re.compile(r"\w*StopEvent\((?:result=)?(?P<result>.*?)\)?\Z", re.DOTALL)
"""How a workflow of LlamaIndex ends, as Python writes it."""


class Asked(NamedTuple):
    """What a user said, and what was said before it."""

    question: str | None = None
    history: tuple[Message, ...] = ()


def question_in(value: object) -> Asked:
    """The question in an input. Of a conversation the last thing that the user said; the rest is history."""
    value = load(value)
    if isinstance(value, str):
        inner = _plain(value)
        return Asked(inner)
    messages = messages_in(value)
    if messages is not None:
        place = last_of(messages, "user")
        return Asked() if place is None else _of_messages(messages, place)
    found = _search(value, 0)
    if found is None:
        return Asked()
    if isinstance(value, dict):
        return Asked(found, _before(found, _history_in(value)))
    return Asked(found)


def _before(question: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages before the question, where it stands among them."""
    place = last_of(messages, "user")
    return messages[:place] if place is not None and messages[place].text == question else messages


def query_in(value: object) -> str | None:
    """The text that a retriever or a tool was asked for."""
    return question_in(value).question


def _of_messages(messages: tuple[Message, ...], place: int) -> Asked:
    """A message may hold the arguments of a chain as a JSON text."""
    inner = load(messages[place].text)
    if isinstance(inner, dict):
        asked = question_in(inner)
        return Asked(asked.question, asked.history or _said(messages[:place]))
    return Asked(_plain(messages[place].text), _said(messages[:place]))


def _said(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return tuple(message for message in messages if message.role in ("user", "assistant") and message.text)


def _search(value: Any, depth: int) -> str | None:  # noqa: ANN401 - parsed JSON
    if depth > _DEPTH:
        return None
    if isinstance(value, str):
        inner = load(value)
        return _search(inner, depth + 1) if not isinstance(inner, str) else _plain(value)
    if isinstance(value, list):
        messages = messages_in(value)
        if messages is not None:
            place = last_of(messages, "user")
            return None if place is None else _plain(messages[place].text)
        return next((found for item in value[:4] if (found := _search(item, depth + 1))), None)
    if not isinstance(value, dict):
        return None
    for key in QUESTION_KEYS:
        if key in value and not isinstance(value[key], list) and (found := _search(value[key], depth + 1)):
            return found
    named = value.get("kwargs") if "args" in value else None  # an argument's name says more than its place
    if isinstance(named, dict) and any(key in named for key in _NAMES) and (found := _search(named, depth + 1)):
        return found
    for key in (*_WRAPPERS, "messages", "input", "inputs"):
        if key in value and (found := _search(value[key], depth + 1)):
            return found
    return _search_parts(value, depth)


def _search_parts(value: dict[str, Any], depth: int) -> str | None:
    """Among the inputs of several parts (Haystack's pipeline): the one under the first of the known names."""
    parts = [item for item in value.values() if isinstance(item, dict)]
    for key in QUESTION_KEYS:
        for part in parts:
            if key in part and (found := _search(part[key], depth + 1)):
                return found
    return next((found for part in parts if (found := _search(part, depth + 1))), None)


def _history_in(value: dict[str, Any]) -> tuple[Message, ...]:
    for place in (value, *(value[key] for key in _WRAPPERS if isinstance(value.get(key), dict))):
        for key in _HISTORY_KEYS:
            messages = history_from(place.get(key)) if isinstance(place.get(key), list | str) else None
            if messages:
                return _said(messages)
    return ()


def answer_in(value: object, depth: int = 0) -> str | None:
    """The answer in an output; None where there is none to be read: a stream's object is no answer."""
    if depth > _DEPTH:
        return None
    value = load(value)
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, list):
        messages = messages_in(value)
        if messages is not None:
            place = last_of(messages, "assistant")
            return None if place is None else _inside(messages[place].text, depth)
        if value and isinstance(value[0], str):
            return _plain(value[0]) if len(value) == 1 else None
        return next((found for item in value[-1:] if (found := answer_in(item, depth + 1))), None)
    if not isinstance(value, dict) or _is_document(value):
        return None
    messages = messages_in(value) if "role" in value or "kwargs" in value else None
    if messages is not None:
        return messages[-1].text or None if messages[-1].role in ("assistant", "tool") else None
    for key in ANSWER_KEYS:
        if key in value and (found := answer_in(value[key], depth + 1)):
            return found
    parts = [item for key, item in value.items() if isinstance(item, dict) and key not in _HISTORY_KEYS]
    return answer_in(parts[0], depth + 1) if len(parts) == 1 else None


def _inside(text: str, depth: int) -> str:
    """The text of a message, or the answer in the output of a chain that was written into it."""
    loaded = load(text) if text.startswith("{") else text
    return (answer_in(loaded, depth + 1) if isinstance(loaded, dict) else None) or text


def _is_document(value: dict[str, Any]) -> bool:
    return "page_content" in value or ("metadata" in value and "id" in value and "choices" not in value)


def _plain(text: str) -> str | None:
    """A text that says something; of JSON that was cut off nobody knows where it ends."""
    if not text.strip() or text in (REDACTED, _NULL) or text.startswith(_NO_ANSWERS):
        return None
    stopped = _STOPPED.match(text)
    if stopped is not None:  # a text in quotes, or an object that is no text
        return quoted(stopped["result"])
    return None if is_cut_off(text) else text


def filters_in(given: object) -> Any:  # noqa: ANN401 - any JSON value
    """By what a list was asked to be filtered; None where by nothing."""
    return next((place[key] for place in _arguments(given) for key in _FILTER_KEYS if place.get(key)), None)


def depth_in(given: object) -> int | None:
    """How deep a list was asked to be."""
    said = (as_count(place.get(key)) for place in _arguments(given) for key in _DEPTH_KEYS)
    return next((depth for depth in said if depth is not None), None)


def _arguments(given: object) -> list[dict[str, Any]]:
    """The arguments of a call: those in the value itself, and those by name inside it."""
    value = load(given)
    places = (value, value.get("kwargs") if isinstance(value, dict) else None)
    return [place for place in places if isinstance(place, dict)]
