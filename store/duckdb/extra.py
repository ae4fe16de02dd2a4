"""Fields of the model that have no column of their own yet travel in a column `extra`, so that none is lost."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from .encoding import dumps, loads


def extra_of(value: BaseModel, columns: frozenset[str]) -> str | None:
    """JSON of the fields that are set to something else than their default and have no column."""
    rest = {name for name, default in _without_column(type(value), columns) if getattr(value, name) != default}
    return dumps(value.model_dump(include=rest)) if rest else None


def with_extra(extra: str | None) -> dict[str, Any]:
    """The fields that `extra_of` kept."""
    return {} if extra is None else dict(loads(extra))


@lru_cache(maxsize=64)
def _without_column(kind: type[BaseModel], columns: frozenset[str]) -> tuple[tuple[str, Any], ...]:
    """Name and default of each field without a column."""
    return tuple(
        (name, field.get_default(call_default_factory=True))
        for name, field in kind.model_fields.items()
        if name not in columns
    )
