"""How requests and stages end: ok, error, cancelled, closed early; streams and their readers notice nothing."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import goldrank
import pytest
from goldrank.model import wire


def outcome(kept: Any, name: str) -> str:
    """How the span of that name ended."""
    return kept.attributes(name)[wire.OUTCOME]


def test_an_exception_goes_on_unchanged_and_is_recorded(kept):
    """The very exception reaches the caller; the span says type and message, and its status is an error."""
    error = TimeoutError("no answer in 2 s")

    @goldrank.request
    def answer(question):
        raise error

    with pytest.raises(TimeoutError) as caught:
        answer("q")
    assert caught.value is error
    assert error.__context__ is None
    assert outcome(kept, "answer") == "error"
    assert kept.attributes("answer")[wire.ERROR] == "TimeoutError: no answer in 2 s"
    assert kept.span("answer").status.status_code.name == "ERROR"


def test_an_exception_whose_text_fails_is_named_by_its_type(kept):
    """An exception with a broken __str__ neither breaks the recording nor changes."""

    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError

    @goldrank.request
    def answer(question):
        raise Broken

    with pytest.raises(Broken):
        answer("q")
    assert kept.attributes("answer")[wire.ERROR] == "Broken"


@pytest.mark.parametrize("stop", [SystemExit(3), KeyboardInterrupt()])
def test_exits_pass(kept, stop):
    """SystemExit is an error of the request, Ctrl-C cancels it; both go on."""

    @goldrank.request
    def answer(question):
        raise stop

    with pytest.raises(type(stop)) as caught:
        answer("q")
    assert caught.value is stop
    assert outcome(kept, "answer") == ("error" if isinstance(stop, SystemExit) else "cancelled")


def test_a_failed_try_and_its_retry_are_two_stages(kept):
    """A retry is a stage of its own beside the failed one; the request is ok."""
    tries = []

    @goldrank.retrieve
    def search(query):
        tries.append(query)
        if len(tries) == 1:
            raise ConnectionError
        return [{"id": "a"}]

    @goldrank.request
    def answer(question):
        try:
            return search(question)[0]["id"]
        except ConnectionError:
            return search(question)[0]["id"]

    assert answer("q") == "a"
    assert [span.attributes[wire.OUTCOME] for span in kept.spans] == ["error", "ok", "ok"]


def test_a_cancelled_task_is_cancelled_in_every_stage(kept):
    """Cancellation passes through, and is neither an answer nor a failure."""

    @goldrank.retrieve
    async def search(query):
        await asyncio.Event().wait()

    @goldrank.request
    async def answer(question):
        await search(question)

    async def main():
        task = asyncio.create_task(answer("q"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(main())
    assert outcome(kept, "answer") == outcome(kept, "search") == "cancelled"
    assert kept.span("answer").status.status_code.name == "UNSET"


def test_a_stream_lasts_until_its_last_item(kept):
    """A generator's request ends with its last item; its stages are below it and its text is the joined answer."""

    @goldrank.retrieve
    def search(query):
        return [{"id": "a"}]

    @goldrank.request
    def answer(question):
        search(question)
        yield from ("one ", "two")
        return "returned"

    def reader():
        result = yield from answer("q")
        assert result == "returned"

    assert list(reader()) == ["one ", "two"]
    assert kept.names() == ["search", "answer"]
    assert kept.attributes("answer")[wire.ANSWER] == "one two"
    assert outcome(kept, "answer") == "ok"
    assert kept.span("search").parent.span_id == kept.span("answer").context.span_id


def test_what_runs_between_two_items_is_not_inside_the_stream(kept):
    """The reader's own stages belong to the reader, not to the generator it reads."""

    @goldrank.request
    def stream(question):
        yield "one"
        with goldrank.stage("tool", name="inside"):
            yield "two"
            with goldrank.stage("tool", name="deeper"):
                pass

    for item in stream("q"):
        with goldrank.stage("tool", name=f"reader of {item}"):
            assert goldrank.request_id() == ""
    assert kept.span("reader of one").parent is None
    assert kept.span("reader of two").parent is None
    assert kept.span("deeper").parent.span_id == kept.span("inside").context.span_id
    assert kept.span("inside").parent.span_id == kept.span("stream").context.span_id


def test_a_generator_takes_what_is_sent_and_thrown_in(kept):
    """send() and throw() reach the body, and what it makes of them comes out."""

    @goldrank.request
    def echo(question):
        received = yield "ready"
        try:
            yield f"got {received}"
        except ValueError:
            yield "caught"

    stream = echo("q")
    assert next(stream) == "ready"
    assert stream.send("x") == "got x"
    assert stream.throw(ValueError()) == "caught"
    assert list(stream) == []
    assert kept.attributes("echo")[wire.ANSWER] == "readygot xcaught"


def test_a_stream_closed_early_keeps_what_was_read(kept):
    """close() runs the body's clean-up; the outcome is closed early, which is no error."""
    cleaned = []

    @goldrank.request
    def answer(question):
        try:
            yield "one"
            yield "two"
        finally:
            cleaned.append(goldrank.request_id())

    stream = answer("q")
    assert next(stream) == "one"
    stream.close()
    assert outcome(kept, "answer") == "closed_early"
    assert kept.attributes("answer")[wire.ANSWER] == "one"
    assert cleaned == [kept.attributes("answer")[wire.REQUEST_ID]]


