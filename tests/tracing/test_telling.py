"""Feedback, complaints and the corpus: frames of declared models."""

from __future__ import annotations

import math

import goldrank
from goldrank.model import Complaint, CorpusChunk, CorpusManifest, Feedback, FrameKind, derived_chunk_id

REQUEST_ID = f"{1:032x}-{2:016x}"


def frames(kept, kind, model):
    """The frames of one kind, as their model."""
    return [model.model_validate(body) for found, body in kept.frames if found is kind]


def test_feedback_of_the_open_request(record):
    """Without an id it belongs to the request that is open; the comment is redacted."""
    kept = record(app="bot", environment="test", redact="email")

    @goldrank.request
    def answer(question):
        goldrank.feedback(score=1)
        return goldrank.request_id()

    request_id = answer("q")
    goldrank.feedback(request_id, score=-1, comment="Mail ann@example.org")
    good, bad = frames(kept, FrameKind.FEEDBACK, Feedback)
    assert (good.request_id, good.score, good.app, good.environment) == (request_id, 1.0, "bot", "test")
    assert (bad.request_id, bad.score, bad.comment) == (request_id, -1.0, "Mail [e-mail]")
    assert good.feedback_id != bad.feedback_id


def test_feedback_that_belongs_nowhere_is_left_out(kept, caplog):
    """No id and no open request: a line in the log, no frame."""
    goldrank.feedback(score=1)
    assert kept.frames == []
    assert "no request id was given and no request is open" in caplog.text


def test_feedback_without_a_finite_score_keeps_its_comment(kept, caplog):
    """JSON has no such numbers: the frame would be unreadable and the user's words lost."""
    for score in (math.nan, math.inf, -math.inf):
        goldrank.feedback(REQUEST_ID, score=score, comment="Wrong year.")
    told = frames(kept, FrameKind.FEEDBACK, Feedback)
    assert [(one.score, one.comment) for one in told] == [(value, "Wrong year.") for value in (0.0, 1.0, -1.0)]
    assert "a finite score is expected, nan was given" in caplog.text


def test_a_complaint_is_linked_by_the_id_in_its_text(kept):
    """Exactly one request id in the text links it; none or several link nothing."""
    goldrank.complaint(f"See https://bot/r/{REQUEST_ID} please", who="ann", complaint_id="T-1")
    goldrank.complaint("It is wrong")
    goldrank.complaint(f"{REQUEST_ID} and {3:032x}-{4:016x}")
    linked, plain, several = frames(kept, FrameKind.COMPLAINT, Complaint)
    assert (linked.complaint_id, linked.who, linked.request_id) == ("T-1", "ann", REQUEST_ID)
    assert plain.request_id is None
    assert several.request_id is None
    assert plain.complaint_id != several.complaint_id


def test_a_corpus_is_read_like_hits(record):
    """Chunks may be dicts, objects of a framework, CorpusChunks or plain texts; their surroundings are kept."""
    from langchain_core.documents import Document

    kept = record(app="bot")
    loaded = goldrank.corpus(
        [
            {"id": "a", "doc_id": "d", "text": "one", "section_path": "A > B", "previous_id": 7, "next_id": "c"},
            Document(id="b", page_content="two", metadata={"source": "x.md", "parent_id": "p"}),
            CorpusChunk(chunk_id="c", text="three"),
            "a plain text",
            object(),
        ],
        index="docs",
        version="v1",
    )
    (manifest,) = frames(kept, FrameKind.CORPUS, CorpusManifest)
    assert loaded == 4
    assert (manifest.app, manifest.index, manifest.version, manifest.part, manifest.parts) == (
        "bot",
        "docs",
        "v1",
        1,
        1,
    )
    assert manifest.chunks == (
        CorpusChunk(chunk_id="a", doc_id="d", text="one", section_path="A > B", previous_id="7", next_id="c"),
        CorpusChunk(
            chunk_id="b", doc_id="x.md", text="two", metadata={"source": "x.md", "parent_id": "p"}, parent_id="p"
        ),
        CorpusChunk(chunk_id="c", text="three"),
        CorpusChunk(chunk_id=derived_chunk_id("a plain text"), text="a plain text"),
    )


def test_a_large_corpus_comes_in_parts(kept):
    """Each part says which of how many it is."""
    assert goldrank.corpus(({"id": str(n), "text": "t"} for n in range(2_500)), index="docs", version="v1") == 2_500
    parts = frames(kept, FrameKind.CORPUS, CorpusManifest)
    assert [(part.part, part.parts, len(part.chunks)) for part in parts] == [(1, 3, 1000), (2, 3, 1000), (3, 3, 500)]


def test_before_init_nothing_is_told():
    """Calls without init do nothing."""
    goldrank.feedback("x", score=1)
    goldrank.complaint("x")
    assert goldrank.corpus([{"id": "a"}], index="docs", version="v1") == 0
