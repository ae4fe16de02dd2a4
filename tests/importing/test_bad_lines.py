"""What cannot be read is named by file, line and reason; the rest goes on."""

from __future__ import annotations

import gzip
import json

GOOD = {"id": "r1", "question": "q?", "retrieved_ids": ["a", "b"], "time": "2026-11-29T10:00:00Z"}


def test_five_kinds_of_broken_lines(desk, write):
    """No JSON, no object, no UTF-8, no time, nothing in it, and the same request twice; three whole rows go in."""
    path = write(
        "log.jsonl",
        GOOD,
        b"{broken\n",
        b"[1, 2]\n",
        b'{"id": "r2", "question": "\xff"}\n',
        {**GOOD, "id": "r3", "time": "tomorrowish"},
        {"id": "r4", "time": "2026-11-29T10:00:00Z"},
        GOOD,
        {**GOOD, "id": "r5"},
        b"\n",
        {**GOOD, "id": "r6"},
    )

    done = desk(path)

    assert done.code == 1
    said = done.err.splitlines()
    expected = "it is no JSON (Expecting property name enclosed in double quotes at character 2)."
    assert f"goldrank: {path} line 2: {expected}" in said
    assert f"goldrank: {path} line 3: a JSON object was expected, it is a list." in said
    assert f"goldrank: {path} line 4: it is no JSON (byte 27 is not UTF-8: 0xff; --encoding names another one)." in said
    assert f"goldrank: {path} line 5: 'tomorrowish' is no time: write 2026-11-30T09:12:00+01:00." in said
    assert f"goldrank: {path} line 6: it has neither a question nor a list of hits." in said
    assert (
        f"goldrank: {path} line 7: the same request (id, question and time) stands in an earlier line already." in said
    )
    assert "goldrank: Not imported: 6 bad lines or files." in said
    assert "3 requests read; 3 new, 3 requests in the store." in done.out
    assert len(desk.stored()) == 3


def test_a_csv_row_of_another_width(desk, write):
    """A row with too few cells would put values under wrong names."""
    done = desk(write("log.csv", b"question,retrieved_ids,answer\nq1?,a|b,yes\nq2?,a\nq3?,b,no\n"))

    assert "line 3: it has 2 fields, the line of names has 3." in done.err
    assert [one.request.question for one in desk.stored()] == ["q1?", "q3?"]


def test_a_file_that_ends_inside_its_compression(desk, write):
    """What stands before the damage goes in; the damage is named."""
    rows = b"".join(json.dumps({**GOOD, "id": f"r{n}", "pad": "x" * 2000, "n": n}).encode() + b"\n" for n in range(400))
    whole = gzip.compress(rows)

    done = desk(write("log.jsonl.gz", whole[: len(whole) * 2 // 3]))

    assert done.code == 1
    assert "the file is damaged here" in done.err
    assert 0 < len(desk.stored()) < 400


def test_a_file_that_is_nothing_is_passed_over(desk, write):
    """In a folder of logs lies a picture; the logs go in, the picture is named."""
    write("logs/a.jsonl", GOOD)
    picture = write("logs/b.png", b"\x89PNG\r\n\x1a\n" + bytes(200))
    write("logs/c.jsonl", b"")

    done = desk(picture.parent)

    assert f"goldrank: {picture} is a picture: it cannot be imported." in done.err
    assert "c.jsonl is empty." in done.err
    assert (done.code, len(desk.stored())) == (1, 1)


def test_what_contradicts_itself_is_said(rows_of, write):
    """Ranks decide over the order of the list, and both are said; what fits nobody is left out."""
    path = write(
        "log.jsonl",
        {"question": "1", "bm25_ids": ["a", "b"], "bm25_ranks": [2, 1], "bm25_scores": [1, 2]},
        {"question": "2", "bm25_ids": ["a", "b"], "bm25_ranks": [1, 1], "bm25_scores": [1, 2]},
        {"question": "3", "bm25_ids": ["a", "b"], "bm25_ranks": [0, 1], "bm25_scores": [1, 2, 3]},
        {"question": "4", "bm25_ids": ["c", "d"], "bm25_ranks": [3, 4], "bm25_scores": None},
        {"question": "5", "bm25_ids": ["a", "b"], "bm25_ranks": [1, 3], "bm25_scores": None},
        {"question": "6", "bm25_ids": 7.5, "bm25_ranks": None, "bm25_scores": None},
    )
    found = rows_of(path)

    assert [row.stages[0].ids for row in found[:5]] == [("b", "a"), ("a", "b"), ("a", "b"), ("c", "d"), ("a", "—", "b")]
    assert found[0].remarks == ("bm25: the list is not in the order of its ranks; the ranks count",)
    assert found[1].remarks == ("bm25: a rank stands twice; the order of the list counts",)
    assert found[2].remarks == (
        "bm25: the lists of hits and of scores are not equally long; scores left out",
        "bm25: ranks begin at 0; they are counted from 1",
    )
    assert found[3].remarks == found[4].remarks == ("bm25: ranks are missing in the log",)


def test_missing_ranks_stay_missing(desk, write):
    """A list that begins at rank 3 begins at rank 3; a gap inside is a hit that is not known."""
    desk(
        write(
            "log.jsonl",
            {"id": "1", "question": "1?", "ids": ["c", "d"], "ranks": [3, 4], "time": "2026-11-29T10:00:00Z"},
            {"id": "2", "question": "2?", "ids": ["a", "b"], "ranks": [1, 3], "time": "2026-11-29T10:01:00Z"},
        )
    )

    first, second = (one.stages[0] for one in desk.stored())
    assert ([hit.rank for hit in first.hits], first.completeness.value, first.missing_top) == ([3, 4], "top_missing", 2)
    assert ([hit.rank for hit in second.hits if hit.chunk_id in "ab"]) == [1, 3]
    assert second.completeness.value == "partly_readable"
