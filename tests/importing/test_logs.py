"""Plain logs: a row is a request."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from goldrank.cli import main
from goldrank.commands import Terminal
from goldrank.model import Completeness, IdSource, ScoreKind, StageKind, TextState
from shell import Screen

ROW = {
    "request_id": "req-8123",
    "timestamp": "2026-11-29T10:00:00Z",
    "question": "How long may I return?",
    "chat_history": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}],
    "bm25_ids": ["refunds#0", "shipping#0", "account#0"],
    "bm25_scores": [7.1, 2.0, 1.5],
    "dense": [{"chunk_id": "refunds#1", "score": 0.9, "text": "Opened software", "metadata": {"doc_id": "refunds"}}],
    "reranked_ids": ["shipping#0", "refunds#0"],
    "answer": "30 days",
    "user_id": "u1",
    "session_id": "s1",
    "groups": ["staff"],
    "filters": {"lang": "en"},
    "top_k": 3,
    "latency_ms": 420,
    "model": "gpt-x",
    "plan": "pro",
    "nested": {"cost": 0.1, "deep": {"a": [1, 2]}},
}


def test_a_row_with_everything(desk, write, lists):
    """Question, history, answer, who, when, how long, every list in its stage, and what no field is for."""
    done = desk(write("log.jsonl", ROW), "--app", "bot", "--environment", "prod")

    assert (done.code, done.err) == (0, "")
    recorded = desk.one()
    request = recorded.request
    assert (request.question, request.answer) == ("How long may I return?", "30 days")
    assert [(one.role, one.text) for one in request.history] == [("user", "Hi"), ("assistant", "Hello!")]
    assert (request.user, request.session, request.groups) == ("u1", "s1", ("staff",))
    assert (request.app, request.environment) == ("bot", "prod")
    assert request.start_ns == int(dt.datetime(2026, 11, 29, 10, tzinfo=dt.UTC).timestamp()) * 10**9
    assert request.duration_ms == 420
    assert {stage.name: stage.kind for stage in recorded.stages} == {
        "bm25": StageKind.RETRIEVE,
        "dense": StageKind.RETRIEVE,
        "reranked": StageKind.RERANK,
        "generate": StageKind.GENERATE,
    }
    assert lists(recorded) == {
        "bm25": ["refunds#0", "shipping#0", "account#0"],
        "dense": ["refunds#1"],
        "reranked": ["shipping#0", "refunds#0"],
    }
    bm25, dense = recorded.stages[0], recorded.stages[1]
    assert [hit.score for hit in bm25.hits] == [7.1, 2.0, 1.5]
    assert (bm25.top_k, bm25.filters, bm25.completeness) == (3, {"lang": "en"}, Completeness.COMPLETE)
    assert (dense.hits[0].text, dense.hits[0].text_state, dense.hits[0].doc_id) == (
        "Opened software",
        TextState.KNOWN,
        "refunds",
    )
    assert request.attributes["log.plan"] == "pro"
    assert json.loads(request.attributes["log.nested"]) == {"cost": 0.1, "deep": {"a": [1, 2]}}
    assert request.attributes["log.request_id"] == "req-8123"


def test_the_id_of_the_log_finds_the_request(desk, write):
    """By the command that shows a request, and among the words of the list; a UUID by its first digits, too."""
    uuid = "3f2b8c1e-aaaa-4bbb-8ccc-0123456789ab"
    other = {**ROW, "request_id": uuid, "question": "Something else?"}
    desk(write("log.jsonl", ROW, other))

    assert "How long may I return?" in desk.run("show", "req-8123").out
    assert desk.run("requests", "req-8123", "--json").json["matching"] == 1
    assert "Something else?" in desk.run("show", uuid).out
    assert "Something else?" in desk.run("show", "3f2b8c1e").out
    assert desk.run("show", "req-8124").code == 1


def test_the_same_rows_again_change_nothing(desk, write, tmp_path):
    """Renamed, compressed, with ids and without: a row is the same request, to the last attribute."""
    rows = [{key: value for key, value in ROW.items() if key not in {"request_id", "timestamp"}}, ROW]
    first = write("log.jsonl", *rows)
    desk(first)
    before = desk.stored()
    content = first.read_bytes()
    copies = {
        "renamed.txt": content,
        "log.jsonl.gz": gzip.compress(content),
        "log.bin": zstandard.compress(content),
    }
    for name, data in copies.items():
        (tmp_path / name).write_bytes(data)
        done = desk(tmp_path / name, "--json").json
        assert (done["files"][0]["requests"], done["new"], done["stored"]) == (2, 0, 2)

    assert desk.stored() == before


def test_a_row_that_says_more_the_next_time_is_renewed(desk, write):
    """A later export of the same log has an answer where the first had none; it is the same request."""
    desk(write("a.jsonl", {**ROW, "answer": None}))
    desk(write("b.jsonl", ROW))

    assert desk.one().request.answer == "30 days"


def test_one_id_for_two_questions_loses_neither(desk, write):
    """Logs number their rows anew every day: an id alone does not make two questions one."""
    desk(write("a.jsonl", {**ROW, "request_id": 1}))
    desk(write("b.jsonl", {**ROW, "request_id": 1, "question": "Another?"}))

    assert {one.request.question for one in desk.stored()} == {"How long may I return?", "Another?"}
    assert desk.run("show", "1").code == 2


def test_csv_as_a_spreadsheet_writes_it(desk, tmp_path, lists):
    """Semicolons, names with spaces, several lines in a cell, decimal commas, a time as people write it."""
    text = io.StringIO(newline="")
    rows = csv.writer(text, delimiter=";")
    rows.writerow(["Request ID", "Question", "Retrieved IDs", "Retrieved Scores", "Answer", "Time"])
    rows.writerow(["77", "Wie lange?", "a|b|c", "0,9|0,8|0,7", "30 Tage\nund mehr", "29.11.2026 14:05"])
    rows.writerow(["78", "Noch?", "[]", "", "nein", "29.11.2026 15:05"])
    (tmp_path / "log.csv").write_bytes(text.getvalue().encode("utf-8-sig"))

    assert desk(tmp_path / "log.csv").code == 0
    first, second = desk.stored()
    assert lists(first) == {"retrieved": ["a", "b", "c"]}
    assert [hit.score for hit in first.stages[0].hits] == [0.9, 0.8, 0.7]
    assert first.request.answer == "30 Tage\nund mehr"
    assert first.request.start_ns == int(dt.datetime(2026, 11, 29, 14, 5, tzinfo=dt.UTC).timestamp()) * 10**9
    assert lists(second) == {"retrieved": []}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_csv_in_another_encoding(desk, tmp_path, encoding):
    """Said where it must be; UTF-16 says so itself."""
    text = "question,retrieved_ids\nWas heißt „Rückgabe“?,a|b\n"
    (tmp_path / "log.csv").write_bytes(text.encode(encoding))
    said = () if encoding == "utf-16" else ("--encoding", encoding)

    assert desk(tmp_path / "log.csv", *said).code == 0
    assert desk.one().request.question == "Was heißt „Rückgabe“?"


def test_a_line_in_another_encoding_is_named(desk, tmp_path):
    """A byte that is not UTF-8 is no reason to store something else than what was asked."""
    rows = b"question,retrieved_ids\nplain?,a\n" + "für wen?,b\n".encode("cp1252")
    (tmp_path / "log.csv").write_bytes(rows)

    done = desk(tmp_path / "log.csv")

    assert "line 3: byte 2 of line 3 is not UTF-8: 0xfc; --encoding names another one." in done.err
    assert (done.code, desk.one().request.question) == (1, "plain?")


def test_parquet_as_arrow_writes_it(desk, tmp_path, lists):
    """Lists, structs, times and what pandas calls missing; compressed once more, as object stores do."""
    table = pa.table(
        {
            "question": ["q1", "q2"],
            "hits": [[{"id": "a", "score": 0.5}, {"id": "b", "score": 0.1}], []],
            "ts": [dt.datetime(2026, 11, 29, tzinfo=dt.UTC)] * 2,
            "duration": [0.5, 1.25],
            "user": ["u1", None],
            "cost": [0.25, float("nan")],
        }
    )
    pq.write_table(table, tmp_path / "log.parquet")
    (tmp_path / "log.gz").write_bytes(gzip.compress((tmp_path / "log.parquet").read_bytes()))

    assert desk(tmp_path / "log.parquet").code == 0
    assert desk(tmp_path / "log.gz", "--json").json["new"] == 0
    first, second = desk.stored()
    assert (lists(first), lists(second)) == ({"retrieve": ["a", "b"]}, {"retrieve": []})
    assert (first.request.duration_ms, second.request.duration_ms) == (500, 1250)
    assert (first.request.user, second.request.user) == ("u1", None)
    assert first.request.attributes["log.cost"] == 0.25
    assert "log.cost" not in second.request.attributes


def test_a_json_array_and_a_page_of_an_api(desk, write):
    """Over several lines, alone or inside an object that holds a page of them."""
    rows = [{"id": "x1", "query": "a?", "results": [{"id": "c1"}]}, {"id": "x2", "query": "b?", "results": []}]
    write("array.json", json.dumps(rows, indent=2).encode())
    page = write("page.json", json.dumps({"data": rows, "next": None}).encode())

    assert desk(page.parent / "array.json").code == 0
    assert desk(page, "--json").json["new"] == 0
    assert len(desk.stored()) == 2


def test_stages_in_a_list(desk, write, lists):
    """Each with its name, its kind, its hits and its own time; flow and order follow."""
    stages = [
        {"name": "bm25", "hits": ["a", "b"], "latency_ms": 3},
        {"name": "cross", "kind": "rerank", "hits": [{"id": "b", "score": 0.9}, {"id": "a", "score": 0.2}]},
        {"name": "broken", "kind": "rerank", "error": "TimeoutError: 5 s"},
    ]
    desk(write("log.jsonl", {"id": "s1", "question": "Who?", "stages": stages}))

    recorded = desk.one()
    assert lists(recorded) == {"bm25": ["a", "b"], "cross": ["b", "a"]}
    assert [stage.kind for stage in recorded.stages] == [StageKind.RETRIEVE, StageKind.RERANK, StageKind.RERANK]
    assert recorded.stages[0].duration_ms == 3
    assert recorded.stages[2].error == "TimeoutError: 5 s"


def test_texts_alone_are_a_list(desk, write):
    """What evaluation tools keep: contexts without ids. The id comes from the text, and says so."""
    desk(
        write("ragas.jsonl", {"user_input": "Who?", "retrieved_contexts": ["Ann is the director here.", "Bob is not."]})
    )

    hits = desk.one().stages[0].hits
    assert [hit.text for hit in hits] == ["Ann is the director here.", "Bob is not."]
    assert {hit.id_source for hit in hits} == {IdSource.DERIVED}


def test_scores_that_are_none_and_what_a_score_measures(desk, write):
    """NaN is no score and is named; a column of distances holds distances."""
    line = b'{"question": "q?", "dense_ids": ["a", "b"], "dense_distances": [0.25, NaN]}\n'
    desk(write("log.jsonl", line))

    first, second = desk.one().stages[0].hits
    assert (first.score, first.score_kind) == (0.25, ScoreKind.DISTANCE)
    assert (second.score, second.score_note) == (None, "NaN")


def test_rows_that_are_hits(desk, tmp_path, lists):
    """A row a hit, sorted by stage and not by request: rows of one request come together, ranks as recorded."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(["query_id", "query", "stage", "rank", "doc_id", "score"])
    for stage in ("bm25", "rerank"):
        for query in ("q1", "q2"):
            for rank in (1, 2, 3):
                rows.writerow(
                    [query, f"what is {query}?", stage, rank, f"d{rank if stage == 'bm25' else 4 - rank}", 0.5]
                )
    (tmp_path / "long.csv").write_text(text.getvalue())

    assert desk(tmp_path / "long.csv").code == 0
    first, second = desk.stored()
    assert first.request.question == "what is q1?"
    assert lists(first) == lists(second) == {"bm25": ["d1", "d2", "d3"], "rerank": ["d3", "d2", "d1"]}


