"""Shape tags: what a stage returned, in a few words, so that a replay can rebuild it from its recorded hits.

list[langchain_core.documents.base.Document{id: None}]
list[tuple[str, numpy.float32]]
list[dict{chunk_id, text, score, metadata: {updated: datetime.datetime}}]
dict[str, float]

A dict is drawn with its keys. A field is drawn with its type where that is not the usual one of such a field (a text,
for an id; a float, for a score); of an object only such fields are drawn. The first element speaks for its list.
`replaying.tags` reads them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from . import names
from .values import fields_of, is_a, is_metadata

MAX_CHARS: Final = 1_000
CUT: Final = "…"
"""Last character of a tag that was too long."""
_MAX_DEPTH: Final = 4
_MAX_KNOWN: Final = 10_000

ROLES: Final = frozenset({*names.ID_FIELDS, *names.TEXTS, *names.DOCUMENTS, *names.PARENTS})
"""Fields that are a text where they are usual."""
_METADATAS: Final = frozenset({*names.METADATAS, "metadatas"})
_HOLDERS: Final = frozenset({*names.LISTS, "ids", "distances"})
_INNER: Final = frozenset(names.INNER)
_BARE_KEY: Final = re.compile(r"[^\W\d][\w.-]*")
_SCALARS: Final = frozenset({str, int, float, bool})
_LOOKED_INTO: Final = (list, tuple, dict, set, frozenset)

_names: dict[type, str] = {}


class _Known(NamedTuple):
    """What the types of an element's fields say about its tag."""

    plain: str
    """The tag where nothing inside needs a look."""
    marks: tuple[tuple[str, str], ...]
    """(field, its mark) in order; the mark is empty where the usual type is there."""
    looked_into: tuple[str, ...]
    """Fields whose mark depends on their value."""


_known: dict[tuple[Any, ...], _Known] = {}
_known_metadata: dict[tuple[Any, ...], str] = {}
_usual: dict[tuple[Any, ...], tuple[str, str | None]] = {}
_UNUSUAL: Final[tuple[str, str | None]] = ("", "")
"""No shortcut."""


def shape_of(value: Any) -> str:
    """The shape tag of `value`; a list is described by its first element, an empty one as "list"."""
    if type(value) is list and value:
        first = value[0]
        fields = first if type(first) is dict else getattr(first, "__dict__", None)
        if type(fields) is dict:  # by far the most usual: one look at the types of its fields, one at its metadata's
            key = (type(first), *fields, *map(type, fields.values()))
            usual = _usual.get(key)
            if usual is None:
                usual = _learn_usual(key, first, fields)
            said, within = usual
            if within is None or (said and not metadata_marks(fields[within])):
                return said
        return _cut(f"list[{_shape(first, 1)}]")
    return _cut(_shape(value, 0))


def _cut(said: str) -> str:
    return said if len(said) <= MAX_CHARS else said[: MAX_CHARS - 1] + CUT


def _learn_usual(key: tuple[Any, ...], first: Any, fields: dict[Any, Any]) -> tuple[str, str | None]:
    """The tag of a list of such elements, and the field that holds their metadata, if that alone is looked into."""
    known = _UNUSUAL
    if all(is_a(name, str) for name in fields) and fields and not is_a(first, type | list | tuple):
        about = _known.get((type(first), tuple(fields), tuple(map(type, fields.values())))) or _learn(
            (type(first), tuple(fields), tuple(map(type, fields.values())))
        )
        within = about.looked_into
        if not within:
            known = (_cut(f"list[{about.plain}]"), None)
        elif len(within) == 1 and within[0] in _METADATAS and type(fields[within[0]]) is dict:
            known = (_cut(f"list[{about.plain}]"), within[0])
    if len(_usual) < _MAX_KNOWN:
        _usual[key] = known
    return known


def _shape(value: Any, depth: int) -> str:
    kind = type(value)
    if kind in _SCALARS or value is None or depth >= _MAX_DEPTH:
        return _name(kind)
    if is_a(value, list | tuple) and not hasattr(kind, "_fields"):
        return _sequence(value, depth)
    if is_a(value, dict):
        return _dict(value, depth)
    fields = None if is_a(value, type) else fields_of(value)
    return _fielded(kind, fields, depth) if fields else _name(kind)


def _sequence(value: Any, depth: int) -> str:
    name = _name(type(value))
    if not value:
        return name
    if is_a(value, tuple) and len(value) <= 3:
        return f"{name}[{', '.join([_shape(item, depth + 1) for item in value])}]"
    return f"{name}[{_shape(value[0], depth + 1)}]"


