"""A list's JSON that is made by the thread that writes: the same list, whatever the app does after the call."""

from __future__ import annotations

import json
from typing import Any

import goldrank
from goldrank.model import wire
from goldrank.tracing.providers import switch_on
from goldrank.tracing.recorder import Nowhere
from goldrank.tracing.settings import resolve
from goldrank.tracing.spool.otlp import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class _Waiting(Nowhere):
    """Keeps spans without asking for their attributes, as a queue does."""

    def __init__(self) -> None:
        self.spans: list[Any] = []

    def on_end(self, span: Any) -> None:
        self.spans.append(span)

    def rows(self, name: str) -> list[dict[str, Any]]:
        span = next(span for span in self.spans if span.name == name)
        rows = wire.rows_of(json.loads(span.attributes[wire.HITS])[wire.HITS_COLUMNS])
        assert rows is not None
        return rows


def _record(**arguments: Any) -> _Waiting:
    waiting = _Waiting()
    switch_on(resolve({"app": "test", **arguments}, environ={}), waiting)
    return waiting


def test_what_the_app_changes_later_is_not_recorded():
    """Hits and their metadata are as they were when the stage ended."""
    waiting = _record()
    found = [{"id": "a", "text": "one", "score": 0.5, "metadata": {"page": 1}}]

    @goldrank.retrieve
    def search(query):
        return found

    @goldrank.request
    def answer(question):
        search(question)
        found[0]["metadata"]["page"] = 2
        found[0]["text"] = "two"
        found.clear()
        return "an answer"

    answer("q")
    assert waiting.rows("search") == [{"id": "a", "s": 0.5, "m": {"page": 1}, "t": 0, "x": "one"}]


def test_the_text_goes_with_the_first_list_that_is_written():
    """A span that is dropped from the queue takes no text with it: the next one carries it."""
    waiting = _record()
    hit = {"id": "a", "text": "one", "score": 0.5}

    @goldrank.retrieve
    def search(query):
        return [hit]

    @goldrank.rerank
    def rerank(hits):
        return [hit]

    @goldrank.request
    def answer(question):
        return str(rerank(search(question)))

    answer("q")
    assert [row.get("x") for row in waiting.rows("rerank")] == ["one"]
    assert [row.get("x") for row in waiting.rows("search")] == [None]


def test_texts_that_are_too_long_are_cut_then_too():
    """A list that turns out unusual is written by row, with its metadata."""
    waiting = _record(max_text_chars=3)

    @goldrank.retrieve
    def search(query):
        return [{"id": "a", "text": "four", "score": 0.5, "metadata": {"page": 1}}]

    @goldrank.request
    def answer(question):
        return str(search(question))

    answer("q")
    span = next(span for span in waiting.spans if span.name == "search")
    assert json.loads(span.attributes[wire.HITS])[wire.HITS_LIST] == [
        {"id": "a", "s": 0.5, "m": {"page": 1}, "t": 0, "x": "fou", "cut": 4}
    ]


def test_a_span_is_written_with_its_list_and_says_once_that_it_was_repaired():
    """Its bytes hold what its attributes say, also where its query and one of its hits were both no Unicode."""
    waiting = _record()

    @goldrank.retrieve
    def search(query):
        return [{"id": "a", "text": "é\ud800", "score": 0.5, "metadata": {"page": "\udfff"}}]

    @goldrank.request
    def answer(question):
        return str(search("q\ud800"))

    answer("q")
    [message] = encode_spans(waiting.spans).messages
    [scope] = ExportTraceServiceRequest.FromString(message).resource_spans[0].scope_spans
    written = next(span for span in scope.spans if span.name == "search")
    kept = next(span for span in waiting.spans if span.name == "search").attributes
    assert sorted(pair.key for pair in written.attributes) == sorted(kept)
    assert next(pair.value.string_value for pair in written.attributes if pair.key == wire.HITS) == kept[wire.HITS]
    assert kept[wire.REPAIRED] is True
