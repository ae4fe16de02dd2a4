"""Single values as they were before JSON: numpy's numbers, dates, UUIDs."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from .kinds import find_class
from .refusals import NotRebuildable


def _whole(value: Any) -> int:
    return int(value)


_SCALARS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "str": str,
    "int": _whole,
    "float": float,
    "bool": bool,
    "None": lambda _value: None,
    "uuid.UUID": lambda value: uuid.UUID(str(value)),
    "datetime.datetime": lambda value: dt.datetime.fromisoformat(str(value)),
    "datetime.date": lambda value: dt.date.fromisoformat(str(value)),
    "datetime.time": lambda value: dt.time.fromisoformat(str(value)),
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "list": list,
    "dict": dict,
}
_NUMPY_SCALARS: Final = ("numpy.float", "numpy.int", "numpy.uint", "numpy.str_", "numpy.bool")


def is_scalar(name: str) -> bool:
    """Whether a type is of one value rather than an object with fields."""
    return (name in _SCALARS and name not in {"list", "dict", "tuple", "set", "frozenset"}) or is_numpy(name)


def is_numpy(name: str) -> bool:
    """Whether it is one of numpy's scalars."""
    return name.startswith(_NUMPY_SCALARS)


def is_number_type(name: str) -> bool:
    """Whether values of the type are scores."""
    return name in {"int", "float"} or (is_numpy(name) and name not in {"numpy.str_", "numpy.bool", "numpy.bool_"})


def convert(name: str, value: Any, what: str) -> Any:
    """`value`, as JSON holds it, as the type it was; NotRebuildable naming `what` where that is not known."""
    convert_one = _SCALARS.get(name)
    try:
        if convert_one is not None:
            return convert_one(value)
        if is_numpy(name):
            return find_class(name)(value)
    except (TypeError, ValueError) as error:
        raise NotRebuildable(f"{what} was a {name}; {value!r:.80} was recorded") from error
    raise NotRebuildable(f"{what} was a {name}, which JSON cannot hold")
