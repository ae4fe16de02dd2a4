"""Which spans belong to which request."""

from __future__ import annotations

import itertools
import random

import pytest
from goldrank.collectors.grouping import NO_REQUEST, REQUEST_SPAN_MISSING, group_spans
from goldrank.collectors.tree import make_tree, merge_spans
from goldrank.model import Span, wire
from wire_spans import TRACE, make_request, make_span, make_stage, span_id

OTHER = "ab" * 16


def ids(spans: list[Span]) -> dict[str, list[str]]:
    """Request id -> names of its spans."""
    return {group.request_id: [span.name for span in group.spans] for group in group_spans(make_tree(spans))}


def missing(spans: list[Span]) -> dict[str, tuple[str, ...]]:
    """Request id -> what it is known to miss."""
    return {group.request_id: group.missing for group in group_spans(make_tree(spans))}


def named(request: Span) -> dict[str, str]:
    """The attribute by which a span names its request."""
    return {wire.REQUEST_ID: f"{request.trace_id}-{request.span_id}"}


ROOT = f"{TRACE}-{span_id(1)}"


def test_a_request_span_is_the_root_whatever_stands_above_it() -> None:
    """A server above that is recorded, or one that never comes, changes nothing; nothing is missing."""
    server, request, stage = make_span(9), make_request(1, 9, start_ms=1), make_stage(2, 1, start_ms=2)
    assert ids([server, request, stage]) == {ROOT: ["span 9", "span 1", "span 2"]}
    assert missing([request, stage]) == {ROOT: ()}


def test_a_request_inside_a_request_is_one_request() -> None:
    """The outermost wins, also when the inner one names itself, and with spans of others between."""
    outer, between = make_request(1), make_span(2, 1)
    inner = make_request(3, 2, attributes={wire.REQUEST_ID: f"{TRACE}-{span_id(3)}"})
    stage = make_stage(4, 3, attributes=named(inner))
    assert list(ids([outer, between, inner, stage])) == [ROOT]


def test_two_requests_below_one_server_are_two() -> None:
    """The server's span goes to the earlier one, and every stage to its own."""
    server = make_span(9)
    first, second = make_request(1, 9, start_ms=5), make_request(2, 9, start_ms=50, end_ms=90)
    stages = [make_stage(3, 1, start_ms=6), make_stage(4, 2, start_ms=60)]
    grouped = ids([second, server, *stages, first])
    assert grouped == {ROOT: ["span 9", "span 1", "span 3"], f"{TRACE}-{span_id(2)}": ["span 2", "span 4"]}


def test_a_named_request_joins_traces() -> None:
    """A worker's spans in a trace of their own belong to the request that they name."""
    request = make_request(1)
    worker = make_span(5, trace=OTHER, name="consume")
    stage = make_stage(6, 5, trace=OTHER, attributes=named(request))
    below = make_span(7, 6, trace=OTHER, name="sql")
    assert ids([request, worker, stage, below]) == {ROOT: ["span 1", "consume", "span 6", "sql"]}
    assert missing([request, worker, stage, below]) == {ROOT: ()}


def test_a_continued_request_span_is_no_root() -> None:
    """A request span that names another request is part of that one."""
    request = make_request(1)
    continued = make_request(5, trace=OTHER, attributes=named(request))
    assert ids([request, continued, make_stage(6, 5, trace=OTHER)]) == {ROOT: ["span 1", "span 5", "span 6"]}


def test_a_link_joins_traces() -> None:
    """A piece of a trace whose topmost span links into a request belongs to that request."""
    request = make_request(1)
    consumer = make_span(5, trace=OTHER, links=((TRACE, span_id(1)),))
    assert ids([request, consumer, make_stage(6, 5, trace=OTHER)]) == {ROOT: ["span 1", "span 5", "span 6"]}


def test_a_link_of_a_request_span_joins_nothing() -> None:
    """A request that links to an earlier one (a conversation) stays a request of its own."""
    earlier = make_request(1)
    later = make_request(2, trace=OTHER, links=((TRACE, span_id(1)),))
    assert len(ids([earlier, later])) == 2


