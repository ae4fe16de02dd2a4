"""One request over several processes and threads."""

from __future__ import annotations

import asyncio
import threading

import goldrank
import pytest
from goldrank.model import wire


@goldrank.retrieve
def search(query):
    """A search that always finds the same."""
    return [{"id": "a", "text": "one"}]


def test_headers_continue_a_request_elsewhere(kept):
    """Stages in the other process carry the request's id and stand in its trace, below the stage that called."""
    sent = {}

    @goldrank.tool
    def call(question):
        sent.update(goldrank.headers())

    @goldrank.request
    def answer(question):
        call(question)
        return goldrank.request_id()

    request_id = answer("q")
    as_asgi = [(name.title().encode(), value.encode()) for name, value in sent.items()]
    for headers in (sent, as_asgi):
        kept.spans[:] = [span for span in kept.spans if span.name != "search"]
        with goldrank.continue_request(headers):
            assert goldrank.request_id() == request_id
            search("q")
        assert goldrank.request_id() == ""
        assert kept.attributes("search")[wire.REQUEST_ID] == request_id
        assert kept.span("search").parent.span_id == kept.span("call").context.span_id
        assert kept.span("search").context.trace_id == kept.span("answer").context.trace_id


def test_texts_of_a_continued_request_have_a_scope_of_their_own(kept):
    """Two processes number their texts apart."""

    @goldrank.request
    def answer(question):
        search(question)
        with goldrank.continue_request(goldrank.headers()):
            search(question)

    answer("q")
    here, there = [span.attributes[wire.HITS] for span in kept.spans if span.name == "search"]
    assert '"x":["one"]' in here
    assert '"x":["one"]' in there
    assert here != there


@pytest.mark.parametrize(
    "headers",
    [{}, {"traceparent": f"00-{1:032x}-{2:016x}-01"}, {"x-goldrank-request": "nonsense", "x-goldrank-parent": "x"}, []],
)
def test_headers_that_name_no_request_change_nothing(kept, headers):
    """Foreign or broken headers are no request: what follows is recorded as without them."""
    with goldrank.continue_request(headers):
        assert goldrank.request_id() == ""
        search("q")
    assert kept.span("search").parent is None


def test_a_request_inside_a_continued_one_is_a_stage(kept):
    """The outermost request wins over processes too."""
    sent = {}

    @goldrank.request
    def outer(question):
        sent.update(goldrank.headers())

    @goldrank.request
    def inner(question):
        goldrank.note("where", "there")
        return goldrank.request_id()

    outer("q")
    with goldrank.continue_request(sent):
        assert inner("q") == kept.attributes("outer")[wire.REQUEST_ID]
    assert kept.attributes("inner")[wire.KIND] == "other"
    assert kept.attributes("inner")["goldrank.note.where"] == "there"


def test_there_are_no_headers_outside_of_a_request(kept):
    """Nothing to send along."""
    assert goldrank.headers() == {}


def test_a_carried_function_keeps_name_result_and_errors(kept):
    """carry() changes where it belongs, nothing else; async functions too."""

    def fail(value):
        """Fails."""
        raise KeyError(value)

    async def native(value):
        search("q")
        return value

    @goldrank.request
    def answer(question):
        carried = goldrank.carry(fail)
        assert carried.__doc__ == "Fails."
        with pytest.raises(KeyError):
            carried("k")
        thread = threading.Thread(target=lambda: results.append(asyncio.run(goldrank_native(1))))
        goldrank_native = goldrank.carry(native)
        thread.start()
        thread.join()

    results = []
    answer("q")
    assert results == [1]
    assert kept.span("search").parent.span_id == kept.span("answer").context.span_id


def test_without_recording_carry_gives_the_function_itself():
    """Before init there is nothing to carry."""
    assert goldrank.carry(len) is len
    with goldrank.ThreadPoolExecutor(1) as pool:
        assert pool.submit(len, "abc").result() == 3
