"""What a sentence about a fix asks a replay to do."""

from __future__ import annotations

import pytest
from fixes import Fix, fix_in
from seen import NotExpressible


@pytest.mark.parametrize(
    ("sentence", "fix"),
    [
        ("search for 'red tyre' alone: rank 2", Fix(('retrieve.query="red tyre"',), 2)),
        ("the user's own words, \"model K's price\", give rank 1", Fix(('retrieve.query="model K\'s price"',), 1)),
        ("'42' gives rank 1 by keyword search", Fix(('retrieve.query="42"', "retrieve.search=bm25"), 1)),
        ("add another search: dense ranks it first, at rank 1", Fix(("retrieve.search=dense",), 1)),
    ],
)
def test_a_query_or_a_search_is_taken_from_the_sentence(sentence: str, fix: Fix) -> None:
    """In either kind of quotes; a query stays a text, also where it looks like a number."""
    assert fix_in(sentence) == fix


@pytest.mark.parametrize("sentence", ["keep the header with each row", "rewrite to 'x'", "gives rank 1"])
def test_a_fix_that_names_no_replay_is_not_expressible(sentence: str) -> None:
    """It needs both: what to search for or with, and the rank that it gives."""
    with pytest.raises(NotExpressible):
        fix_in(sentence)
