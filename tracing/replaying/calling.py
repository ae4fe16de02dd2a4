"""The recorded question and who asked it, as arguments of the app's entry point.

The parameters are those that the recording reads (`names`): question, history, user, session, tenant, groups, filters,
as_of. A parameter without a recorded value keeps its default.
"""

from __future__ import annotations

import datetime as dt
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...model.replay import RecordedCall, ReplayPlan, shown
from ...model.stage import Message
from .. import names
from ..plan import Options, Plan
from .changing import as_annotated, hints_of
from .refusals import CannotReplay

FACTORY: Final = (
    "Write a function without parameters that returns one which needs only the question (with clients and sessions "
    "already inside), and name it as module:factory()."
)


class Bound(NamedTuple):
    """One call of the entry point."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    left_out: tuple[str, ...]
    """Recorded things that no parameter takes, in words."""
    used: frozenset[int]
    """Places of the overrides of the request that a parameter took."""
    reasons: Mapping[int, str]
    """Place of an override -> why none did."""


def bind(function: Callable[..., Any], plan: Plan | None, asked: ReplayPlan) -> Bound:
    """The arguments. CannotReplay names a required parameter that nothing was recorded for, and the remedy."""
    plan = plan or Plan(function, None, Options({}))
    signature = _signature(function)
    bare = {name: p for name, p in signature.items() if p.kind is not inspect.Parameter.VAR_POSITIONAL}
    parameters = {name: p for name, p in bare.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
    values, left_out = _recorded_values(function, plan, asked.call, parameters)
    used: set[int] = set()
    reasons: dict[int, str] = {}
    for place, override in enumerate(asked.overrides):
        if override.target not in {"request", plan.name}:
            continue
        name = _request_parameter(plan, override.parameter, parameters)
        if name is None:
            known = ", ".join(parameters) or "none"
            reasons[place] = f"{plan.name} has no parameter {override.parameter} (it has {known})"
            continue
        values[name] = _converted(function, name, as_annotated(function, name, override.value))
        used.add(place)
    _check(plan.name, parameters, values)
    args, kwargs = _by_place(parameters, values)
    return Bound(args, kwargs, tuple(left_out), frozenset(used), reasons)


def _signature(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise CannotReplay(f"{function!r:.200} does not say which parameters it has. {FACTORY}") from error


def _recorded_values(
    function: Callable[..., Any], plan: Plan, call: RecordedCall, parameters: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    left_out: list[str] = []
    question = _parameter(plan, "question", parameters)
    history = _parameter(plan, "history", parameters)
    takes_any = plan.arguments.open
    if question is None and history is None:
        if not takes_any:
            raise CannotReplay(_no_question(plan, parameters))
        question = "question"
    messages = call.history
    if question is None or _is_list_of_messages(function, question):
        history = question or history
        messages = (*call.history, Message(role="user", text=call.question))
    else:
        values[question] = call.question
    if history is not None and messages:
        values[history] = make_messages(function, history, messages)
    elif call.history:
        left_out.append(f"the history ({len(call.history)} messages): {plan.name} has no parameter for it")
    for option, value in (
        ("user", call.user),
        ("session", call.session),
        ("tenant", call.tenant),
        ("groups", None if call.groups is None else list(call.groups)),
        ("filters", call.filters),
        ("as_of", call.as_of),
    ):
        if value is None:
            continue
        name = _parameter(plan, option, parameters)
        if name is None:
            left_out.append(f"{option.replace('_', ' ')} {shown(value)}: {plan.name} has no parameter for it")
        else:
            values[name] = _converted(function, name, as_annotated(function, name, value))
    return values, left_out


def _no_question(plan: Plan, parameters: Mapping[str, Any]) -> str:
    reader = plan.reader_of("question")
    if reader is not None and reader.function is not None:
        return (
            f"The question of {plan.name} is read by a function of its arguments (question=), so that it cannot be put "
            f"back into them. {FACTORY}"
        )
    known = ", ".join(parameters) or "none"
    return (
        f"No parameter of {plan.name} is known as the question (it has {known}; usual names are "
        f'{", ".join(names.QUESTION[:6])}, …). Name it: @goldrank.request(question="…"). Or: {FACTORY}'
    )


def _parameter(plan: Plan, option: str, parameters: Mapping[str, Any]) -> str | None:
    """The parameter that holds `option`; None where there is none."""
    if option == "filters":
        return next((name for name in names.FILTERS if name in parameters), None)
    reader = plan.reader_of(option)
    if reader is None:
        return None
    return next((name for name in reader.parameters if name in parameters), None)


def _request_parameter(plan: Plan, said: str, parameters: Mapping[str, Any]) -> str | None:
    if said in parameters:
        return said
    known = _parameter(plan, said, parameters)
    return said if known is None and plan.arguments.open and said.isidentifier() else known


def _check(name: str, parameters: Mapping[str, inspect.Parameter], values: Mapping[str, Any]) -> None:
    missing = [
        each
        for each, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and each not in values
    ]
    if missing:
        raise CannotReplay(
            f"{name} needs {', '.join(missing)}, and nothing was recorded for {'it' if len(missing) == 1 else 'them'}. "
            f"Give a value as an override (request.{missing[0]}=…), or: {FACTORY}"
        )


def _by_place(
    parameters: Mapping[str, inspect.Parameter], values: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """By keyword, apart from parameters that are given by place alone."""
    args: list[Any] = []
    for name, parameter in parameters.items():
        if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
            break
        args.append(values.get(name, parameter.default))
    by_place = list(parameters)[: len(args)]
    return tuple(args), {name: value for name, value in values.items() if name not in by_place}


# ---- messages ---------------------------------------------------------------------------------------


def _is_list_of_messages(function: Callable[..., Any], parameter: str) -> bool:
    given = hints_of(function).get(parameter)
    return any(_origin(kind) in {list, tuple, Sequence} for kind in _alternatives(given))


def _alternatives(given: Any) -> tuple[Any, ...]:
    if typing.get_origin(given) in {typing.Union, types.UnionType}:
        return typing.get_args(given)
    return (given,)


def _origin(given: Any) -> Any:
    return typing.get_origin(given) or given


def make_messages(function: Callable[..., Any], parameter: str, messages: Sequence[Message]) -> Any:
    """The history as the parameter's annotation says: dicts with role and content where it says nothing."""
    made: list[Any] = []
    container: Any = list
    element: Any = None
    for given in _alternatives(hints_of(function).get(parameter)):
        if given is str:
            return "\n".join(
                f"{message.role}: {message.text}" if message.role else message.text for message in messages
            )
        inside = typing.get_args(given)
        if inside and isinstance(_origin(given), type):
            element = inside[0]
            container = tuple if _origin(given) is tuple else list
    made = [_message(element, message) for message in messages]
    return container(made)


