"""Which lists the context came from: the last lines of the flow."""

from __future__ import annotations

from typing import NamedTuple

from ..model import ContextSource, FlowSource, StageKind
from .context import Reading
from .cover import Candidate, fewest_that_cover
from .flow import Graph
from .lists import RANKERS, has_failed

_SURENESS = (FlowSource.DECLARED, FlowSource.RECORDED, FlowSource.DERIVED, FlowSource.UNKNOWN)


class Feeds(NamedTuple):
    """The lists whose hits make up the context."""

    stage_ids: tuple[str, ...]
    source: FlowSource


def context_feeds(graph: Graph, reading: Reading) -> Feeds:
    """First that holds: the recorded inputs of what made the context, else the fewest latest lists that cover it.

    Unlike a stage, the context may be covered by a list that another stage took in too: an app whose reranker
    failed goes on with the list before it. An empty context came from every list that nothing took in.
    """
    context = reading.context
    if context.source is ContextSource.UNKNOWN or context.stage_id is None:
        return Feeds((), FlowSource.UNKNOWN)
    makers = [context.stage_id, *_text_builders(graph, context.stage_id)]
    ids = [entry.chunk_id for entry in context.entries]
    for maker in makers:
        found = _through(graph, maker)
        if found.stage_ids and (not ids or maker == context.stage_id or _share(graph, found, ids)):
            return found
    candidates = [one for one in graph.candidates if one.stage_id != context.stage_id]
    unused = [one for one in candidates if not _is_taken(graph, one.stage_id)]
    if not ids:
        return Feeds(tuple(one.stage_id for one in reversed(unused)), FlowSource.DERIVED)
    chosen = _cover(ids, unused) or _cover(ids, candidates) or _cover_what_can_be(ids, candidates)
    return Feeds(tuple(reversed(chosen)), FlowSource.DERIVED if chosen else FlowSource.UNKNOWN)


def _through(graph: Graph, stage_id: str) -> Feeds:
    """The lists that went into a stage, looked for behind stages that have none of their own."""
    found: dict[str, None] = {}
    sources = [graph.source.get(stage_id, FlowSource.UNKNOWN)]
    waiting = [one.stage_id for one in graph.inputs.get(stage_id, ())]
    while waiting:
        one = waiting.pop(0)
        stage = graph.stages[one]
        if stage.hits is not None or stage.kind in RANKERS:
            found[one] = None
        else:
            sources.append(graph.source.get(one, FlowSource.UNKNOWN))
            waiting.extend(given.stage_id for given in graph.inputs.get(one, ()))
    return Feeds(tuple(found), max(sources, key=_SURENESS.index) if found else FlowSource.UNKNOWN)


def _text_builders(graph: Graph, stage_id: str) -> list[str]:
    """Assemble stages that returned a text before `stage_id`, the latest first."""
    start = graph.stages[stage_id].start_ns
    return [
        one
        for one in reversed(graph.flow.order)
        if graph.stages[one].kind is StageKind.ASSEMBLE
        and graph.stages[one].hits is None
        and graph.stages[one].start_ns <= start
        and one != stage_id
    ]


def _share(graph: Graph, feeds: Feeds, ids: list[str]) -> bool:
    return any(one.ids & set(ids) for one in graph.coarse if one.stage_id in feeds.stage_ids)


def _is_taken(graph: Graph, stage_id: str) -> bool:
    """Whether a stage took it in that gave a list out, recorded or not."""
    takers = [graph.stages[one] for one in graph.outputs.get(stage_id, ())]
    return any(one.hits is not None or (one.kind in RANKERS and not has_failed(one)) for one in takers)


def _cover(ids: list[str], candidates: list[Candidate]) -> tuple[str, ...]:
    return fewest_that_cover(ids, candidates) or ()


def _cover_what_can_be(ids: list[str], candidates: list[Candidate]) -> tuple[str, ...]:
    """Without the ids that no list holds."""
    held = [one for one in ids if any(one in candidate.ids for candidate in candidates)]
    return _cover(held, candidates) if held else ()
