"""Which column is what: declared, guessed and shown, never chosen between two."""

from __future__ import annotations

import json

import pytest
from goldrank.collectors.importing.mapping import declare
from goldrank.collectors.importing.paths import parse_path
from goldrank.model import UsageError

ODD = {
    "Anfrage": "Wie lange?",
    "antwort_text": "30 Tage",
    "res": {"found": [{"key": "c1", "w": 0.9}, {"key": "c2", "w": 0.4}], "best": ["c2"]},
    "who": {"mail": "u7"},
}
DECLARED = "question=Anfrage,answer=antwort_text,user=who.mail,erst.hits=res.found[].key,erst.scores=res.found[].w"


def test_a_dry_run_shows_the_columns_and_three_rows(desk, write):
    """Which column was taken for what, how to say it otherwise, and the first rows as goldrank sees them; no store."""
    rows = [
        {"query": f"q{n}?", "ts": "2026-11-29T10:00:00Z", "bm25_ids": ["a", "b"], "rerank": ["b"], "took": 0.25}
        for n in range(5)
    ]
    path = write("log.jsonl", *rows)

    done = desk(path, "--dry-run")

    assert done.out.splitlines() == [
        f"{path} (a log, JSON lines)",
        "field        column    note",
        "question     query",
        "time         ts",
        "latency      took      taken for seconds; --map latency_s=took or latency_ms=took",
        "bm25.hits    bm25_ids  a retrieve stage; --map bm25.kind=… for another one",
        "rerank.hits  rerank    a rerank stage; --map rerank.kind=… for another one",
        "",
        *(
            line
            for n in range(3)
            for line in (
                f"row {n + 1}: 2026-11-29 10:00:00",
                f"  question  q{n}?",
                "  answer    not recorded",
                "  retrieve  bm25: a, b",
                "  rerank    rerank: b",
                "",
            )
        ),
    ]
    assert (done.code, desk.folder.exists()) == (0, False)


def test_an_import_shows_the_columns_too(desk, write):
    """Nobody has to remember the dry run."""
    done = desk(write("log.jsonl", {"question": "q?", "retrieved_ids": ["a"]}))

    assert "retrieved.hits  retrieved_ids  a retrieve stage" in done.out


def test_declared_columns(desk, write, lists):
    """Paths into objects, through lists, for each stage; what is declared is not guessed."""
    stages = "letzt.hits=res.best,letzt.kind==rerank,erst.index==docs"
    done = desk(write("log.jsonl", ODD), "--map", DECLARED, "--map", stages)

    assert (done.code, done.err) == (0, "")
    recorded = desk.one()
    request = recorded.request
    assert (request.question, request.answer, request.user) == ("Wie lange?", "30 Tage", "u7")
    assert lists(recorded) == {"erst": ["c1", "c2"], "letzt": ["c2"]}
    first = recorded.stages[0]
    assert ([hit.score for hit in first.hits], first.index) == ([0.9, 0.4], "docs")
    assert {hit.id_source.value for hit in first.hits} == {"mapped"}
    assert recorded.stages[1].kind.value == "rerank"


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_mapping_file(desk, write, lists, form):
    """The same as a file, a table for each stage."""
    content = {
        "toml": b'question="Anfrage"\n[erst]\nhits="res.found[].key"\n[letzt]\nhits="res.best"\nkind="rerank"\n',
        "json": json.dumps(
            {
                "question": "Anfrage",
                "erst": {"hits": "res.found[].key"},
                "letzt": {"hits": "res.best", "kind": "rerank"},
            }
        ).encode(),
    }
    mapping = write("mapping", content[form])

    desk(write("log.jsonl", ODD), "--mapping", mapping)

    assert lists(desk.one()) == {"erst": ["c1", "c2"], "letzt": ["c2"]}


