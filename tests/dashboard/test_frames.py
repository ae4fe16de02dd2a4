"""What pages show, as rows: pure functions of what was recorded."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from goldrank.dashboard import amounts, links
from goldrank.dashboard.frames.chunk_names import ChunkNames
from goldrank.dashboard.frames.delivered import delivered_rows, delivered_title
from goldrank.dashboard.frames.prompt_parts import prompt_messages, prompt_parts
from goldrank.dashboard.frames.request_filter import in_words, request_filter
from goldrank.dashboard.frames.stage_lists import around_gold, first_rows, stage_lists
from goldrank.dashboard.frames.timings import timing_rows
from goldrank.dashboard.frames.word_diff import Change, word_diff
from goldrank.model import Outcome
from goldrank.store import RequestFilter

NOON = 1_795_953_600_000_000_000
"""29 November 2026, 12:00 UTC."""
HOUR = 3_600_000_000_000


def test_a_filter_goes_into_the_address_and_back():
    """What a list's address says is what the store is asked; unknown values filter nothing."""
    params = {
        "words": "refund",
        "verdict": "below cut",
        "status": "closed early",
        "labelled": "Labelled",
        "user": "u-1",
        "queue": "Cannot tell",
        "assigned": "bo",
    }
    which = request_filter(params, UTC, NOON)
    assert which == RequestFilter(
        words="refund",
        verdict="below_cut",
        outcome=Outcome.CLOSED_EARLY,
        labelled=True,
        user="u-1",
        queue="cannot_tell",
        assigned_to="bo",
        replays=False,
    )
    nonsense = {"verdict": "nonsense", "status": "x", "time": "y", "queue": "z", "replays": "?"}
    assert request_filter(nonsense, UTC, NOON) == RequestFilter(replays=False)
    assert links.unpacked(links.packed(params)) == params


def test_days_are_those_of_the_zone():
    """Today begins at midnight; a last day is included; seven days are today and six before."""
    assert request_filter({"time": "Today"}, UTC, NOON).since_ns == NOON - 12 * HOUR
    yesterday = request_filter({"time": "Yesterday"}, UTC, NOON)
    assert (yesterday.since_ns, yesterday.until_ns) == (NOON - 36 * HOUR, NOON - 12 * HOUR)
    week = request_filter({"time": "Last 7 days"}, UTC, NOON)
    assert week.since_ns == NOON - (6 * 24 + 12) * HOUR
    days = request_filter({"time": "Days …", "from": "2026-11-28", "to": "2026-11-28"}, UTC, NOON)
    assert (days.since_ns, days.until_ns) == (NOON - 36 * HOUR, NOON - 12 * HOUR)


def test_a_filter_is_said_in_words():
    """The request's page says which list it belongs to."""
    assert in_words({"verdict": "demoted", "words": "refund", "time": "Any time"}) == "words refund · verdict demoted"
    assert in_words({"queue": "Open", "assigned": "bo", "replays": "Left out"}) == "queue Open · assigned to bo"
    assert in_words({}) == ""


def test_ids_lose_what_all_share_and_are_cut_in_the_middle():
    """What tells ids apart stays: a shared path goes, head and tail remain."""
    names = ChunkNames(["kb/docs/a#one", "kb/docs/b#two"])
    assert names.short("kb/docs/a#one", 200) == "a#one"
    long = ChunkNames(["x"]).short("beginning-" + "m" * 60 + "-the-end", 138)
    assert long.startswith("beginn")
    assert long.endswith("-the-end")
    assert "…" in long
    assert ChunkNames(["only/one"]).short("only/one", 200) == "only/one"
    assert ChunkNames(["aa", "ab"]).short("aa", 200) == "aa"


