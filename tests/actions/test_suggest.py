"""Suggested passages: by words alone, without a word typed."""

from __future__ import annotations

from typing import Any

from goldrank.actions.suggest import SuggestGold, suggest_gold


def test_passages_that_share_words_with_the_question_come_first(desk: Any) -> None:
    """Also those that no list of the request held."""
    desk.corpus(
        "cancel", "invoice", texts={"cancel": "You cancel a plan in Settings.", "invoice": "Invoices are sent."}
    )
    one = desk.record(1, question="How do I cancel a plan?", legs={"bm25": "a b"}, prompt="a b")
    rows = suggest_gold(desk.workspace, SuggestGold(request_id=one)).rows
    assert rows[0].chunk.chunk_id == "cancel"
    assert rows[0].stood


def test_what_a_complaint_says_is_searched_for_as_well(desk: Any) -> None:
    """A user often names what is missing."""
    desk.corpus("invoice", texts={"invoice": "Invoices carry the VAT number."})
    one = desk.record(1, question="Where is it?", legs={"bm25": "a b"}, prompt="a b")
    assert "invoice" not in {
        row.chunk.chunk_id for row in suggest_gold(desk.workspace, SuggestGold(request_id=one)).rows
    }
    desk.complain("T-1", "It does not tell me where the VAT number on the invoices is.", one)
    rows = suggest_gold(desk.workspace, SuggestGold(request_id=one)).rows
    assert "invoice" in {row.chunk.chunk_id for row in rows[:2]}


def test_a_request_without_a_question_has_no_suggestions(desk: Any) -> None:
    """Nothing to go by is no error."""
    one = desk.record(1, question=None)
    assert suggest_gold(desk.workspace, SuggestGold(request_id=one)).rows == ()


def test_no_more_are_given_than_were_asked_for(desk: Any) -> None:
    """Nine have a key each."""
    desk.corpus(*(f"page-{number}" for number in range(20)))
    one = desk.record(1, question="What does the passage say?")
    assert len(suggest_gold(desk.workspace, SuggestGold(request_id=one, limit=3)).rows) == 3
