"""Eval cases: one a key and set, safe when many press at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from goldrank.model import CaseLabel, EvalCase, Judgement, LabelTarget, Message, Refused, UsageError
from goldrank.store import CaseFilter


def case(case_id="c1", **fields):
    """A case."""
    label = CaseLabel(judgement=Judgement.GOLD, grade=2, evidence=1, target=LabelTarget(chunk_id="x", text="T\x00"))
    return EvalCase(
        **{
            "case_id": case_id,
            "case_key": "key",
            "eval_set": "main",
            "app": "bot",
            "question": "How do I cancel?",
            "labels": (label,),
            "created_ns": 5,
            **fields,
        }
    )


def test_a_case_comes_back_equal(store):
    """Every field is kept, also what other golden sets brought along."""
    kept = case(
        history=(Message(role="user", text="I have two contracts"),),
        filters={"plan": ["pro"], "min": 0.5},
        groups=("a",),
        source_requests=("r1", "r2"),
        extra={"difficulty": {"level": 3}},
        note="said on the phone",
    )
    assert store.cases.save(kept, expected_revision=None)
    assert store.cases.get("c1") == kept
    assert store.cases.get("c2") is None


def test_the_second_with_the_same_key_is_told(store):
    """A key that its set holds is not stored again; another set may have it, and so may the same set once archived."""
    assert store.cases.save(case(), expected_revision=None)
    assert not store.cases.save(case("c2"), expected_revision=None)
    assert not store.cases.save(case(), expected_revision=None)
    assert store.cases.save(case("c3", eval_set="other"), expected_revision=None)
    assert store.cases.save(case(revision=2, archived=True), expected_revision=1)
    assert store.cases.save(case("c4"), expected_revision=None)
    assert [found.case_id for found in store.cases.by_key("key")] == ["c4", "c3"]
    assert [found.case_id for found in store.cases.by_key("key", eval_set="other")] == ["c3"]


def test_the_cases_of_a_request_are_those_that_have_it_as_a_source(store):
    """Not those that only speak of it, nor one that was archived; by set, then the oldest first."""
    store.cases.save(case("c1", case_key="k1", source_requests=("r1", "r2")), expected_revision=None)
    store.cases.save(case("c2", case_key="k2", note="see r1"), expected_revision=None)
    store.cases.save(case("c3", case_key="k3", source_requests=("r1",), eval_set="early"), expected_revision=None)
    store.cases.save(case("c4", case_key="k4", source_requests=("r1",)), expected_revision=None)
    store.cases.save(case("c4", case_key="k4", source_requests=("r1",), revision=2, archived=True), expected_revision=1)
    assert [found.case_id for found in store.cases.naming("r1")] == ["c3", "c1"]
    assert [found.case_id for found in store.cases.naming("r1", case_key="k2")] == ["c3", "c1", "c2"]
    assert store.cases.naming("r9") == ()


def test_a_change_needs_the_revision_it_was_made_from(store):
    """Of two changes of one revision the second is told, and stores nothing."""
    store.cases.save(case(), expected_revision=None)
    assert store.cases.save(case(revision=2, note="first"), expected_revision=1)
    assert not store.cases.save(case(revision=2, note="second"), expected_revision=1)
    assert not store.cases.save(case("unknown", revision=2), expected_revision=1)
    assert [found.note for found in store.cases.history("c1")] == [None, "first"]
    with pytest.raises(UsageError, match="higher"):
        store.cases.save(case(revision=2), expected_revision=2)


def test_two_cases_never_share_a_key_by_a_change(store):
    """Taking a case back into a set that has its question meanwhile is for a person to decide."""
    store.cases.save(case(), expected_revision=None)
    store.cases.save(case(revision=2, archived=True), expected_revision=1)
    store.cases.save(case("c2"), expected_revision=None)
    with pytest.raises(Refused, match="c2"):
        store.cases.save(case(revision=3), expected_revision=2)


def test_one_of_many_at_once_wins(store):
    """Eight people promote the same question at the same moment: one case, seven are told."""
    with ThreadPoolExecutor(8) as people:
        won = list(people.map(lambda n: store.cases.save(case(f"c{n}"), expected_revision=None), range(8)))
    assert sorted(won) == [False] * 7 + [True]
    assert store.cases.page(CaseFilter()).matching == 1


def test_pages_by_set_and_filter(store):
    """By set, then age; archived ones only when asked for; sets count what is not archived."""
    sources = {"ticket": "T-9", "source_requests": ("request-7",)}
    store.cases.save(case("c1", case_key="k1", created_ns=9, **sources), expected_revision=None)
    store.cases.save(case("c2", case_key="k2", created_ns=1, question="Refund 100%?"), expected_revision=None)
    store.cases.save(case("c3", case_key="k3", eval_set="a", app="shop"), expected_revision=None)
    store.cases.save(case("c4", case_key="k4", archived=True), expected_revision=None)

    def found(**which):
        return [row.case_id for row in store.cases.page(CaseFilter(**which)).rows]

    assert found() == ["c3", "c2", "c1"]
    assert found(eval_set="main") == ["c2", "c1"]
    assert found(app="shop") == ["c3"]
    assert found(archived=True) == ["c4"]
    assert found(archived=None) == ["c3", "c2", "c4", "c1"]
    assert found(words="100% REFUND") == ["c2"]
    assert found(words="nothing") == []
    assert found(words="history") == [], "names of fields are no words of a case"
    assert found(words="t-9") == ["c1"]
    assert found(words="request-7") == ["c1"]
    page = store.cases.page(CaseFilter(), limit=1, offset=1)
    assert ([row.case_id for row in page.rows], page.matching, page.sets) == (["c2"], 3, {"a": 1, "main": 2})
