"""Data frames and command lines of other tools, as they write themselves to one document."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

TRACE = "0af7651916cd43dd8448eb211c80319c"
DOCUMENTS = [{"document.id": "kb#1", "document.content": "Returns are free."}, {"document.id": "kb#0"}]


def span(number: int, parent: str | None, kind: str, **attributes: object) -> dict:
    """A row of Phoenix's data frame."""
    return {
        "name": f"span {number}",
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-11-29T10:00:0{number}Z",
        "end_time": f"2026-11-29T10:00:0{number + 1}Z",
        "status_code": "OK",
        "context.span_id": f"{number:016x}",
        "context.trace_id": TRACE,
        "attributes.input.value": "Are returns free?",
        "attributes.retrieval.documents": attributes.get("documents"),
    }


SPANS = [span(1, None, "CHAIN"), span(2, f"{1:016x}", "RETRIEVER", documents=DOCUMENTS)]


def by_column(rows: list[dict], keys: list[str], *, without: str = "") -> dict:
    """As `DataFrame.to_json()` writes it."""
    names = [name for name in rows[0] if name != without]
    return {name: {key: row[name] for key, row in zip(keys, rows, strict=True)} for name in names}


def api(row: dict) -> dict:
    """A span as Phoenix's API and its command line write it."""
    attributes = {key.removeprefix("attributes."): row[key] for key in row if key.startswith("attributes.") if row[key]}
    said = {key: row[key] for key in ("name", "span_kind", "parent_id", "start_time", "end_time", "status_code")}
    context = {"trace_id": TRACE, "span_id": row["context.span_id"]}
    return {"id": "U3Bhbjox", **said, "context": context, "attributes": attributes, "events": []}


def by_row(rows: list[dict]) -> dict:
    """As `DataFrame.to_json(orient="index")` writes it; the ids are the index and no column."""
    return {row["context.span_id"]: {key: row[key] for key in row if key != "context.span_id"} for row in rows}