def test_what_a_row_says_of_its_hit_alone_stays_with_the_hit(desk, write):
    """Columns that differ among the rows of a request are the hits'; those that do not are the request's."""
    rows = [
        {"qid": q, "query": f"{q}?", "position": n, "chunk_id": f"c{n}", "section": f"s{n}", "lang": "en"}
        for q in ("a", "b")
        for n in (0, 1)
    ]
    done = desk(write("long.jsonl", *rows))

    first, _ = desk.stored()
    assert [hit.metadata for hit in first.stages[0].hits] == [{"section": "s0"}, {"section": "s1"}]
    assert first.request.attributes["log.lang"] == "en"
    assert "retrieve: ranks begin at 0; they are counted from 1 (2 requests)" in done.err


def test_pairs_and_scores_by_id(rows_of, write):
    """What evaluation scripts write: ids with scores, as pairs or as an object."""
    path = write("pairs.jsonl", {"query": "q?", "retrieved": [["a", 0.9], ["b", 0.1]], "scored": {"c": 0.5, "d": 0.7}})

    (pairs,) = rows_of(path)
    (scored,) = rows_of(path, hits="scored")

    assert (pairs.stages[0].ids, scored.stages[0].ids) == (("a", "b"), ("c", "d"))
    assert json.loads(scored.stages[0].attributes["goldrank.hits"])["cols"]["s"] == [0.5, 0.7]


