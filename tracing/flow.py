"""Which lists went into a stage: recognised by identity while the request is open (DESIGN §7, recorded flow).

A list that a stage returned is known again, or its hit objects are, among the arguments of a later stage: also
after `+`, a slice or a dedupe, and one level down in lists, tuples, sets and dict values. Strings and numbers
prove nothing: equal ones are often the same object. Attributes of objects are not looked into.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from ..model.stage import StageKind
from .recognisers import RawHit

MAX_KNOWN: Final = 20_000
"""Objects that one request keeps alive so that their identities stay theirs; beyond it flow is not recorded."""
MAX_LOOKED_AT: Final = 4_000
"""Elements looked at in the arguments of one call."""

_NO_EVIDENCE: Final = (str, int, float, complex, bytes, bool, type(None), frozenset, type)
_EMPTY: Final = ()
_CONTAINERS: Final = (list, tuple, set, deque, dict)
_MIXED_KINDS: Final = frozenset(
    {StageKind.FUSE, StageKind.FILTER, StageKind.RERANK, StageKind.ASSEMBLE, StageKind.GENERATE}
)
"""Stages that work on lists: a container counts as made from lists when half of it is known. For other stages all
of it must be, so that a corpus handed to a retriever is not taken for the list of another one."""


class ReturnedList(NamedTuple):
    """A list that a stage returned."""

    span_id: str
    name: str
    length: int
    before: frozenset[str]
    """Span ids of all the lists it was made from, directly or not."""
    inside: frozenset[str] = frozenset()
    """Span ids of the stages that were open around it."""


class FlowInput(NamedTuple):
    """A list that went into a stage."""

    span_id: str
    depth: int | None
    """The deepest rank handed over; None: not known."""


class Flow:
    """The lists of one request. Not locked itself: `OpenRequest.lock` is held around each call."""

    __slots__ = ("_alive", "_by_span", "_hits", "_lists", "_seen")

    def __init__(self) -> None:
        self._lists: dict[int, ReturnedList] = {}
        self._hits: dict[int, list[tuple[ReturnedList, int]]] = {}
        self._alive: list[Any] = []
        self._seen: dict[int, int] = {}
        self._by_span: dict[str, ReturnedList] = {}

    def add(self, returned: ReturnedList, value: Any, elements: Sequence[Any], hits: Sequence[RawHit]) -> None:
        """Remembers what a stage returned: the value, its list, its elements and the hit objects inside them."""
        if len(self._alive) + 2 * len(elements) > MAX_KNOWN:
            return
        self._by_span[returned.span_id] = returned
        alive = self._alive
        for holder in (value, elements, *_columns(value)):
            if not isinstance(holder, _NO_EVIDENCE) and holder is not _EMPTY:
                self._lists[id(holder)] = returned
                alive.append(holder)
        known = self._hits
        for rank, (element, hit) in enumerate(zip(elements, hits, strict=False), start=1):
            inner = hit.inner
            if inner is not None and not isinstance(inner, _NO_EVIDENCE):
                known.setdefault(id(inner), []).append((returned, rank))
                alive.append(inner)
            if inner is not element and not isinstance(element, _NO_EVIDENCE):
                known.setdefault(id(element), []).append((returned, rank))
                alive.append(element)

    def inputs_of(self, arguments: Iterable[Any], kind: StageKind) -> tuple[FlowInput, ...]:
        """The lists among a call's arguments, in the order in which they are met."""
        if not self._by_span:
            for argument in arguments:
                self.note_container(argument)
            return ()
        search = _Search(self, kind)
        for argument in arguments:
            search.look(argument, 0)
        return search.inputs()

    def made_inside(self, span_id: str, value: Any) -> tuple[FlowInput, ...]:
        """The lists of stages inside the stage `span_id` that its result `value` is, or consists of."""
        search = _Search(self, StageKind.OTHER)
        search.look(value, 0)
        inner = [found for found in search.inputs() if span_id in self._by_span[found.span_id].inside]
        latest = {found.span_id for found in inner} - self.before_these(inner)
        return tuple(found for found in inner if found.span_id in latest)

    def before_these(self, inputs: Iterable[FlowInput]) -> frozenset[str]:
        """Span ids of everything that the lists of `inputs` were made from."""
        return frozenset().union(*(self._by_span[found.span_id].before for found in inputs))

    def named(self, name: str) -> ReturnedList | None:
        """The latest list of the stage of that name."""
        return next((made for made in reversed(self._by_span.values()) if made.name == name), None)

    def before(self, inputs: Iterable[FlowInput]) -> frozenset[str]:
        """Span ids of `inputs` and of everything that they were made from."""
        found: set[str] = set()
        for flow_input in inputs:
            made = self._by_span.get(flow_input.span_id)
            found.add(flow_input.span_id)
            found.update(made.before if made is not None else ())
        return frozenset(found)

    def list_of(self, value: Any) -> ReturnedList | None:
        """The stage that returned exactly this object, the latest one where several did."""
        return self._lists.get(id(value))

    def ranks_of(self, value: Any) -> list[tuple[ReturnedList, int]] | None:
        """Where exactly this hit object stood: (list, 1-based rank)."""
        return self._hits.get(id(value))

    def existed_before_lists(self, container: Any) -> bool:
        """Whether a stage was given this very container while it held as much, and no list was made of it."""
        return self._seen.get(id(container)) == len(container)

    def note_container(self, container: Any) -> None:
        """A container without any known hit is nobody's output: a corpus, a pool of candidates."""
        if isinstance(container, list | dict | set) and container and len(self._alive) < MAX_KNOWN:
            if id(container) not in self._seen:
                self._alive.append(container)
            self._seen[id(container)] = len(container)


