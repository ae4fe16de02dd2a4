"""Which lists went into a stage: recognised by identity while the request is open (DESIGN §7, recorded flow).

A list that a stage returned is known again, or its hit objects are, among the arguments of a later stage: also
after `+`, a slice or a dedupe, and one level down in lists, tuples, sets and dict values. Strings and numbers
prove nothing: equal ones are often the same object. Attributes of objects are not looked into.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from . import names
from .values import fields_of, id_text, is_a

MAX_KNOWN: Final = 20_000
"""Objects that one request keeps alive so that their identities stay theirs; beyond it flow is not recorded."""
MAX_LOOKED_AT: Final = 4_000
"""Elements looked at in the arguments of one call."""

_NO_EVIDENCE: Final = (str, int, float, complex, bytes, bool, type(None), frozenset, type)
_EMPTY: Final = ()
_CONTAINERS: Final = (list, tuple, set, deque, dict)
_LISTS: Final = (list, set, deque)
"""Containers that are no hit themselves; a tuple or a dict may be one."""
_SEQUENCES: Final = (list, tuple, deque)
_LASTING: Final = (list, dict, set)
_PASSING: Final = (tuple, deque)
_NO_HITS: Final = (str, list)


class ReturnedList(NamedTuple):
    """A list that a stage returned."""

    span_id: str
    name: str
    length: int
    before: frozenset[str]
    """Span ids of all the lists it was made from, directly or not."""
    inside: frozenset[str]
    """Span ids of the stages that were open around it."""
    ids: Callable[[], Sequence[str | None]]
    """Gives the chunk ids in it; None for a hit without one of its own."""


class FlowInput(NamedTuple):
    """A list that went into a stage."""

    span_id: str
    depth: int | None
    """The deepest rank handed over; None: not known."""


class Flow:
    """The lists of one request. Not locked itself: `OpenRequest.lock` is held around each call."""

    __slots__ = ("_alive", "_around", "_by_span", "_hits", "_kept", "_lists", "_seen", "_unindexed")

    def __init__(self) -> None:
        self._lists: dict[int, ReturnedList] = {}
        self._by_span: dict[str, ReturnedList] = {}
        self._around: set[str] = set()
        self._hits: dict[int, list[tuple[ReturnedList, int]]] = {}
        self._unindexed: list[tuple[ReturnedList, tuple[Any, ...], list[tuple[int, Any]]]] = []
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []
        self._kept = 0

    def add(self, returned: ReturnedList, value: Any, elements: Sequence[Any], inners: list[tuple[int, Any]]) -> None:
        """Remembers what a stage returned: the value, its list, its elements and the hit objects inside them."""
        self._kept += len(elements) + len(inners) + 2
        if self._kept > MAX_KNOWN:
            return
        self._by_span[returned.span_id] = returned
        self._around |= returned.inside
        self._remember_list(value, returned)
        if elements is not value:
            self._remember_list(elements, returned)
            for column in _columns(value):
                self._remember_list(column, returned)
        self._unindexed.append((returned, tuple(elements), inners))

    def _remember_list(self, holder: Any, returned: ReturnedList) -> None:
        if not is_a(holder, _NO_EVIDENCE) and holder is not _EMPTY:
            self._lists[id(holder)] = returned
            self._alive.append(holder)

    def _index(self) -> None:
        """Hits by identity; only once a call was given something that is no list as a stage returned it."""
        known = self._hits
        for returned, elements, inners in self._unindexed:
            self._alive.append((elements, inners))
            for rank, inner in inners:
                if not is_a(inner, _NO_EVIDENCE):
                    known.setdefault(id(inner), []).append((returned, rank))
            telling = _telling_types(elements)
            for rank, element in enumerate(elements, start=1):
                if type(element) in telling:
                    known.setdefault(id(element), []).append((returned, rank))
        self._unindexed = []

    def inputs_of(self, arguments: Iterable[Any], *, works_on_lists: bool) -> tuple[FlowInput, ...]:
        """The lists among a call's arguments, in the order in which they are met.

        Of a stage that works on lists, a container counts as made from them when half of it is known. For others all
        of it must be, so that a corpus handed to a retriever is not taken for the list of another one.
        """
        if not self._by_span:
            for argument in arguments:
                self.note_container(argument)
            return ()
        search = _Search(self, half_is_enough=works_on_lists)
        for argument in arguments:
            search.look(argument, 0)
        inputs = search.inputs()
        return () if inputs and search.strangers and self._holds_copies(search.strangers, inputs) else inputs

    def _holds_copies(self, strangers: list[Any], inputs: tuple[FlowInput, ...]) -> bool:
        """Whether one of the strange containers holds copies of another list's hits.

        Then flow was seen only in part, and saying the part as all of it would be wrong.
        """
        seen = {found.span_id for found in inputs} | self.before(inputs)
        others = [made for made in self._by_span.values() if made.span_id not in seen]
        for stranger in strangers if others else ():
            ids = {_id_in(item) for item in stranger}
            if any(ids <= set(made.ids()) - {None} for made in others):
                return True
        return False

    def has_lists_inside(self, span_id: str) -> bool:
        """Whether a stage inside the stage `span_id` returned a list."""
        return span_id in self._around

    def made_inside(self, span_id: str, value: Any) -> tuple[FlowInput, ...]:
        """The lists of stages inside the stage `span_id` that its result `value` is, or consists of."""
        search = _Search(self, half_is_enough=False)
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

    def before(self, inputs: tuple[FlowInput, ...]) -> frozenset[str]:
        """Span ids of `inputs` and of everything that they were made from."""
        spans: set[str] = set()
        for found in inputs:
            spans.add(found.span_id)
            made = self._by_span.get(found.span_id)
            if made is not None:
                spans |= made.before
        return frozenset(spans)

    @property
    def lists(self) -> Mapping[int, ReturnedList]:
        """Identity of an object -> the stage that returned exactly that, the latest one where several did."""
        return self._lists

    @property
    def hits(self) -> Mapping[int, list[tuple[ReturnedList, int]]]:
        """Identity of a hit object -> where exactly that stood: (list, 1-based rank)."""
        if self._unindexed:
            self._index()
        return self._hits

    def existed_before_lists(self, container: Any) -> bool:
        """Whether a stage was given this very container while it held as much, and no list was made of it."""
        return self._seen.get(id(container)) == len(container)

    def note_container(self, container: Any) -> None:
        """A container without any known hit is nobody's output: a corpus, a pool of candidates."""
        if is_a(container, _LASTING) and container and self._kept < MAX_KNOWN:
            if id(container) not in self._seen:
                self._alive.append(container)
                self._kept += 1
            self._seen[id(container)] = len(container)


