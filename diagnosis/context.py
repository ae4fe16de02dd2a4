"""Context: the chunks that reached the prompt of the answer, how that is known, and in which form.

First that holds: the recorded prompt, the assembled list or text, the declared ids; else unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model import (
    CameFrom,
    Completeness,
    Context,
    ContextEntry,
    ContextSource,
    InPrompt,
    RecordedRequest,
    Request,
    Stage,
    StageKind,
    normalise_text,
)
from .chunks import SeenChunk
from .flow import Graph
from .lists import RankedList
from .prompt_parts import Part, find_parts
from .prompt_search import PromptText, Span

_HIDDEN = frozenset({Completeness.REDACTED, Completeness.SUPPRESSED, Completeness.NOT_RECORDED})


class Reading(NamedTuple):
    """The context, and what it was read from."""

    context: Context
    text: PromptText | None
    """The prompt or the assembled text, with the texts found in it claimed."""
    cannot_tell: frozenset[str]
    """Chunk ids that are not in the context as far as one can see, but whose text is not recorded."""


class _Sources(NamedTuple):
    """Where a context is looked for."""

    lists: Mapping[str, RankedList]
    chunks: Mapping[str, SeenChunk]
    graph: Graph
    assemble: Stage | None
    generate: Stage | None
    users_words: tuple[str, ...]
    """The question and what was said before it, normalised."""

    @property
    def assembled(self) -> list[str]:
        """Chunk ids of the assembled list, in order."""
        if self.assemble is None or self.assemble.stage_id not in self.lists:
            return []
        return list(self.lists[self.assemble.stage_id].by_id)


def read_context(
    recorded: RecordedRequest, graph: Graph, lists: Mapping[str, RankedList], chunks: Mapping[str, SeenChunk]
) -> Reading:
    """The context of the answer of `recorded`. `lists` are in the flow's order."""
    stages = [graph.stages[stage_id] for stage_id in graph.flow.order]
    generates = [stage for stage in stages if stage.kind is StageKind.GENERATE]
    writer = _writer(recorded.request.answer, generates, graph)
    sources = _Sources(lists, chunks, graph, _assembler(stages, writer), writer, _users_words(recorded.request))
    reading = _from_prompt(sources) or _from_assemble(sources) or _from_declared(sources)
    if reading is None:
        text = _prompt_of(writer)
        known = Context(source=ContextSource.UNKNOWN, prompt_text=text.raw if text else None)
        reading = Reading(known, text, frozenset())
    earlier = _earlier_only(sources, reading, generates)
    return reading._replace(context=reading.context.model_copy(update={"earlier_only": earlier}))


def _writer(answer: str | None, generates: Sequence[Stage], graph: Graph) -> Stage | None:
    """The generate that wrote the answer: its text is the answer, or stands in it; else the last one."""
    if not generates:
        return None
    by_start = sorted(generates, key=lambda stage: (stage.start_ns, stage.stage_id))
    wanted = normalise_text(answer) if answer else ""
    texts = [(normalise_text(stage.text) if stage.text else "", stage) for stage in by_start]
    equal = [stage for text, stage in texts if text and text == wanted]
    inside = sorted((len(text), place) for place, (text, _) in enumerate(texts) if text and text in wanted)
    chosen = equal or ([by_start[inside[-1][1]]] if inside else by_start[-1:])
    prompted = [stage for stage in chosen if stage.prompt is not None]
    if prompted:
        return prompted[-1]
    return _prompted_inside(chosen[-1], by_start, graph) or chosen[-1]


def _prompted_inside(outer: Stage, generates: Sequence[Stage], graph: Graph) -> Stage | None:
    """Of generates recorded inside each other (a function and the client it calls): the one with the prompt."""
    if outer.declared_context is not None:
        return None
    found = None
    for stage in generates:
        parent = stage.parent_id
        seen: set[str] = set()
        while parent is not None and parent in graph.stages and parent not in seen:
            if parent == outer.stage_id and stage.prompt is not None:
                found = stage
            seen.add(parent)
            parent = graph.stages[parent].parent_id
    return found


