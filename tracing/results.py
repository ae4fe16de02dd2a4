"""What a stage's result says: a list, a text, an answer; by the stage's kind, or by the app's own mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..model import wire
from ..model.stage_words import StageKind
from .guest import say_once
from .messages import messages_of, text_of
from .open_stage import OpenStage
from .plan import Options, Plan
from .shapes import shape_of
from .sorts import LIST_KINDS
from .values import fields_of, is_a

NOT_READABLE: Final = "not readable"
NOT_RECORDED: Final = "not recorded"


ResultReader = Callable[[OpenStage, Any, Options], None]


def reader_for(plan: Plan) -> ResultReader:
    """How what such a function gives is put on its stage. What the app recorded itself inside the stage stays."""
    if plan.kind is None:
        return _read_of_request
    return _read_mapped if plan.options.hits is not None else READERS.get(plan.kind, _read_any)


def _read_of_request(stage: OpenStage, result: Any, options: Options) -> None:
    """A request inside another one is a stage of that, and may give anything."""
    (read_answer if stage.is_root else _read_any)(stage, result, options)


def read_answer(stage: OpenStage, result: Any, options: Options) -> None:
    """The answer's text, or a note why there is none."""
    if stage.has(wire.ANSWER):
        return
    mapping = options.answer
    text = text_of(result) if mapping is None else mapped(mapping, result)
    if not stage.put_text(wire.ANSWER, text):
        stage.put(wire.ANSWER_NOTE, NOT_RECORDED if result is None else NOT_READABLE)


def mapped(mapping: Any, result: Any) -> Any:
    """What the app's mapping gives: a function of the result, or the name of one of its keys or attributes."""
    if callable(mapping):
        return mapping(result)
    held = (fields_of(result) or {}).get(mapping)
    return getattr(result, mapping, None) if held is None and not is_a(result, dict) else held


def _read_mapped(stage: OpenStage, result: Any, options: Options) -> None:
    if options.row is not None:
        if not stage.put_list(result, mapped=True, row=options.row):
            _say_unreadable(stage, result)
        return
    value = mapped(options.hits, result)
    if not stage.put_list(value, mapped=callable(options.hits)):
        _say_unreadable(stage, value)


def _say_unreadable(stage: OpenStage, value: Any) -> None:
    """Also in the log, once a stage, where the reason is that reading the value would take it from the app."""
    stage.say_unreadable(value)
    kind = type(value)
    if hasattr(kind, "__next__") or hasattr(kind, "__anext__"):
        say_once(
            f"iterator of {stage.name}",
            f"goldrank: {stage.name} returned a {kind.__name__}, which can be read only once, and that is the app's. "
            "Its list is not recorded; return list(…) of it to have it recorded.",
        )


def _read_list(stage: OpenStage, result: Any, _options: Options) -> None:
    if stage.found is not None:
        return
    if type(result) is not list and is_a(result, str):
        stage.put_text(wire.TEXT, result)
    if not stage.put_list(result):
        _say_unreadable(stage, result)


def _read_assembled(stage: OpenStage, result: Any, options: Options) -> None:
    """A text, a list, both as a tuple, or the messages of a prompt."""
    if is_a(result, tuple) and not hasattr(type(result), "_fields"):
        texts = [part for part in result if is_a(part, str)]
        lists = [part for part in result if is_a(part, list)]
        if len(texts) == 1 and len(lists) == 1 and len(result) == 2:
            _read_assembled(stage, texts[0], options)
            _read_assembled(stage, lists[0], options)
            _put_shape(stage, result)
            return
    if is_a(result, str):
        stage.put_text(wire.TEXT, result)
    elif stage.found is None and not stage.put_list(result):
        messages = messages_of(result)
        if messages is not None:
            stage.put_text(wire.TEXT, "\n\n".join(text for _, text in messages))
            _put_shape(stage, result)
        else:
            _say_unreadable(stage, result)


def _read_rewritten(stage: OpenStage, result: Any, _options: Options) -> None:
    if stage.has(wire.QUERIES):
        return
    if is_a(result, list | tuple) and stage.put_queries(result):
        _put_shape(stage, result)
        return
    text = text_of(result)
    if text is not None:
        stage.put_queries([text])
        _put_shape(stage, result)


def _read_generated(stage: OpenStage, result: Any, options: Options) -> None:
    if stage.has(wire.TEXT):
        return
    mapping = options.answer
    stage.put_text(wire.TEXT, text_of(result) if mapping is None else mapped(mapping, result))
    _put_shape(stage, result)


def _put_shape(stage: OpenStage, result: Any) -> None:
    """What the text was read from, where the stage did not simply return it: a replay must return the same."""
    if type(result) is not str:
        stage.put(wire.SHAPE, shape_of(result))


def _read_nothing(_stage: OpenStage, _result: Any, _options: Options) -> None:
    """A vector is not kept."""


def _read_any(stage: OpenStage, result: Any, _options: Options) -> None:
    """Of a tool, a guard, or anything else: a text, or a list that is certainly one of hits."""
    if is_a(result, str):
        stage.put_text(wire.TEXT, result)
    elif stage.found is None and (stage.has_inputs or not _is_empty(result)):
        stage.put_list(result, strict=True)


def _is_empty(result: Any) -> bool:
    """An empty list of a stage that took none in says nothing about hits."""
    return is_a(result, list | tuple | dict) and not result


READERS: Final[Mapping[StageKind, ResultReader]] = {
    **dict.fromkeys(LIST_KINDS, _read_list),
    StageKind.ASSEMBLE: _read_assembled,
    StageKind.REWRITE: _read_rewritten,
    StageKind.GENERATE: _read_generated,
    StageKind.EMBED: _read_nothing,
}
"""Kind -> how its result is read; the others are read as anything."""