@pytest.mark.parametrize("how", ["other task", "same task", "dropped", "athrow"])
def test_an_async_stream_left_early_ends_once_and_quietly(kept, warnings_said, how):
    """Closed from another task, the same one, by the loop, or by an error: one end, and no line from OpenTelemetry."""

    @goldrank.request
    async def chat(question):
        with goldrank.stage("generate", name="model"):
            for n in range(50):
                yield f"part{n}"
                await asyncio.sleep(0)

    async def main():
        stream = chat("q")
        assert await anext(stream) == "part0"
        if how == "other task":
            await asyncio.create_task(stream.aclose())
        elif how == "same task":
            await stream.aclose()
        elif how == "athrow":
            with pytest.raises(ValueError, match="gone"):
                await stream.athrow(ValueError("gone"))
        else:
            del stream
            gc.collect()
            await asyncio.sleep(0)
        assert goldrank.request_id() == ""

    asyncio.run(main())
    assert kept.names() == ["model", "chat"]
    assert outcome(kept, "chat") == ("error" if how == "athrow" else "closed_early")
    assert kept.attributes("chat")[wire.ANSWER] == "part0"
    assert warnings_said() == []


def test_an_async_stream_read_in_several_tasks_is_one_request(kept):
    """Each item read by another task: one request, its stages below it."""

    @goldrank.retrieve
    async def search(query):
        return [{"id": query}]

    @goldrank.request
    async def chat(question):
        for n in range(3):
            yield (await search(f"{question}{n}"))[0]["id"]

    async def main():
        stream = chat("q")
        return [await asyncio.create_task(anext(stream)) for _ in range(3)] + [item async for item in stream]

    assert asyncio.run(main()) == ["q0", "q1", "q2"]
    root = kept.span("chat")
    assert {span.parent.span_id for span in kept.spans if span.name == "search"} == {root.context.span_id}


def test_a_function_that_hands_back_a_generator_ends_with_it(kept):
    """A plain or async function whose result is a generator is open until that is read to its end."""

    @goldrank.request(name="plain")
    def plain(question):
        return (token for token in ("a", "b"))

    @goldrank.request(name="native")
    async def native(question):
        async def tokens():
            yield "c"
            yield "d"

        return tokens()

    async def main():
        return [token async for token in await native("q")]

    stream = plain("q")
    assert kept.spans == []
    assert list(stream) == ["a", "b"]
    assert asyncio.run(main()) == ["c", "d"]
    assert (kept.attributes("plain")[wire.ANSWER], kept.attributes("native")[wire.ANSWER]) == ("ab", "cd")


def test_a_generator_handed_back_and_never_read_is_closed_early(kept):
    """Thrown away unread, its stage still ends."""

    @goldrank.request
    def answer(question):
        return (token for token in ("a", "b"))

    answer("q")
    gc.collect()
    assert outcome(kept, "answer") == "closed_early"


def test_a_stream_of_objects_is_joined_by_its_texts_or_by_the_mapping(kept):
    """Chunks with text are joined; with answer= the app's own reading is; else the answer is not readable."""

    class Delta:
        def __init__(self, text: str) -> None:
            self.content = text

    @goldrank.request(name="objects")
    def objects(question):
        yield from (Delta("one "), Delta("two"))

    @goldrank.request(name="mapped", answer=lambda item: item[1])
    def mapped(question):
        yield from ((1, "one "), (2, "two"))

    @goldrank.request(name="numbers")
    def numbers(question):
        yield from (1, 2)

    for stream in (objects, mapped, numbers):
        list(stream("q"))
    assert kept.attributes("objects")[wire.ANSWER] == kept.attributes("mapped")[wire.ANSWER] == "one two"
    assert kept.attributes("numbers")[wire.ANSWER_NOTE] == "not readable"


def test_a_retriever_that_yields_its_hits_has_a_list(kept):
    """Hits that come one by one are the list, in the order in which they came."""

    @goldrank.retrieve
    def search(query):
        for name in "abc":
            yield {"id": name}

    assert [hit["id"] for hit in search("q")] == ["a", "b", "c"]
    assert kept.ids("search") == ["a", "b", "c"]


def test_answers_that_are_no_text(kept):
    """Usual shapes of answers are read; anything else is not readable, never a repr."""

    class Choice:
        def __init__(self) -> None:
            self.message = type("Message", (), {})()
            self.message.content = "from a choice"

    completion = type("Completion", (), {})()
    completion.choices = [Choice()]
    for number, (value, expected) in enumerate(
        [
            ("plain", "plain"),
            ({"answer": "in a dict", "sources": []}, "in a dict"),
            (completion, "from a choice"),
            ({"choices": [{"message": {"content": [{"type": "text", "text": "part"}]}}]}, "part"),
            (object(), None),
            (["a", "b"], None),
        ]
    ):
        goldrank.request(name=f"r{number}")(lambda question, value=value: value)("q")
        attributes = kept.attributes(f"r{number}")
        assert attributes.get(wire.ANSWER) == expected
        assert (wire.ANSWER_NOTE in attributes) == (expected is None)