def _columns(value: Any) -> list[Any]:
    """The lists inside a dict of lists (Chroma), which are handed on one by one."""
    if not isinstance(value, dict):
        return []
    columns = [column for column in value.values() if isinstance(column, list)]
    return columns + [column[0] for column in columns if len(column) == 1 and isinstance(column[0], list)]


class _Search:
    """One look through the arguments of a call."""

    __slots__ = ("_budget", "_depths", "_flow", "_kind")

    def __init__(self, flow: Flow, kind: StageKind) -> None:
        self._flow = flow
        self._kind = kind
        self._depths: dict[str, tuple[ReturnedList, int]] = {}
        self._budget = MAX_LOOKED_AT

    def look(self, value: Any, depth: int) -> None:
        if isinstance(value, _NO_EVIDENCE):
            return
        made = self._flow.list_of(value)
        if made is not None:
            self._found(made, self._depth_now(made, value))
            return
        ranks = self._flow.ranks_of(value)
        if ranks is not None:
            self._found_hit(ranks)
        elif depth < 2 and isinstance(value, _CONTAINERS) and value:
            self._look_inside(value, depth)

    def _look_inside(self, container: Any, depth: int) -> None:
        if isinstance(container, list | dict | set) and self._flow.existed_before_lists(container):
            return
        items = list(container.values()) if isinstance(container, dict) else list(container)
        items = items[: self._budget]
        self._budget -= len(items)
        unknown: list[Any] = []
        known: list[list[tuple[ReturnedList, int]]] = []
        flow = self._flow
        for item in items:
            if isinstance(item, _NO_EVIDENCE):
                continue
            made = flow.list_of(item)
            if made is not None:
                self._found(made, self._depth_now(made, item))
                continue
            ranks = flow.ranks_of(item) or self._carried(item)
            if ranks is None:
                unknown.append(item)
            else:
                known.append(ranks)
        if known and (not unknown or (self._kind in _MIXED_KINDS and len(known) >= len(unknown))):
            for ranks in known:
                self._found_hit(ranks)
        elif not known:
            before = len(self._depths)
            for item in unknown:
                if isinstance(item, _CONTAINERS) and item and depth < 1:
                    self._look_inside(item, depth + 1)
            if len(self._depths) == before:
                flow.note_container(container)

    def _carried(self, item: Any) -> list[tuple[ReturnedList, int]] | None:
        """A pair made around a known hit: (document, score)."""
        if type(item) is tuple and 2 <= len(item) <= 3:
            for part in item:
                if not isinstance(part, _NO_EVIDENCE):
                    ranks = self._flow.ranks_of(part)
                    if ranks is not None:
                        return ranks
        return None

    def _depth_now(self, made: ReturnedList, value: Any) -> int:
        """How deep the list is by now: the app may have shortened it in place."""
        length = len(value) if isinstance(value, list | tuple | deque) else made.length
        return min(made.length, length)

    def _found(self, made: ReturnedList, depth: int) -> None:
        known = self._depths.get(made.span_id)
        if known is None or known[1] < depth:
            self._depths[made.span_id] = (made, depth)

    def _found_hit(self, ranks: list[tuple[ReturnedList, int]]) -> None:
        if len(ranks) == 1:
            self._found(*ranks[0])
            return
        superseded: set[str] = set()
        for made, _rank in ranks:
            superseded |= made.before
        for made, rank in ranks:
            if made.span_id not in superseded:
                self._found(made, rank)

    def inputs(self) -> tuple[FlowInput, ...]:
        return tuple(FlowInput(made.span_id, depth or None) for made, depth in self._depths.values())
