"""Overrides: a parameter of a stage that gets another value, or a stage that is left out."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

from ...model.replay import OFF, shown
from ...model.stage_words import StageKind
from ..plan import Plan
from .active import Ran, Replay
from .dressing import RUNS
from .listing import list_argument

Call = tuple[tuple[Any, ...], dict[str, Any]]


def change(replay: Replay, ran: Ran, plan: Plan, function: Callable[..., Any], call: Call) -> tuple[Call, Any]:
    """The call with its overrides, and what the stage returns instead of running (or RUNS)."""
    instead: Any = RUNS
    for place, override in replay.overrides_for(ran.kind, ran.name):
        if override.parameter == OFF:
            instead, trouble = _input_of(plan, function, call)
            _note(replay, ran, place, "off: it gave what it was given", trouble)
            continue
        parameter, why_not = parameter_of(plan, override.parameter)
        if parameter is None:
            _note(replay, ran, place, "", why_not)
            continue
        bound = plan.arguments.bind(*call)
        then = shown(bound[parameter]) if parameter in bound else "not given"
        call = plan.arguments.with_value(*call, parameter, as_annotated(function, parameter, override.value))
        _note(replay, ran, place, f"{parameter}: {then} -> {shown(override.value)}", "")
    return call, instead


def _note(replay: Replay, ran: Ran, place: int, note: str, trouble: str) -> None:
    with replay.lock:
        if trouble:
            replay.reasons.setdefault(place, f"{ran.name}: {trouble}")
        else:
            replay.used.add(place)
    ran.notes.append(trouble or note)


def parameter_of(plan: Plan, said: str) -> tuple[str | None, str]:
    """The function's parameter that an override means; None with the reason where there is none."""
    known = plan.arguments.names
    if said in known:
        return said, ""
    reader = plan.reader_of(said)
    if reader is not None and reader.parameters:
        there = [name for name in reader.parameters if name in known]
        return (there or list(reader.parameters))[0], ""
    if reader is not None and reader.function is not None:
        return None, f"its {said} is read by a function of the arguments; name the parameter itself"
    if reader is not None:
        return None, f"its {said} is fixed by the decorator and no parameter"
    if plan.arguments.open and said.isidentifier() and not plan.arguments.is_rest(said):
        return said, ""
    return None, f"it has no parameter {said} (it has {', '.join(known) or 'none'})"


def _input_of(plan: Plan, function: Callable[..., Any], call: Call) -> tuple[Any, str]:
    """What a stage returns that is left out."""
    bound = plan.arguments.bind(*call)
    if plan.kind is StageKind.REWRITE:
        reader = plan.reader_of("query")
        for name in () if reader is None else reader.parameters:
            if isinstance(bound.get(name), str):
                return ([bound[name]] if _gives_list(function) else bound[name]), ""
        return RUNS, "it was given no text that could be returned instead"
    if plan.kind in {StageKind.FILTER, StageKind.RERANK}:
        held = list_argument(plan, bound)
        if held is not None:
            return bound[held], ""
        return RUNS, "no list is recognised among its arguments"
    return RUNS, "only a rewrite, a filter or a rerank can be left out"


def hints_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Parameter -> annotation, resolved; empty where that is not possible."""
    try:
        return typing.get_type_hints(inspect.unwrap(function))
    except Exception:  # noqa: BLE001 - resolving runs the app's names: whatever goes wrong, there is no annotation
        return {}


def _gives_list(function: Callable[..., Any]) -> bool:
    given = hints_of(function).get("return")
    origin = typing.get_origin(given) or given
    return isinstance(origin, type) and not issubclass(origin, str) and issubclass(origin, list | tuple)


def as_annotated(function: Callable[..., Any], parameter: str, value: Any) -> Any:
    """A JSON list as the tuple or set that the parameter is annotated as; anything else as it is."""
    if not isinstance(value, list):
        return value
    given = hints_of(function).get(parameter)
    kinds = [typing.get_origin(kind) or kind for kind in (*typing.get_args(given), given)]
    for kind in (tuple, frozenset, set):
        if kind in kinds and list not in kinds:
            return kind(value)
    return value
