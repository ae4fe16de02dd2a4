"""Guesses which column is what, by usual names and by what stands in them. What fits two is refused, never chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ...model import UsageError
from .lists_of_columns import guess_stages
from .mapping import LITERAL, NO_LISTS, Columns, Declared, LongForm, StageColumns, stage_columns
from .moments import slash_order
from .names import FIELDS, LONG_FIELDS, QUESTION_NAMES, is_said_by_the_app, last_name, names_of
from .profile import Column

_LISTS: Final = ("groups", "expected", "stages", "history", "prompt", "filters")
"""Fields whose columns may hold lists."""
_SECONDS_BELOW: Final = 60.0
_UNIT: Final = re.compile(r"_(ns|us|ms|s|sec|seconds?)$")
_UNITS: Final = {"sec": "s", "second": "s", "seconds": "s"}


class NoLog(UsageError):
    """Nothing is known as the question, and nothing is a list: the file may be no log at all."""


class Guess(NamedTuple):
    """A column for a field."""

    path: str
    others: tuple[str, ...] = ()
    """Columns that fit as well by their name, and were not taken."""


def make_columns(columns: Mapping[str, Column], declared: Declared, *, source: str, guess: bool = True) -> Columns:
    """The mapping of a file: what was declared, and guesses for the rest.

    UsageError where the question or the lists are not found, or could be two: with what was found and what to say.
    """
    fields = dict(declared.fields)
    notes: dict[str, str] = {}
    unit = _declared_unit(fields)
    if "question" not in fields and guess:
        fields["question"] = _question(columns, source)
    long = _long(columns, declared, fields, guess=guess)
    if guess:
        _add_guesses(columns, fields, notes, long)
    stages: tuple[StageColumns, ...] = ()
    if declared.stages:
        stages = tuple(stage_columns(name, said) for name, said in declared.stages.items())
    elif guess and long is None and NO_LISTS not in declared.settings:
        stages = guess_stages(columns, taken={path for path in fields.values() if path})
    if "latency" in fields and unit is None:
        unit, notes["latency"] = _unit_of(fields["latency"], columns)
    dates = slash_order(columns[fields["time"]].texts) if fields.get("time") in columns else None
    if dates is not None:
        notes["time"] = "; ".join(filter(None, (notes.get("time", ""), dates[1])))
    made = Columns(
        fields={name: path for name, path in fields.items() if path},
        stages=stages,
        long=long,
        separator=declared.settings.get("separator", ""),
        latency_unit=unit or "ms",
        slash_order=None if dates is None else dates[0],
        notes={name: note for name, note in notes.items() if note},
    )
    made = _with_scale(made, columns, declared)
    made = made if made.separator else made.model_copy(update={"separator": _separator(made, columns, source)})
    _check_needed(made, columns, source, no_lists=NO_LISTS in declared.settings)
    return made


def _question(columns: Mapping[str, Column], source: str) -> str:
    for number, names in enumerate(QUESTION_NAMES):
        fitting = [
            path
            for path, column in columns.items()
            if last_name(path) in names
            and not is_said_by_the_app(path)
            and (_is_texts(column) or (number == 2 and "messages" in column.sorts))
        ]
        if len({last_name(path) for path in fitting}) == 1:  # the same name further inside is another thing's
            depth = min(path.count(".") for path in fitting)
            fitting = [path for path in fitting if path.count(".") == depth]
        if len(fitting) > 1:
            raise UsageError(
                f"{source}: which column is the question cannot be told: {', '.join(fitting)} all may be. "
                f"Say it: --map question={fitting[0]}"
            )
        if fitting:
            return fitting[0]
    lists = any(_may_be_hits(column) for column in columns.values())
    raise (UsageError if lists else NoLog)(
        f"{source}: no column is known as the question ({_listed(columns)}). Say which: --map question=NAME"
    )


def _is_texts(column: Column) -> bool:
    """Texts; among them some may look like JSON."""
    return "text" in column.sorts and (column.sorts <= {"text", "number"} or column.all_written)


def _listed(columns: Mapping[str, Column]) -> str:
    names = [path for path, column in columns.items() if column.sorts != {"object"}]
    more = f" and {len(names) - 15} more" if len(names) > 15 else ""
    return ", ".join(names[:15]) + more if names else "it has none"


def _long(columns: Mapping[str, Column], declared: Declared, fields: dict[str, str], *, guess: bool) -> LongForm | None:
    """Where each row is one hit: it names one chunk and its rank, and there are no lists."""
    found = {name: path for name, path in declared.long.items() if path}
    if declared.stages or (not found and (not guess or any(_may_be_hits(column) for column in columns.values()))):
        return None
    taken = {path for path in fields.values() if path}
    for name, names in LONG_FIELDS.items() if guess else ():
        if name in declared.long:
            continue
        free = {path: one for path, one in columns.items() if one.is_plain and path not in {*taken, *found.values()}}
        path = _by_name(free, names)
        if path is not None:
            found[name] = path.path
    return LongForm(fields=found) if "hit" in found and ("rank" in found or declared.long) else None


def _may_be_hits(column: Column) -> bool:
    return bool(column.sorts & {"ids", "passages", "hits"}) and last_name(column.path) not in FIELDS["groups"]


def _by_name(columns: Mapping[str, Column], names: Sequence[str]) -> Guess | None:
    """The column whose name comes first among `names`; of equal ones the outermost."""
    places = {path: [names.index(name) for name in names_of(path) if name in names] for path in columns}
    fitting = sorted((path for path in columns if places[path]), key=lambda path: (min(places[path]), path.count(".")))
    return Guess(fitting[0], tuple(fitting[1:])) if fitting else None


def _add_guesses(
    columns: Mapping[str, Column], fields: dict[str, str], notes: dict[str, str], long: LongForm | None
) -> None:
    taken = set(long.fields.values()) if long is not None else set()
    others: dict[str, tuple[str, ...]] = {}
    for name, names in FIELDS.items():
        if name in fields or (name == "latency" and any(one.startswith("latency_") for one in fields)):
            continue
        used = {*fields.values(), *taken}
        free = {path: one for path, one in columns.items() if path not in used and _fits(name, one)}
        if name == "id":
            free = {path: one for path, one in free.items() if _tells_apart(one, often=long is not None)}
        found = _by_name(free, names)
        if found is None:
            continue
        fields[name] = found.path
        others[name] = found.others
    for name in ("id", "answer", "time"):
        same = [path for path in others.get(name, ()) if path not in fields.values()]
        if same:
            notes[name] = f"{', '.join(same)} may be it as well: --map {name}={same[0]}"


def _fits(field: str, column: Column) -> bool:
    """Whether what stands in a column can be that field."""
    sorts = column.sorts
    if field in {"latency", "top_k"}:
        return sorts <= {"number", "text"} and all(_is_number(value) for value in column.values)
    if field in {"history", "prompt"}:
        return "messages" in sorts or "passages" in sorts or (sorts == {"text"})
    if field == "stages":
        items = [one for value in column.values if isinstance(value, list) for one in value]
        return sorts <= {"list", "hits", "empty list"} and any(map(_is_stage, items)) and all(map(_is_object, items))
    if field == "id":
        return sorts <= {"text", "number"}
    if field == "filters":
        return sorts <= {"object", "text", "list", "empty list"}
    if field == "expected" and "object" in sorts:  # ids with grades
        objects = [value for value in column.values if isinstance(value, Mapping)]
        return all(_is_number(grade) for one in objects for grade in one.values())
    if field in _LISTS:
        return sorts <= {"ids", "empty list", "text", "passages", "number"}
    if field == "answer":
        return "text" in sorts and sorts <= {"text", "number"}
    if field == "feedback":
        return sorts <= {"number", "flag", "text"}
    return column.is_plain


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _tells_apart(column: Column, *, often: bool) -> bool:
    """Whether a column can be an id: nearly every value is another one; where a row is a hit, it comes `often`."""
    values = [str(value) for value in column.values]
    different = len(set(values))
    return different > 1 if often else different * 2 > len(values)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_stage(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(one, list) for one in value.values())


def _declared_unit(fields: dict[str, str]) -> str | None:
    """`latency_s=took` says the unit, too."""
    for unit in ("ns", "us", "ms", "s"):
        path = fields.pop(f"latency_{unit}", None)
        if path:
            fields["latency"] = path
            return unit
    return None


def _unit_of(path: str, columns: Mapping[str, Column]) -> tuple[str, str]:
    """Of a latency's column: by the end of its name, else by its size, which a person should look at."""
    match = _UNIT.search(last_name(path))
    if match is not None:
        return _UNITS.get(match[1], match[1]), ""
    column = columns.get(path)
    numbers = sorted(float(value) for value in column.values if _is_number(value)) if column else []
    middle = numbers[len(numbers) // 2] if numbers else 0.0
    unit = "s" if numbers and middle < _SECONDS_BELOW and any(one != int(one) for one in numbers) else "ms"
    return (
        unit,
        f"taken for {'seconds' if unit == 's' else 'milliseconds'}; --map latency_s={path} or latency_ms={path}",
    )


def _with_scale(made: Columns, columns: Mapping[str, Column], declared: Declared) -> Columns:
    """What the numbers of a feedback mean."""
    said = declared.settings.get("feedback_scale")
    if said:
        return made.model_copy(update={"feedback_scale": said})
    column = columns.get(made.fields.get("feedback", ""))
    numbers = [float(value) for value in column.values if _is_number(value)] if column else []
    if not numbers or min(numbers) < 0:
        return made
    scale = "0..1" if max(numbers) <= 1 and min(numbers) < 1 else "1..5" if 1 < max(numbers) <= 5 else "sign"
    note = f"its numbers are taken for {scale}; --map feedback_scale=1..5, 0..1 or sign" if scale != "sign" else ""
    return made.model_copy(update={"feedback_scale": scale, "notes": made.notes | ({"feedback": note} if note else {})})


def _separator(made: Columns, columns: Mapping[str, Column], source: str) -> str:
    """What stands between the ids in the cells of lists; empty where nothing does."""
    places = [made.fields.get("expected", ""), *(stage.fields.get("hits", "") for stage in made.stages)]
    texts = [text for path in places if path in columns for text in columns[path].texts]
    seen = [one for one in "|;," if any(one in text for text in texts)]
    if len(seen) > 1:
        marks = " and ".join(repr(one) for one in seen)
        raise UsageError(
            f"{source}: what stands between the ids of a cell cannot be told: {marks} both may, as in "
            f"{texts[0][:60]!r}. Say it: --map 'separator={seen[0]}'"
        )
    if seen:
        return seen[0]
    return " " if texts and any(" " in text.strip() for text in texts) else ""


def _check_needed(made: Columns, columns: Mapping[str, Column], source: str, *, no_lists: bool) -> None:
    """A declared column that is not there is a slip, and a file without any list shows nothing of retrieval."""
    for field, path in (*made.fields.items(), *_of_stages(made)):
        if path.startswith(LITERAL) or "[" in path or path in columns or any(c.startswith(f"{path}.") for c in columns):
            continue
        if field in {"question", "hits"} or field.endswith(".hits"):
            raise UsageError(f"{source}: it has no column {path!r} ({field}); it has {_listed(columns)}.")
    if not (made.stages or made.long or made.fields.get("stages") or no_lists):
        raise UsageError(
            f"{source}: no column is known as a list of hits ({_listed(columns)}). Say which: --map hits=NAME, or "
            "--map bm25.hits=NAME for each stage; where a row is one hit --map hit=NAME; --map hits= where it has none."
        )


def _of_stages(made: Columns) -> list[tuple[str, str]]:
    return [(f"{stage.name}.{name}", path) for stage in made.stages for name, path in stage.fields.items()]
