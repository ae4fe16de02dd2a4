"""The app notices nothing: odd arguments, failing options, a failing outlet, and no work before init."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import subprocess
import sys
import threading
from typing import Any

import goldrank
import pytest
from goldrank.model import UsageError, wire
from goldrank.tracing import guest


class Client:
    """Cannot be copied, printed, compared, counted or hashed."""

    copies = 0

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __deepcopy__(self, memo: Any) -> Any:
        Client.copies += 1
        raise RuntimeError

    def _no(self, *_: Any) -> Any:
        raise ValueError

    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = _no  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise ConnectionError(name)


@pytest.fixture
def lenient(monkeypatch):
    """As in an app: internal errors are said, not raised."""
    monkeypatch.delenv("GOLDRANK_STRICT", raising=False)
    guest.forget_what_was_said()


def test_awkward_arguments_are_left_alone(kept):
    """Clients, cycles, blobs, vectors and functions go through untouched, uncopied and unprinted."""
    client, cyclic = Client(), []
    cyclic.append(cyclic)
    given: list[Any] = []

    @goldrank.retrieve
    def search(query, client, vector, filters, **rest):
        given.extend((client, vector, filters, rest["fn"]))
        return [{"id": 3, "score": 0.5, "metadata": {"client": client, "self": cyclic, 1: "int key"}}]

    @goldrank.request
    def answer(q, client, vector, cyclic, blob, **kw):
        search(q, client, vector, cyclic, **kw)
        return object()

    vector, function = [0.1] * 1536, lambda x: x
    answer("Is there a student price?", client, vector, cyclic, b"\xff\xfe" * 4096, fn=function)
    assert given[0] is client
    assert given[1] is vector
    assert given[2] is cyclic
    assert given[3] is function
    assert Client.copies == 0
    assert kept.attributes("answer")[wire.ANSWER_NOTE] == "not readable"
    hit = kept.hits("search")[0]
    assert (hit["id"], hit["s"]) == ("3", 0.5)
    assert hit["m"]["client"] == "<Client>"
    assert sum(len(str(value)) for value in kept.attributes("answer").values()) < 10_000


def test_what_is_recorded_is_what_was_given_at_the_time(kept):
    """An argument that the function changes is recorded as it was when the call began."""

    @goldrank.retrieve
    def search(query, filters):
        filters["lang"] = "changed"
        return [{"id": "a"}]

    @goldrank.request
    def answer(question, history, groups):
        history.append("changed")
        groups.append("changed")
        search(question, {"lang": "en"})

    answer("q", [{"role": "user", "content": "before"}], ["staff"])
    assert kept.json("search", wire.FILTERS) == {"lang": "en"}
    assert kept.json("answer", wire.HISTORY) == [{"role": "user", "text": "before"}]
    assert kept.attributes("answer")[wire.GROUPS] == ("staff",)


def test_a_wrong_call_fails_as_it_would_without_us(kept):
    """TypeError for missing or unknown arguments comes from the function itself."""

    @goldrank.request
    def answer(question, *, user):
        return "x"

    with pytest.raises(TypeError, match="user"):
        answer("q")
    with pytest.raises(TypeError, match="nonsense"):
        answer("q", user="u", nonsense=1)


def test_a_failing_option_costs_its_field_only(lenient, kept, warnings_said):
    """An option of the app that raises is said once and counted; call and stage go on."""

    @goldrank.retrieve(query=lambda bound: 1 / 0)
    def search(question):
        return [{"id": "a"}]

    assert search("q") == search("q") == [{"id": "a"}]
    assert kept.counts == {"internal error": 2}
    (line,) = warnings_said()
    assert "ZeroDivisionError at test_guest_manners.py" in line
    assert [span.name for span in kept.spans] == ["search", "search"]


def test_under_strict_an_internal_error_is_raised(kept, monkeypatch):
    """GOLDRANK_STRICT=1 is for goldrank's own tests."""
    monkeypatch.setenv("GOLDRANK_STRICT", "1")

    @goldrank.retrieve(query=lambda bound: 1 / 0)
    def search(question):
        return []

    with pytest.raises(ZeroDivisionError):
        search("q")


def test_a_failing_outlet_never_reaches_the_app(lenient, kept, caplog):
    """Whatever happens behind the span, the caller gets the result."""

    def fail(span):
        raise OSError("disk on fire")

    kept.on_end = fail

    @goldrank.request
    def answer(question):
        return "fine"

    goldrank.shutdown()
    from goldrank.tracing.providers import switch_on
    from goldrank.tracing.settings import resolve

    switch_on(resolve({}, environ={}), kept)
    assert answer("q") == "fine"
    assert kept.counts == {"internal error": 1}


def test_an_option_that_names_no_parameter_is_said(lenient, caplog):
    """A mapping to a parameter that is not there is a line in the log, with the names that are."""
    with caplog.at_level(logging.WARNING, logger="goldrank"):

        @goldrank.request(question="ask")
        def answer(q):
            return q

    assert "question='ask' names no parameter of answer (it has q)" in caplog.text


def test_mistakes_of_the_developer_raise_where_they_are_made():
    """Unknown options, decorating no function, unknown kinds: at import or at the call, in words."""
    with pytest.raises(TypeError, match=r"no option 'querry'; it has .*query"):
        goldrank.retrieve(querry="q")
    with pytest.raises(UsageError, match="decorates a function"):
        goldrank.retrieve("docs")
    with pytest.raises(UsageError, match="no kind of stage; there are rewrite"):
        goldrank.stage("retrieval")
    with pytest.raises(UsageError, match="has no querry="):
        goldrank.stage("retrieve", querry="q")