def test_lists_show_the_change_of_rank_against_the_best_parent(desk: Any):
    """Retrievers have scores only; after a fusion a rank rose, fell or stayed against the best leg."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    view = desk.view("demoted")
    lists = {one.name: one for one in stage_lists(view.recorded, view.diagnosis)}
    assert list(lists) == ["bm25", "dense", "rrf", "rerank", "prompt"]
    assert not lists["bm25"].has_changes
    gold = next(row for row in lists["rrf"].rows if row.chunk_id == desk.GOLD)
    assert (gold.rank, gold.change) == (4, "▼3")
    assert lists["rerank"].gold_ranks == (9,)
    assert lists["bm25"].note == "50 hits of 50 asked · 9.0 ms"
    assert len(first_rows(lists["bm25"])) == 10
    assert [row.rank for row in around_gold(lists["rerank"])] == [5, 6, 7, 8, 9, 10, 11, 12, 13]


def test_new_is_only_said_where_the_parents_are_whole(desk: Any):
    """A chunk that stands in no parent list is new, unless that list is incomplete: then nobody knows."""
    desk.record_scenes("incomplete")
    desk.label("incomplete")
    view = desk.view("incomplete")
    lists = {one.name: one for one in stage_lists(view.recorded, view.diagnosis)}
    assert "new" not in {row.change for row in lists["rerank"].rows}
    assert "?" in {row.change for row in lists["rerank"].rows}
    assert lists["bm25"].trouble == "ranks 1–27 missing"
    assert lists["rrf"].trouble == "cut after rank 20 of 50"


def test_a_failed_stage_keeps_its_place(desk: Any):
    """A stage that failed has no list and says so."""
    desk.record_scenes("twelve_stages")
    view = desk.view("twelve_stages")
    lists = {one.name: one for one in stage_lists(view.recorded, view.diagnosis)}
    assert lists["graph neighbours"].trouble == "failed"
    assert lists["graph neighbours"].rows == ()
    assert lists["keywords"].note.startswith("0 hits of 20 asked")


def test_delivered_chunks_say_where_they_came_from(desk: Any):
    """Each chunk of the prompt names its ranks in the retrievers' lists."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    view = desk.view("demoted")
    rows = delivered_rows(view.recorded, view.diagnosis)
    assert [row.position for row in rows] == [1, 2, 3, 4, 5]
    first = rows[0]
    bm25 = {
        hit.chunk_id: hit.rank for stage in view.recorded.stages if stage.name == "bm25" for hit in stage.hits or ()
    }
    assert (f"bm25 {bm25.get(first.chunk_id)}" in first.came_from) is (first.chunk_id in bm25)
    assert delivered_title(view.diagnosis) == "Delivered instead"


def test_the_prompt_is_cut_at_its_chunks(desk: Any):
    """System text, chunk, text, chunk ... user: nothing is lost and nothing is doubled."""
    desk.record_scenes("demoted")
    view = desk.view("demoted")
    messages = prompt_messages(view.recorded, view.diagnosis.context)
    parts = prompt_parts(messages, view.diagnosis.context)
    assert [part.entry.position for part in parts if part.entry] == [1, 2, 3, 4, 5]
    assert parts[0].text.startswith("Answer from these.")
    assert parts[-1].role == "user"
    whole = "".join(message.text for message in messages)
    assert sum(len(part.text.strip()) for part in parts) <= len(whole)
    assert all(part.text in whole for part in parts)


def test_words_that_went_and_came_are_told_apart():
    """A rewrite is shown as what it took away and what it added."""
    runs = word_diff("what about annual plans?", "refund window annual plans?")
    assert [(run.change, run.text) for run in runs] == [
        (Change.GONE, "what about"),
        (Change.NEW, "refund window"),
        (Change.KEPT, "annual plans?"),
    ]


def test_timings_count_from_the_requests_start(desk: Any):
    """A stage without an end says so instead of a number."""
    desk.record_scenes("demoted")
    rows = timing_rows(desk.view("demoted").recorded)
    assert (rows[0].stage, rows[0].began_ms, rows[0].took) == ("rewrite", 0.0, "9.0")
    assert rows[1].began_ms == 10.0


@pytest.mark.parametrize(
    ("ids", "common"),
    [
        (["kb#0", "kb#1", "kb#12"], ""),
        (["docs/kb#0", "docs/kb#1"], "docs/"),
        (["docs/kb#a", "docs/kb#b"], "docs/kb#"),
        (["docs/a#0", "docs/b#1"], "docs/"),
        (["docs/", "docs/a"], ""),
    ],
)
def test_a_place_in_a_document_is_no_name(ids, common):
    """Beside a column of ranks a bare 0 would be read as one of them."""
    assert ChunkNames(ids).common == common


def test_what_lasted_nothing_has_no_duration():
    """A log without a latency: 0.0 ms would be a measurement that nobody made."""
    assert (amounts.milliseconds(0.0), amounts.took(0.0)) == ("", "duration not recorded")
    assert (amounts.milliseconds(None), amounts.took(None)) == ("", "no end received")
    assert (amounts.milliseconds(0.04), amounts.took(12.4)) == ("0.0", "12 ms")
