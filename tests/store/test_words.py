"""Words as a person types them."""

from __future__ import annotations

import pytest
from goldrank.store.duckdb.words import stem, stems, words


@pytest.mark.parametrize(
    "forms",
    [
        ("refund", "refunds", "refunded", "refunding"),
        ("cancel", "cancels", "cancelled", "canceled", "cancelling", "cancellation", "cancellations"),
        ("charge", "charges", "charged", "charging"),
        ("policy", "policies"),
        ("plan", "plans", "planning"),
        ("expire", "expires", "expired"),
        ("box", "boxes"),
        ("branch", "branches"),
        ("payment", "payments"),
        ("address", "addresses"),
    ],
)
def test_inflections_meet(forms):
    """Singular and plural, tenses, and the noun of a verb."""
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("e4711", "e4712"), ("business", "busy"), ("status", "stat"), ("2024", "2025"), ("is", "i"), ("bus", "bu")],
)
def test_different_words_stay_apart(one, other):
    """Numbers, codes and words that only look alike."""
    assert stem(one) != stem(other)


def test_words_of_a_text():
    """Case, punctuation and forms of letters do not matter; parts of ids are words."""
    assert words("Error E-4711: see page#10_b!") == ["error", "e", "4711", "see", "page", "10", "b"]
    assert words("ＦＵＬＬ ｗｉｄｔｈ Größe GRÖSSE") == ["full", "width", "grösse", "grösse"]
    assert words("API退款政策") == ["api", "退款", "款政", "政策"]
    assert words("") == []
    assert stems("Refunds of Plans") == ["refund", "of", "plan"]