def _telling_types(items: Iterable[Any]) -> frozenset[type]:
    """The types among these whose objects prove something: told once a type, because lists are of few."""
    return frozenset([kind for kind in {*map(type, items)} if not issubclass(kind, _NO_EVIDENCE)])


def _id_in(item: Any) -> str | None:
    """The id of something that may be a copy of a hit: of a dict, of an object, or the first of a pair."""
    if type(item) is tuple and item:
        return id_text(item[0])
    fields = None if is_a(item, _NO_HITS) else fields_of(item)
    return None if not fields else next((text for name in names.ID_FIELDS if (text := id_text(fields.get(name)))), None)


def _columns(value: Any) -> list[Any]:
    """The lists inside a dict of lists (Chroma), which are handed on one by one."""
    if not is_a(value, dict):
        return []
    columns = [column for column in value.values() if is_a(column, list)]
    return columns + [column[0] for column in columns if len(column) == 1 and isinstance(column[0], list)]


class _Search:
    """One look through the arguments of a call."""

    __slots__ = ("_budget", "_depths", "_flow", "_half_is_enough", "strangers")

    def __init__(self, flow: Flow, *, half_is_enough: bool) -> None:
        self._flow = flow
        self._half_is_enough = half_is_enough
        self._depths: dict[str, tuple[ReturnedList, int]] = {}
        self._budget = MAX_LOOKED_AT
        self.strangers: list[Any] = []
        """Lists in which no hit is known."""

    def look(self, value: Any, depth: int) -> None:
        """Looks at one argument, or at what an argument holds."""
        flow = self._flow
        made = flow.lists.get(id(value))
        if made is not None:
            self.found(made, self.depth_now(made, value))
        elif is_a(value, _NO_EVIDENCE):
            return
        elif is_a(value, _LISTS):
            self._look_inside(value, depth)
        elif (ranks := flow.hits.get(id(value))) is not None:
            self._found_hit(ranks)
        elif is_a(value, _CONTAINERS):
            self._look_inside(value, depth)

    def _look_inside(self, container: Any, depth: int) -> None:
        flow = self._flow
        if not container or (not is_a(container, _PASSING) and flow.existed_before_lists(container)):
            return
        held = list(container.values()) if is_a(container, dict) else list(container)
        telling = _telling_types(held[: self._budget])
        items = [item for item in held[: self._budget] if type(item) in telling]
        self._budget -= len(items)
        lists = flow.lists
        rest = []
        for item in items:
            made = lists.get(id(item))
            if made is None:
                rest.append(item)
            else:
                self.found(made, self.depth_now(made, item))
        if not rest or self._look_at_hits(rest):
            return
        if len(rest) == len(items) and is_a(container, _SEQUENCES):
            self.strangers.append(container)
        if depth == 0:
            before = len(self._depths)
            for item in rest:
                if is_a(item, _CONTAINERS):
                    self._look_inside(item, 1)
            if len(self._depths) == before and len(rest) == len(items):
                flow.note_container(container)

    def _look_at_hits(self, items: list[Any]) -> bool:
        """Whether the items are hits of known lists, or enough of them are."""
        hits = self._flow.hits
        places = [hits.get(id(item)) or (self._carried(item) if type(item) is tuple else None) for item in items]
        known = [ranks for ranks in places if ranks is not None]
        enough = len(known) == len(items) or (self._half_is_enough and 2 * len(known) >= len(items))
        if not known or not enough:
            return bool(known)
        for ranks in known:
            self._found_hit(ranks)
        return True

    def _carried(self, pair: tuple[Any, ...]) -> list[tuple[ReturnedList, int]] | None:
        """Where the hit stood that a pair was made around: (document, score)."""
        if 2 <= len(pair) <= 3:
            for part in pair:
                if not is_a(part, _NO_EVIDENCE):
                    ranks = self._flow.hits.get(id(part))
                    if ranks is not None:
                        return ranks
        return None

    def depth_now(self, made: ReturnedList, value: Any) -> int:
        """How deep the list is by now: the app may have shortened it in place."""
        if type(value) is list or is_a(value, _SEQUENCES):
            return min(made.length, len(value))
        return made.length

    def found(self, made: ReturnedList, depth: int) -> None:
        """Notes that the list went in, down to that rank at least."""
        known = self._depths.get(made.span_id)
        if known is None or known[1] < depth:
            self._depths[made.span_id] = (made, depth)

    def _found_hit(self, ranks: list[tuple[ReturnedList, int]]) -> None:
        if len(ranks) == 1:
            self.found(*ranks[0])
            return
        superseded: set[str] = set()
        for made, _rank in ranks:
            superseded |= made.before
        for made, rank in ranks:
            if made.span_id not in superseded:
                self.found(made, rank)

    def inputs(self) -> tuple[FlowInput, ...]:
        return tuple([FlowInput._make((made.span_id, depth or None)) for made, depth in self._depths.values()])
