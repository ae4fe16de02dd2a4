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


def test_question_and_history_of_chat_messages(kept):
    """Of messages the last one of the user is the question; a question of its own leaves them all as history."""
    messages = [("user", "first"), {"role": "assistant", "content": "reply"}, {"role": "user", "content": "second"}]

    @goldrank.request
    def chat(messages):
        return "x"

    @goldrank.request
    def ask(text, message, history, user=None):
        return "x"

    chat(messages)
    ask(None, "third", messages, user=7)
    first, reply, second = [
        {"role": "user", "text": "first"},
        {"role": "assistant", "text": "reply"},
        {"role": "user", "text": "second"},
    ]
    assert kept.attributes("chat")[wire.QUESTION] == "second"
    assert kept.json("chat", wire.HISTORY) == [first, reply]
    assert kept.attributes("ask")[wire.QUESTION] == "third"
    assert kept.json("ask", wire.HISTORY) == [first, reply, second]
    assert kept.attributes("ask")[wire.USER] == "7"


def test_who_asks_and_for_when(kept):
    """User, session, tenant, groups and time are read by their usual names, or where the decorator says."""
    from datetime import date

    @goldrank.request(tenant=lambda arguments: arguments["context"]["tenant"])
    def ask(question, user_id, session_id, *, context, user_groups=(), as_of=None):
        return "x"

    ask("q", 5, "s1", context={"tenant": "t1"}, user_groups={"staff", "eu"}, as_of=date(2026, 10, 29))
    attributes = kept.attributes("ask")
    assert [attributes[key] for key in (wire.USER, wire.SESSION, wire.TENANT, wire.GROUPS, wire.AS_OF)] == [
        "5",
        "s1",
        "t1",
        ("eu", "staff"),
        "2026-10-29",
    ]


@pytest.mark.parametrize(("groups", "expected"), [((), "[]"), ("staff", ("staff",)), (None, None)])
def test_groups_may_be_none_or_not_known(kept, groups, expected):
    """In no group and not recorded are two things."""

    @goldrank.request
    def ask(question, groups):
        return "x"

    ask("q", groups)
    assert kept.attributes("ask").get(wire.GROUPS) == expected


def test_settings_are_the_other_plain_parameters(kept):
    """Thresholds and constants are kept, defaults too; objects, long texts and secrets are not."""

    @goldrank.fuse
    def rrf(lists, k=60, weight=0.5, *, mode="rank", client=None, api_key="hush", top_n=3):
        return []

    rrf([], client=object())
    assert kept.json("rrf", wire.SETTINGS) == {"k": 60, "weight": 0.5, "mode": "rank"}
    assert kept.attributes("rrf")[wire.TOP_K] == 3


def test_options_may_be_values_names_or_functions(kept):
    """index= a value, top_k= a parameter, query= a function of the arguments."""

    @goldrank.retrieve(index="docs", index_version="v7", top_k="depth", query=lambda a: a["body"]["text"])
    def search(body, depth, where=None):
        return []

    search({"text": "how long"}, 7, where={"lang": "en"})
    attributes = kept.attributes("search")
    assert (attributes[wire.INDEX], attributes[wire.INDEX_VERSION], attributes[wire.TOP_K]) == ("docs", "v7", 7)
    assert attributes[wire.QUERY] == "how long"
    assert kept.json("search", wire.FILTERS) == {"lang": "en"}


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (lambda prompt: "a", {"prompt": "p"}, [("", "p")]),
        (lambda messages: "a", {"messages": [{"role": "system", "content": "s"}]}, [("system", "s")]),
        (lambda system, prompt: "a", {"system": "s", "prompt": "p"}, [("system", "s"), ("", "p")]),
        (lambda question, context: "a", {"question": "q", "context": "c"}, [("", "q"), ("", "c")]),
        (lambda prompt, context: "a", {"prompt": "p", "context": "c"}, [("", "p"), ("", "c")]),
        (lambda prompt, context: "a", {"prompt": "p with c", "context": "c"}, [("", "p with c")]),
        (lambda prompt, context: "a", {"prompt": "p", "context": ["a passage"]}, None),
        (lambda prompt, context: "a", {"prompt": "p: a passage", "context": ["a passage"]}, [("", "p: a passage")]),
        (lambda question, hits: "a", {"question": "q", "hits": []}, None),
    ],
)
def test_a_prompt_is_recorded_only_where_it_is_whole(kept, function, arguments, expected):
    """What the model saw is in it, or nothing is said."""
    goldrank.generate(name="llm")(function)(**arguments)
    prompt = kept.attributes("llm").get(wire.PROMPT)
    said = None if prompt is None else [(part["role"], part["text"]) for part in kept.json("llm", wire.PROMPT)]
    assert said == expected
    assert kept.attributes("llm")[wire.TEXT] == "a"


