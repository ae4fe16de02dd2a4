"""Where the list of hits is inside what a stage returned: small functions, the first that answers wins."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from . import names
from .store_shapes import list_in_result
from .values import fields_of, is_a, is_number


def find_list(value: Any) -> Sequence[Any] | None:
    """The elements of the ranked list in `value`, in their order; None where there is none.

    A set has no order and a generator must not be consumed: neither is a list.
    """
    if type(value) is list and (len(value) != 1 or type(value[0]) is not list):
        return value  # by far the most usual, and what `of_sequence` would say
    if value is None:
        return None
    for find in FINDERS:
        found = find(value)
        if found is not None:
            return found
    return None


def of_parallel(value: Any) -> Sequence[Any] | None:
    """(ids, scores) of equal length, also as numpy arrays, also for one query ([[ids]], [[scores]])."""
    if not is_a(value, tuple) or len(value) != 2:
        return None
    ids, scores = _row(value[0]), _row(value[1])
    if ids is None or scores is None or len(ids) != len(scores) or not ids:
        return None
    if not all(is_number(score) for score in scores) or (is_number(ids[0]) and is_a(ids[0], float)):
        return None
    return list(zip(ids, scores, strict=True))


def of_sequence(value: Any) -> Sequence[Any] | None:
    """A list or tuple of hits; the list inside a list where it is the answer to one single query."""
    if not is_a(value, list | tuple | deque) or hasattr(type(value), "_fields"):
        return None
    found: Sequence[Any] = list(value) if is_a(value, deque) else value
    if len(found) == 1 and is_a(found[0], list) and found[0] and not _looks_like_pair(found[0]):
        return found[0]
    return found


def of_columns(value: Any) -> Sequence[Any] | None:
    """Chroma's dict of lists: ids, documents, metadatas, distances; one list each, or one list for each query."""
    if not is_a(value, dict) or not is_a(value.get("ids"), list):
        return None
    ids = value["ids"]
    nested = bool(ids) and is_a(ids[0], list)
    if nested and len(ids) != 1:
        return None
    rows: list[dict[str, Any]] = [{"id": chunk_id} for chunk_id in (ids[0] if nested else ids)]
    for column, key in (("documents", "text"), ("metadatas", "metadata"), ("distances", "distance")):
        values = value.get(column)
        if nested and is_a(values, list) and values:
            values = values[0]
        if is_a(values, list) and len(values) == len(rows):
            for row, cell in zip(rows, values, strict=True):
                row[key] = cell
    return rows


def of_scored_ids(value: Any) -> Sequence[Any] | None:
    """A dict from id to score, in its order, as a fusion often returns it."""
    if not is_a(value, dict) or not value or not all(is_number(score) for score in value.values()):
        return None
    if any(key in names.SCORES or key in names.ID_FIELDS for key in value):
        return None  # one hit, not a list of them
    return list(value.items())


def of_holder(value: Any) -> Sequence[Any] | None:
    """A dict or object that holds its list under a usual name: Haystack, Qdrant, Pinecone, Elasticsearch."""
    if is_a(value, list | tuple | str | bytes) and not hasattr(type(value), "_fields"):
        return None
    fields = fields_of(value)
    if fields is None:
        return None
    for name in names.LISTS:
        held = fields.get(name)
        if is_a(held, dict):
            held = held.get(name)
        if is_a(held, list | tuple):
            return held
    return None


def of_array(value: Any) -> Sequence[Any] | None:
    """A one-dimensional numpy array of ids."""
    return None if is_a(value, list | tuple) else _row(value)


FINDERS: Final[tuple[Callable[[Any], Sequence[Any] | None], ...]] = (
    of_parallel,
    of_sequence,
    of_columns,
    of_scored_ids,
    of_holder,
    list_in_result,
    of_array,
)


def _row(value: Any) -> list[Any] | None:
    """A list, or the only row of a nested one or of a numpy array."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 0) in {1, 2}:
        value = value.tolist()
    if not is_a(value, list):
        return None
    if len(value) == 1 and is_a(value[0], list):
        return value[0]
    return value if not value or not is_a(value[0], list | dict) else None


def _looks_like_pair(value: list[Any]) -> bool:
    return len(value) in {2, 3} and any(is_number(item) for item in value)
