"""Feedback, complaints, corpora and counts of losses on a collector: stored as posted, or refused by the field."""

from __future__ import annotations

import json
from typing import Any

import pytest

JSON = "application/json"
REQUEST = "7f" * 16 + "-" + "1" * 16


def test_what_is_posted_reaches_the_store(start_collector: Any, stored: Any):
    """202 with the ids, in the order of the body; the rest says how many."""
    running = start_collector().wait_until_up()

    def post(path: str, body: object) -> tuple[int, Any]:
        answer = running.post(path, json.dumps(body).encode(), JSON)
        return answer.status, answer.json

    said = [{"request_id": REQUEST, "score": -1, "comment": "old", "id": "f-1"}, {"request_id": REQUEST, "score": 0.5}]
    status, answer = post("/v1/feedback", said)
    assert (status, answer["ids"][0], len(answer["ids"])) == (202, "f-1", 2)
    assert post("/v1/complaints", {"id": "T-1", "text": "wrong"}) == (202, {"ids": ["T-1"]})
    chunks = [{"id": 1, "content": "one", "source": "d", "lang": "en"}, {"_id": "two", "text": "two"}]
    corpus = {"app": "bot", "index": "docs", "version": "v1", "chunks": chunks}
    assert post("/v1/corpus", corpus) == (202, {"chunks": 2})
    assert post("/v1/drops", {"app": "bot", "pid": 7, "drops": {"queue full": 3}, "at_ns": 1})[0] == 202
    assert running.stop() == (0, "")
    found = stored(running.directory)
    assert found.query("select feedback_id, score from current_feedback order by score")[0] == ("f-1", -1.0)
    assert found.query("select complaint_id from current_complaints") == [("T-1",)]
    assert found.counts["rows"]["corpus_chunks"] == 2
    assert found.counts["drops"] == {"bot": {"queue full": 3}}
    (receiver,) = found.counts["receivers"]
    assert receiver.received == {**receiver.received, "feedback": 2, "complaints": 1, "chunks": 2, "requests": 4}
    assert receiver.receiver.endswith(f":{running.http_port}")


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v1/feedback", [{"request_id": REQUEST, "score": 1}, {"score": 1}], "[1].request_id: "),
        ("/v1/feedback", {"request_id": "7f3a", "score": 1}, "request_id: "),
        ("/v1/feedback", {"request_id": REQUEST, "score": "NaN"}, "score: "),
        ("/v1/feedback", {"request_id": REQUEST, "score": 1, "coment": "x"}, "coment: "),
        ("/v1/feedback", {"request_id": REQUEST, "score": 1, "at": "whenever"}, "at: "),
        ("/v1/feedback", [], "empty"),
        ("/v1/complaints", [{"text": "x"}, {"text": ""}], "[1].text: "),
        ("/v1/corpus", {"app": "a", "index": "i", "chunks": []}, "version: "),
        ("/v1/corpus", {"app": "a", "index": "i", "version": "v", "chunks": [{"id": 1}, {"text": "x"}]}, "chunks[1]: "),
        (
            "/v1/corpus",
            {"app": "a", "index": "i", "version": "v", "chunks": [{"id": 1}, {"id": "1"}]},
            "chunks[0] already",
        ),
        ("/v1/corpus", {"app": "a", "index": "i", "version": "v", "chunks": [], "part": 3, "parts": 2}, "part: "),
        ("/v1/corpus", ["x"], "the body: "),
        ("/v1/drops", {"app": "a", "pid": 1, "at_ns": 1, "drops": {"x": -1}}, "drops.x: "),
        ("/v1/drops", {"app": "a", "pid": 1, "at_ns": 1, "drops": {}, "received": {"spans": 9}}, "received: "),
    ],
)
def test_a_mistake_is_400_with_index_and_field(collector: Any, path: str, body: object, says: str):
    """And nothing of the body was stored."""
    answer = collector.post(path, json.dumps(body).encode(), JSON)
    assert answer.status == 400
    assert says in answer.json["error"]
