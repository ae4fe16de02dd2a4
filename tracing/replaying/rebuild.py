"""What a stage returned, made again from what was recorded of it: its shape tag and its hits, or its texts.

The containers are here, their elements in `making`. What is not certain to be as it was is refused with the reason,
or, where it is of little weight (vectors, which are never recorded), said in a note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final, NamedTuple

from ...model.hit import Hit
from ...model.hit_words import TextState
from ...model.replay import Pin
from ...model.stage_words import StageKind
from .. import names
from .kinds import find_class, made_of
from .making import Maker
from .refusals import NotRebuildable
from .scalars import convert, is_number_type, is_scalar
from .tags import Tag, parse

UserRebuild = Callable[[list[dict[str, Any]]], Any]
"""An app's own `rebuild=`: from hits as dicts, in rank order, to what the stage returns."""

_COLUMNS: Final = ("documents", "metadatas", "distances")


class Rebuilt(NamedTuple):
    """A value that stands for the recorded one."""

    value: Any
    notes: tuple[str, ...] = ()
    """What is not as it was, in words; empty: it is equal."""


def rebuild_pin(
    pin: Pin, *, own: UserRebuild | None = None, mapped: bool = False, script: ModuleType | None = None
) -> Rebuilt:
    """The value of a pinned stage. NotRebuildable with the reason.

    `own` is the app's `rebuild=`. `mapped`: the app reads the list with `hits=`, so that the recorded shape is not that
    of the value. `script` stands in for `__main__` of the recorded process.
    """
    if pin.hits is not None and own is not None:
        return Rebuilt(own([as_dict(hit) for hit in pin.hits]))
    if pin.hits is None:
        return Rebuilt(_text(pin))
    if mapped:
        raise NotRebuildable("its list is read with hits=, so that what it returned is not known; give it a rebuild=")
    hidden = next((hit for hit in pin.hits if hit.text_state in {TextState.REDACTED, TextState.CUT}), None)
    if hidden is not None:
        raise NotRebuildable(f"the text of hit {hidden.rank} is {hidden.text_state.value}")
    maker = Maker(pin.kind, script)
    if pin.text is not None and pin.shape and not pin.shape.startswith("tuple[") and pin.kind is StageKind.ASSEMBLE:
        raise NotRebuildable("it returned a text and a list, and in which order is not recorded")
    value = _whole(parse(pin.shape or "list[?]"), pin, maker)
    return Rebuilt(value, tuple(maker.notes))


def as_dict(hit: Hit) -> dict[str, Any]:
    """A hit as an app's `rebuild=` is given it: rank, id, doc_id, parent_id, text, score, metadata."""
    return {
        "rank": hit.rank,
        "id": hit.chunk_id,
        "doc_id": hit.doc_id,
        "parent_id": hit.parent_id,
        "text": hit.text,
        "score": hit.score,
        "metadata": dict(hit.metadata),
    }


def _text(pin: Pin) -> Any:
    shape = pin.shape or _shape_of_texts(pin)
    if shape == "str":
        found = pin.text if pin.text is not None else next(iter(pin.texts or ()), None)
        if found is None:
            raise NotRebuildable("what it returned was not recorded")
        return found
    if pin.texts is not None and shape.partition("[")[0] in {"list", "tuple"}:
        return list(pin.texts) if shape.startswith("list") else tuple(pin.texts)
    if not shape:
        raise NotRebuildable("what it returned was not recorded")
    raise NotRebuildable(f"it returned a {shape}, of which only the text was recorded")


def _shape_of_texts(pin: Pin) -> str:
    """Of a text that the stage simply returned; recordings of others say what it was."""
    if pin.text is not None or len(pin.texts or ()) == 1:
        return "str"
    return "list" if pin.texts is not None else ""


def _whole(tag: Tag, pin: Pin, maker: Maker) -> Any:
    """The value of an assemble stage may be a text and a list; of all others it is the list."""
    hits = pin.hits or ()
    items = tag.items or ()
    if tag.name == "tuple" and pin.text is not None and len(items) == 2 and "str" in {item.name for item in items}:
        return tuple(pin.text if item.name == "str" else _list(item, hits, maker) for item in items)
    return _list(tag, hits, maker)


def _list(tag: Tag, hits: Sequence[Hit], maker: Maker) -> Any:
    if tag.name in {"list", "tuple"}:
        return _sequence(tag, hits, maker)
    if tag.name == "dict" and tag.items is not None:
        return _scored_ids(tag, hits)
    if tag.fields is not None and tag.name == "dict" and "ids" in tag.fields:
        return _columns(tag.fields, hits)
    if tag.fields is not None:
        return _holder(tag, hits, maker)
    raise NotRebuildable(f"it returned a {tag.name}, which cannot be made again from its hits")


