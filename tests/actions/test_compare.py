"""Comparing two requests, stepping through one, and finding one that passes."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.actions.compare import CompareRequests, compare
from goldrank.actions.neighbour import FindNeighbour, find_neighbour
from goldrank.actions.show import ShowRequest
from goldrank.actions.steps import steps
from goldrank.model import UsageError


def test_a_replay_is_judged_by_the_labels_of_what_it_replays(desk: Any) -> None:
    """The gold is followed from then to now."""
    then = desk.record(1, legs={"bm25": "a b c g"}, rerank="a b c g", prompt="a b")
    now = desk.record(2, legs={"bm25": "g a b c"}, rerank="g a b c", prompt="g a", replay_of=then)
    desk.label(then, "g")
    said = compare(desk.workspace, CompareRequests(then=then, now=now))
    assert said.same_labels
    assert said.comparison.golds[0].sentence == (
        "g is now at position 1 of 2 in the prompt; it was at rank 4 of 4 after rerank."
    )
    assert said.now_headline.verdict == "delivered"


def test_requests_that_do_not_belong_together_keep_their_own_labels(desk: Any) -> None:
    """A passage that answers one question need not answer another."""
    first = desk.record(1, question="How do I cancel?", prompt="a b")
    second = desk.record(2, question="Where is my invoice?", prompt="a b")
    desk.label(first, "a")
    desk.label(second, "b")
    said = compare(desk.workspace, CompareRequests(then=first, now=second))
    assert not said.same_labels
    assert said.comparison.golds == ()
    assert (said.then_headline.verdict, said.now_headline.verdict) == ("delivered", "delivered")


def test_a_request_is_not_compared_with_itself(desk: Any) -> None:
    """It would say that nothing differs, which is no news."""
    one = desk.record(1)
    with pytest.raises(UsageError, match="Both are request"):
        compare(desk.workspace, CompareRequests(then=one, now=one[:8]))


def test_the_nearest_that_passes_is_the_same_question_then_the_same_document_then_alike(desk: Any) -> None:
    """Each with its reason."""
    failed = desk.record(1, question="How do I cancel my plan?", legs={"bm25": "a b g"}, prompt="a b")
    desk.label(failed, "g")
    assert find_neighbour(desk.workspace, FindNeighbour(request=failed)).request_id is None

    alike = desk.record(2, question="How do I change my plan?", legs={"bm25": "c a"}, prompt="c a")
    desk.label(alike, "c")
    found = find_neighbour(desk.workspace, FindNeighbour(request=failed))
    assert (found.request_id, found.reason) == (alike, "5 of 6 words in common")

    document = desk.record(3, question="Ending a subscription?", legs={"bm25": "g a"}, prompt="g a")
    desk.label(document, "g")
    found = find_neighbour(desk.workspace, FindNeighbour(request=failed))
    assert (found.request_id, found.reason) == (document, "the same gold document (g)")

    same = desk.record(4, question="how do I cancel my plan", legs={"bm25": "g a"}, prompt="g a")
    desk.label(same, "g")
    found = find_neighbour(desk.workspace, FindNeighbour(request=failed))
    assert (found.request_id, found.reason) == (same, "the same question")


def test_a_replay_is_no_neighbour(desk: Any) -> None:
    """It is the same request once more."""
    failed = desk.record(1, legs={"bm25": "a b g"}, prompt="a b")
    desk.label(failed, "g")
    replay = desk.record(2, legs={"bm25": "g a"}, prompt="g a", replay_of=failed)
    desk.label(replay, "g")
    assert find_neighbour(desk.workspace, FindNeighbour(request=failed)).request_id is None


def test_steps_use_the_labels_of_the_request(desk: Any) -> None:
    """Each stage once, with the gold where it stood."""
    one = desk.record(1, legs={"bm25": "a b g"}, rerank="b a g", prompt="b a")
    desk.label(one, "g")
    said = steps(desk.workspace, ShowRequest(request=one))
    assert [(step.name, step.golds[0].point.rank if step.golds[0].point else None) for step in said.steps] == [
        ("bm25", 3),
        ("rerank", 3),
        ("generate", None),
    ]
    assert said.headline.verdict == "below_cut"
