"""Texts: sent once, redacted, cut, switched off, repaired."""

from __future__ import annotations

import contextlib
import logging

import goldrank
from goldrank.model import derived_chunk_id, wire
from goldrank.tracing import guest


@goldrank.retrieve
def search(query, index=None):
    """A search that always finds the same."""
    return [{"id": "a", "text": "call +49 30 1234567", "metadata": {"mail": "ann@example.org"}}]


@goldrank.rerank
def rerank(query, hits):
    """The list turned round."""
    return [dict(hits[0], score=0.5)]


@goldrank.generate
def generate(prompt):
    """An answer with an address in it."""
    return "answer for ann@example.org"


@goldrank.request
def answer(question, history=(), user=None):
    """A request."""
    hits = rerank(question, search(question))
    return generate(f"Use {hits[0]['text']}")


def test_a_text_goes_with_the_first_span_that_ends(kept):
    """Later lists of the request refer to it by number, inside one scope."""
    answer("q")
    first, second = kept.hits("search")[0], kept.hits("rerank")[0]
    assert (first["t"], first["x"]) == (0, "call +49 30 1234567")
    assert (second["t"], "x" in second) == (0, False)
    assert kept.json("search", wire.HITS)["scope"] == kept.json("rerank", wire.HITS)["scope"]


def test_a_stage_that_outlives_its_request_sends_texts_of_its_own(kept):
    """What the request knew is let go of as it ends; a stream that is read on later has its own scope."""

    @goldrank.retrieve
    def stream(query):
        yield {"id": "a", "text": "one"}
        yield {"id": "b", "text": "two"}

    left = []

    @goldrank.request
    def answer(question):
        goldrank.retrieve(name="search")(lambda query: [{"id": "a", "text": "one"}])(question)
        left.append(stream(question))
        next(left[0])
        return "an answer"

    answer("q")
    assert len(list(left[0])) == 1
    search, late = kept.json("search", wire.HITS), kept.json("stream", wire.HITS)
    assert late["scope"] != search["scope"]
    assert [(hit["t"], hit["x"]) for hit in late["hits"]] == [(0, "one"), (1, "two")]


def test_two_requests_have_two_scopes(kept):
    """A text is sent again in the next request."""
    answer("q"), answer("q")
    scopes = {span.attributes[wire.HITS].partition('"scope":"')[2][:8] for span in kept.spans if span.name == "search"}
    assert len(scopes) == 2


def test_capturing_text_off(record):
    """Ids, ranks, scores and names stay; no text of a person or a passage leaves, and every span says so."""
    kept = record(capture_text=False)
    answer("q", history=["before"], user="u1")
    everything = " ".join(str(value) for span in kept.spans for value in span.attributes.values())
    assert "call" not in everything
    assert "before" not in everything
    assert kept.attributes("answer")["user.id"] == "u1"
    assert kept.hits("rerank")[0]["id"] == "a"
    assert all(span.attributes[wire.TEXT_OFF] is True for span in kept.spans)
    assert wire.ANSWER not in kept.attributes("answer")
    assert wire.ANSWER_NOTE not in kept.attributes("answer")


def test_capturing_text_off_still_names_chunks_without_ids(record):
    """The id made from a text is made in the process, so it is there without the text."""
    kept = record(capture_text=False)

    @goldrank.retrieve
    def found(query):
        return [{"text": "one passage"}]

    found("q")
    assert kept.hits("found") == [{"id": derived_chunk_id("one passage"), "src": "derived"}]


