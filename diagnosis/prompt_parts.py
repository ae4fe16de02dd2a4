"""The chunks whose texts stand in a prompt: whole, cut, inside a larger one, or by their id as a marker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model import InPrompt
from .chunks import SeenChunk, SeenText
from .prompt_search import PromptText, Span


class Part(NamedTuple):
    """A chunk found in a prompt."""

    chunk_id: str
    form: InPrompt
    span: Span
    chars_sent: int | None = None
    chars_total: int | None = None
    ambiguous_with: tuple[str, ...] = ()
    owner: str | None = None
    """The larger chunk that it is there by."""


def find_parts(
    text: PromptText,
    chunks: Iterable[SeenChunk],
    named: Sequence[str],
    latest_first: Sequence[str],
    declared: Sequence[str] = (),
) -> list[Part]:
    """The chunks whose texts stand in `text`, by place; longer texts are looked for first.

    Of several chunks with one text, as many are taken as there are copies: those that an assembled list names, else
    those that the app declares as sent, else those that stand in the latest lists, and then the others are ambiguous.
    A text that is too short to be found by its words alone is there where it stands among others and the app says
    that the chunk was sent.
    """
    rank = {chunk_id: place for place, chunk_id in enumerate(dict.fromkeys((*named, *declared, *latest_first)))}
    by_text: dict[str, list[tuple[SeenChunk, SeenText]]] = defaultdict(list)
    known = list(chunks)
    for chunk in known:
        for variant in chunk.texts:
            by_text[variant.normal].append((chunk, variant))
    found: dict[str, Part] = {}
    inside: dict[str, Span] = {}
    for normal in sorted(by_text, key=len, reverse=True):
        group = [(chunk, variant) for chunk, variant in by_text[normal] if chunk.chunk_id not in found]
        group.sort(key=lambda one: rank.get(one[0].chunk_id, len(rank)))
        if group:
            _place_group(text, group, (set(named), set(declared)), found, inside)
    for chunk in known:
        if chunk.chunk_id not in found and chunk.chunk_id not in inside:
            _place_cut(text, chunk, found)
    for chunk in known:
        if chunk.chunk_id not in found and chunk.chunk_id not in inside:
            span = text.marker(chunk.chunk_id)
            if span is not None:
                found[chunk.chunk_id] = Part(chunk.chunk_id, InPrompt.BY_ID, span)
    said = {*named, *declared}
    for chunk in known:
        if chunk.chunk_id in said and chunk.chunk_id not in found and chunk.chunk_id not in inside:
            _place_mentioned(text, chunk, found)
    _place_inside(known, inside, found)
    return sorted(found.values(), key=lambda part: (part.span.start, -part.span.end, part.chunk_id))


def _place_group(
    text: PromptText,
    group: Sequence[tuple[SeenChunk, SeenText]],
    told: Sequence[set[str]],
    found: dict[str, Part],
    inside: dict[str, Span],
) -> None:
    """Claims the copies of one text for the chunks that have it: of `told`, the first set that names any."""
    _, variant = group[0]
    copies: list[Span] = []
    for span in text.places(variant.raw, variant.normal):
        around = text.claimant(span)
        if around is None:
            copies.append(span)
        else:
            for chunk, _ in group:
                inside.setdefault(chunk.chunk_id, around)
    if not copies:
        return
    by_name = [[one for one in group if one[0].chunk_id in names] for names in told]
    asked = _in_marked_order(text, next(filter(None, by_name), group), copies)
    others = tuple(chunk.chunk_id for chunk, _ in asked[len(copies) :])
    if len(asked) > 1 and text.named_before(copies[0], [chunk.chunk_id for chunk, _ in asked]) is not None:
        others = ()
    for (chunk, own), span in zip(asked, copies, strict=False):
        inside.pop(chunk.chunk_id, None)
        found[chunk.chunk_id] = _whole_or_cut(chunk, own, span, others)
    text.claimed.extend(copies)


def _in_marked_order(
    text: PromptText, group: Sequence[tuple[SeenChunk, SeenText]], copies: Sequence[Span]
) -> list[tuple[SeenChunk, SeenText]]:
    """The group with those first that the builder's own markers name, in the order of the copies."""
    left = list(group)
    marked = []
    for span in copies if len(group) > 1 else ():
        name = text.named_before(span, [chunk.chunk_id for chunk, _ in left])
        marked += [one for one in left if one[0].chunk_id == name]
        left = [one for one in left if one[0].chunk_id != name]
    return [*marked, *left]


def _whole_or_cut(chunk: SeenChunk, variant: SeenText, span: Span, others: tuple[str, ...]) -> Part:
    """Whole, unless it is the beginning of a longer text that another list shows, or all that was recorded."""
    longest = max((one.normal for one in chunk.texts), key=len)
    if variant.cut:
        return Part(chunk.chunk_id, InPrompt.CUT, span, len(variant.normal), None, others)
    if len(longest) > len(variant.normal) and longest.startswith(variant.normal):
        return Part(chunk.chunk_id, InPrompt.CUT, span, len(variant.normal), len(longest), others)
    return Part(chunk.chunk_id, InPrompt.WHOLE, span, len(variant.normal), len(variant.normal), others)


def _place_cut(text: PromptText, chunk: SeenChunk, found: dict[str, Part]) -> None:
    for variant in chunk.texts:
        cut = text.cut(variant.normal)
        if cut is not None:
            total = None if variant.cut else len(variant.normal)
            found[chunk.chunk_id] = Part(chunk.chunk_id, InPrompt.CUT, cut.span, cut.chars, total)
            text.claimed.append(cut.span)
            return


def _place_mentioned(text: PromptText, chunk: SeenChunk, found: dict[str, Part]) -> None:
    for variant in chunk.texts:
        span = text.mentions(variant.normal)
        if span is not None:
            found[chunk.chunk_id] = _whole_or_cut(chunk, variant, span, ())
            text.claimed.append(span)
            return


def _place_inside(chunks: Iterable[SeenChunk], inside: Mapping[str, Span], found: dict[str, Part]) -> None:
    """Chunks whose text lies in the text of a larger one of the same document: there by their parent."""
    owners = [(part.span, part.chunk_id) for part in found.values()]
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    for chunk in by_id.values():
        span = inside.get(chunk.chunk_id)
        if span is None or chunk.chunk_id in found:
            continue
        for around, owner in owners:
            same = chunk.doc_id is not None and chunk.doc_id == by_id[owner].doc_id
            if around == span and (same or chunk.parent_id == owner):
                found[chunk.chunk_id] = Part(chunk.chunk_id, InPrompt.BY_PARENT, span, owner=owner)
                break
