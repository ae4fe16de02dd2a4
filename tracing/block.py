"""`with goldrank.stage("retrieve", name="bm25", query=q) as s:` where a decorator does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from opentelemetry.trace import INVALID_SPAN

from ..model.errors import UsageError
from ..model.stage_words import StageKind
from .context import Entered, enter, leave, open_stage
from .fields import FIELDS
from .guest import Guard
from .open_stage import OpenStage
from .opening import begin
from .recorder import NO_RECORDER, SWITCH
from .sorts import SORTS

_ARGUMENTS = Guard("reading a stage's values")


class Block:
    """One stage as a block of code, for `with` and `async with`."""

    __slots__ = ("_context", "_entered", "_kind", "_name", "_stage", "_values")

    def __init__(self, kind: StageKind, name: str, values: Mapping[str, Any]) -> None:
        self._kind = kind
        self._name = name
        self._values = values
        self._stage: OpenStage | None = None
        self._entered: Entered | None = None

    def __enter__(self) -> OpenStage:
        if SWITCH.replays is not None:
            SWITCH.replays.block(self._kind, self._name, self._values)
        stage = self._stage = begin(SORTS[self._kind], self._name)
        if stage is None:
            return nothing()
        with _ARGUMENTS:
            put_values(stage, self._values)
        self._context = stage.context
        self._entered = enter(self._context)
        return stage

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stage, entered = self._stage, self._entered
        if stage is None or entered is None:
            return
        leave(entered, self._context)
        if error is None:
            stage.end()
        else:
            stage.end_with(error)

    async def __aenter__(self) -> OpenStage:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)


def stage(kind: str | StageKind, name: str | None = None, **values: Any) -> Block:
    """A stage as a block: `s.hits(found)`, `s.text(…)` and so on say what it gave.

    `kind` is a word of the glossary (retrieve, fuse, filter, …); `values` are what it was given: query=, top_k=,
    filters=, index=, index_version=, embedding_model=, model=, technique=, prompt=, context=, and inputs= (lists,
    or names of stages). UsageError for a kind or value that does not exist.
    """
    try:
        known = StageKind(kind)
    except ValueError:
        words = ", ".join(word.value for word in StageKind)
        raise UsageError(f"goldrank.stage: {kind!r} is no kind of stage; there are {words}.") from None
    unknown = sorted(set(values) - _VALUES)
    if unknown:
        raise UsageError(f"goldrank.stage has no {unknown[0]}=; it has {', '.join(sorted(_VALUES))}.")
    return Block(known, str(name or known.value), values)


_VALUES = frozenset({field.option for kind in StageKind for field in FIELDS[kind]} | {"inputs", "prompt"})


def put_values(open_one: OpenStage, values: Mapping[str, Any]) -> None:
    """Puts the values of a block on its stage."""
    puts = {field.option: field.put for kind in StageKind for field in FIELDS[kind]}
    for option, value in values.items():
        if value is None:
            continue
        if option == "inputs":
            open_one.declare_inputs(value if isinstance(value, tuple) else (value,) if not _is_names(value) else value)
        elif option == "prompt":
            open_one.prompt(value)
        else:
            puts[option](open_one, value)


def _is_names(value: Any) -> bool:
    """Whether a list holds names of stages or lists, rather than hits."""
    return isinstance(value, list) and all(isinstance(item, str | list) for item in value)


def current_stage() -> OpenStage:
    """The innermost stage (or the request) that is open here; outside of any, one that records nothing."""
    return (open_stage() if SWITCH.recorder is not None else None) or nothing()


def nothing() -> OpenStage:
    """A stage that takes everything and records nothing: what an app gets before `init`."""
    return OpenStage(NO_RECORDER, SORTS[StageKind.OTHER], "", INVALID_SPAN)
