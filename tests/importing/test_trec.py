"""TREC runs and qrels as requests."""

from __future__ import annotations

import gzip
import json

from goldrank.model import Judgement
from goldrank.store.duckdb import open_store

BM25 = """1 Q0 d1 1 9.5 bm25
1 Q0 d2 2 8.5 bm25
1 Q0 d3 3 8.5 bm25
2 Q0 d9 1 3.0 bm25
2 Q0 d8 2 4.0 bm25
"""
QRELS = "1 0 d2 2\n1 0 d7 1\n1 0 d3 0\n3 0 d1 1\n"


def by_topic(desk):
    """Topic -> its request."""
    return {one.request.attributes["log.topic"]: one for one in desk.stored()}


def test_a_run_with_qrels_queries_and_corpus(desk, write, lists):
    """A request a topic, the order by the rank column, judgements as labels, texts at the hits."""
    run = write("bm25.run", BM25.encode())
    qrels = write("qrels.txt", QRELS.encode())
    queries = write("queries.tsv", b"1\twhat is one?\n2\twhat is two?\n3\twhat is three?\n")
    texts = [{"_id": "d1", "title": "One", "text": "about one"}, {"_id": "d2", "text": ""}]
    corpus = write("corpus.jsonl", *texts)
    given = ("--trec-run", run, "--qrels", qrels, "--queries", queries, "--corpus", corpus)

    done = desk(*given, "--app", "cran", "--who", "ann")

    assert done.code == 0
    found = by_topic(desk)
    assert {topic: one.request.question for topic, one in found.items()} == {
        "1": "what is one?",
        "2": "what is two?",
        "3": "what is three?",
    }
    assert lists(found["1"]) == {"bm25": ["d1", "d2", "d3"]}
    assert lists(found["2"]) == {"bm25": ["d9", "d8"]}
    assert lists(found["3"]) == {"bm25": []}
    assert found["1"].stages[0].hits[0].text == "One\nabout one"
    with open_store(desk.folder / "store.duckdb") as store:
        labels = {one.target.chunk_id: one for one in store.labels.of(found["1"].request.request_id)}
    assert {name: (one.judgement, one.grade, one.evidence, one.who) for name, one in labels.items()} == {
        "d2": (Judgement.GOLD, 2, 1, "ann"),
        "d7": (Judgement.GOLD, 1, 1, "ann"),
        "d3": (Judgement.NOT_RELEVANT, None, None, "ann"),
    }


def test_other_orders_are_said(desk, write):
    """trec_eval looks at scores alone, and breaks ties by the id: where that is another order, it is said."""
    run = write("bm25.run", BM25.encode())

    done = desk("--trec-run", run)

    order = "bm25: scores and ranks disagree; the ranks count here, trec_eval looks at scores alone (1 request)"
    ties = "bm25: equal scores; the ranks count here, trec_eval takes the higher document id first (1 request)"
    assert f"goldrank: {run}: {order}" in done.err
    assert f"goldrank: {run}: {ties}" in done.err
    assert done.code == 0


def test_several_runs_are_stages_of_one_request(desk, write, lists):
    """Searches first, then what ranks again; names from the files or as said."""
    first = write("a.run", b"1 Q0 d1 1 9 x\n1 Q0 d2 2 8 x\n")
    second = write("b.run.gz", gzip.compress(b"1 Q0 d2 1 9 x\n1 Q0 d1 2 8 x\n"))

    desk("--trec-run", f"dense={first}", "--trec-run", f"rerank={second}")

    recorded = desk.one()
    assert lists(recorded) == {"dense": ["d1", "d2"], "rerank": ["d2", "d1"]}
    assert [stage.kind.value for stage in recorded.stages] == ["retrieve", "rerank"]


def test_the_same_run_again_changes_nothing(desk, write):
    """Renamed and compressed; another run of the same topics is another request."""
    desk("--trec-run", write("bm25.run", BM25.encode()))
    before = desk.stored()

    again = desk("--trec-run", write("other/bm25.run.gz", gzip.compress(BM25.encode())), "--json").json
    assert (again["new"], desk.stored()) == (0, before)

    other = desk("--trec-run", write("v2/bm25.run", BM25.replace("9.5", "9.7").encode()), "--json").json
    assert other["new"] == 2


def test_bad_lines_of_each_file(desk, write):
    """A run, judgements and queries: each names its own."""
    run = write("r.run", b"1 Q0 d1 1 9 x\n1 Q0 d2 two 8 x\n1 Q0 d3\n")
    qrels = write("q.txt", b"query-id\tcorpus-id\tscore\n1\td1\t1\nbad line here now\n")
    queries = write("q.tsv", b"1\tone?\nno tab\n")

    done = desk("--trec-run", run, "--qrels", qrels, "--queries", queries)

    assert done.code == 1
    assert f"{run} line 2: its rank (two) or its score (8) is no number." in done.err
    assert f"{run} line 3: it has 3 fields, a run has 6: topic Q0 document rank score tag." in done.err
    assert f"{qrels} line 3: it is no judgement" in done.err
    assert f"{queries} line 2: an id, a tab and a text were expected." in done.err
    assert desk.run("status", "--json").json["rows"]["labels"] == 1


def test_a_run_by_mistake_is_told(desk, write):
    """A run given as a log is told what it is."""
    done = desk(write("x.run", BM25.encode()))

    assert (done.code, "is a TREC run, or looks like one: goldrank import --trec-run" in done.err) == (2, True)


def test_a_dry_run(desk, write):
    """Which file is which stage, and the first topics."""
    queries = write("q.jsonl", {"_id": "1", "text": "what is one?"})
    run = write("bm25.run", BM25.encode())

    done = desk("--trec-run", run, "--queries", queries, "--dry-run", "--rows", "1", "--json")

    seen = json.loads(done.out)
    assert [(one["field"], one["column"]) for one in seen["columns"]] == [
        ("bm25 (retrieve)", str(run)),
        ("queries", str(queries)),
    ]
    (row,) = seen["rows"]
    assert (row["question"], row["stages"][0]["ids"]) == ("what is one?", ["d1", "d2", "d3"])