def test_redaction_reaches_every_text(record):
    """Question, history, query, prompt, answer, chunk text, metadata, filters, notes and errors go through it."""
    kept = record(redact=["email", "phone"])
    ann = "ann@example.org"

    @goldrank.retrieve
    def fail(query, filters):
        goldrank.note("who", ann)
        raise ValueError(ann)

    @goldrank.request(name="outer")
    def outer(question, history):
        with contextlib.suppress(ValueError):
            fail(question, {"owner": ann})
        return answer(question)

    outer(f"I am {ann}", [f"I was {ann}"])
    everything = " ".join(str(value) for span in kept.spans for value in span.attributes.values())
    assert ann not in everything
    assert "1234567" not in everything
    assert kept.attributes("outer")[wire.QUESTION] == "I am [e-mail]"
    assert kept.hits("search")[0]["x"] == "call [phone]"
    assert kept.hits("search")[0]["m"] == {"mail": "[e-mail]"}


def test_a_redaction_that_fails_hides_the_text(record, monkeypatch):
    """Nothing of the text leaves when a function of the app raises; the hit says that it was hidden."""
    monkeypatch.delenv("GOLDRANK_STRICT", raising=False)
    guest.forget_what_was_said()

    def broken(text):
        raise KeyError(text)

    kept = record(redact=broken)
    assert answer("secret question") == "answer for ann@example.org"
    everything = " ".join(str(value) for span in kept.spans for value in span.attributes.values())
    assert "secret" not in everything
    assert "call" not in everything
    assert kept.hits("search")[0]["r"] is True
    assert kept.attributes("answer")[wire.ANSWER_NOTE] == "redacted"


def test_the_failing_text_is_not_in_the_log(record, monkeypatch, caplog):
    """The log names the type and place of the error, not the text."""
    monkeypatch.delenv("GOLDRANK_STRICT", raising=False)
    guest.forget_what_was_said()

    def broken(text):
        raise KeyError(text)

    record(redact=broken)
    with caplog.at_level(logging.WARNING):
        answer("secret question")
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text


def test_a_text_beyond_the_limit_is_cut_with_its_true_length(record):
    """Questions, prompts and chunks that are too long say how long they were."""
    kept = record(max_text_chars=10)

    @goldrank.retrieve
    def found(query):
        return [{"id": "a", "text": "x" * 25}]

    @goldrank.generate
    def write(prompt):
        return "short"

    @goldrank.request(name="long")
    def long(question):
        found("q")
        return write("p" * 30)

    long("y" * 15)
    assert kept.hits("found")[0] == {"id": "a", "t": 0, "x": "x" * 10, "cut": 25}
    assert kept.attributes("long")[wire.QUESTION] == "y" * 10
    assert kept.json("long", wire.TEXT_CUT) == {wire.QUESTION: 15}
    assert kept.json("write", wire.TEXT_CUT) == {wire.PROMPT: 30}


def test_half_an_emoji_is_replaced_and_said(kept):
    """A lone surrogate becomes U+FFFD in any text; everything else of it stays."""
    half = "smile \ud83d end"

    @goldrank.retrieve
    def found(query):
        return [{"id": "a", "text": half, "metadata": {"k": half}}]

    @goldrank.request(name="root")
    def root(question):
        found(question)
        return half

    root(half)
    assert kept.attributes("root")[wire.QUESTION] == "smile \ufffd end"
    assert kept.attributes("root")[wire.REPAIRED] is True
    assert kept.hits("found")[0]["x"] == "smile \ufffd end"
    assert kept.hits("found")[0]["m"] == {"k": "smile \ufffd end"}
    assert kept.attributes("found")[wire.REPAIRED] is True


def test_a_full_book_sends_texts_again(kept, monkeypatch):
    """Beyond its bound a request remembers no more texts, and loses none."""
    monkeypatch.setattr("goldrank.tracing.hits.MAX_REMEMBERED", 1)

    @goldrank.retrieve
    def found(query):
        return [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}]

    @goldrank.request(name="root")
    def root(question):
        return found(question)[0]["id"] and found(question)[1]["id"]

    root("q")
    lists = [span.attributes[wire.HITS] for span in kept.spans if span.name == "found"]
    assert '"x":"two"' in lists[0]
    assert '"x":"two"' in lists[1]
    assert '"x":"one"' not in lists[1]