def _assembler(stages: Sequence[Stage], writer: Stage | None) -> Stage | None:
    """The last assemble stage that had begun when the answer was written."""
    before = [
        stage
        for stage in stages
        if stage.kind is StageKind.ASSEMBLE and (writer is None or stage.start_ns <= writer.start_ns)
    ]
    return max(before, key=lambda stage: (stage.start_ns, stage.stage_id), default=None)


def _users_words(request: Request) -> tuple[str, ...]:
    texts = (request.question, *(message.text for message in request.history))
    return tuple(dict.fromkeys(normal for text in texts if text and (normal := normalise_text(text))))


def _prompt_of(stage: Stage | None, users_words: tuple[str, ...] = ()) -> PromptText | None:
    if stage is None or stage.prompt is None or stage.completeness in _HIDDEN:
        return None
    return PromptText("\n\n".join(message.text for message in stage.prompt), users_words)


def _from_prompt(sources: _Sources) -> Reading | None:
    text = _prompt_of(sources.generate, sources.users_words)
    if text is None or sources.generate is None or not sources.lists:
        return None
    declared = sources.generate.declared_context or ()
    parts = find_parts(text, sources.chunks.values(), sources.assembled, _latest_first(sources), declared)
    unseen = frozenset(one.chunk_id for one in sources.chunks.values() if not one.texts)
    if not parts:
        told = sources.assembled or list(declared)
        reworded = any(_resembles(text, sources.chunks.get(one)) for one in told)
        if reworded or (sources.chunks and len(unseen) == len(sources.chunks)):
            return None
    context = Context(
        source=ContextSource.PROMPT,
        stage_id=sources.generate.stage_id,
        entries=_entries(parts, sources, text),
        prompt_text=text.raw,
    )
    missing = frozenset() if sources.generate.completeness is Completeness.COMPLETE else frozenset(sources.chunks)
    present = {entry.chunk_id for entry in context.entries}
    return Reading(context, text, (unseen | missing) - present)


def _resembles(text: PromptText, chunk: SeenChunk | None) -> bool:
    return chunk is not None and chunk.text is not None and text.resembles(chunk.text.normal)


def _from_assemble(sources: _Sources) -> Reading | None:
    stage = sources.assemble
    if stage is None:
        return None
    if stage.stage_id in sources.lists:
        entries = _listed_entries(sources, sources.assembled, stage)
        note = ("The prompt does not hold these texts word for word.",) if _prompt_of(sources.generate) else ()
        context = Context(
            source=ContextSource.ASSEMBLE, stage_id=stage.stage_id, entries=entries, notes=note if entries else ()
        )
        return Reading(context, None, frozenset())
    if stage.text is None or not sources.lists:
        return None
    text = PromptText(stage.text)
    given = {one.stage_id for one in sources.graph.inputs.get(stage.stage_id, ())}
    arguments = [chunk_id for one in given if one in sources.lists for chunk_id in sources.lists[one].by_id]
    looked_for = [sources.chunks[one] for one in (arguments or sources.chunks)]
    parts = find_parts(text, looked_for, [], _latest_first(sources))
    unseen = frozenset(one.chunk_id for one in looked_for if not one.texts)
    if not parts and looked_for and len(unseen) == len(looked_for):
        return None
    context = Context(
        source=ContextSource.ASSEMBLE,
        stage_id=stage.stage_id,
        entries=_entries(parts, sources, text),
        prompt_text=text.raw,
    )
    return Reading(context, text, unseen - {entry.chunk_id for entry in context.entries})


def _from_declared(sources: _Sources) -> Reading | None:
    stage = sources.generate
    if stage is None or stage.declared_context is None:
        return None
    entries = _listed_entries(sources, list(dict.fromkeys(stage.declared_context)), None)
    return Reading(Context(source=ContextSource.DECLARED, stage_id=stage.stage_id, entries=entries), None, frozenset())


def _entries(parts: Sequence[Part], sources: _Sources, text: PromptText) -> tuple[ContextEntry, ...]:
    """Entries by place in the prompt; what is there by its parent follows the parent and shares its position."""
    sent = [part for part in parts if part.owner is None]
    owned: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        if part.owner is not None:
            owned[part.owner].append(part)
    children = children_of([part.chunk_id for part in parts], sources.chunks)
    entries: list[ContextEntry] = []
    for position, part in enumerate(sent, 1):
        entries.append(_entry(sources, part.chunk_id, position, part, text))
        entries.extend(_entry(sources, one.chunk_id, position, one, text) for one in owned[part.chunk_id])
        entries.extend(_entry(sources, one, position, None, text) for one in children[part.chunk_id])
    return tuple(entries)