def _sequence(tag: Tag, hits: Sequence[Hit], maker: Maker) -> Any:
    items = tag.items
    if items is None:
        if hits:
            raise NotRebuildable(f"it returned a {tag.name} of unknown things")
        return [] if tag.name == "list" else ()
    if tag.name == "tuple" and len(items) == 2 and all(_is_column(item) for item in items):
        return _parallel(items, hits)
    if tag.name == "list" and _is_row(items[0], hits):
        return [_sequence(items[0], hits, maker)]
    made = [maker.element(items[min(at, len(items) - 1)], hit) for at, hit in enumerate(hits)]
    return made if tag.name == "list" else tuple(made)


def _is_column(item: Tag) -> bool:
    return item.name == "list" and item.items is not None and is_scalar(item.items[0].name)


def _is_row(item: Tag, hits: Sequence[Hit]) -> bool:
    """Whether a list in a list is the answer to one single query, rather than a pair."""
    if item.name != "list" or not item.items:
        return False
    inside = item.items[0].name
    return not (is_scalar(inside) and any(hit.score is not None for hit in hits))


def _parallel(items: Sequence[Tag], hits: Sequence[Hit]) -> Any:
    """(ids, scores) of equal length."""
    ids, scores = ((item.items or ())[0].name for item in items)
    if not is_number_type(scores):
        raise NotRebuildable("it returned two lists, and none of scores")
    return (
        [convert(ids, hit.chunk_id, "an id") for hit in hits],
        [convert(scores, _scored(hit), "a score") for hit in hits],
    )


def _scored_ids(tag: Tag, hits: Sequence[Hit]) -> dict[str, Any]:
    key, score = tag.items or ()
    if key.name != "str":
        raise NotRebuildable(f"it returned a dict with {key.name} keys")
    return {hit.chunk_id: convert(score.name, _scored(hit), "a score") for hit in hits}


def _columns(fields: Any, hits: Sequence[Hit]) -> dict[str, Any]:
    """Chroma's dict of lists, for one query, nested or not."""
    cells: dict[str, Callable[[Hit], Any]] = {
        "ids": lambda hit: hit.chunk_id,
        "documents": lambda hit: hit.text,
        "metadatas": lambda hit: dict(hit.metadata) or None,
        "distances": lambda hit: hit.score,
    }
    made: dict[str, Any] = {}
    for name, tag in fields.items():
        if tag is None or tag.name in {"None", "list()"}:
            made[name] = None if tag is not None and tag.name == "None" else []
        elif name in cells and tag.name == "list":
            column = [cells[name](hit) for hit in hits]
            made[name] = [column] if _is_nested(tag) else column
            _check_column(name, tag, column)
        else:
            raise NotRebuildable(f"its column {name} (a {tag.name}) was not recorded")
    if "included" in fields:
        made["included"] = [name for name in ("metadatas", "documents", "distances") if made.get(name) is not None]
    return made


def _is_nested(tag: Tag) -> bool:
    return bool(tag.items) and (tag.items or ())[0].name == "list"


def _check_column(name: str, tag: Tag, column: list[Any]) -> None:
    cell = tag
    while cell.name == "list" and cell.items:
        cell = cell.items[0]
    if name == "metadatas" and cell.fields:
        raise NotRebuildable(f"its metadata holds what JSON cannot ({', '.join(cell.fields)})")
    if name == "documents" and None in column and any(text is not None for text in column):
        raise NotRebuildable("some of its texts were not recorded")
    if name == "documents" and column and column[0] is None and cell.name == "str":
        raise NotRebuildable("its texts were not recorded")


def _holder(tag: Tag, hits: Sequence[Hit], maker: Maker) -> Any:
    """A dict or an object that holds its list under a usual name."""
    fields = tag.fields or {}
    name = next((name for name in names.LISTS if (held := fields.get(name)) is not None and held.name in _HELD), None)
    if name is None:
        raise NotRebuildable(f"it returned a {tag.name}, which cannot be made again from its hits")
    held = fields[name] or Tag("list")
    values: dict[str, Any] = {}
    for field, mark in fields.items():
        if field == name:
            values[field] = _holder(held, hits, maker) if held.name == "dict" else _sequence(held, hits, maker)
        elif mark is not None and mark.name == "None":
            values[field] = None
        else:
            raise NotRebuildable(f"it returned a {tag.name} whose {field} was not recorded")
    if tag.name == "dict":
        return values
    made = made_of(find_class(tag.name, maker.script))
    for field in made.fields:
        if field not in values:
            values[field] = made.defaults[field]() if field in made.defaults else None
    return made.make(values)


_HELD: Final = frozenset({"list", "tuple", "dict"})


def _scored(hit: Hit) -> float:
    if hit.score is None:
        raise NotRebuildable(f"the score of hit {hit.rank} was no number, or not finite")
    return hit.score