def _message(element: Any, message: Message) -> Any:
    kind = _origin(element)
    if kind is str:
        return message.text
    if kind in {tuple, list}:
        return kind((message.role, message.text))
    if not isinstance(kind, type) or kind is Mapping or (issubclass(kind, dict) and kind.__module__ == "builtins"):
        return {"role": message.role, "content": message.text}
    return _message_object(kind, message)


_LANGCHAIN: Final = {"user": "HumanMessage", "assistant": "AIMessage", "system": "SystemMessage"}


def _message_object(kind: type, message: Message) -> Any:
    """A TypedDict, LangChain's messages, or an object whose fields are named as usual."""
    if kind.__module__.startswith("langchain_core.messages"):
        import langchain_core.messages as langchain

        return getattr(langchain, _LANGCHAIN.get(message.role, "HumanMessage"))(content=message.text)
    fields = list(getattr(kind, "__annotations__", {})) or list(_signature(kind))
    role = next((name for name in names.ROLES if name in fields), None)
    text = next((name for name in names.MESSAGE_TEXTS if name in fields), None)
    if text is None or role is None:
        raise CannotReplay(
            f"The history is made of {kind.__qualname__}, which has no role and content that could be filled. {FACTORY}"
        )
    return kind(**{role: message.role, text: message.text})


# ---- other values -----------------------------------------------------------------------------------


def _converted(function: Callable[..., Any], parameter: str, value: Any) -> Any:
    """A text as the number, date or time that the parameter is annotated as; anything else as it is."""
    if not isinstance(value, str):
        return value
    kinds = _alternatives(hints_of(function).get(parameter))
    if str in kinds:
        return value
    for kind, convert in (
        (int, int),
        (dt.datetime, dt.datetime.fromisoformat),
        (dt.date, lambda text: dt.date.fromisoformat(text[:10])),
    ):
        if kind in kinds:
            try:
                return convert(value)
            except ValueError as error:
                said = f"{parameter} is a {kind.__name__}, and {value!r:.100} was recorded"
                raise CannotReplay(f"{said}. {FACTORY}") from error
    return value
