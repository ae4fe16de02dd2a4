"""Labels are append-only revisions of a request."""

from __future__ import annotations

import pytest
from goldrank.model import Judgement, LabelTarget, Level, Refused


def test_labels_in_the_order_they_were_made(store, make):
    """The first revision decides the order; the newest one is what is said."""
    store.labels.save((make.label("r", "b"), make.label("r", "a")))
    changed = make.label("r", "b", grade=3, revision=2, who="bob")
    store.labels.save((changed,))
    assert store.labels.of("r") == (changed, make.label("r", "a"))
    assert store.labels.of("other") == ()


def test_history_keeps_every_revision(store, make):
    """A removed label no longer counts, and its history says who removed it."""
    first = make.label("r", "a")
    removed = make.label("r", "a", revision=2, removed=True, who="bob")
    store.labels.save((first,))
    store.labels.save((removed,))
    assert store.labels.of("r") == ()
    assert store.labels.history("r") == (first, removed)


def test_a_revision_is_never_overwritten(store, make):
    """Whoever comes second with the same revision is refused, and nothing of their change is stored."""
    store.labels.save((make.label("r", "a"),))
    with pytest.raises(Refused, match="by ann"):
        store.labels.save((make.label("r", "b"), make.label("r", "a", who="bob")))
    assert [label.target.chunk_id for label in store.labels.of("r")] == ["a"]


def test_a_label_comes_back_equal(store, make):
    """Everything of a label is kept, except from which case it was inherited: that is no label of the request."""
    label = make.label(
        "r",
        judgement=Judgement.FORBIDDEN,
        grade=None,
        evidence=None,
        environment="prod",
        by_undo=True,
        target=LabelTarget(
            level=Level.DOCUMENT, doc_id="d\x00", index="docs", text="t\u2028", text_hash="h", quote="“q”"
        ),
    )
    store.labels.save((label.model_copy(update={"from_case": "case-1"}),))
    assert store.labels.of("r") == (label,)
