"""A stage's list of hits, from what the stage returned to the JSON that its span carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from orjson import Fragment, loads

from ..model import wire
from ..model.hit_words import IdSource
from ..model.stage_words import Completeness
from .jsons import dump, dump_bytes
from .lists import find_list
from .recognisers import RawHit, Reading, looks_like_text, read_hit
from .shapes import shape_of
from .texts import MAX_REMEMBERED, TextBook, TextRules
from .usual_hits import TEXTS, read_usual
from .values import is_a

MAX_HITS: Final = 1_000
"""Hits recorded of one list; a longer one is marked truncated with its true length."""

STORED: Final = "result of "
"""How the shape tag begins of what a store gave in fields of its own: a replay cannot make it again from its hits."""


class HitList:
    """A list as read, by column or by row, as `wire` draws it. Texts are apart: they are numbered as the span ends."""

    __slots__ = ("bodies", "columns", "elements", "inners", "length", "shape", "state", "texts")

    def __init__(self, elements: Sequence[Any], shape: str) -> None:
        self.elements = elements
        """The app's own objects in rank order, by which the list is recognised later in the request."""
        self.length = len(elements)
        """True length of the list."""
        self.shape = shape
        self.state = Completeness.COMPLETE
        self.columns: dict[str, Any] | None = None
        """Of a usual list; then `bodies` is empty."""
        self.bodies: list[dict[str, Any]] = []
        self.texts: list[str | None] = []
        """Each hit's text as the app gave it."""
        self.inners: list[Any] = []
        """Chunk objects that the elements only carry (pairs, nodes with a score): (rank, object) in turn."""

    def add(self, hit: RawHit) -> None:
        """Appends a hit that a recogniser read."""
        body: dict[str, Any] = {}
        if hit.chunk_id is not None:
            body[wire.HIT_ID] = hit.chunk_id
            if hit.id_source is not IdSource.FIELD:
                body[wire.HIT_ID_SOURCE] = hit.id_source.value
        if hit.doc_id is not None:
            body[wire.HIT_DOC] = hit.doc_id
        if hit.score is not None:
            body[wire.HIT_SCORE] = hit.score
            if hit.score_word is not None:
                body[wire.HIT_SCORE_KIND] = hit.score_word
        if hit.metadata:
            body[wire.HIT_METADATA] = hit.metadata
        if hit.parent_id is not None:
            body[wire.HIT_PARENT] = hit.parent_id
        self.bodies.append(body)
        self.texts.append(hit.text)
        if hit.store is not None:
            self.shape = f"{STORED}{hit.store}"
        if hit.inner is not None:
            self.inners.append((len(self.bodies), hit.inner))

    def ids(self) -> Sequence[str | None]:
        """Each hit's id, where the app gave one."""
        if self.columns is not None:
            ids: Sequence[str] = self.columns[wire.HIT_ID]
            return ids
        derived = IdSource.DERIVED.value
        return [None if body.get(wire.HIT_ID_SOURCE) == derived else body.get(wire.HIT_ID) for body in self.bodies]

    def by_row(self) -> list[dict[str, Any]]:
        """One dict a hit, whatever form it was read in."""
        if self.columns is not None:
            self.bodies = _rows(self.columns)
            self.columns = None
        return self.bodies


def read_list(value: Any, reading: Reading, book: TextBook) -> HitList | None:
    """The hits in `value`; None where it holds no list, or a list whose first element nothing recognises.

    An unreadable element further down ends the recorded part: ranks above it are right, so they are kept
    and the list is marked truncated.
    """
    elements = value if reading.row is not None and is_a(value, list | tuple) else find_list(value)
    if elements is None:
        return None
    found = HitList(elements, shape_of(value))
    if not elements:
        return found
    wanted = elements[:MAX_HITS] if found.length > MAX_HITS else elements
    usual = read_usual(wanted, reading)
    if usual is not None:
        found.columns, found.texts = usual, usual.pop(TEXTS)
    else:
        _read_each(wanted, reading, book, found)
    if not found.texts:
        return None
    if len(found.texts) < found.length:
        found.state = Completeness.TRUNCATED
    return found


def _read_each(elements: Sequence[Any], reading: Reading, book: TextBook, found: HitList) -> None:
    """Reads up to the first element that nothing recognises."""
    if is_a(elements[0], str):
        reading = reading._replace(is_text=_texts_or_ids(elements, book))
    row = reading.row
    for element in elements:
        hit = read_hit(element if row is None else row(element), reading)
        if hit is None:
            return
        found.add(hit)


def _texts_or_ids(elements: Sequence[Any], book: TextBook) -> Callable[[str], bool] | None:
    """How plain strings are told apart: known ids and texts of the request first, else by their look."""
    sample = [item for item in elements[:MAX_HITS] if is_a(item, str)]
    if any(book.knows_id(item) for item in sample):
        return None
    if any(book.holds(item) or looks_like_text(item) for item in sample):
        return _always
    return None


def _always(_text: str) -> bool:
    return True


def hits_json(found: HitList, book: TextBook, rules: TextRules) -> tuple[str, bool]:
    """The HITS attribute (model/wire.py) of a list, and whether a text was repaired. `book` is locked by the caller."""
    head = _head(found.length, found.shape, book.scope, found.state)
    columns = found.columns
    if rules.as_is and columns is not None and _put_usual_texts(columns, found.texts, book.numbers, rules):
        head[wire.HITS_COLUMNS] = columns
        said, repaired = dump_bytes(head)
    else:
        said, repaired = _json_by_row(head, found.by_row(), found.texts, book, rules)
    return said.decode(), repaired


