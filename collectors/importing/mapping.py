"""Which column is what: declared by a person, guessed from names, and always shown before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from ...model import StageKind, UsageError
from .moments import SlashOrder
from .names import DEFAULT_STAGE, FIELDS, LONG_FIELDS, STAGE_FIELDS, kind_of
from .paths import parse_path

LITERAL: Final = "="
"""Begins a value that stands for itself: `retrieve.index==docs`."""
UNITS: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
"""Of latencies, in nanoseconds."""
FEEDBACK_SCALES: Final = ("sign", "0..1", "1..5")
"""sign: below 0 is bad. 0..1: 0 is bad and 1 good. 1..5: stars, 3 is neither."""
REQUEST_FIELDS: Final = ("question", *FIELDS, "expected_docs", *(f"latency_{unit}" for unit in UNITS), "rest")
SETTINGS: Final = ("separator", "feedback_scale")
NO_LISTS: Final = "no lists"
"""A setting that `hits=` makes: the log has no lists, and that is right."""
_SUGARED: Final = ("hits", "scores", "texts", "docs", "metadata", "ranks")
"""Fields of a list that may stand without a stage."""


class StageColumns(BaseModel):
    """Where one stage's list and the rest of it stand; an empty text: nowhere."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: StageKind
    fields: dict[str, str] = {}
    """One of STAGE_FIELDS -> path, or `=` and a text."""


class LongForm(BaseModel):
    """Where a hit stands when each row is one hit."""

    model_config = ConfigDict(frozen=True)

    fields: dict[str, str]
    """One of LONG_FIELDS -> path."""


class Columns(BaseModel):
    """The mapping of one file."""

    model_config = ConfigDict(frozen=True)

    fields: dict[str, str] = {}
    """Field of a request -> path, or `=` and a text."""
    stages: tuple[StageColumns, ...] = ()
    """In the order in which they ran, as far as the file or a person says."""
    long: LongForm | None = None
    """Set: a row is one hit."""
    separator: str = ""
    """Between the ids in one cell; empty: cells hold JSON, or one id."""
    latency_unit: str = "ms"
    feedback_scale: str = "sign"
    slash_order: SlashOrder | None = None
    """Of dates like 03/04/2026; None: there are none."""
    notes: dict[str, str] = {}
    """Field -> what a person should know of how it was chosen."""

    @property
    def used_paths(self) -> frozenset[str]:
        """Every path that is read."""
        places = [*self.fields.values(), *(self.long.fields.values() if self.long else ())]
        places += [path for stage in self.stages for name, path in stage.fields.items() if name != "kind"]
        return frozenset(path for path in places if path and not path.startswith(LITERAL))


class Declared(NamedTuple):
    """What a person said."""

    fields: Mapping[str, str] = {}
    """Field -> path. An empty path: that field is not read."""
    stages: Mapping[str, Mapping[str, str]] = {}
    """Stage -> its field -> path, in the order in which they were declared."""
    long: Mapping[str, str] = {}
    settings: Mapping[str, str] = {}


def declare(pairs: Mapping[str, Any]) -> Declared:
    """A declared mapping: `question` -> path, `rerank.hits` -> path, or a table of a stage as a mapping file has it.

    UsageError for a field that does not exist, with those that do.
    """
    fields: dict[str, str] = {}
    stages: dict[str, dict[str, str]] = {}
    long: dict[str, str] = {}
    settings: dict[str, str] = {}
    for target, path in _flat(pairs):
        stage, dot, field = target.rpartition(".")
        if target in SETTINGS:
            settings[target] = path
            continue
        _check_path(path)
        if dot:
            if field not in STAGE_FIELDS:
                raise UsageError(f"{target!r}: {field!r} is no field of a stage; there are {', '.join(STAGE_FIELDS)}.")
            if path:
                stages.setdefault(stage, {})[field] = path
        elif target == "hits" and not path:
            settings[NO_LISTS] = "yes"
        elif target in _SUGARED:
            stages.setdefault(DEFAULT_STAGE, {})[target] = path
        elif target in LONG_FIELDS:
            long[target] = path
        elif target in REQUEST_FIELDS:
            fields[target] = path
        else:
            raise UsageError(
                f"{target!r} is no field of a request; there are {', '.join(REQUEST_FIELDS)}, of each stage "
                f"{', '.join(STAGE_FIELDS)} (as in rerank.hits), and where a row is one hit {', '.join(LONG_FIELDS)}."
            )
    return Declared(fields, stages, long, settings)


def stage_columns(name: str, fields: Mapping[str, str], *, default: StageKind = StageKind.RETRIEVE) -> StageColumns:
    """A declared stage; its kind is the declared one, else what its name says, else `default`."""
    said = fields.get("kind", "").removeprefix(LITERAL)
    try:
        kind = StageKind(said) if said else kind_of(name) or default
    except ValueError:
        kinds = ", ".join(one.value for one in StageKind)
        raise UsageError(f"{name}.kind is {said!r}; there are {kinds}.") from None
    return StageColumns(name=name, kind=kind, fields={key: path for key, path in fields.items() if key != "kind"})


def in_order(stages: Sequence[StageColumns]) -> tuple[StageColumns, ...]:
    """Searches first, then what takes their lists in: as pipelines run, whatever the order of the columns."""
    return tuple(sorted(stages, key=lambda one: _ORDER.index(one.kind) if one.kind in _ORDER else len(_ORDER)))


_ORDER: Final = (StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK, StageKind.ASSEMBLE)


def _flat(pairs: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in pairs.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{before}{key}.")
        elif isinstance(value, str):
            found.append((f"{before}{key}", value.strip() if key != "separator" else value))
        else:
            raise UsageError(f"{before}{key} is {value!r}; a path was expected, as a text.")
    return found


def _check_path(path: str) -> None:
    if path and not path.startswith(LITERAL):
        parse_path(path)
