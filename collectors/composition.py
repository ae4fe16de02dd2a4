"""Requests from spans: every request of some traces, with its stages and lists, as far as it has come.

Values in, values out: the same spans in any order give the same requests. A request is composed anew from
all its spans whenever one of them comes, so late and doubled spans repair or change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..model import HitColumns, Outcome, RecordedRequest, Request, Span, Stage, StageKind, wire
from . import clocks
from .composing.compose import Others, compose_others, is_setup
from .composing.inner_calls import fill_from_calls
from .dialects import ChunkBook, Reading, Role, goldrank
from .dialects.goldrank import collect_indexes, collect_texts
from .dialects.plain import read_header, read_resource
from .grouping import Group, group_spans, is_orphan
from .tree import SpanKey, Tree, make_tree, span_key

SHORT_ATTRIBUTE: Final = 200
"""Longest attribute, in characters, of another writer's root that is kept on the request as well as on its span."""


_NUMBERED: Final = re.compile(r"\.\d+\.")
"""In the name of an attribute that is one of a list's."""


class Composed(NamedTuple):
    """A request and the spans that it was made of."""

    draft: RecordedRequest
    """Without hits: a stage with a list has none of them, see `lists`."""
    lists: dict[str, HitColumns]
    """Stage id -> its hits, for every stage with a list."""
    members: tuple[SpanKey, ...]
    """(trace id, span id) of all its spans, by start time."""

    @property
    def request_id(self) -> str:
        """Of the request."""
        return self.draft.request.request_id

    @property
    def recorded(self) -> RecordedRequest:
        """The request with its hits."""
        stages = (
            stage.model_copy(update={"hits": self.lists[stage.stage_id].hits()}) if stage.has_list else stage
            for stage in self.draft.stages
        )
        return self.draft.model_copy(update={"stages": tuple(stages)})


class _Placed(NamedTuple):
    """A stage on its way to its place."""

    stage: Stage
    key: SpanKey
    depth: int


def compose(spans: Iterable[Span]) -> tuple[Composed, ...]:
    """Every request of these spans, by request id.

    `spans` must hold all the spans of all the traces that it touches; of spans given twice the last one that
    has an end counts.
    """
    tree = make_tree(spans)
    depths: dict[SpanKey, int] = {}
    for key in tree.order:
        depths[key] = depths[tree.parents[key]] + 1 if key in tree.parents else 0
    return tuple(_compose(group, tree, depths) for group in group_spans(tree) if not _only_prepares(group, tree))


def _only_prepares(group: Group, tree: Tree) -> bool:
    """Whether it is no request: an agent was made, an index was filled. Its spans are kept: more may come."""
    return not _is_ours(group) and is_setup(group.spans, tree)


def _is_ours(group: Group) -> bool:
    """Whether every span of it is goldrank's own, or the request span is."""
    return any(wire.KIND in span.attributes for span in group.spans)


def _compose(group: Group, tree: Tree, depths: Mapping[SpanKey, int]) -> Composed:
    book = ChunkBook()
    for span in sorted(group.spans, key=lambda span: span.end_ns):
        collect_texts(span, book)
    for span in group.spans:
        collect_indexes(span, book)
    readings = {span_key(span): goldrank.read(span, book) or Reading() for span in group.spans}
    lists = {span_id: reading.hits for (_, span_id), reading in readings.items() if reading.hits is not None}
    others = _read_others(group, tree, tuple(lists.values()))
    request = _make_request(group, readings, tree, others)
    found = _find_stages(group, readings, tree, others.stages if others is not None else ())
    window = clocks.Window(request.start_ns, request.end_ns) if group.root is not None else None
    stages = tuple(place.stage for place in _place_stages(found, tree, depths, window))
    if others is not None:
        lists |= others.lists
    draft = RecordedRequest(request=request, stages=stages)
    return Composed(draft, lists, tuple(span_key(span) for span in group.spans))


def _read_others(group: Group, tree: Tree, own: Sequence[HitColumns]) -> Others | None:
    """What spans of other writers say; a request of goldrank's own spans alone is not looked at."""
    if all(wire.KIND in span.attributes for span in group.spans):
        return None
    return compose_others(group.spans, group.root, tree, own)


