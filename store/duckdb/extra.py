"""Fields of the model that have no column of their own yet travel in a column `extra`, so that none is lost."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from .encoding import dumps, loads


def extra_of(value: BaseModel, columns: frozenset[str]) -> str | None:
    """JSON of the fields that are set to something else than their default and have no column."""
    names = _without_column(type(value), columns)
    if not names:
        return None
    fields = type(value).model_fields
    rest = {name for name in names if getattr(value, name) != fields[name].get_default(call_default_factory=True)}
    return dumps(value.model_dump(include=rest)) if rest else None


def with_extra(extra: str | None) -> dict[str, Any]:
    """The fields that `extra_of` kept."""
    return {} if extra is None else dict(loads(extra))


@lru_cache(maxsize=64)
def _without_column(kind: type[BaseModel], columns: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in kind.model_fields if name not in columns)
