"""How likely a request is, in words."""

from __future__ import annotations

from goldrank.diagnosis.ticket.ranking import likelihoods


def test_nothing_is_called_likelier_than_what_stands_before_it():
    """The second of two equals is only possible; the third is far ahead of the fourth and still not likelier."""
    assert likelihoods([1.9, 1.75, 1.75, 0.2]) == ("likely", "possible", "possible", "unlikely")


def test_one_alone_is_measured_by_its_score():
    """Nothing comes after it; nothing at all gives nothing."""
    assert likelihoods([2.5]) == ("very likely",)
    assert likelihoods([]) == ()
