"""What a log says of its answers: passages that should have been found, thumbs, stars; hidden texts."""

from __future__ import annotations

import pytest
from goldrank.collectors.importing.expected import FeedbackScale
from goldrank.model import Judgement
from goldrank.store.duckdb import open_store

ROW = {"id": "r1", "question": "q?", "retrieved_ids": ["a", "b"], "time": "2026-11-29T10:00:00Z"}


def labels(desk, request_id):
    """The labels of a request: passage -> (judgement, grade, evidence, who)."""
    with open_store(desk.folder / "store.duckdb") as store:
        found = store.labels.of(request_id)
    return {
        one.target.chunk_id or f"doc:{one.target.doc_id}": (one.judgement, one.grade, one.evidence, one.who)
        for one in found
    }


def test_expected_ids_become_labels(desk, write):
    """All of them are needed, unless one is said to be enough; grades as they are."""
    path = write(
        "log.jsonl", {**ROW, "expected_ids": ["a", "c"]}, {**ROW, "id": "r2", "expected_ids": {"b": 9, "x": 0}}
    )

    done = desk(path, "--who", "ann", "--json").json

    first, second = sorted(desk.stored(), key=lambda one: one.request.attributes["log.id"])
    assert done["labels"] == 4
    assert labels(desk, first.request.request_id) == {
        "a": (Judgement.GOLD, 1, 1, "ann"),
        "c": (Judgement.GOLD, 1, 2, "ann"),
    }
    assert labels(desk, second.request.request_id) == {
        "b": (Judgement.GOLD, 4, 1, "ann"),
        "x": (Judgement.NOT_RELEVANT, None, None, "ann"),
    }


def test_what_a_person_said_since_stays(desk, write):
    """The second import saves no label again, neither one that stands nor one that was taken back."""
    path = write("log.jsonl", {**ROW, "expected_ids": ["a", "c"]})
    desk(path)
    request_id = desk.one().request.request_id
    desk.run("label", request_id, "--undo")

    again = desk(path, "--json").json

    assert (again["labels"], again["labels_known"]) == (0, 2)
    assert labels(desk, request_id) == {}


def test_documents_are_documents_where_the_lists_name_them(desk, write):
    """Expected documents label documents where the hits have both ids; else an id is an id."""
    row = {**ROW, "retrieved_doc_ids": ["d1", "d2"], "expected_doc_ids": ["d2"]}
    desk(write("log.jsonl", row))

    assert list(labels(desk, desk.one().request.request_id)) == ["doc:d2"]


def test_feedback(desk, write):
    """A thumb down opens a complaint with the user's words, once however often the log comes."""
    path = write("log.jsonl", {**ROW, "feedback": "thumbs_down", "feedback_comment": "too old"})
    desk(path)
    desk(path)

    complaints = desk.run("complaints", "--json").json
    assert [one["complaint"]["text"] for one in complaints["rows"]] == ["too old"]


@pytest.mark.parametrize(
    ("scale", "value", "score"),
    [
        ("sign", -1, -1.0),
        ("sign", True, 1.0),
        ("sign", "👎", -1.0),
        ("sign", {"score": 0}, 0.0),
        ("0..1", 0, -1.0),
        ("0..1", "1", 1.0),
        ("1..5", 1, -1.0),
        ("1..5", 3, 0.0),
        ("1..5", 5, 1.0),
        ("sign", "whatever", None),
    ],
)
def test_what_a_score_means(scale, value, score):
    """Below 0 is bad, above 0 good, by the scale of the file."""
    assert FeedbackScale(scale).score(value) == score


def test_the_scale_is_seen_and_shown(desk, write):
    """Ones and fives are stars; a person reads so before anything is stored."""
    rows = [{**ROW, "id": f"r{n}", "rating": n} for n in (1, 5, 4)]

    done = desk(write("log.jsonl", *rows))

    assert (
        "feedback        rating         its numbers are taken for 1..5; --map feedback_scale=1..5, 0..1 or sign"
        in done.out
    )
    assert len(desk.run("complaints", "--json").json["rows"]) == 1


def test_what_is_to_be_hidden_is_hidden(desk, write, monkeypatch):
    """In questions, answers, history, texts, metadata and columns beside; scores and ids stay as they are."""
    monkeypatch.setenv("GOLDRANK_REDACT", "email,phone")
    secret = "mail ann@example.org or +49 30 1234567"
    row = {
        **ROW,
        "question": secret,
        "answer": secret,
        "history": [{"role": "user", "content": secret}],
        "retrieved_ids": ["0049 30 1234567", "b"],
        "retrieved_scores": [0.0491234567, 0.5],
        "retrieved_texts": [secret, "plain words that are kept"],
        "note": secret,
    }
    desk(write("log.jsonl", row))

    recorded = desk.one()
    assert recorded.request.question == "mail [e-mail] or [phone]"
    assert recorded.stages[0].hits[0].chunk_id == "0049 30 1234567"
    assert [hit.score for hit in recorded.stages[0].hits] == [0.0491234567, 0.5]
    found = desk.run("sql", "select * from spans", "--json").out + str(recorded)
    assert "ann@example.org" not in found.replace("\\", "")
    assert "plain words that are kept" in str(recorded)
