"""How a decorated function is read: which parameter is the question, the query, the prompt. Made once a function."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ..model import wire
from ..model.stage_words import StageKind
from . import fields, names
from .arguments import Arguments
from .fields import Field
from .guest import Guard, say_once
from .open_stage import OpenStage
from .rows import row_reader
from .sorts import REQUEST, SORTS
from .values import is_a

Source = str | Callable[[Any], Any] | int | None
"""Where a value is: a parameter's name, a function of the bound arguments (or of the result), or the value itself."""


class Options:
    """What a decorator was told."""

    __slots__ = ("_given", "answer", "hits", "name", "rebuild", "row")

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self.name: str | None = given.get("name")
        self.answer: Any = given.get("answer")
        """The app's mapping of a result to its answer's text."""
        self.hits: Any = given.get("hits")
        """The app's mapping of a result to its list."""
        self.row = row_reader(self.hits) if is_a(self.hits, dict) else None
        """The app's table of columns, where that is its mapping."""
        self.rebuild: Any = given.get("rebuild")
        """The app's way back: from recorded hits to what the stage returns."""

    def get(self, option: str) -> Any:
        """The source given for `option`; None: go by the usual names."""
        return self._given.get(option)


MAX_SETTING_CHARS: Final = 100

_NUMBERS: Final = frozenset({int, float, bool})
_MAPPING: Final = Guard("an option's function")


class Reader(NamedTuple):
    """How one field is found among a call's arguments."""

    field: Field
    parameters: tuple[str, ...] = ()
    """Parameters that may hold it; the first that is readable counts."""
    function: Callable[[Any], Any] | None = None
    """The app's own reading of the bound arguments."""
    literal: Any = None


PLANS: Final[weakref.WeakSet[Plan]] = weakref.WeakSet()
"""Of all functions that are decorated now."""


