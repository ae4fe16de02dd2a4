"""Batches of replays: kept, resumed, counted."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.model import Verdict
from goldrank.model.batch import BatchOutcome, BatchResult, ReplayBatch, batch_outcome
from goldrank.model.replay import Override
from goldrank.store import Store


def _batch(**fields: Any) -> ReplayBatch:
    given = {"batch_id": "b1", "target": "app:answer", "source": "verdict demoted", "who": "ann", "at_ns": 1}
    return ReplayBatch(**{**given, "request_ids": ("r1", "r2", "r3"), **fields})


def _result(request_id: str, outcome: BatchOutcome, at_ns: int = 2) -> BatchResult:
    return BatchResult(batch_id="b1", request_id=request_id, outcome=outcome, then_verdict="demoted", at_ns=at_ns)


def test_a_batch_comes_back_as_it_was_saved(store: Store) -> None:
    """With its overrides."""
    batch = _batch(overrides=(Override(target="retrieve", parameter="top_k", value=200),))
    store.batches.save(batch)
    found = store.batches.get("b1")
    assert found is not None
    assert found.batch == batch
    assert found.done == 0
    assert store.batches.get("b2") is None


def test_what_has_no_result_is_still_to_run(store: Store) -> None:
    """In the order of the batch; a batch goes on where it stopped."""
    store.batches.save(_batch())
    store.batches.add(_result("r2", BatchOutcome.FIXED))
    assert store.batches.missing("b1") == ("r1", "r3")


def test_a_second_result_of_a_request_replaces_the_first(store: Store) -> None:
    """One that could not run is tried again."""
    store.batches.save(_batch())
    store.batches.add(_result("r1", BatchOutcome.COULD_NOT_RUN))
    store.batches.add(_result("r1", BatchOutcome.FIXED, at_ns=3))
    found = store.batches.get("b1")
    assert found is not None
    assert found.counts == {BatchOutcome.FIXED: 1}
    assert [one.outcome for one in store.batches.results("b1")] == [BatchOutcome.FIXED]
    assert store.batches.results("b1", outcome=BatchOutcome.COULD_NOT_RUN) == ()


def test_the_newest_batch_is_listed_first(store: Store) -> None:
    """Saving one twice changes nothing."""
    store.batches.save(_batch())
    store.batches.save(_batch(batch_id="b2", at_ns=5))
    store.batches.save(_batch(batch_id="b2", at_ns=9, source="other"))
    assert [row.batch.batch_id for row in store.batches.list()] == ["b2", "b1"]
    assert store.batches.list()[0].batch.source == "verdict demoted"


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (Verdict.DEMOTED, Verdict.DELIVERED, BatchOutcome.FIXED),
        (Verdict.DEMOTED, Verdict.BELOW_CUT, BatchOutcome.STILL_BROKEN),
        (Verdict.PARTLY_FOUND, Verdict.PARTLY_FOUND, BatchOutcome.STILL_BROKEN),
        (Verdict.DELIVERED, Verdict.IGNORED, BatchOutcome.NEWLY_BROKEN),
        (Verdict.DELIVERED, Verdict.DELIVERED, BatchOutcome.STILL_DELIVERED),
        (Verdict.NO_LABEL, Verdict.NO_LABEL, BatchOutcome.CANNOT_TELL),
        (Verdict.DEMOTED, Verdict.UNKNOWN, BatchOutcome.CANNOT_TELL),
        (Verdict.DEMOTED, Verdict.STALE_LABEL, BatchOutcome.CANNOT_TELL),
    ],
)
def test_two_verdicts_say_what_became_of_a_request(then: Verdict, now: Verdict, said: BatchOutcome) -> None:
    """Only `delivered` passes; where one cannot be told, neither can this."""
    assert batch_outcome(then, now) is said