FORMS = {
    "columns": by_column(SPANS, ["0", "1"]),
    "columns, the ids as index": by_column(SPANS, [row["context.span_id"] for row in SPANS], without="context.span_id"),
    "index": by_row(SPANS),
    "split": {"columns": list(SPANS[0]), "index": [0, 1], "data": [list(row.values()) for row in SPANS]},
    "traces of the command line": [{"traceId": TRACE, "spans": [api(row) for row in SPANS], "status": "OK"}],
    "a trace of the command line": {
        "traceId": TRACE,
        "spans": [api(row) for row in SPANS],
        "rootSpan": api(SPANS[0]),
        "startTime": "2026-11-29T10:00:01Z",
        "endTime": "2026-11-29T10:00:03Z",
        "duration": 2000,
        "status": "OK",
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_spans_of_phoenix_in_any_writing(desk, write, lists, form):
    """The same request, with its list under its own ids; never a log whose columns are called like spans."""
    done = desk(write("spans.json", json.dumps(FORMS[form]).encode()))

    assert "(Phoenix, " in done.out
    assert lists(desk.one()) == {"span 2": ["kb#1", "kb#0"]}
    assert desk.one().request.question == "Are returns free?"


def test_one_long_line_is_one_document(desk, write, lists):
    """Longer than what a file is known by: what it holds is seen in the whole of it."""
    pad = {"attributes.pad": "x" * 300_000}
    done = desk(write("spans.json", json.dumps(by_column([{**row, **pad} for row in SPANS], ["0", "1"])).encode()))

    assert (done.code, lists(desk.one())) == (0, {"span 2": ["kb#1", "kb#0"]})


def test_spans_of_phoenix_without_their_ids(desk, write):
    """Records of a data frame leave its index out: nothing is made up for the ids, and the way to have them is said."""
    rows = [{key: row[key] for key in row if key != "context.span_id"} for row in SPANS]
    done = desk(write("spans.json", json.dumps(rows).encode()))

    assert done.code == 1
    assert "without their ids, which are the index of the data frame" in done.err
    assert desk.stored() == []


def test_traces_of_mlflow_by_column(desk, exports, write, lists):
    """A search's data frame as `to_json()` writes it by itself."""
    text = (exports / "mlflow_trace.json").read_text()
    rows = [{"trace_id": "tr-1", "trace": text, "spans": []}]
    desk(write("traces.json", json.dumps(by_column(rows, ["0"])).encode()))

    assert lists(desk.one())["rerank"] == ["shipping#0", "refunds#0"]


def test_documents_one_after_the_other(desk, write):
    """As jq writes them: each is a record."""
    rows = [{"question": f"q{n}?", "retrieved_ids": ["a", f"b{n}"]} for n in range(3)]
    done = desk(write("log.json", "\n".join(json.dumps(row, indent=2) for row in rows).encode()))

    assert (done.code, done.err) == (0, "")
    assert [one.request.question for one in desk.stored()] == ["q0?", "q1?", "q2?"]


def test_a_document_that_breaks_off_names_the_place(desk, write):
    """By line and character: a pretty document has many lines."""
    done = desk(write("log.json", json.dumps([{"question": "q?"}], indent=2).encode()[:-4]))
    assert "begins like JSON and is none: Expecting ',' delimiter at line 4, character 2." in done.err


def test_a_request_and_its_response_are_one_row(rows_of, write):
    """Objects side by side are no table: each has fields of its own."""
    row = {"request": {"query": "q?", "user": "u"}, "response": {"text": "yes", "hits": ["a", "b"]}}
    (found,) = rows_of(write("log.jsonl", row))
    assert found.stages[0].ids == ("a", "b")


def test_the_id_beside_a_text_is_that_of_its_document(desk, write):
    """A chunk that says of which document it is has the document's name, and none of its own."""
    hits = [{"doc": {"id": "kb-7"}, "content": "Returns are free.", "score": 0.9}]
    desk(write("log.jsonl", {"question": "q?", "hits": hits}))

    (hit,) = desk.one().stages[0].hits
    assert (hit.doc_id, hit.id_source.value) == ("kb-7", "derived")


def test_columns_that_nothing_is_read_from_are_named(desk, write):
    """They may be the answer under a name that nobody guesses."""
    path = write("log.jsonl", {"question": "q?", "retrieved_ids": ["a"], "réponse": "oui", "meta": {"a": 1, "b": 2}})

    assert "kept as they are: réponse, meta\n" in desk(path, "--dry-run").out
    assert "kept as they are: réponse, meta.b\n" in desk(path, "--dry-run", "--map", "user=meta.a").out
    assert "kept as they are: meta\n" in desk(path, "--map", "answer=réponse").out


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n", "is a PDF: it cannot be imported."),
        ("a.xlsx", b"PK\x03\x04" + bytes(40), "is a zip archive or a workbook of Excel (unpack it, or save the sheet"),
        ("a.html", b"\n<!DOCTYPE html><html>", "is a page of HTML, as servers answer to who is not logged in"),
        ("a.pkl", b"\x80\x04\x95\x10" + bytes(9), "is a pickle of Python (write the data frame with to_parquet"),
        ("a.json", b"[]", "holds no record: its list is empty."),
        ("a.csv", b"question,hits\n", "holds no record: read as CSV, nothing stands below its line of names."),
        ("a.md", b"# Log\n\nNo log, really.\n", "read as CSV, holds no record: line 3: it has 2 fields, the line of"),
        ("a.csv", b'question,hits\nq1?,"a\nq2?,b\n', "line 2: a quote that is opened in this record is never closed"),
        ("a.jsonl", b"12\n", "holds no record: read as CSV, nothing stands below its line of names."),
    ],
)
def test_a_file_of_another_kind_says_what_it_is(desk, tmp_path: Path, name, data, said):
    """What was found, and where there is one the way on."""
    path = tmp_path / name
    path.write_bytes(data)
    done = desk(path)
    assert (done.code, said in done.err) == (1, True), done.err


def test_json_behind_other_text(desk, write):
    """Lines of a logger with a time in front: how to take it off is said, for a shell to run."""
    path = write("app.log", b'2026-11-29 10:00:00 INFO {"question": "q?", "retrieved_ids": ["a"]}\n')
    done = desk(path)
    assert done.code == 2
    assert (
        f"its lines are JSON behind other text ('2026-11-29 10:00:00 INFO'). Take that off: sed 's/^[^{{]*//' {path}"
        in done.err
    )


