"""Span attributes without their long texts: those are numbers of `texts`, and come back letter for letter.

A long attribute that is a text becomes one reference. One that is JSON text (a list of hits, a prompt) is cut
at its long string literals; a literal is a reference only if writing its text again gives the same letters. Lists of
hits are numbers of `cards`, which are texts too. A text that will not be met again, such as an answer, stays where it
is: beside its neighbours it takes half the bytes that it would take by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson

from .cards import Dealt, deal_flat, deal_text, gather_flat, gather_text
from .encoding import dumps, loads

SHORTEST_TEXT = 120
"""Characters; shorter ones stay where they are."""

_PARTS_KEY = "\x00parts"
"""Marks a text in parts inside the attributes. No received key begins with NUL."""
_CARDS_KEY = "\x00cards"
"""Marks a list in cards: the one key of a mapping in its place. It also begins the name of flattened lists."""
_NUMBERS = frozenset({int, float})
_LITERAL = re.compile(rf'"(?=(?:[^"\\]|\\.){{{SHORTEST_TEXT}}})((?:[^"\\]++|\\.)*+)"', re.DOTALL)


class Piece(NamedTuple):
    """A part of an attribute's text."""

    text: str
    writing: str
    """"": these letters; "t": the text itself; "o", "j", "a": the text as a JSON literal, see WRITERS."""


WRITERS: dict[str, Callable[[str], str]] = {
    "t": lambda text: text,
    "o": lambda text: orjson.dumps(text).decode()[1:-1],
    "j": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "a": lambda text: json.dumps(text)[1:-1],
}


CardKeys = Callable[[Dealt], list[int | None]]
"""Gives the numbers of the cards of a list."""


class Packed(NamedTuple):
    """Attributes whose long texts are taken out but not numbered yet."""

    attributes: dict[str, Any]
    """As received, without flattened lists that are in cards."""
    taken: dict[str, Any]
    """Those from which texts were taken, with pieces or cards in place of each such text."""

    def out(self) -> tuple[list[str], list[Dealt]]:
        """The texts that were taken out, and the lists."""
        texts: list[str] = []
        lists: list[Dealt] = []
        for found in _found(self.taken):
            if isinstance(found, _Pieces):
                texts += [piece.text for piece in found.pieces if piece.writing]
            else:
                lists.append(found.dealt)
        return texts, lists

    def texts(self) -> list[str]:
        """The texts that were taken out."""
        return self.out()[0]

    def lists(self) -> list[Dealt]:
        """The lists that were taken out."""
        return self.out()[1]

    def numbered(self, key: Callable[[str], int | None], cards: CardKeys | None = None) -> str:
        """JSON of the attributes with numbers for texts. `cards` knows those of a list without making them."""
        if not self.taken:
            return dumps(self.attributes)
        keys = cards or (lambda dealt: list(map(key, dealt.cards)))
        return dumps(self.attributes | {name: _numbered(value, key, keys) for name, value in self.taken.items()})


def pack(attributes: dict[str, Any], staying: frozenset[str] = frozenset()) -> Packed:
    """Takes the long texts and the lists of hits out of `attributes`, but for the texts that are `staying`."""
    flat, attributes = deal_flat(attributes, _CARDS_KEY)
    taken: dict[str, Any] = {name: _cards(dealt, staying) for name, dealt in flat.items()}
    for name, value in attributes.items():
        if isinstance(value, str):
            if len(value) >= SHORTEST_TEXT and (found := _taken(value, staying)) is not None:
                taken[name] = found
        elif isinstance(value, dict | list | tuple):
            taken[name] = _packed(value, staying)
    return Packed(attributes, taken)


def numbers_in(body: str) -> set[int]:
    """The numbers of the texts that a packed body needs."""
    if "\\u0000parts" not in body and "\\u0000cards" not in body:
        return set()
    return set(_numbers(loads(body)))


def unpack(body: str, texts: dict[int, str]) -> dict[str, Any]:
    """The attributes again, as they were received."""
    attributes = loads(body)
    if "\\u0000parts" not in body and "\\u0000cards" not in body:
        return dict(attributes)
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(_CARDS_KEY):
            dealt = value[_CARDS_KEY]
            cards = [texts[number] for number in dealt["n"]]
            rest = _unpacked(dealt["r"], texts)
            found.update(gather_flat(name.removeprefix(_CARDS_KEY), dealt["s"], dealt["l"], rest, cards))
        else:
            found[name] = _unpacked(value, texts)
    return found


def cut(text: str, staying: frozenset[str] = frozenset()) -> list[Piece] | None:
    """The pieces of one text, or None where nothing is taken out of it."""
    if len(text) < SHORTEST_TEXT or text in staying:
        return None
    if text[0] not in "[{":
        return [Piece(text, "t")]
    pieces: list[Piece] = []
    position = 0
    for start, letters in _long_literals(text):
        piece = _literal(letters)
        if piece is not None and piece.text not in staying:
            pieces.append(Piece(text[position:start], ""))
            pieces.append(piece)
            position = start + len(letters)
    if not pieces:
        return None
    pieces.append(Piece(text[position:], ""))
    return pieces


