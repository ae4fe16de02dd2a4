"""Lists inside span attributes, with a card for each hit: what a list says of a chunk again and again is one text.

A chunk comes in many lists with the same id, document, metadata and text. A card holds these together and is kept
once; a list keeps the numbers of its cards, its scores and what else differs. What comes back is letter for letter
what was received: a list that would not is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from ...model.sieve import FORGOTTEN

_LONG: Final = 120
"""Characters from which on a column of strings is the one of texts."""
_LONGEST_SHORT: Final = 480
_FEWEST: Final = 3
"""Hits; shorter lists stay as they are."""
_BETWEEN: Final = "\n"
"""Ends the head of a card, a JSON list of its short values, which has no line ends. The text follows."""
_MEASURED: Final = re.compile(r"\d\.\d{3}")
"""A number that was measured differs from list to list, so no card would be met again."""
_FLAT: Final = re.compile(r"(.*documents)\.(\d+)\.(.+)", re.DOTALL)
"""An attribute of a flattened list of documents."""
_STRINGS: Final[frozenset[type]] = frozenset({str, type(None)})
_METADATA: Final[frozenset[type]] = frozenset({dict, type(None)})


class Dealt(NamedTuple):
    """A list in cards."""

    heads: list[str]
    """Of each hit a JSON list of its short values."""
    texts: list[str | None]
    """Of each hit the text of its chunk."""
    short: list[str]
    """Names of the columns in the heads, in their order."""
    long: str | None
    """Name of the column of texts."""
    rest: Any
    """What is left of the list."""

    @property
    def cards(self) -> list[str]:
        """The card of each hit, as the text that is kept."""
        return list(map(make_card, self.heads, self.texts))


def make_card(head: str, text: str | None) -> str:
    """A card as the text that is kept."""
    return head if text is None else head + _BETWEEN + text


def deal_text(text: str) -> Dealt | None:
    """A JSON text whose hits stand by column, in cards. None: it is none, or would not come back the same."""
    if '"cols":{' not in text[:1000]:
        return None
    try:
        value = orjson.loads(text)
        if orjson.dumps(value) != text.encode():
            return None
    except (ValueError, TypeError):
        return None
    columns = value.get("cols")
    if not isinstance(columns, dict):
        return None
    length = max((len(column) for column in columns.values() if isinstance(column, list)), default=0)
    lists = {name: column for name, column in columns.items() if isinstance(column, list) and len(column) == length}
    dealt = _deal(lists, length, _METADATA)
    if dealt is None:
        return None
    gone = {*dealt.short, dealt.long}
    value["cols"] = {name: 0 if name in gone else column for name, column in columns.items()}
    return dealt._replace(rest=value)


def gather_text(short: Sequence[str], long: str | None, value: dict[str, Any], cards: Sequence[str]) -> str:
    """The JSON text again."""
    value["cols"] |= _columns(short, long, cards)
    return orjson.dumps(value).decode()


class _Layout(NamedTuple):
    """Where a flattened list stands among attributes."""

    prefix: str
    names: list[str]
    begin: int
    """0-based place of its first value among all attributes. Then hit by hit, the names in their order."""
    end: int
    """Place after its last value."""


def deal_flat(attributes: dict[str, Any], mark: str) -> tuple[dict[str, Dealt], dict[str, Any]]:
    """The flattened lists of documents in cards, by `mark` and the prefix of their keys; and the attributes with None
    under these in place of each list. `rest` of such a list begins with the names of its columns.
    """
    layouts = _layouts(tuple(attributes))
    if not layouts:
        return {}, attributes
    names, values = list(attributes), list(attributes.values())
    found: dict[str, Dealt] = {}
    left: dict[str, Any] = {}
    position = 0
    for prefix, own_names, begin, end in layouts:
        width = len(own_names)
        columns = {name: values[begin + offset : end : width] for offset, name in enumerate(own_names)}
        dealt = _deal(columns, (end - begin) // width, frozenset[type]())
        if dealt is not None:
            left.update(zip(names[position:begin], values[position:begin], strict=True))
            left[mark + prefix] = None
            found[mark + prefix] = dealt._replace(rest=[own_names, dealt.rest])
            position = end
    left.update(zip(names[position:], values[position:], strict=True))
    return found, left


@lru_cache(maxsize=256)
def _layouts(keys: tuple[str, ...]) -> tuple[_Layout, ...]:
    """The flattened lists among these keys, hit by hit without a hole, in their order. Spans of one kind have the same
    keys."""
    lists: dict[str, dict[str, list[int]]] = {}
    for at, key in enumerate(keys):
        match = _FLAT.fullmatch(key)
        if match is None:
            continue
        prefix, number, name = match.groups()
        places = lists.setdefault(prefix, {}).setdefault(name, [])
        if number != str(len(places)):
            return ()
        places.append(at)
    named = [(prefix, list(columns), list(columns.values())) for prefix, columns in lists.items()]
    return tuple(
        _Layout(prefix, names, begin=where[0][0], end=where[-1][-1] + 1)
        for prefix, names, where in named
        if _is_even(where)
    )


def _is_even(places: list[list[int]]) -> bool:
    """Whether each hit has the same names in the same order, and nothing stands between."""
    start, width = places[0][0], len(places)
    return all(
        column == list(range(start + offset, start + offset + width * len(places[0]), width))
        for offset, column in enumerate(places)
    )


def gather_flat(
    prefix: str, short: Sequence[str], long: str | None, rest: list[Any], cards: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """The attributes again, in their order."""
    names, columns = rest
    columns |= _columns(short, long, cards)
    for number in range(len(cards)):
        for name in names:
            yield f"{prefix}.{number}.{name}", columns[name][number]


def _deal(columns: dict[str, list[Any]], length: int, metadata: frozenset[type]) -> Dealt | None:
    """The list in cards; None where it has nothing that cards would hold. `metadata` are further types of values."""
    if length < _FEWEST:
        return None
    short, long, rest = [], None, dict[str, Any]()
    for name, values in columns.items():
        kinds = set(map(type, values))
        longest = max(map(len, filter(None, values)), default=0) if kinds <= _STRINGS else 0
        if kinds <= _STRINGS and longest >= _LONG and long is None:
            long = name
        elif (kinds <= _STRINGS and 0 < longest < _LONGEST_SHORT) or (kinds <= metadata and dict in kinds):
            short.append(name)
        else:
            rest[name] = values
    if not short:
        return None
    write = _write_head if metadata else _known_head
    try:
        heads = list(map(write, zip(*(columns[name] for name in short), strict=True)))
    except (TypeError, _Measured):  # whole numbers beyond 64 bits, lone surrogates
        return None
    return Dealt(heads, [None] * length if long is None else columns[long], short, long, rest)


class _Measured(Exception):
    """A number that was measured is among the short values of a hit."""


def _write_head(values: tuple[Any, ...]) -> str:
    head = orjson.dumps(values).decode()
    if "." in head and _MEASURED.search(head):
        raise _Measured
    return head


_known_head = lru_cache(maxsize=16_384)(_write_head)
"""The same, kept: chunks come back in list after list."""


def _columns(short: Sequence[str], long: str | None, cards: Sequence[str]) -> dict[str, list[Any]]:
    """The columns that the cards hold. A card of which a part was forgotten holds nothing else any more."""
    parted = [card.partition(_BETWEEN) for card in cards]
    rows = [_values_of(head, len(short)) for head, _, _ in parted]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(short)}
    if long is not None:
        columns[long] = [text if between else None for _, between, text in parted]
    return columns


def _values_of(head: str, count: int) -> list[Any]:
    try:
        values = orjson.loads(head)
    except ValueError:
        return [FORGOTTEN] * count
    return values if isinstance(values, list) and len(values) == count else [FORGOTTEN] * count
