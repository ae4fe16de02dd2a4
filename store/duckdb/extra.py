"""Fields of the model that have no column of their own yet travel in a column `extra`, so that none is lost."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from .encoding import dumps, loads


def extra_of(value: BaseModel, columns: frozenset[str]) -> str | None:
    """JSON of the fields that are set to something else than their default and have no column."""
    fields = type(value).model_fields
    rest = {
        name: getattr(value, name)
        for name, field in fields.items()
        if name not in columns and getattr(value, name) != field.get_default(call_default_factory=True)
    }
    if not rest:
        return None
    return dumps(value.model_dump(include=set(rest)))


def with_extra(extra: str | None) -> dict[str, Any]:
    """The fields that `extra_of` kept."""
    return {} if extra is None else dict(loads(extra))