def test_langchain_messages_are_a_prompt(kept):
    """Messages of LangChain give roles and texts; its answer is read by content."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    @goldrank.generate
    def llm(messages):
        return AIMessage(content="the answer")

    llm([SystemMessage(content="be brief"), HumanMessage(content=[{"type": "text", "text": "hello"}])])
    assert kept.json("llm", wire.PROMPT) == [{"role": "system", "text": "be brief"}, {"role": "user", "text": "hello"}]
    assert kept.attributes("llm")[wire.TEXT] == "the answer"


def test_a_declared_context_is_a_list_of_ids(kept):
    """generate(context=) keeps the ids of the hits that the app says it sent, in order."""

    @goldrank.generate(context="sources")
    def llm(question, sources):
        return "a"

    @goldrank.request
    def ask(question):
        return llm(question, [{"id": "b", "text": "two"}, {"id": "a", "text": "one"}])

    ask("q")
    assert kept.json("llm", wire.CONTEXT) == ["b", "a"]


def test_an_assemble_stage_gives_text_and_list(kept):
    """(text, hits) is both: what was built, and of what."""

    @goldrank.assemble
    def build(hits):
        return "the context", hits[:1]

    build([{"id": "a"}, {"id": "b"}])
    assert kept.attributes("build")[wire.TEXT] == "the context"
    assert kept.ids("build") == ["a"]


def test_tools_give_lists_only_where_they_are_hits(kept):
    """A tool that returns names or numbers has no list; one that returns chunks has."""

    @goldrank.tool(name="names")
    def names():
        return ["ann", "bob"]

    @goldrank.tool(name="found")
    def found():
        return [{"id": "a", "text": "one"}]

    names(), found()
    assert wire.HITS not in kept.attributes("names")
    assert kept.ids("found") == ["a"]


def test_a_block_records_what_it_is_told(kept):
    """Everything a decorator reads can be said by hand, also in async code."""

    async def main():
        async with goldrank.stage(
            "retrieve", name="web", query="q", top_k=5, filters={"a": 1}, index="i", index_version="v", inputs=[]
        ) as s:
            s.hits([("a", 0.5)])
            s.note("cache", True)
        with goldrank.stage("generate", name="llm", model="m", prompt="p", context=["a"]) as s:
            s.text("answer")
        with goldrank.stage("rewrite", technique="expansion") as s:
            s.query("q")
            s.queries(["q1", "q2"])
        with pytest.raises(KeyError), goldrank.stage("tool", name="fails"):
            raise KeyError("k")

    @goldrank.request
    async def ask(question):
        await main()

    asyncio.run(ask("q"))
    web = kept.attributes("web")
    assert [web[key] for key in (wire.QUERY, wire.TOP_K, wire.FILTERS, wire.INDEX, wire.INDEX_VERSION)] == [
        "q",
        5,
        '{"a":1}',
        "i",
        "v",
    ]
    assert kept.hits("web") == [{"id": "a", "s": 0.5}]
    assert kept.attributes("llm")[wire.TEXT] == "answer"
    assert kept.json("llm", wire.PROMPT) == [{"role": "", "text": "p"}]
    assert kept.json("llm", wire.CONTEXT) == ["a"]
    assert kept.json("rewrite", wire.QUERIES) == ["q1", "q2"]
    assert kept.attributes("rewrite")[wire.TECHNIQUE] == "expansion"
    assert kept.attributes("fails")[wire.OUTCOME] == "error"