def _entry(sources: _Sources, chunk_id: str, position: int, part: Part | None, text: PromptText | None) -> ContextEntry:
    chunk = sources.chunks.get(chunk_id)
    return ContextEntry(
        position=position,
        chunk_id=chunk_id,
        doc_id=chunk.doc_id if chunk else None,
        text_hash=chunk.text_hash if chunk else None,
        form=part.form if part else InPrompt.BY_PARENT,
        chars_sent=part.chars_sent if part else None,
        chars_total=part.chars_total if part else None,
        ambiguous_with=part.ambiguous_with if part else (),
        came_from=_came_from(sources, chunk_id),
        span=(part.span.start, part.span.end) if part and text else None,
    )


def _listed_entries(sources: _Sources, ids: Sequence[str], stage: Stage | None) -> tuple[ContextEntry, ...]:
    """Entries of an assembled list or of declared ids; children of a sent parent share its position."""
    own = {hit.chunk_id: hit.text for hit in reversed(stage.hits or ())} if stage else {}
    children = children_of(ids, sources.chunks)
    entries: list[ContextEntry] = []
    for position, chunk_id in enumerate(ids, 1):
        part = _listed_part(sources.chunks.get(chunk_id), own.get(chunk_id), chunk_id)
        entries.append(_entry(sources, chunk_id, position, part, None))
        entries.extend(_entry(sources, one, position, None, None) for one in children[chunk_id])
    return tuple(entries)


def _listed_part(chunk: SeenChunk | None, text: str | None, chunk_id: str) -> Part:
    nowhere = Span(0, 0)
    normal = normalise_text(text) if text else ""
    if chunk is None or not normal:
        return Part(chunk_id, InPrompt.BY_ID, nowhere)
    longest = max((one.normal for one in chunk.texts), key=len, default=normal)
    if len(longest) > len(normal) and longest.startswith(normal):
        return Part(chunk_id, InPrompt.CUT, nowhere, len(normal), len(longest))
    return Part(chunk_id, InPrompt.WHOLE, nowhere, len(normal), len(normal))


def children_of(sent: Sequence[str], chunks: Mapping[str, SeenChunk]) -> Mapping[str, list[str]]:
    """Sent id -> the chunks of the lists that it is the parent of, and that were not sent themselves."""
    known = set(sent)
    children: dict[str, list[str]] = defaultdict(list)
    for chunk in chunks.values():
        if chunk.parent_id in known and chunk.chunk_id not in known:
            children[str(chunk.parent_id)].append(chunk.chunk_id)
    return children


def _came_from(sources: _Sources, chunk_id: str) -> tuple[CameFrom, ...]:
    """Its place in every list but the assembled one, in the flow's order."""
    return tuple(
        CameFrom(stage_id=stage_id, rank=ranked.by_id[chunk_id].rank)
        for stage_id, ranked in sources.lists.items()
        if chunk_id in ranked.by_id and ranked.stage.kind is not StageKind.ASSEMBLE
    )


def _latest_first(sources: _Sources) -> list[str]:
    """Chunk ids as the last list has them, then those of the list before it, and so on."""
    latest = reversed(list(sources.lists.values()))
    return list(dict.fromkeys(chunk_id for ranked in latest for chunk_id in ranked.by_id))


def _earlier_only(sources: _Sources, reading: Reading, generates: Sequence[Stage]) -> tuple[str, ...]:
    """Chunks that an earlier prompt held, and the prompt of the answer does not."""
    if reading.context.source is not ContextSource.PROMPT or sources.generate is None:
        return ()
    present = {one for entry in reading.context.entries for one in (entry.chunk_id, *entry.ambiguous_with)}
    left = [chunk for chunk in sources.chunks.values() if chunk.chunk_id not in present]
    found: dict[str, None] = {}
    for stage in generates:
        earlier = _prompt_of(stage) if stage.start_ns < sources.generate.start_ns else None
        if earlier is not None:
            parts = find_parts(earlier, left, [], [])
            found.update((part.chunk_id, None) for part in parts if part.form is InPrompt.WHOLE)
    return tuple(found)
