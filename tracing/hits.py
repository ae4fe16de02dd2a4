"""A stage's list of hits, from what the stage returned to the JSON that its span carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ..model import wire
from ..model.hit import IdSource, ScoreKind
from ..model.stage import Completeness, StageKind
from .jsons import dump
from .lists import find_list
from .recognisers import RawHit, Reading, read_hit
from .shapes import shape_of
from .texts import TextBook, TextRules, derived_id

MAX_HITS: Final = 1_000
"""Hits recorded of one list; a longer one is marked truncated with its true length."""

LIST_KINDS: Final = frozenset({StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK})
"""Stages that are expected to give a list: where it cannot be read, that is said."""

_FEWEST_WORDS_OF_A_TEXT: Final = 4


class HitList(NamedTuple):
    """A list as read."""

    hits: tuple[RawHit, ...]
    length: int | None
    """True length of the list; None where it is not known."""
    shape: str
    state: Completeness = Completeness.COMPLETE
    elements: Sequence[Any] = ()
    """The app's own objects, in rank order, by which the list is recognised later in the request."""


def read_list(value: Any, reading: Reading, book: TextBook) -> HitList | None:
    """The hits in `value`; None where it holds no list, or a list whose first element nothing recognises.

    An unreadable element further down ends the recorded part: ranks above it are right, so they are kept
    and the list is marked truncated.
    """
    elements = find_list(value)
    if elements is None:
        return None
    if not elements:
        return HitList((), 0, shape_of(value))
    if isinstance(elements[0], str):
        reading = reading._replace(is_text=_texts_or_ids(elements, book))
    hits: list[RawHit] = []
    for element in elements[:MAX_HITS] if len(elements) > MAX_HITS else elements:
        hit = read_hit(element, reading)
        if hit is None:
            break
        hits.append(hit)
    if not hits:
        return None
    whole = len(hits) == len(elements)
    state = Completeness.COMPLETE if whole else Completeness.TRUNCATED
    return HitList(tuple(hits), len(elements), shape_of(value), state, elements)


def _texts_or_ids(elements: Sequence[Any], book: TextBook) -> Any:
    """How plain strings are told apart: known ids and texts of the request first, else by their look."""
    sample = [item for item in elements[:MAX_HITS] if isinstance(item, str)]
    if any(book.knows_id(item) for item in sample):
        return None
    if any(book.holds(item) or "\n" in item or item.count(" ") >= _FEWEST_WORDS_OF_A_TEXT - 1 for item in sample):
        return _always
    return None


def _always(_text: str) -> bool:
    return True


def hits_json(found: HitList, book: TextBook, rules: TextRules) -> str:
    """The HITS attribute (model/wire.py) of a list. `book` must be locked by the caller."""
    body: dict[str, Any] = {wire.HITS_LENGTH: found.length, wire.HITS_SHAPE: found.shape, wire.HITS_SCOPE: book.scope}
    if found.state is not Completeness.COMPLETE:
        body[wire.HITS_STATE] = found.state.value
    body[wire.HITS_LIST] = [_hit_json(hit, book, rules) for hit in found.hits]
    return dump(body)


def unreadable_json(value: Any) -> str:
    """The HITS attribute of a stage whose result nothing recognises."""
    state = Completeness.NOT_RECORDED.value
    return dump({wire.HITS_SHAPE: shape_of(value), wire.HITS_STATE: state})


def _hit_json(hit: RawHit, book: TextBook, rules: TextRules) -> dict[str, Any]:
    chunk_id, source, text, score, score_kind, doc_id, parent_id, metadata, _inner = hit
    out: dict[str, Any] = {}
    if chunk_id is None:
        text = text or ""
        chunk_id = book.id_of(text)
        out[wire.HIT_ID] = chunk_id if chunk_id is not None else derived_id(text, rules)
        out[wire.HIT_ID_SOURCE] = IdSource.DERIVED.value
    else:
        out[wire.HIT_ID] = chunk_id
        if source is not IdSource.FIELD:
            out[wire.HIT_ID_SOURCE] = source.value
        book.remember(chunk_id, text)
    if doc_id is not None:
        out[wire.HIT_DOC] = doc_id
    if score is not None:
        out[wire.HIT_SCORE] = score
        if score_kind is not ScoreKind.UNKNOWN:
            out[wire.HIT_SCORE_KIND] = score_kind.value
    if text is not None and rules.capture:
        _put_text(out, text, book, rules)
    if metadata:
        out[wire.HIT_METADATA] = rules.plain(metadata) if rules.redact else metadata
    if parent_id is not None:
        out[wire.HIT_PARENT] = parent_id
    return out


def _put_text(out: dict[str, Any], text: str, book: TextBook, rules: TextRules) -> None:
    numbered, first = book.number(text, rules)
    sent = numbered.sent
    if sent.hidden:
        out[wire.HIT_REDACTED] = True
        return
    if numbered.number >= 0:
        out[wire.HIT_TEXT_NUMBER] = numbered.number
    if first:
        out[wire.HIT_TEXT] = sent.text
        if sent.cut is not None:
            out[wire.HIT_CUT] = sent.cut
