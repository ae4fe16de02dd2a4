"""Counting losses: every one once, whoever counts."""

from __future__ import annotations

import threading

from goldrank.tracing.spool.losses import NOT_SAMPLED, Losses


def test_counts_are_given_until_they_are_reported() -> None:
    """A report takes off what it said, and leaves what came meanwhile."""
    losses = Losses()
    losses.add("queue full", 2)
    said = losses.counts()
    losses.add("queue full", 3)
    losses.add("disk full", 1)
    losses.reported(said)
    assert losses.counts() == {"queue full": 3, "disk full": 1}
    losses.reported(losses.counts())
    assert not losses


def test_what_was_not_sampled_is_reported_but_was_never_lost() -> None:
    """It does not spoil the answer of a flush."""
    losses = Losses()
    losses.add(NOT_SAMPLED, 5)
    losses.add("too large", 1)
    assert losses.total() == 1
    assert losses.counts() == {NOT_SAMPLED: 5, "too large": 1}


def test_many_threads_count_every_loss() -> None:
    """Eight threads and a reader at once: no count is lost or doubled."""
    losses = Losses()
    threads = [threading.Thread(target=lambda: [losses.add("x", 1) for _ in range(5_000)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    reported = 0
    while any(thread.is_alive() for thread in threads):
        said = losses.counts()
        reported += said.get("x", 0)
        losses.reported(said)
    assert reported + losses.counts().get("x", 0) == 40_000
    assert losses.total() == 40_000