def test_a_list_of_objects_is_read_whole(rows_of, write):
    """`results[].id` names the ids; what else stands in the same objects is read by its usual names elsewhere only."""
    path = write("log.jsonl", {"q": "a?", "results": [{"id": "c1", "score": 0.5, "text": "T"}, {"id": "c2"}]})

    (whole,) = rows_of(path, question="q", hits="results")
    (ids,) = rows_of(path, question="q", hits="results[].id")
    (each,) = rows_of(path, question="q", hits="results[]")

    columns = json.loads(whole.stages[0].attributes["goldrank.hits"])["cols"]
    assert (columns["id"], columns["s"], columns["x"]) == (["c1", "c2"], [0.5, None], ["T", None])
    assert ids.stages[0].ids == ("c1", "c2")
    assert each.stages[0] == whole.stages[0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"query": "a b", "prompt": "c d", "ids": ["x"]},
            "which column is the question cannot be told: query, prompt all may be. Say it: --map question=query",
        ),
        (
            {"asked": "a b", "ids": ["x"]},
            "no column is known as the question (asked, ids). Say which: --map question=NAME",
        ),
        (
            {"question": "a b", "foo": 3},
            (
                "no column is known as a list of hits (question, foo). Say which: --map hits=NAME, or "
                "--map bm25.hits=NAME for each stage; where a row is one hit --map hit=NAME; --map hits= where it has "
                "none."
            ),
        ),
    ],
)
def test_what_cannot_be_told_is_refused(desk, write, row, said):
    """It names what it found and what to say; nothing of any file is stored."""
    write("logs/a.jsonl", {"question": "q?", "retrieved_ids": ["a"]})
    path = write("logs/b.jsonl", row)

    done = desk(path.parent)

    assert (done.code, done.err.strip()) == (2, f"goldrank: {path}: {said}")
    assert not (desk.folder / "store.duckdb").exists() or desk.stored() == []


def test_two_separators_are_refused(desk, write):
    """A cell that may be cut in two ways is cut in none; saying it settles it."""
    path = write("log.csv", b"question,retrieved_ids\nq?,a;b|c\n")

    refused = desk(path)
    said = desk(path, "--map", "separator=|")

    assert (refused.code, said.code) == (2, 0)
    assert "what stands between the ids of a cell cannot be told: '|' and ';' both may, as in 'a;b|c'" in refused.err
    assert [hit.chunk_id for hit in desk.one().stages[0].hits] == ["a;b", "c"]


def test_a_log_without_lists_must_be_meant(desk, write):
    """Questions and answers alone are worth keeping, when a person says so."""
    path = write("log.jsonl", {"question": "q?", "answer": "a."})

    assert desk(path).code == 2
    assert desk(path, "--map", "hits=").code == 0
    assert desk.one().stages == ()


def test_the_surer_name_counts_and_the_others_are_kept(desk, write):
    """`question` is the user's and `query` the retriever's; a rewritten question is what a rewrite made."""
    row = {
        "question": "And there?",
        "rewritten_query": "Is it open in Rome?",
        "retrieved": ["a"],
        "response": "Yes.",
        "output": "raw yes",
    }
    desk(write("log.jsonl", row))

    recorded = desk.one()
    rewrite, search = recorded.stages
    assert (recorded.request.question, recorded.request.answer) == ("And there?", "Yes.")
    assert (rewrite.kind.value, rewrite.query, rewrite.queries) == ("rewrite", "And there?", ("Is it open in Rome?",))
    assert search.query == "Is it open in Rome?"
    assert recorded.request.attributes["log.output"] == "raw yes"


@pytest.mark.parametrize("target", ["quesion", "bm25.hitz", "hits.hits.x"])
def test_a_field_that_does_not_exist(target):
    """A slip in a mapping is said, with the fields that there are."""
    with pytest.raises(UsageError, match="there are"):
        declare({target: "x"})


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", 1),
        ("a.c[0].d", 2),
        ("a.c[].d", [2, None]),
        ("x.y", 4),
        ("j.k[].l", [5]),
        ("a.nothing", None),
        ("a.c[7].d", None),
    ],
)
def test_paths(path, found):
    """Into objects, lists and JSON in texts; a column's own name may have dots."""
    record = {"a": {"b": 1, "c": [{"d": 2}, {}]}, "x.y": 4, "j": '{"k": [{"l": 5}]}'}

    assert parse_path(path).find(record) == found
