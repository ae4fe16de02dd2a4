"""What is read from arguments, for each kind of stage: the option that maps it, its usual names, where it goes.

A `put` returns whether it could read the value; where it could not, the next usual name is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ..model import wire
from ..model.stage_words import StageKind
from . import names
from .messages import RoleText, last_of_user, messages_of, text_of
from .open_stage import OpenStage
from .values import id_text, is_a, whole_number


class Field(NamedTuple):
    """One thing that arguments may say."""

    option: str
    names: tuple[str, ...]
    put: Callable[[OpenStage, Any], bool]
    literal: bool = False
    """The option may also be the value itself: index="docs"."""


def _text(key: str) -> Callable[[OpenStage, Any], bool]:
    return lambda stage, value: stage.put_text(key, value)


def _id(key: str) -> Callable[[OpenStage, Any], bool]:
    def put(stage: OpenStage, value: Any) -> bool:
        text = id_text(value)
        return text is not None and stage.put_text_always(key, text)

    return put


def put_question(stage: OpenStage, value: Any) -> bool:
    """A text; of chat messages the last one, if the user's, and those before it as history."""
    if is_a(value, str):
        return stage.put_text(wire.QUESTION, value)
    messages = messages_of(value) if is_a(value, list | tuple) else None
    question = last_of_user(messages or [])
    if question is None:
        return False
    stage.put_messages(wire.HISTORY, (messages or [])[:-1])
    return stage.put_text(wire.QUESTION, question)


def put_history(stage: OpenStage, value: Any) -> bool:
    """Messages before the question. Where no parameter was a question, the last message is it."""
    messages = messages_of(value)
    if messages is None:
        return False
    if not stage.has(wire.QUESTION) and (question := last_of_user(messages)) is not None:
        stage.put_text(wire.QUESTION, question)
        messages = messages[:-1]
    return stage.has(wire.HISTORY) or stage.put_messages(wire.HISTORY, messages)


def put_groups(stage: OpenStage, value: Any) -> bool:
    """The groups of the user; an explicit empty collection is "in no group"."""
    if is_a(value, str):
        value = (value,)
    if not is_a(value, list | tuple | set | frozenset):
        return False
    groups = [text for item in value if (text := id_text(item)) is not None]
    stage.put(wire.GROUPS, tuple(sorted(groups) if is_a(value, set | frozenset) else groups) or "[]")
    return True


def put_as_of(stage: OpenStage, value: Any) -> bool:
    """A text, or a date or time in ISO form."""
    if hasattr(type(value), "isoformat"):
        value = value.isoformat()
    return stage.put_text(wire.AS_OF, value)


def put_top_k(stage: OpenStage, value: Any) -> bool:
    """A whole number."""
    count = value if type(value) is int else whole_number(value)
    if count is None:
        return False
    stage.put(wire.TOP_K, count)
    return True


def put_filters(stage: OpenStage, value: Any) -> bool:
    """Anything JSON can hold."""
    stage.put_json(wire.FILTERS, value)
    return True


def put_query(stage: OpenStage, value: Any) -> bool:
    """A text, or an object that holds it (LlamaIndex's QueryBundle)."""
    if stage.put_text(wire.QUERY, value):
        return True
    held = getattr(value, "__dict__", {}).get("query_str")
    return stage.put_text(wire.QUERY, held)


def put_context(stage: OpenStage, value: Any) -> bool:
    """A list of hits, ids or texts; a text is a part of the prompt instead."""
    return not is_a(value, str) and stage.put_context(value)


QUERY: Final = Field("query", names.QUERY, put_query)
TOP_K: Final = Field("top_k", names.TOP_K, put_top_k, literal=True)
FILTERS: Final = Field("filters", names.FILTERS, put_filters)
INDEX: Final = Field("index", names.INDEX, _id(wire.INDEX), literal=True)
INDEX_VERSION: Final = Field("index_version", names.INDEX_VERSION, _id(wire.INDEX_VERSION), literal=True)
EMBEDDING_MODEL: Final = Field("embedding_model", names.EMBEDDING_MODEL, _id(wire.EMBEDDING_MODEL), literal=True)
MODEL: Final = Field("model", names.MODEL, _id(wire.MODEL), literal=True)
TECHNIQUE: Final = Field("technique", names.TECHNIQUE, _id(wire.TECHNIQUE), literal=True)
CONTEXT: Final = Field("context", names.CONTEXT, put_context)