def _head(length: int, shape: str, scope: str, state: Completeness) -> dict[str, Any]:
    head = {wire.HITS_LENGTH: length, wire.HITS_SHAPE: shape, wire.HITS_SCOPE: scope}
    if state is not Completeness.COMPLETE:
        head[wire.HITS_STATE] = state.value
    return head


def _json_by_row(
    head: dict[str, Any], bodies: list[dict[str, Any]], texts: Sequence[str | None], book: TextBook, rules: TextRules
) -> tuple[bytes, bool]:
    for body, text in zip(bodies, texts, strict=True):
        if text is not None:
            _put_text(body, text, book, rules)
    if rules.redact:
        for body in bodies:
            if wire.HIT_METADATA in body:
                body[wire.HIT_METADATA] = rules.plain(body[wire.HIT_METADATA])
    head[wire.HITS_LIST] = bodies
    return dump_bytes(head)


class LaterHits:
    """A usual list whose JSON is made when somebody asks for it: the thread that writes the span, mostly.

    It holds texts, numbers and JSON, nothing that the app could still change, and nothing else of the app's: what waits
    in a queue is looked at again and again by the garbage collector, which runs in the app's threads.
    """

    __slots__ = (
        "_columns",
        "_length",
        "_metadata",
        "_numbers",
        "_rules",
        "_scope",
        "_shape",
        "_state",
        "_texts",
        "lock",
    )

    def __init__(self, found: HitList, book: TextBook, lock: AbstractContextManager[Any], rules: TextRules) -> None:
        columns = found.columns or {}
        metadata = columns.get(wire.HIT_METADATA)
        self._length, self._shape, self._state = found.length, found.shape, found.state
        self._columns = columns
        self._metadata = None if metadata is None else dump_bytes(metadata)
        self._texts = found.texts
        self._scope, self._numbers = book.scope, book.numbers
        self._rules = rules
        self.lock = lock
        """The request's, because its texts are numbered; held around `json`."""

    def json(self) -> tuple[bytes, bool]:
        """What `hits_json` would have given, as UTF-8. A second call would find all texts sent."""
        head = _head(self._length, self._shape, self._scope, self._state)
        columns = {**self._columns}
        metadata, repaired = self._metadata or (None, False)
        if metadata is not None:
            columns[wire.HIT_METADATA] = Fragment(metadata)
        if _put_usual_texts(columns, self._texts, self._numbers, self._rules):
            head[wire.HITS_COLUMNS] = columns
            said, again = dump_bytes(head)
        else:
            if metadata is not None:
                columns[wire.HIT_METADATA] = loads(metadata)
            book = TextBook(self._scope, self._numbers)
            said, again = _json_by_row(head, _rows(columns), self._texts, book, self._rules)
        return said, repaired or again


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return wire.rows_of(columns) or []


def unreadable_json(value: Any) -> str:
    """The HITS attribute of a stage whose result nothing recognises."""
    return dump({wire.HITS_SHAPE: shape_of(value), wire.HITS_STATE: Completeness.NOT_RECORDED.value})


def _put_usual_texts(columns: dict[str, Any], texts: Sequence[Any], numbers: dict[str, int], rules: TextRules) -> bool:
    """The fast way: texts leave as they are, all of them or none is there. False: nothing was done."""
    if texts[0] is None:
        return True
    if max(map(len, texts)) > rules.max_chars or len(numbers) + len(texts) > MAX_REMEMBERED:
        return False
    places: list[Any] = list(map(numbers.get, texts))
    if None in places:
        columns["x"] = _number(texts, places, numbers)
    columns["t"] = places
    return True


def _number(texts: Sequence[str], places: list[int | None], numbers: dict[str, int]) -> Sequence[str | None]:
    """Numbers the texts whose place is None; the texts that are to be sent, None for those that were before."""
    first = len(numbers)
    if places.count(None) == len(places) == len(set(texts)):
        places[:] = range(first, first + len(texts))
        numbers.update(zip(texts, range(first, first + len(texts)), strict=True))
        return texts
    sent: list[str | None] = [None] * len(texts)
    for place, text in enumerate(texts):
        if text not in numbers:
            numbers[text] = len(numbers)
            sent[place] = text
        places[place] = numbers[text]
    return sent


def _put_text(body: dict[str, Any], text: str, book: TextBook, rules: TextRules) -> None:
    """The text of any hit, and the id that it makes where there is no other."""
    if wire.HIT_ID not in body:
        from ..model.texthash import derived_chunk_id  # hashlib takes a while to load, and few apps need it

        body[wire.HIT_ID] = book.id_of(text) or derived_chunk_id(rules.apply(text).text)
        body[wire.HIT_ID_SOURCE] = IdSource.DERIVED.value
    if not rules.capture:
        return
    number = book.numbers.get(text)
    if number is not None:
        body[wire.HIT_TEXT_NUMBER] = number
        return
    sent = rules.apply(text)
    if sent.hidden:
        body[wire.HIT_REDACTED] = True
        return
    if len(book.numbers) < MAX_REMEMBERED:
        body[wire.HIT_TEXT_NUMBER] = book.numbers[text] = len(book.numbers)
    body[wire.HIT_TEXT] = sent.text
    if sent.cut is not None:
        body[wire.HIT_CUT] = sent.cut
