"""A stage's list of hits, from what the stage returned to the JSON that its span carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ..model import wire
from ..model.hit import IdSource
from ..model.stage import Completeness
from ..model.texthash import derived_chunk_id
from .jsons import dump, dump_marked
from .lists import find_list
from .recognisers import RawHit, Reading, read_hit
from .shapes import shape_of
from .texts import MAX_REMEMBERED, TextBook, TextRules
from .usual_hits import read_usual
from .values import is_a

MAX_HITS: Final = 1_000
"""Hits recorded of one list; a longer one is marked truncated with its true length."""

_FEWEST_WORDS_OF_A_TEXT: Final = 4


class HitList:
    """A list as read: one dict a hit as `wire` draws it, without its text, which is numbered as the span ends."""

    __slots__ = ("bodies", "elements", "inners", "length", "shape", "state", "texts", "usual")

    def __init__(self, elements: Sequence[Any], shape: str) -> None:
        self.elements = elements
        """The app's own objects in rank order, by which the list is recognised later in the request."""
        self.length = len(elements)
        """True length of the list."""
        self.shape = shape
        self.state = Completeness.COMPLETE
        self.usual = False
        """Every hit has an id of its own."""
        self.bodies: list[dict[str, Any]] = []
        self.texts: list[str | None] = []
        """Beside `bodies`: each hit's text as the app gave it."""
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
        if hit.inner is not None:
            self.inners.append((len(self.bodies), hit.inner))


def read_list(value: Any, reading: Reading, book: TextBook) -> HitList | None:
    """The hits in `value`; None where it holds no list, or a list whose first element nothing recognises.

    An unreadable element further down ends the recorded part: ranks above it are right, so they are kept
    and the list is marked truncated.
    """
    elements = find_list(value)
    if elements is None:
        return None
    found = HitList(elements, shape_of(value))
    if not elements:
        return found
    wanted = elements[:MAX_HITS] if found.length > MAX_HITS else elements
    usual = read_usual(wanted, reading)
    if usual is not None:
        found.bodies, found.texts = usual
        found.usual = True
    else:
        _read_each(wanted, reading, book, found)
    if not found.bodies:
        return None
    if len(found.bodies) < found.length:
        found.state = Completeness.TRUNCATED
    return found


def _read_each(elements: Sequence[Any], reading: Reading, book: TextBook, found: HitList) -> None:
    """Reads up to the first element that nothing recognises."""
    if is_a(elements[0], str):
        reading = reading._replace(is_text=_texts_or_ids(elements, book))
    for element in elements:
        hit = read_hit(element, reading)
        if hit is None:
            return
        found.add(hit)


def _texts_or_ids(elements: Sequence[Any], book: TextBook) -> Callable[[str], bool] | None:
    """How plain strings are told apart: known ids and texts of the request first, else by their look."""
    sample = [item for item in elements[:MAX_HITS] if is_a(item, str)]
    if any(book.knows_id(item) for item in sample):
        return None
    if any(book.holds(item) or "\n" in item or item.count(" ") >= _FEWEST_WORDS_OF_A_TEXT - 1 for item in sample):
        return _always
    return None


def _always(_text: str) -> bool:
    return True


def hits_json(found: HitList, book: TextBook, rules: TextRules) -> tuple[str, bool]:
    """The HITS attribute (model/wire.py) of a list, and whether a text was repaired. `book` is locked by the caller."""
    head: dict[str, Any] = {wire.HITS_LENGTH: found.length, wire.HITS_SHAPE: found.shape, wire.HITS_SCOPE: book.scope}
    if found.state is not Completeness.COMPLETE:
        head[wire.HITS_STATE] = found.state.value
    if not (rules.as_is and found.usual and _put_usual_texts(found, book, rules)):
        for body, text in zip(found.bodies, found.texts, strict=True):
            if text is not None:
                _put_text(body, text, book, rules)
    if rules.redact:
        for body in found.bodies:
            if wire.HIT_METADATA in body:
                body[wire.HIT_METADATA] = rules.plain(body[wire.HIT_METADATA])
    head[wire.HITS_LIST] = found.bodies
    return dump_marked(head)


def unreadable_json(value: Any) -> str:
    """The HITS attribute of a stage whose result nothing recognises."""
    return dump({wire.HITS_SHAPE: shape_of(value), wire.HITS_STATE: Completeness.NOT_RECORDED.value})


def _put_usual_texts(found: HitList, book: TextBook, rules: TextRules) -> bool:
    """The fast way: every hit has id and text, and texts leave as they are. False: nothing was done."""
    texts: list[Any] = found.texts
    numbers = book.numbers
    if None in texts or max(map(len, texts)) > rules.max_chars or len(numbers) + len(texts) > MAX_REMEMBERED:
        return False
    for body, text in zip(found.bodies, texts, strict=True):
        number = numbers.get(text)
        if number is None:
            number = numbers[text] = len(numbers)
            body["x"] = text
        body["t"] = number
    return True


def _put_text(body: dict[str, Any], text: str, book: TextBook, rules: TextRules) -> None:
    """The text of any hit, and the id that it makes where there is no other."""
    if wire.HIT_ID not in body:
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