FIELDS: Final[Mapping[StageKind | None, tuple[Field, ...]]] = {
    None: (
        Field("question", names.QUESTION, put_question),
        Field("history", names.HISTORY, put_history),
        Field("user", names.USER, _id(wire.USER)),
        Field("session", names.SESSION, _id(wire.SESSION)),
        Field("tenant", names.TENANT, _id(wire.TENANT)),
        Field("groups", names.GROUPS, put_groups),
        Field("as_of", names.AS_OF, put_as_of),
    ),
    StageKind.REWRITE: (QUERY, TECHNIQUE, MODEL),
    StageKind.EMBED: (QUERY, EMBEDDING_MODEL),
    StageKind.RETRIEVE: (QUERY, TOP_K, FILTERS, INDEX, INDEX_VERSION, EMBEDDING_MODEL),
    StageKind.FUSE: (Field("top_k", names.TOP_K_OF_FUSE, put_top_k, literal=True),),
    StageKind.FILTER: (QUERY, TOP_K, FILTERS),
    StageKind.RERANK: (QUERY, TOP_K, MODEL),
    StageKind.ASSEMBLE: (TOP_K,),
    StageKind.GENERATE: (MODEL, CONTEXT),
    StageKind.TOOL: (QUERY, TOP_K, FILTERS),
    StageKind.GUARD: (QUERY, MODEL),
    StageKind.OTHER: (QUERY, TOP_K),
}
"""Kind (None: request) -> its fields. Options of decorators are tested against it."""

PROMPT_NAMES: Final = frozenset({*names.PROMPT, *names.PROMPT_PARTS, *names.CONTEXT})

NO_SETTINGS: Final = PROMPT_NAMES.union(
    names.QUESTION, names.QUERY, names.HISTORY, names.USER, names.SESSION, names.TENANT, names.GROUPS
)
"""Parameters that hold what people wrote, or who they are: no settings of any stage."""


def put_prompt(stage: OpenStage, bound: Mapping[str, Any], source: Any) -> None:
    """What a generate stage was given to send, as messages.

    `source` is the app's mapping. Else a whole prompt among the parameters, with a system text before it and a
    context text, that is not in it, after it; else the texts among PROMPT_PARTS, if a context is one of them.
    A prompt beside a list of passages that are not in it is no whole prompt: it is left out, so that nobody
    concludes from it what the model did not see.
    """
    if source is not None:
        value = source(bound) if callable(source) else bound.get(source)
        stage.put_messages(wire.PROMPT, messages_of(value))
        return
    whole = next((found for name in names.PROMPT if (found := messages_of(bound.get(name))) is not None), None)
    context = next((bound[name] for name in names.CONTEXT if bound.get(name) is not None), None)
    if whole is None:
        if is_a(context, str):
            parts = [(name, bound[name]) for name in bound if name in names.PROMPT_PARTS]
            stage.put_messages(wire.PROMPT, [part for name, value in parts for part in _part(name, value)])
        return
    system = [part for name in ("system", "system_prompt") for part in _part(name, bound.get(name))]
    text = "\n".join(said for _, said in whole)
    if is_a(context, str):
        whole = whole if context in text else [*whole, ("", context)]
    elif context is not None and not _some_passage_in(context, text):
        return
    stage.put_messages(wire.PROMPT, [*system, *whole])


def _part(name: str, value: Any) -> list[RoleText]:
    if is_a(value, str):
        return [("system" if name.startswith("system") else "", value)]
    return (messages_of(value) or []) if name == "history" else []


def _some_passage_in(context: Any, text: str) -> bool:
    if not is_a(context, list | tuple) or not context:
        return True
    passages = [passage for item in context if (passage := text_of(item)) is not None or (passage := _page(item))]
    return any(passage in text for passage in passages) or not passages


def _page(item: Any) -> str | None:
    held = getattr(item, "__dict__", {}).get("page_content")
    return held if is_a(held, str) else None
