"""Decorators: what a call becomes, and that the app notices nothing."""

from __future__ import annotations

import asyncio
import inspect

import goldrank
import pytest
from goldrank.model import wire


def test_one_call_is_one_request_with_its_stages_below_it(kept):
    """A request and the stages it calls share a trace, a request id, and parents as called."""

    @goldrank.retrieve(index="docs")
    def search(query, top_k=2):
        return [{"id": "a", "text": "one", "score": 0.9}, {"id": "b", "text": "two", "score": 0.8}]

    @goldrank.request
    def answer(question):
        search(question)
        return goldrank.request_id()

    request_id = answer("How long?")

    root, stage = kept.span("answer"), kept.span("search")
    assert request_id == f"{root.context.trace_id:032x}-{root.context.span_id:016x}"
    assert stage.parent.span_id == root.context.span_id
    assert kept.attributes("search")[wire.REQUEST_ID] == request_id == kept.attributes("answer")[wire.REQUEST_ID]
    assert kept.attributes("answer")[wire.QUESTION] == "How long?"
    assert kept.attributes("answer")[wire.ANSWER] == request_id
    assert kept.attributes("search")[wire.QUERY] == "How long?"
    assert kept.attributes("search")[wire.TOP_K] == 2
    assert kept.attributes("search")[wire.INDEX] == "docs"
    assert kept.attributes("search")["gen_ai.operation.name"] == "retrieval"
    assert kept.attributes("search")["gen_ai.retrieval.query.text"] == "How long?"
    assert kept.hits("search") == [
        {"id": "a", "s": 0.9, "t": 0, "x": "one"},
        {"id": "b", "s": 0.8, "t": 1, "x": "two"},
    ]


def test_before_init_a_decorated_function_is_just_called():
    """Without init nothing is recorded and there is no request id."""

    @goldrank.request
    def answer(question):
        with goldrank.stage("retrieve", query=question) as s:
            s.hits([{"id": "a"}])
        goldrank.note("plan", "pro")
        goldrank.feedback(score=1)
        return goldrank.request_id()

    assert answer("q") == ""


@pytest.mark.parametrize("decorate", [goldrank.retrieve, goldrank.retrieve(name="search"), goldrank.request])
def test_a_function_stays_of_its_sort(decorate):
    """`inspect` says of a decorated function what it says of the function."""

    def plain(): ...

    async def native(): ...

    def generator():
        yield

    async def async_generator():
        yield

    tests = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    for function in (plain, native, generator, async_generator):
        assert [t(decorate(function)) for t in tests] == [t(function) for t in tests]
        assert decorate(function).__name__ == function.__name__


def test_a_request_inside_a_request_is_a_stage_of_it(kept):
    """The outermost request wins; the inner one is recorded as an `other` stage."""

    @goldrank.request
    def inner(question):
        return goldrank.request_id()

    @goldrank.request
    def outer(question):
        return inner(question), goldrank.request_id()

    first, second = outer("q")
    assert first == second
    assert kept.attributes("inner")[wire.KIND] == "other"
    assert kept.attributes("outer")[wire.KIND] == "request"


def test_methods_classmethods_and_staticmethods_are_recorded(kept):
    """A decorated method is bound as before, below or above @staticmethod and @classmethod."""

    class Bot:
        @goldrank.retrieve
        def search(self, query):
            return [(query, 1.0)]

        @goldrank.rewrite
        @staticmethod
        def rewrite(question):
            return question.upper()

        @classmethod
        @goldrank.fuse
        def fuse(cls, lists):
            return lists[0]

        @goldrank.request
        async def answer(self, question):
            return self.fuse([self.search(self.rewrite(question))])[0][0]

    assert asyncio.run(Bot().answer("q")) == "Q"
    assert kept.json("rewrite", wire.QUERIES) == ["Q"]
    assert kept.inputs("fuse") == [("search", 1)]
