"""Which lists went into a stage: recognised by identity while the request is open."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import goldrank
import pytest
from goldrank.model import wire


def chunk(name: str) -> dict[str, Any]:
    """A hit with an id and a text."""
    return {"id": name, "text": f"text of {name}"}


@goldrank.retrieve
def bm25(query):
    """A leg."""
    return [chunk(f"b{n}") for n in range(1, 6)]


@goldrank.retrieve
def dense(query):
    """Another leg."""
    return [chunk(f"d{n}") for n in range(1, 6)]


@goldrank.fuse
def fuse(lists):
    """Both lists, one after the other."""
    return [hit for found in lists for hit in found]


@goldrank.rerank
def rerank(query, hits):
    """The list turned round."""
    return list(hits)[::-1]


def run(body: Any) -> None:
    """Runs `body` inside a request."""

    @goldrank.request
    def answer(question):
        body(question)
        return "answer"

    answer("q")


@pytest.mark.parametrize(
    ("handed_over", "expected"),
    [
        (lambda b, d: b, [("bm25", 5)]),
        (lambda b, d: b[:3], [("bm25", 3)]),
        (lambda b, d: b + d, [("bm25", 5), ("dense", 5)]),
        (lambda b, d: b[:2] + d[:4], [("bm25", 2), ("dense", 4)]),
        (lambda b, d: tuple(b), [("bm25", 5)]),
        (lambda b, d: {"keyword": b, "vector": d}, [("bm25", 5), ("dense", 5)]),
        (lambda b, d: [b, d], [("bm25", 5), ("dense", 5)]),
        (lambda b, d: [b[:3], d[:1]], [("bm25", 3), ("dense", 1)]),
        (lambda b, d: [b[4], b[1]], [("bm25", 5)]),
        (lambda b, d: b[1], [("bm25", 2)]),
        (lambda b, d: {hit["id"]: hit for hit in b[:3]}, [("bm25", 3)]),
        (lambda b, d: [(hit, 0.5) for hit in b[:3]], [("bm25", 3)]),
        (lambda b, d: [*b[:4], {"id": "pinned", "text": "always there"}], [("bm25", 4)]),
    ],
)
def test_what_a_stage_was_given_is_recognised(kept, handed_over, expected):
    """A list is known again, also after +, a slice, a dedupe, inside pairs and one level down, with its depth."""
    run(lambda question: rerank(question, handed_over(bm25(question), dense(question))))
    assert kept.inputs("rerank") == expected
    assert kept.attributes("rerank")[wire.INPUTS_SOURCE] == "recorded"


@pytest.mark.parametrize(
    "handed_over",
    [
        lambda b, d: [dict(hit) for hit in b],
        lambda b, d: [hit["id"] for hit in b],
        lambda b, d: [hit["text"] for hit in b],
        lambda b, d: str(len(b)),
    ],
)
def test_copies_strings_and_numbers_prove_nothing(kept, handed_over):
    """Equal values are no identity: such flow is left to be derived."""
    run(lambda question: rerank(question, handed_over(bm25(question), dense(question))))
    assert wire.INPUTS not in kept.attributes("rerank")


def test_flow_that_is_seen_only_in_part_is_not_recorded(kept):
    """One leg handed over itself, the other as copies: recording the first alone would hide the second."""
    run(lambda question: fuse([bm25(question), [dict(hit) for hit in dense(question)[:3]]]))
    assert wire.INPUTS not in kept.attributes("fuse")


def test_strangers_beside_a_known_list_do_not_hide_it(kept):
    """Containers that hold nothing of another list are no reason for doubt."""
    run(lambda question: fuse([bm25(question), [chunk("web1"), chunk("web2")], [{"page": 3}]]))
    assert kept.inputs("fuse") == [("bm25", 5)]


def test_legs_that_run_one_after_the_other_are_no_chain(kept):
    """Two retrievers that search the same chunk objects are legs, though each is given the whole corpus."""
    corpus = [chunk(f"c{n}") for n in range(6)]

    @goldrank.retrieve
    def first(query, chunks):
        return chunks[:]

    @goldrank.retrieve
    def second(query, chunks):
        return chunks[::-1]

    run(lambda question: fuse([first(question, corpus), second(question, corpus)]))
    assert kept.inputs("first") == []
    assert kept.inputs("second") == []
    assert kept.inputs("fuse") == [("first", 6), ("second", 6)]


def test_a_corpus_beside_the_hits_is_no_input(kept):
    """A reranker that is given hits and the corpus took in the hits."""
    corpus = [chunk(f"c{n}") for n in range(20)]

    @goldrank.retrieve
    def search(query):
        return corpus[3:9]

    @goldrank.rerank
    def score(query, hits, chunks):
        return hits

    run(lambda question: score(question, search(question)[:4], corpus))
    assert kept.inputs("score") == [("search", 4)]


def test_a_hit_that_went_through_two_stages_came_from_the_later_one(kept):
    """A slice of the reranked list is the reranker's output, though its objects were the retriever's first."""

    @goldrank.assemble
    def build(question, hits):
        return " ".join(hit["id"] for hit in hits)

    run(lambda question: build(question, rerank(question, fuse([bm25(question), dense(question)]))[:3]))
    assert kept.inputs("fuse") == [("bm25", 5), ("dense", 5)]
    assert kept.inputs("rerank") == [("fuse", 10)]
    assert kept.inputs("build") == [("rerank", 3)]


def test_a_list_sorted_in_place_is_the_output_of_who_returned_it_last(kept):
    """The same list object returned by two stages belongs to the later one."""

    @goldrank.rerank
    def sort(query, hits):
        hits.reverse()
        return hits

    @goldrank.assemble
    def build(hits):
        return "text"

    run(lambda question: build(sort(question, bm25(question))))
    assert kept.inputs("sort") == [("bm25", 5)]
    assert kept.inputs("build") == [("sort", 5)]


def test_a_stage_that_gives_what_a_stage_inside_it_gave_has_that_as_input(kept):
    """A hybrid retriever whose result is the fused list of its own stages has the fused list as input."""

    @goldrank.retrieve
    def hybrid(query):
        return fuse([bm25(query), dense(query)])

    run(lambda question: rerank(question, hybrid(question)))
    assert kept.inputs("hybrid") == [("fuse", 10)]
    assert kept.inputs("rerank") == [("hybrid", 10)]


def test_documents_inside_pairs_are_known_without_their_scores(kept):
    """(document, score) pairs returned, documents handed on: the flow is seen."""

    class Document:
        def __init__(self, name: str) -> None:
            self.id, self.text = name, f"text of {name}"

    @goldrank.retrieve
    def search(query):
        return [(Document("a"), 0.9), (Document("b"), 0.8), (Document("c"), 0.7)]

    run(lambda question: rerank(question, [document for document, _ in search(question)][:2]))
    assert kept.inputs("rerank") == [("search", 2)]


def test_the_lists_inside_a_chroma_result_are_known(kept):
    """The documents of a dict of lists, handed on alone, come from that result."""

    @goldrank.retrieve
    def search(query):
        return {"ids": [["a", "b"]], "documents": [["one", "two"]]}

    run(lambda question: rerank(question, search(question)["documents"][0]))
    assert kept.inputs("rerank") == [("search", 2)]


def test_declared_inputs_are_taken_as_said(kept):
    """`inputs=` names parameters or stages, and counts as declared."""

    @goldrank.rerank(inputs="candidates")
    def by_parameter(query, candidates, pool):
        return candidates

    @goldrank.assemble(inputs=("bm25", "dense"))
    def by_name(text):
        return text

    def body(question):
        by_parameter(question, bm25(question)[:2], dense(question))
        by_name("whatever")

    run(body)
    assert kept.inputs("by_parameter") == [("bm25", 2)]
    assert kept.inputs("by_name") == [("bm25", None), ("dense", None)]
    assert kept.attributes("by_name")[wire.INPUTS_SOURCE] == "declared"


def test_blocks_take_part_in_the_flow(kept):
    """A list given to s.hits(...) is known in a later stage, and inputs= of a block are lists."""

    @goldrank.request
    def answer(question):
        with goldrank.stage("retrieve", name="web", query=question) as s:
            found = [chunk("w1"), chunk("w2")]
            s.hits(found)
        with goldrank.stage("filter", name="safe", inputs=(found,)) as s:
            s.hits(found[:1])
        return rerank(question, found)

    answer("q")
    assert kept.inputs("rerank") == [("web", 2)]
    assert kept.inputs("safe") == [("web", 2)]


def test_flow_crosses_threads(kept):
    """Lists found in carried threads are known in the thread that fuses them."""

    @goldrank.request
    def answer(question):
        with ThreadPoolExecutor(2) as pool:
            legs = [pool.submit(goldrank.carry(leg), question) for leg in (bm25, dense)]
        with goldrank.ThreadPoolExecutor(2) as pool:
            more = list(pool.map(bm25, [question]))
        return fuse([*(leg.result() for leg in legs), *more])[0]["id"]

    answer("q")
    by_id = {f"{span.context.span_id:016x}": span.name for span in kept.spans}
    assert [by_id[span_id] for span_id, _ in kept.json("fuse", wire.INPUTS)] == ["bm25", "dense", "bm25"]
    assert len({span.context.trace_id for span in kept.spans}) == 1


def test_flow_crosses_tasks(kept):
    """Lists gathered from coroutines and from the loop's executor are known."""

    @goldrank.retrieve
    async def search(query, n):
        await asyncio.sleep(0)
        return [chunk(f"{n}-{rank}") for rank in range(n)]

    @goldrank.request
    async def answer(question):
        loop = asyncio.get_running_loop()
        lists = await asyncio.gather(
            search(question, 2), search(question, 3), loop.run_in_executor(None, goldrank.carry(bm25), question)
        )
        return fuse(lists)[0]["id"]

    asyncio.run(answer("q"))
    assert [depth for _, depth in kept.json("fuse", wire.INPUTS)] == [2, 3, 5]


def test_nothing_is_kept_of_a_request_that_has_ended(kept):
    """The app's objects are let go as the request ends, and not when the garbage collector looks."""
    import gc
    import weakref

    class Document:
        def __init__(self) -> None:
            self.id = "a"

    alive: list[weakref.ref[Document]] = []

    @goldrank.retrieve
    def search(query):
        found = [Document()]
        alive.append(weakref.ref(found[0]))
        return found

    gc.disable()
    try:
        run(lambda question: rerank(question, search(question)))
        assert alive[0]() is None
    finally:
        gc.enable()