def test_requests_of_one_file_keep_its_order_without_times(desk, write):
    """A log without times is stored as of now, in its order, and the second import keeps the first one's times."""
    path = write("log.jsonl", *({"question": f"q{n}?", "retrieved_ids": ["a"]} for n in range(5)))
    desk(path)
    before = [(one.request.question, one.request.start_ns) for one in desk.stored()]
    desk(path)

    assert [question for question, _ in before] == [f"q{n}?" for n in range(5)]
    assert [(one.request.question, one.request.start_ns) for one in desk.stored()] == before


def test_stdin_and_folders(desk, write, no_leftovers):
    """`-` is stdin; a folder is all its files, hidden ones apart; what was made on the way is removed."""
    rows = [{"id": name, "question": "q?", "retrieved_ids": ["a"]} for name in ("a", "b", "c", "d")]
    write("logs/b.jsonl", rows[0])
    write("logs/sub/a.jsonl", rows[1])
    folder = write("logs/.hidden.jsonl", rows[2]).parent

    done = desk(folder, "-", "--json", stdin=json.dumps(rows[3]).encode()).json

    assert [(one["file"].rpartition("/")[2], one["requests"]) for one in done["files"]] == [
        ("b.jsonl", 1),
        ("a.jsonl", 1),
        ("stdin", 1),
    ]
    assert done["stored"] == 3