class Plan:
    """Everything about one decorated function that does not change from call to call."""

    __slots__ = (
        "__weakref__",
        "_binds",
        "_odd_readers",
        "_setting_places",
        "_usual_readers",
        "_whole_prompt",
        "arguments",
        "inputs",
        "kind",
        "name",
        "options",
        "settings",
        "sort",
    )

    def __init__(self, function: Callable[..., Any], kind: StageKind | None, options: Options) -> None:
        self.kind = kind
        """None: a request."""
        self.sort = REQUEST if kind is None else SORTS[kind]
        self.options = options
        self.name = options.name or getattr(function, "__name__", None) or type(function).__name__
        self.arguments = Arguments(function)
        self.inputs: Any = options.get("inputs")
        readers = [reader for field in fields.FIELDS[kind] if (reader := self._reader(field)) is not None]
        usual = [
            reader
            for reader in readers
            if len(reader.parameters) == 1 and not self.arguments.is_rest(reader.parameters[0])
        ]
        if kind is None and len(usual) < len(readers):
            usual = []  # the history is read after the question, and goes by it
        self._usual_readers = tuple((reader.field.put, *self.arguments.place(reader.parameters[0])) for reader in usual)
        """Of fields that only one parameter can hold: nearly all. They are read without binding all arguments."""
        self._odd_readers = tuple(reader for reader in readers if reader not in usual)
        self.settings = self._setting_names(readers)
        self._whole_prompt = self._find_whole_prompt()
        self._setting_places = tuple(
            self.arguments.place(name) for name in self.settings if not self.arguments.is_rest(name)
        )
        self._binds = bool(self._odd_readers or self.inputs is not None or kind is StageKind.GENERATE)
        PLANS.add(self)

    def reader_of(self, option: str) -> Reader | None:
        """How what `option` maps is found; None where this kind of stage has no such field, or nothing holds it."""
        field = next((field for field in fields.FIELDS[self.kind] if field.option == option), None)
        return None if field is None else self._reader(field)

    def read_arguments(self, stage: OpenStage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Puts on `stage` what the arguments of this call say, as they are now: the app may change them later."""
        count = len(args)
        for put, name, position, default in self._usual_readers:
            value = args[position] if position < count else kwargs.get(name, default)
            if value is not None:
                put(stage, value)
        settings: dict[str, Any] = {}
        for name, position, default in self._setting_places:
            value = args[position] if position < count else kwargs.get(name, default)
            if type(value) in _NUMBERS or (type(value) is str and len(value) <= MAX_SETTING_CHARS):
                settings[name] = value
        if settings:
            stage.put_settings(settings)
        if self._binds:
            self._read_the_rest(stage, self.arguments.bind(args, kwargs))
        if self.kind is not None:
            stage.recognise_inputs((*args, *kwargs.values()) if kwargs else args)

    def _read_the_rest(self, stage: OpenStage, bound: Mapping[str, Any]) -> None:
        for reader in self._odd_readers:
            _read_odd(reader, stage, bound)
        if self.kind is StageKind.GENERATE:
            self._read_prompt(stage, bound)
        if self.inputs is not None:
            stage.declare_inputs(self._declared(bound))

    def _read_prompt(self, stage: OpenStage, bound: Mapping[str, Any]) -> None:
        whole = None if self._whole_prompt is None else bound.get(self._whole_prompt)
        if type(whole) is str:
            stage.put_messages(wire.PROMPT, [("", whole)])
        else:
            fields.put_prompt(stage, bound, self.options.get("prompt"))

    def _find_whole_prompt(self) -> str | None:
        """The parameter that is the whole prompt where it is a text, since no other can be a part of it."""
        if self.options.get("prompt") is not None or self.arguments.open:
            return None
        parts = [name for name in self.arguments.names if name in fields.PROMPT_NAMES]
        return parts[0] if len(parts) == 1 and parts[0] in names.PROMPT else None

    def _reader(self, field: Field) -> Reader | None:
        source = self.options.get(field.option)
        known = self.arguments.names
        if source is None:
            found = field.names if self.arguments.open else tuple(name for name in field.names if name in known)
            return Reader(field, found) if found else None
        if callable(source):
            return Reader(field, function=source)
        if isinstance(source, str) and (source in known or (self.arguments.open and not field.literal)):
            return Reader(field, (source,))
        if field.literal:
            return Reader(field, literal=source)
        say_once(
            f"option {field.option} of {self.name}",
            f"goldrank: {field.option}={source!r} names no parameter of {self.name} "
            f"(it has {', '.join(known) or 'none'}); it is left out. Name one, or pass a function of the arguments.",
        )
        return None

    def _setting_names(self, readers: list[Reader]) -> tuple[str, ...]:
        if self.kind is None:
            return ()
        taken = {name for reader in readers for name in reader.parameters}
        taken.update(fields.NO_SETTINGS)
        return tuple(name for name in self.arguments.names if name not in taken and not _is_secret(name))

    def _declared(self, bound: Mapping[str, Any]) -> list[Any]:
        """What `inputs=` stands for in this call: arguments, lists, names of stages."""
        source = self.inputs
        if callable(source):
            given = source(bound)
            return list(given) if isinstance(given, tuple) else [given]
        named = (source,) if isinstance(source, str) else tuple(source)
        return [bound.get(name, name) if isinstance(name, str) else name for name in named]


def _read_odd(reader: Reader, stage: OpenStage, bound: Mapping[str, Any]) -> None:
    """A field that several parameters may hold, that the app's function reads, or that is given as it is."""
    field, parameters, function, literal = reader
    if literal is not None:
        field.put(stage, literal)
    elif function is not None:
        with _MAPPING:
            value = function(bound)
            if value is not None:
                field.put(stage, value)
    else:
        for parameter in parameters:
            value = bound.get(parameter)
            if value is not None and field.put(stage, value):
                return


_SECRETS: Final = tuple(f"_{name}" for name in names.NO_SETTINGS)


def _is_secret(name: str) -> bool:
    return name in names.NO_SETTINGS or name.endswith(_SECRETS) or name in {"self", "cls"}