def test_a_seeded_app_draws_the_same_numbers(kept):
    """Ids are not drawn from the app's random numbers."""

    @goldrank.request
    def answer(question):
        return "x"

    random.seed(7)
    expected = [random.random() for _ in range(3)]
    random.seed(7)
    drawn = []
    for _ in range(3):
        answer("q")
        drawn.append(random.random())
    assert drawn == expected


def test_import_loads_nothing_heavy():
    """`import goldrank` brings neither duckdb, pandas, numpy nor a web framework into the app."""
    heavy = ("duckdb", "pandas", "numpy", "plotly", "streamlit", "pyarrow", "uvicorn", "requests", "langchain_core")
    code = f"import goldrank, sys; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_stage_outside_of_any_request_stands_alone(kept):
    """Without a request nothing is lost: the span is the root of its own trace and names no request."""

    @goldrank.retrieve
    def search(query):
        assert goldrank.request_id() == ""
        return [{"id": "a", "text": "one"}]

    @goldrank.request
    def answer(question):
        thread = threading.Thread(target=search, args=(question,))
        thread.start()
        thread.join()

    answer("q")
    assert kept.span("search").parent is None
    assert wire.REQUEST_ID not in kept.attributes("search")
    assert kept.hits("search") == [{"id": "a", "t": 0, "x": "one"}]


def test_a_note_on_a_request_that_has_ended_is_left_out(kept, caplog):
    """It is said, and it does not land on the stage that still runs."""

    @goldrank.other
    def left_over():
        goldrank.note("early", 1)
        yield 1
        goldrank.note("late", 2)

    running = []

    @goldrank.request
    def answer(question):
        running.append(left_over())
        return str(next(running[0]))

    answer("q")
    list(running[0])
    assert "the request has ended" in caplog.text
    assert kept.span("answer").attributes["goldrank.note.early"] == 1
    assert not any("goldrank.note.late" in span.attributes for span in kept.spans)


def test_work_left_over_from_an_ended_request_starts_requests_of_its_own(kept):
    """A worker task that the first request had started does not swallow the later requests into the first."""

    @goldrank.request
    async def answer(question):
        return goldrank.request_id()

    async def main():
        queue: asyncio.Queue[str] = asyncio.Queue()
        ids: list[str] = []

        async def worker():
            while True:
                ids.append(await answer(await queue.get()))
                queue.task_done()

        @goldrank.request(name="first")
        async def first(question):
            return asyncio.create_task(worker())

        task = await first("q")
        for question in ("a", "b"):
            queue.put_nowait(question)
        await queue.join()
        task.cancel()
        return ids

    ids = asyncio.run(main())
    roots = [span for span in kept.spans if span.attributes[wire.KIND] == "request"]
    assert len(roots) == 3
    assert len({span.context.trace_id for span in roots}) == 3
    assert len(set(ids)) == 2


def test_notes_belong_to_the_request(kept):
    """note() inside any stage is an attribute of the request span; s.note() one of the stage."""

    @goldrank.retrieve
    def search(query):
        goldrank.note("plan", "pro")
        goldrank.note("seats", 5)
        goldrank.note("tags", ["a", "b"])
        goldrank.current_stage().note("cache", "miss")
        return []

    @goldrank.request
    def answer(question):
        search(question)

    answer("q")
    attributes = kept.attributes("answer")
    assert attributes["goldrank.note.plan"] == "pro"
    assert attributes["goldrank.note.seats"] == 5
    assert attributes["goldrank.note.tags"] == '["a","b"]'
    assert kept.attributes("search")["goldrank.note.cache"] == "miss"


def test_a_stage_that_ends_inside_our_own_lock_does_not_wait_for_it(kept):
    """The garbage collector may end a stream while this thread reads a list of the same request."""

    @goldrank.request
    def answer(question):
        with goldrank.current_stage().request.lock, goldrank.stage("retrieve", name="inner") as s:
            s.hits([{"id": "a", "text": "one"}])

    answer("q")
    assert kept.ids("inner") == ["a"]


def test_a_forked_child_does_not_wait_for_a_thread_that_is_not_there(kept):
    """A request that goes on in a child records there, though a thread of the parent held its lock."""
    held, done = threading.Event(), threading.Event()

    @goldrank.retrieve
    def search(query):
        return [{"id": "a"}]

    @goldrank.request
    def answer(question):
        request = goldrank.current_stage().request

        def hold():
            with request.lock:
                held.set()
                done.wait(30)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait(30)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if search(question) == [{"id": "a"}] and kept.ids("search") == ["a"] else 1)
        status = os.waitpid(child, 0)[1]
        done.set()
        thread.join()
        return status

    assert answer("q") == 0


def test_lazy_objects_are_not_loaded(kept):
    """A proxy that loads what it stands for when asked for its class is not asked, as argument or inside a hit."""
    loaded = []

    class Lazy:
        @property
        def __class__(self):  # type: ignore[override]
            loaded.append(1)
            return dict

    lazy = Lazy()

    @goldrank.rerank
    def rerank(query, hits, user=None, limit=None):
        return hits

    @goldrank.request
    def answer(question, user):
        with goldrank.stage("retrieve", name="search") as s:
            found = [{"id": "a", "owner": lazy, "metadata": {"owner": lazy}}]
            s.hits(found)
        return rerank(question, [*found, lazy], user=lazy, limit=lazy)

    answer("q", lazy)
    assert loaded == []
    assert kept.ids("search") == ["a"]