def test_texts_stay_as_they_are(desk, tmp_path):
    """Line ends of every kind, quotes, separators, spaces and what looks like JSON come through CSV and JSON alike."""
    questions = [
        "one\ntwo\r\nthree\rfour",
        'she said "why, really?"',
        "line\u2028separator\u2029and\u0085next",
        "semi;colon\tand tab",
        "  spaces kept  ",
        '{"looks": "like json"}',
        "[1, 2]",
        "\\n is two characters here",
    ]
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(["id", "question", "retrieved_ids"])
    rows.writerows([f"c{n}", question, "a"] for n, question in enumerate(questions))
    (tmp_path / "log.csv").write_bytes(text.getvalue().encode())
    lines = [
        json.dumps({"id": f"j{n}", "question": question, "retrieved_ids": ["a"]}, ensure_ascii=False)
        for n, question in enumerate(questions)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(lines), newline="\n", encoding="utf-8")

    assert desk(tmp_path / "log.csv").err == desk(tmp_path / "log.jsonl").err == ""
    stored = desk.stored()
    for form in "cj":
        mine = [one for one in stored if one.request.attributes["log.id"].startswith(form)]
        assert [one.request.question for one in mine] == questions


def test_progress_is_shown_at_a_terminal_only(write, tmp_path):
    """A bar for a long file, where somebody watches; nothing of it stays on the line or in a pipe."""
    path = write("log.jsonl", *({"id": f"r{n}", "question": "q?", "retrieved_ids": ["a"]} for n in range(1200)))

    said = {}
    for screen in (Screen, io.StringIO):
        out, err = io.StringIO(), screen()
        main(["import", str(path), "--directory", str(tmp_path / "data")], Terminal(out, err))
        said[screen] = err.getvalue()

    assert "█" in said[Screen]
    assert "% " in said[Screen]
    assert said[Screen].endswith("\r")
    assert said[io.StringIO] == ""
