"""Whether a gold is in the context, in which form, and whether the labelled words are in what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model import Context, ContextEntry, InPrompt, Level, MatchedBy, normalise_text
from .answer_use import missing_phrases
from .chunks import SeenChunk, holds
from .context import Reading
from .matching import Match, Matcher


class Placement(NamedTuple):
    """A gold in the context."""

    position: int | None
    """1-based; None where its text stands in the prompt and no list holds it."""
    chunk_id: str | None
    form: InPrompt
    by: MatchedBy
    part: bool
    """Only a part of what was labelled was sent."""
    holds_words: bool | None
    """Whether the labelled sentence is in what was sent; None: only a part was sent, and no sentence was labelled."""
    chars_sent: int | None = None
    chars_total: int | None = None
    ambiguous_with: tuple[str, ...] = ()
    not_sent: tuple[str, ...] = ()
    """Expected phrases that the answer lacks and that stand only in the part of the text that was not sent."""


def place_in_context(matcher: Matcher, reading: Reading, credited: frozenset[str]) -> Placement | None:
    """The best place of the gold in the context, or None: it is not there, or that is not known.

    `credited` are the chunk ids of the lists that the context came from. Of chunks with one text, one that never
    got as far as those lists takes no credit for the copy that was sent.
    """
    context = reading.context
    found = [
        placed
        for entry in context.entries
        for placed in [_place(matcher, entry, reading, credited)]
        if placed is not None
    ]
    if found:
        return min(found, key=lambda one: (one.part, one.holds_words is not True, one.position or 0))
    return _by_words(matcher, reading)


def without_expected(
    placement: Placement, chunks: Mapping[str, SeenChunk], expected: Sequence[str], answer: str | None
) -> Placement:
    """The same place; where the expected phrases stand behind the cut, they were not sent, so no answer could use them.

    An answer that has them all the same knew them from elsewhere, and says nothing about the cut.
    """
    chunk = chunks.get(placement.chunk_id or "")
    if placement.form is not InPrompt.CUT or placement.holds_words is not None or placement.chars_sent is None:
        return placement
    if chunk is None or not chunk.texts:
        return placement
    whole = max((one.normal for one in chunk.texts), key=len)
    wanted = missing_phrases(answer, expected) if answer is not None else list(expected)
    absent = missing_phrases(whole[: placement.chars_sent], wanted)
    behind = tuple(phrase for phrase in absent if phrase not in missing_phrases(whole, wanted))
    return placement._replace(holds_words=False, not_sent=behind) if behind else placement


def _place(matcher: Matcher, entry: ContextEntry, reading: Reading, credited: frozenset[str]) -> Placement | None:
    chunk_id, match = entry.chunk_id, matcher.of_chunk(entry.chunk_id)
    if match is None:
        twins = [one for one in entry.ambiguous_with if one in credited and matcher.of_chunk(one) is not None]
        chunk_id = twins[0] if twins else chunk_id
        match = matcher.of_chunk(chunk_id)
        if match is None:
            return None
    return Placement(
        position=entry.position,
        chunk_id=chunk_id,
        form=InPrompt.BY_PARENT if match.by is MatchedBy.PARENT and not match.part else entry.form,
        by=match.by,
        part=match.part,
        holds_words=_holds_words(matcher, match, entry, reading),
        chars_sent=entry.chars_sent,
        chars_total=entry.chars_total,
        ambiguous_with=tuple(one for one in (entry.chunk_id, *entry.ambiguous_with) if one != chunk_id)
        if entry.ambiguous_with
        else (),
    )


def _holds_words(matcher: Matcher, match: Match, entry: ContextEntry, reading: Reading) -> bool | None:
    """Whether the labelled sentence (else the labelled text) is in the part that was sent."""
    if matcher.target.level is Level.DOCUMENT:
        return True
    sent = _sent_text(entry, reading, matcher.chunks.get(entry.chunk_id))
    if matcher.quote and sent is not None:
        return holds(sent, matcher.quote)
    if match.part:
        return None
    if entry.form is not InPrompt.CUT:
        return True
    return True if sent is not None and matcher.text and holds(sent, matcher.text) else None


def _sent_text(entry: ContextEntry, reading: Reading, chunk: SeenChunk | None) -> str | None:
    """What was sent of this entry, normalised; None where only its id is known."""
    if entry.span is not None and reading.text is not None:
        return normalise_text(reading.text.raw[slice(*entry.span)])
    if entry.form is InPrompt.BY_ID or chunk is None or chunk.text is None:
        return None
    normal = max((one.normal for one in chunk.texts), key=len)
    return normal[: entry.chars_sent] if entry.form is InPrompt.CUT else normal


def _by_words(matcher: Matcher, reading: Reading) -> Placement | None:
    """The labelled sentence or text in a part of the prompt that no other chunk accounts for."""
    if reading.text is None or matcher.target.level is Level.DOCUMENT:
        return None
    for words, form in ((matcher.wanted_text, InPrompt.WHOLE), (matcher.quote, InPrompt.CUT)):
        if words and reading.text.free(reading.text.places(words, words)):
            return Placement(None, matcher.target.chunk_id, form, MatchedBy.QUOTE, part=False, holds_words=True)
    return None


def can_tell_absence(matcher: Matcher, reading: Reading) -> str | None:
    """Why it is not known that the gold is absent from a known context; None where it is known."""
    if reading.text is None:
        return None
    own = [one for one in matcher.matched() if one in reading.cannot_tell]
    if own and not (matcher.wanted_text and matcher.target.level is Level.CHUNK):
        return f"the text of {own[0]} is not recorded, so it cannot be looked for in the prompt"
    if any(matcher.chunks[one].texts for one in own):
        return "the prompt was cut when it was recorded"
    if matcher.target.level is Level.CHUNK and matcher.wanted_text and reading.text.resembles(matcher.wanted_text):
        return "a part of its text stands in the prompt, but not all of it"
    if matcher.target.level is Level.CHUNK and matcher.wanted_text and reading.text.mentions(matcher.wanted_text):
        return "its text is so short that it may stand in the prompt by accident"
    return None


def prompt_positions(context: Context) -> int:
    """How many places the context has; a chunk that is there by its parent has none of its own."""
    return max((entry.position for entry in context.entries), default=0)