def _make_request(group: Group, readings: Mapping[SpanKey, Reading], tree: Tree, others: Others | None) -> Request:
    head = _find_head(group, tree)
    header = _header(head, readings, tree)
    missing = [*group.missing, *(trouble for reading in readings.values() for trouble in reading.troubles)]
    if others is not None:
        missing += others.missing
        if tree.marks[span_key(head)].role is Role.OTHER:
            header = _with_others(header, others)
    if group.root is None:
        header |= {"outcome": Outcome.INCOMPLETE, "start_ns": group.spans[0].start_ns, "end_ns": None}
    else:
        header |= {"start_ns": group.root.start_ns, "end_ns": group.root.end_ns or None}
    # An empty mapping that is given costs nothing; a default is copied deeply, each time.
    header = {"notes": {}, "attributes": {}, **header}
    return Request(
        request_id=group.request_id,
        trace_id=group.request_id.partition("-")[0],
        provisional=group.root is None,
        missing=tuple(dict.fromkeys(missing)),
        repaired=any(span.repaired for span in group.spans),
        **header,
    )


def _header(head: Span, readings: Mapping[SpanKey, Reading], tree: Tree) -> dict[str, Any]:
    """The fields of the request that its head says."""
    own = readings[span_key(head)].request
    if own is not None:
        return dict(own)
    return read_header(head) if tree.marks[span_key(head)].role is Role.OTHER else read_resource(head)


def _with_others(header: Mapping[str, Any], others: Others) -> dict[str, Any]:
    """The header of a request of another writer. Long attributes are what question, answer and lists were read from."""
    said = dict(others.header)
    if said.get("outcome", header.get("outcome")) is not Outcome.ERROR:
        said.pop("error", None)
    attributes = {
        key: value
        for key, value in (header.get("attributes") or {}).items()
        if len(str(value)) <= SHORT_ATTRIBUTE and not _NUMBERED.search(key)
    }
    return {**header, **said, "attributes": attributes}


def _find_head(group: Group, tree: Tree) -> Span:
    """The span that the header is read from: the request span, else one that says most."""
    if group.root is not None:
        return group.root
    inner = (span for span in group.spans if tree.marks[span_key(span)].role is Role.REQUEST)
    stages = (span for span in group.spans if tree.marks[span_key(span)].role is Role.STAGE)
    return next(inner, None) or next(stages, None) or group.spans[0]


def _find_stages(
    group: Group, readings: Mapping[SpanKey, Reading], tree: Tree, others: Sequence[tuple[SpanKey, Stage]]
) -> list[tuple[SpanKey, Stage]]:
    """Every stage with its span, those of other writers first. A span may have several: a call with several queries."""
    found = list(others)
    own = {key: reading.stage for key, reading in readings.items() if reading.stage is not None}
    own |= fill_from_calls(own, group.spans, tree)
    for span in group.spans:
        reading = readings[span_key(span)]
        if reading.stage is not None:
            found.append((span_key(span), own[span_key(span)]))
        elif reading.request is not None and _is_inner(span, group, tree):
            found.append((span_key(span), _inner_request(span, reading.request)))
    return found


def _place_stages(
    found: Sequence[tuple[SpanKey, Stage]], tree: Tree, depths: Mapping[SpanKey, int], window: clocks.Window | None
) -> list[_Placed]:
    """The stages with parent and clock note, by time inside the request, then outer before inner."""
    around = {key: stage for key, stage in found if stage.stage_id == key[1]}
    placed = []
    for key, stage in found:
        update = {
            "parent_id": _enclosing(key, around, tree),
            "parent_missing": is_orphan(tree.spans[key], tree),
            "clock_note": clocks.note(stage.start_ns, stage.end_ns, window),
        }
        if any(update.values()):  # a stage is made with none of them
            stage = stage.model_copy(update=update)  # noqa: PLW2901 - the one that is placed
        placed.append(_Placed(stage, key, depths[key]))
    return sorted(placed, key=lambda place: _order(place, window))


def _order(place: _Placed, window: clocks.Window | None) -> tuple[int, int, int, SpanKey]:
    start_ns = place.stage.start_ns
    inside_ns = start_ns if window is None else window.clamp(start_ns)
    return inside_ns, place.depth, start_ns, (place.key[0], place.stage.stage_id)


def _is_inner(span: Span, group: Group, tree: Tree) -> bool:
    return span is not group.root and tree.marks[span_key(span)].role is Role.REQUEST


def _inner_request(span: Span, header: Mapping[str, Any]) -> Stage:
    """A request inside a request is a step of it like any other; what it was asked and what it answered stay seen."""
    return Stage(
        stage_id=span.span_id,
        kind=StageKind.OTHER,
        name=span.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns or None,
        outcome=header["outcome"],
        error=header["error"],
        query=header["question"],
        text=header["answer"],
    )


def _enclosing(key: SpanKey, found: Mapping[SpanKey, Stage], tree: Tree) -> str | None:
    """The nearest stage around a span."""
    while key in tree.parents:
        key = tree.parents[key]
        if key in found:
            return found[key].stage_id
    return None