def _long_literals(text: str) -> Iterator[tuple[int, str]]:
    """Where the long string literals of a JSON text begin, and their letters."""
    if '\\"' in text:
        for match in _LITERAL.finditer(text):
            yield match.start(1), match.group(1)
        return
    # Without escaped quotes every second piece between quotes is a literal: twenty times as quick as the pattern.
    parts = text.split('"')
    place = position = 0
    for long in [at for at in range(1, len(parts), 2) if len(parts[at]) >= SHORTEST_TEXT]:
        position += sum(map(len, parts[place:long])) + long - place
        place = long
        yield position, parts[long]


def _literal(letters: str) -> Piece | None:
    """The text of a JSON literal and how it was written; None if no writer gives the same letters."""
    if "\\" not in letters:
        return Piece(letters, "t")
    try:
        text = orjson.loads(f'"{letters}"')
    except ValueError:
        return None
    for writing in ("o", "j", "a"):
        try:
            if WRITERS[writing](text) == letters:
                return Piece(text, writing)
        except ValueError:  # orjson refuses lone surrogates
            continue
    return None


def _taken(text: str, staying: frozenset[str]) -> _Cards | _Pieces | None:
    """A long text in cards or pieces; None where nothing is taken out of it."""
    dealt = deal_text(text) if text[0] == "{" else None
    if dealt is not None:
        return _cards(dealt, staying)
    pieces = cut(text, staying)
    return None if pieces is None else _Pieces(pieces)


def _cards(dealt: Dealt, staying: frozenset[str]) -> _Cards:
    return _Cards(dealt, _packed(dealt.rest, staying))


def _packed(value: object, staying: frozenset[str]) -> Any:  # noqa: ANN401 - any value an attribute may have
    if isinstance(value, str):
        return found if len(value) >= SHORTEST_TEXT and (found := _taken(value, staying)) is not None else value
    if isinstance(value, dict):
        return {key: _packed(item, staying) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return value if _NUMBERS.issuperset(map(type, value)) else [_packed(item, staying) for item in value]
    return value


class _Pieces(NamedTuple):
    """Stands in the attributes for a text in pieces."""

    pieces: list[Piece]


class _Cards(NamedTuple):
    """Stands in the attributes for a list in cards."""

    dealt: Dealt
    rest: Any
    """What is left of the list, packed."""


def _found(value: object) -> Iterator[_Pieces | _Cards]:
    if isinstance(value, _Pieces):
        yield value
    elif isinstance(value, _Cards):
        yield value
        yield from _found(value.rest)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _found(item)
    elif isinstance(value, list) and not _NUMBERS.issuperset(map(type, value)):
        for item in value:
            yield from _found(item)


def _numbered(value: object, key: Callable[[str], int | None], cards: CardKeys) -> object:
    if isinstance(value, _Pieces):
        return {
            _PARTS_KEY: [
                [key(piece.text), piece.writing] if piece.writing else piece.text
                for piece in value.pieces
                if piece.text
            ]
        }
    if isinstance(value, _Cards):
        dealt, rest = value.dealt, _numbered(value.rest, key, cards)
        return {_CARDS_KEY: {"n": cards(dealt), "s": dealt.short, "l": dealt.long, "r": rest}}
    if isinstance(value, dict):
        return {name: _numbered(item, key, cards) for name, item in value.items()}
    if isinstance(value, list):
        return value if _NUMBERS.issuperset(map(type, value)) else [_numbered(item, key, cards) for item in value]
    return value


def _numbers(value: object) -> Iterator[int]:
    """The numbers of all texts inside loaded attributes."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name == _PARTS_KEY and len(value) == 1:
                yield from (piece[0] for piece in item if not isinstance(piece, str))
            elif name == _CARDS_KEY:
                yield from item["n"]
                yield from _numbers(item["r"])
            else:
                yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)


def _unpacked(value: object, texts: dict[int, str]) -> Any:  # noqa: ANN401 - any value an attribute may have
    if isinstance(value, dict):
        if len(value) == 1 and _PARTS_KEY in value:
            return "".join(
                piece if isinstance(piece, str) else WRITERS[piece[1]](texts[piece[0]]) for piece in value[_PARTS_KEY]
            )
        if len(value) == 1 and _CARDS_KEY in value:
            dealt = value[_CARDS_KEY]
            cards = [texts[number] for number in dealt["n"]]
            return gather_text(dealt["s"], dealt["l"], _unpacked(dealt["r"], texts), cards)
        return {name: _unpacked(item, texts) for name, item in value.items()}
    if isinstance(value, list):
        return [_unpacked(item, texts) for item in value]
    return value