def _dict(value: Any, depth: int) -> str:
    name = _name(type(value))
    if not value:
        return name
    first, held = next(iter(value.items()))
    if not is_a(first, str):
        return f"{name}[{_name(type(first))}, {_name(type(held))}]"
    if not depth and is_a(held, int | float) and first not in names.SCORES and first not in names.ID_FIELDS:
        return f"{name}[str, {_name(type(held))}]"
    return _fielded(type(value), value, depth)


def _fielded(kind: type, fields: Any, depth: int) -> str:
    key = (kind, tuple(fields), tuple(map(type, fields.values())))
    known = _known.get(key)
    if known is None:
        known = _learn(key)
    if not known.looked_into:
        return known.plain
    found = {name: mark for name in known.looked_into if (mark := _look_into(name, fields[name], depth))}
    if not found:
        return known.plain
    return _draw(kind, [(name, found.get(name, mark)) for name, mark in known.marks])


def _learn(key: tuple[Any, ...]) -> _Known:
    kind, keys, types = key
    pairs = [(name, given) for name, given in zip(keys, types, strict=True) if is_a(name, str)]
    marks = tuple((name, _mark(name, given, is_object=not is_a_dict(kind))) for name, given in pairs)
    looked_into = tuple(name for name, given in pairs if _is_looked_into(name, given))
    known = _Known(_draw(kind, marks), marks, looked_into)
    if len(_known) < _MAX_KNOWN:
        _known[key] = known
    return known


def is_a_dict(kind: type) -> bool:
    """Whether values of this type are dicts."""
    return issubclass(kind, dict)


def _draw(kind: type, marks: Any) -> str:
    name = _name(kind)
    said = [(_key(field) + (f": {mark}" if mark else "")) for field, mark in marks if mark or is_a_dict(kind)]
    return f"{name}{{{', '.join(said)}}}" if said else name


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name)


def _mark(name: str, given: type, *, is_object: bool) -> str:
    """By type alone; a field whose value is looked into has none yet."""
    if given is type(None):
        return "None" if not is_object or name in ROLES or name in names.SCORES else ""
    if name in names.SCORES:
        return "" if given is float else _name(given)
    if name in ROLES:
        return "" if given is str or (name in _INNER and _is_looked_into(name, given)) else _name(given)
    if given in _SCALARS:
        return _name(given) if name in names.NOT_METADATA and not is_object else ""
    return "" if _is_looked_into(name, given) else _name(given)


def _is_looked_into(name: str, given: type) -> bool:
    if issubclass(given, _LOOKED_INTO):
        return True
    return name in _INNER and given not in _SCALARS and given is not type(None)


def _look_into(name: str, value: Any, depth: int) -> str:
    """The mark of a field that is a container, or that holds the chunk itself."""
    if name in _METADATAS:
        return metadata_marks(value) if is_a(value, dict) else _cells(value)
    if name in _INNER or (name in _HOLDERS and is_a(value, list | tuple | dict)):
        return _shape(value, depth + 1)
    if not value:
        return "" if name in names.NOT_METADATA else f"{_name(type(value))}()"
    if type(value) is list and name not in names.NOT_METADATA and is_metadata(value):
        return ""
    return _name(type(value))


def _cells(value: Any) -> str:
    """Chroma's column of metadata, for one query or as a list of one."""
    if type(value) is not list or not value:
        return _name(type(value))
    first = value[0]
    inside = (
        _cells(first) if type(first) is list else metadata_marks(first) if type(first) is dict else _shape(first, 9)
    )
    return f"list[{inside or 'dict'}]"


def metadata_marks(metadata: dict[Any, Any]) -> str:
    """What JSON would not give back of a metadata dict, as "{updated: datetime.datetime}"; empty where it would all."""
    key = (*metadata, *map(type, metadata.values()))
    known = _known_metadata.get(key)
    if known is None:
        known = _learn_metadata(key, metadata)
    return known


_JSON: Final = frozenset({str, int, float, bool, type(None), list, dict})
_NO_METADATA: Final = frozenset({*names.METADATA_TEXTS, *names.SCORES, *names.NOT_METADATA} - {"type"})
"""Keys whose values are kept elsewhere, or nowhere."""


def _learn_metadata(key: tuple[Any, ...], metadata: dict[Any, Any]) -> str:
    odd = []
    for name, value in metadata.items():
        given = type(value)
        if not is_a(name, str):
            odd.append(f"{json.dumps(str(name))}: {_name(type(name))}-key")
        elif name in _NO_METADATA or given not in _JSON:
            odd.append(f"{_key(name)}: {_name(given)}")
    known = f"{{{', '.join(odd)}}}" if odd else ""
    if len(_known_metadata) < _MAX_KNOWN:
        _known_metadata[key] = known
    return known


def _name(kind: type) -> str:
    known = _names.get(kind)
    if known is None:
        module = kind.__module__
        known = kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
        if kind is type(None):
            known = "None"
        if len(_names) < _MAX_KNOWN:
            _names[kind] = known
    return known