def test_a_line_of_names_that_is_none(desk, write):
    """A table without names: what was taken for them is said."""
    done = desk(write("log.csv", b"2026-11-29,What is it?,d1\n2026-11-29,What is that?,d2\n"))
    assert "--map question=NAME; its first line is taken for the names of columns." in done.err


def test_a_stray_quote_costs_one_line(desk, write):
    """It is named, and the lines after it go in."""
    done = desk(write("log.csv", b'question,hits\nq1?,a|b\nq2?,"a" b\nq3?,c|d\n'))
    assert "line 3: it is no CSV (',' expected after '\"')." in done.err
    assert [one.request.question for one in desk.stored()] == ["q1?", "q3?"]


def test_a_small_file_that_ends_inside_its_compression(desk, write):
    """What stands before the damage goes in, however small the file is."""
    import gzip
    import random

    make = random.Random(1)
    rows = [{"question": f"{make.random()}?", "retrieved_ids": [f"a{n}"]} for n in range(500)]
    whole = gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    done = desk(write("log.jsonl.gz", whole[: len(whole) // 2]))

    assert "the file is damaged here (its compressed end is missing); what follows was not read." in done.err
    assert 100 < len(desk.stored()) < 400


def test_feedback_that_is_no_score_is_shown(desk, write):
    """With the first value, and what is understood."""
    done = desk(write("log.jsonl", {"question": "q?", "retrieved_ids": ["a"], "feedback": "so so"}))
    assert "feedback that is no score, as 'so so'; a number, or words like up and down (1 request)" in done.err


def test_a_zone_that_is_none(desk, write):
    """It is refused, also where every time of the log has its own."""
    path = write("log.jsonl", {"question": "q?", "retrieved_ids": ["a"], "time": "2026-11-29T10:00:00Z"})
    done = desk.run("import", path, "--zone", "Mars/Olympus")
    assert (done.code, "'Mars/Olympus' is no zone that is known here" in done.err) == (2, True)


def test_a_folder_that_nobody_may_look_into_is_named(tmp_path: Path, monkeypatch):
    """It holds logs, as far as anybody knows: to leave it out without a word would be half an import."""
    from goldrank.collectors.importing.sources import find_sources

    (tmp_path / "closed").mkdir()
    (tmp_path / "log.jsonl").write_text("{}\n")
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: scan(path) if "closed" not in str(path) else refuse(path))
    found = list(find_sources([str(tmp_path)], stdin=lambda: None))
    assert [one.path.name for one in found] == ["closed", "log.jsonl"]


def refuse(path: str) -> None:
    """As a folder of somebody else does."""
    raise PermissionError(13, "Permission denied", path)


LONG = [
    "https://docs.example.com/handbook/returns/opened-software#deadline",
    "kb/手册/退货/已拆封的软件/期限/条款/第一部分/第二部分/第三部分#1",
]


def test_long_addresses_are_ids(rows_of, write):
    """However long: a path has no words. What should have been found is looked for under that id."""
    hits = [{"id": LONG[0], "text": "Returns are free."}]
    path = write("log.jsonl", {"question": "q?", "found": LONG, "results": hits, "expected_ids": LONG[:1]})
    (found,) = rows_of(path, found__hits="found")

    assert found.stages[0].ids == tuple(LONG)
    assert [gold.passage for gold in found.golds] == LONG[:1]
    assert found.remarks == ()


def test_a_long_text_without_spaces_is_a_text(desk, write):
    """As Chinese is written: no id."""
    texts = ["已拆封的软件不可以退货，除非在三十天之内发现缺陷，并且提供原始的购买凭证，否则退款申请不会被受理。"]
    desk(write("log.jsonl", {"question": "q?", "retrieved_contexts": texts}))
    assert desk.one().stages[0].hits[0].id_source.value == "derived"


def test_hits_under_unknown_names_say_which_there_are(desk, write):
    """Nobody guesses that one is the id; how to say it stands beside."""
    path = write("log.jsonl", {"question": "q?", "hits": [{"文档": "d1", "分数": 0.9}]})

    said = "a hit has neither an id nor a text, only 文档, 分数; say which it is: --map 'retrieve.hits=COLUMN[].文档'"
    assert said in desk(path, "--map", "hits=hits").err
    assert desk(path, "--map", "retrieve.hits=hits[].文档").err == ""