def test_stages_whose_request_span_has_not_come_are_provisional() -> None:
    """They stand under the trace id, whether they name their request or not."""
    assert missing([make_stage(2, 1)]) == {TRACE: (REQUEST_SPAN_MISSING,)}
    assert missing([make_stage(2, 1, attributes={wire.REQUEST_ID: ROOT})]) == {TRACE: (REQUEST_SPAN_MISSING,)}


def test_a_stage_outside_of_any_request_says_so() -> None:
    """A stage without a parent was never inside a request: nothing is to come."""
    assert missing([make_stage(2)]) == {TRACE: (NO_REQUEST,)}


def test_a_span_that_names_a_request_of_another_trace_waits_under_that_trace() -> None:
    """So the request's own spans meet it there, whichever come first."""
    stage = make_stage(6, trace=OTHER, attributes={wire.REQUEST_ID: ROOT})
    assert list(ids([stage])) == [TRACE]
    assert list(ids([stage, make_stage(2, 1)])) == [TRACE]


def test_orphans_go_to_the_request_in_whose_time_they_began() -> None:
    """And missing parents are counted once each."""
    first, second = make_request(1, end_ms=40), make_request(2, start_ms=50, end_ms=90)
    orphans = [make_stage(3, 77, start_ms=60), make_stage(4, 77, start_ms=61), make_stage(5, 78, start_ms=62)]
    assert missing([first, second, *orphans]) == {ROOT: (), f"{TRACE}-{span_id(2)}": ("2 spans missing",)}


def test_one_missing_span_is_said_in_the_singular() -> None:
    """The sentence is read by people."""
    assert missing([make_request(1), make_stage(3, 77)]) == {ROOT: ("1 span missing",)}


def test_orphans_of_other_writers_are_not_missed_by_us() -> None:
    """A server's middleware without its server is above the request, as far as one can tell."""
    assert missing([make_request(1, 9), make_span(8, 9), make_span(7, 76)]) == {ROOT: ()}


def test_telemetry_of_others_has_its_topmost_span_for_a_request() -> None:
    """While that span is missing the trace is provisional."""
    top, below = make_span(1), make_span(2, 1)
    assert ids([top, below]) == {ROOT: ["span 1", "span 2"]}
    assert missing([below]) == {TRACE: (REQUEST_SPAN_MISSING,)}


def test_a_circle_of_parents_is_cut() -> None:
    """Three spans that are each other's parents are kept, and one that is its own parent too."""
    circle = [make_stage(1, 2), make_stage(2, 3), make_stage(3, 1), make_stage(4, 1), make_stage(5, 5)]
    assert ids(circle) == {TRACE: [f"span {number}" for number in range(1, 6)]}
    tree = make_tree(circle)
    places = {key: place for place, key in enumerate(tree.order)}
    assert all(places[parent] < places[key] for key, parent in tree.parents.items())
    assert len(places) == 5


def test_of_a_span_given_twice_the_last_with_an_end_counts() -> None:
    """A resent span changes nothing, and a running one never replaces a finished one."""
    running, done, again = make_span(1, end_ns=0), make_span(1, name="done"), make_span(1, name="again")
    assert [span.name for span in merge_spans([running, done, again, running]).values()] == ["again"]
    assert [span.end_ns for span in merge_spans([running, running]).values()] == [0]


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_arrival_changes_nothing(seed: int) -> None:
    """The same spans in any order make the same requests."""
    first = make_request(1, 9)
    spans = [
        make_span(9),
        first,
        make_request(2, 9, start_ms=20),
        make_request(3, 1),
        make_stage(4, 3),
        make_stage(5, 66),
        make_stage(6, 2, start_ms=21),
        make_stage(7, trace=OTHER, attributes=named(first)),
        make_span(8, trace=OTHER),
        make_stage(10, trace="cd" * 16),
    ]
    expected = group_spans(make_tree(spans))
    shuffled = list(spans)
    random.Random(seed).shuffle(shuffled)
    assert group_spans(make_tree(shuffled)) == expected
    assert len(list(itertools.chain(*(group.spans for group in expected)))) == len(spans)
