"""What each key of an expectation means for a report of the adapter: one small function a key."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from fixes import fix_in
from goldrank.dashboard.times import day_range, minute
from goldrank.evals.replay import PinChoice
from goldrank.model import normalise_question
from seen import NotExpressible, Seen

Check = Callable[[Seen, Any], None]
CHECKS: dict[str, Check] = {}
"""Key of an expectation -> how a report is held to it; it raises AssertionError where they differ."""


NAMED: list[tuple[re.Pattern[str], Callable[..., None]]] = []
"""The same for keys that name a chunk, a day, a number: what the pattern's groups hold comes as further arguments."""


def find_check(key: str) -> Check:
    """The check of a key. LookupError where there is none."""
    if key in CHECKS:
        return CHECKS[key]
    for pattern, function in NAMED:
        found = pattern.fullmatch(key)
        if found is not None:
            return lambda seen, expected: function(seen, expected, *found.groups())
    raise LookupError(f"there is no check of {key}")


def named_check(pattern: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a check under all keys of a form."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        NAMED.append((re.compile(pattern), function))
        return function

    return register


def check(*keys: str) -> Callable[[Check], Check]:
    """Registers a check under its keys."""

    def register(function: Check) -> Check:
        for key in keys:
            assert key not in CHECKS, f"two checks of {key}"
            CHECKS[key] = function
        return function

    return register


# Requests and their spans.


@check("traces")
def _traces(seen: Seen, expected: int) -> None:
    assert seen.result["listed"]["stored"] == expected


@check("root")
def _root(seen: Seen, expected: str) -> None:
    assert seen.request["root"] == expected


@check("children")
def _children(seen: Seen, expected: list[str]) -> None:
    assert [stage["name"] for stage in seen.request["stages"] if stage["parent"] is None] == expected


@check("children_set")
def _children_set(seen: Seen, expected: list[str]) -> None:
    assert sorted(stage["name"] for stage in seen.request["stages"] if stage["parent"] is None) == sorted(expected)


@check("children_count")
def _children_count(seen: Seen, expected: int) -> None:
    assert len(seen.request["stages"]) == expected


@check("output")
def _output(seen: Seen, expected: str) -> None:
    assert seen.request["answer"] == expected


@check("output_prefix")
def _output_prefix(seen: Seen, expected: str) -> None:
    assert (seen.request["answer"] or "").startswith(expected)


@check("root_duration_ms_at_least")
def _root_duration(seen: Seen, expected: float) -> None:
    assert seen.request["duration_ms"] >= expected


@check("status", "root_status")
def _status(seen: Seen, expected: str) -> None:
    assert seen.request["status"] == expected
    assert [row["status"] for row in seen.rows] == [expected]


@check("child_status")
def _child_status(seen: Seen, expected: str) -> None:
    assert {stage["status"] for stage in seen.request["stages"]} == {expected}


@check("not_status")
def _not_status(seen: Seen, expected: list[str]) -> None:
    assert seen.request["status"] not in expected


@check("counted_as_failed_answer")
def _counted_as_failed(seen: Seen, expected: bool) -> None:
    assert (seen.request["status"] == "error") is expected


@check("counted_as_ok")
def _counted_as_ok(seen: Seen, expected: bool) -> None:
    assert (seen.request["status"] == "ok") is expected


@check("no_log_from")
def _no_log_from(seen: Seen, expected: str) -> None:
    assert [line for line in seen.result["log"] if line["logger"].startswith(expected)] == []
    assert expected not in seen.result["stderr"]


@check("open_spans_left")
def _open_spans(seen: Seen, expected: int) -> None:
    assert seen.result["spans_started"] > 0
    assert seen.result["spans_started"] - seen.result["spans_ended"] == expected
    assert [stage["name"] for stage in seen.request["stages"] if stage["no_end"]] == []


@check("spans_lost")
def _spans_lost(seen: Seen, expected: int) -> None:
    assert seen.result["spans_started"] > 0
    assert seen.result["spans_started"] - seen.result["spans_stored"] == expected


@check("shown_as")
def _shown_as(seen: Seen, expected: str) -> None:
    provisional = [request for request in seen.requests if request["provisional"]]
    assert provisional
    assert {request["missing"][0] for request in provisional} == {expected}


@check("questions_by_child")
def _questions_by_child(seen: Seen, expected: list[str]) -> None:
    assert sorted(stage["query"] for stage in seen.request["stages"]) == expected


@check("each_child_has_only_its_own_hits")
def _own_hits(seen: Seen, _expected: bool) -> None:
    for stage in seen.request["stages"]:
        assert [hit["id"].split("-")[0] for hit in stage["hits"]] == [stage["query"]]


@check("cancel_reaches_caller", "app_error")
def _no_app_error(seen: Seen, _expected: object) -> None:
    assert seen.result["error"] is None
    assert seen.result["exit_code"] == 0


@check("return", "sys.exit", "exception", "sigterm")
def _kept(seen: Seen, expected: int) -> None:
    assert seen.result["listed"]["stored"] == expected


@check("os._exit")
def _opens(seen: Seen, _expected: str) -> None:
    assert seen.result["bad_frames"] == 0


@check("exit_code_unchanged")
def _exit_codes(seen: Seen, _expected: bool) -> None:
    for run in seen.result["runs"].values():
        assert run["exit_code"] == run["exit_code_plain"]


@check("stored_plus_counted_dropped")
def _stored_or_counted(seen: Seen, expected: int) -> None:
    dropped = sum(seen.result["drops"].values())
    assert seen.result["spans_started"] >= expected
    assert seen.result["spans_stored"] + dropped == seen.result["spans_started"]
    if not dropped:
        assert seen.result["listed"]["stored"] == expected


@check("app_seconds_at_most")
def _app_seconds(seen: Seen, expected: float) -> None:
    assert seen.result["returned"] <= expected * _crowd(), f"{seen.result['returned']:.1f} s"


def _crowd() -> float:
    """How many processes share a core just now: a ceiling of seconds is meant for an app that has one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


# Lists.


@check("hits_stored")
def _hits_stored(seen: Seen, expected: int) -> None:
    assert [len(stage["hits"]) for stage in seen.lists] == [expected]


@check("question_kept")
def _question_kept(seen: Seen, _expected: bool) -> None:
    assert seen.request["question"]


@check("last_hit")
def _last_hit(seen: Seen, expected: str) -> None:
    assert seen.lists[0]["hits"][-1]["id"] == expected


@check("truncated")
def _truncated(seen: Seen, expected: bool) -> None:
    assert (seen.lists[0]["completeness"] == "truncated") is expected


@check("scores_are_numbers")
def _scores(seen: Seen, expected: list[float]) -> None:
    assert [hit["score"] for hit in seen.lists[0]["hits"]] == expected


@check("ids_as_text")
def _ids(seen: Seen, expected: list[str]) -> None:
    assert [hit["id"] for hit in seen.lists[0]["hits"]] == expected


@check("stored_argument_chars_at_most")
def _argument_chars(seen: Seen, expected: int) -> None:
    assert 0 < seen.result["largest_attributes_chars"] <= expected


@check("arguments_changed", "deepcopy_calls")
def _as_without_tracing(seen: Seen, _expected: object) -> None:
    assert (seen.result["error"], seen.result["returned"]) == (None, None)


# Ranks.


def _gold_named(seen: Seen) -> str | None:
    """The gold chunk that a program names beside its expectation."""
    expected = getattr(seen.module, "EXPECT", {})
    return getattr(seen.module, "GOLD", None) or expected.get("gold")


@check("gold_rank")
def _gold_rank(seen: Seen, expected: Any) -> None:
    if isinstance(expected, dict):
        for name, rank in expected.items():
            _rank_at(seen, name, rank)
    elif seen.result.get("kind") == "re-indexed":
        assert seen.result["cases"][0]["gold_rank"] == expected
    elif _gold_named(seen) is not None:
        ranks = [
            hit["rank"]
            for request in seen.requests
            for stage in request["stages"]
            for hit in stage["hits"] or ()
            if hit["id"] == _gold_named(seen)
        ]
        assert set(ranks) == {expected}
    elif seen.request["gold"]:
        assert list(seen.request["gold_ranks"].values())[-1] == expected
    else:
        ids = [hit["id"] for hit in seen.lists[0]["hits"]]
        assert expected <= len(ids)
        assert [hit["rank"] for hit in seen.lists[0]["hits"]] == list(range(1, len(ids) + 1))


def _rank_at(seen: Seen, name: str, rank: int | None) -> None:
    """A stage's name, the context, or (where several were asked) a question."""
    by_question = {request["question"]: request for request in seen.requests}
    if name in by_question:
        assert list(by_question[name]["gold_ranks"].values())[-1] == rank
    elif name == "context":
        assert [gold["position"] for gold in seen.request["gold"]] == [rank]
    else:
        assert seen.request["gold_ranks"][name] == rank


@check("gold_ranks")
def _gold_ranks(seen: Seen, expected: dict[str, int | None]) -> None:
    for name, rank in expected.items():
        assert seen.request["gold_ranks"][name] == rank


@check("gold_in_context")
def _gold_in_context(seen: Seen, expected: bool) -> None:
    assert seen.request["gold_in_context"] is expected


VERDICTS: dict[str, tuple[str, str | None]] = {
    "lost at step 'threshold'": ("filtered", "threshold"),
    "not retrieved in the top 5 by the dense step": ("not_retrieved", "dense"),
    "an out-of-date version of the same page is ranked above": ("below_cut", "rerank"),
    "the row with the answer was cut off from its header": ("not_retrieved", "dense, keyword"),
    "the last message was searched alone": ("not_retrieved", "keyword"),
    "one of two needed passages found": ("partly_found", "dense"),
    "found, ranked, but not in the prompt": ("dropped_from_prompt", "context"),
    "the reply 'yes' was searched as it is": ("not_retrieved", "keyword"),
    "the search text was four questions glued together": ("delivered", None),
}
"""How the verdict of a case begins -> what goldrank calls it, and the stage."""


@check("verdict")
def _verdict(seen: Seen, expected: str) -> None:
    wanted = next((wanted for start, wanted in VERDICTS.items() if expected.startswith(start)), None)
    if wanted is None:
        raise NotExpressible(f"which verdict is meant by {expected!r} is not known")
    assert (seen.request["verdict"], seen.request["stage"]) == wanted
    for number in re.findall(r"\d\.\d+", expected):
        assert number in seen.request["sentence"]
    if "out-of-date" in expected:
        ranked = [hit["id"] for hit in seen.lists[0]["hits"][:2]]
        assert ["superseded" in seen.request["marks"][chunk_id] for chunk_id in ranked] == [True, True]
    if "searched" in expected:
        assert seen.lists[0]["query"] == seen.request["question"]
        assert seen.request["history"]
    if "search text" in expected:
        assert seen.lists[0]["query"] != seen.request["question"]


@check("gold_rank_fused")
def _gold_rank_fused(seen: Seen, expected: int) -> None:
    assert seen.request["gold_ranks"]["fused"] == expected


@check("ties_marked")
def _ties(seen: Seen, _expected: bool) -> None:
    assert re.search(r"equal|tie", _said(seen))


@check("first_gold_rank_as_listed")
def _first_listed(seen: Seen, expected: int) -> None:
    assert min(rank for rank in seen.request["gold_ranks"].values() if rank) == expected


@check("first_gold_rank_distinct")
def _first_distinct(seen: Seen, expected: int) -> None:
    assert min(rank for rank in seen.request["gold_ranks_distinct"].values() if rank) == expected


@named_check(r"rank_of_(.+)_as_listed")
def _rank_listed(seen: Seen, expected: int, name: str) -> None:
    assert _ranks_of(seen, name)["listed"] == expected


@named_check(r"rank_of_(.+)_distinct")
def _rank_distinct(seen: Seen, expected: int, name: str) -> None:
    assert _ranks_of(seen, name)["distinct"] == expected


def _ranks_of(seen: Seen, name: str) -> dict[str, Any]:
    gold = next(gold for gold in seen.request["gold"] if gold["name"] == name)
    (ranks,) = gold["ranks"].values()
    found: dict[str, Any] = ranks
    return found


@check("duplicates_marked")
def _duplicates(seen: Seen, expected: list[str]) -> None:
    for text in expected:
        chunk_id, times = text.split(" x")
        assert re.search(rf"\b{chunk_id}\b.*\b{times}\b", _said(seen))


def _said(seen: Seen) -> str:
    """Everything that is said of the request beside its verdict."""
    request = seen.request
    notes = [note for gold in request["gold"] for note in gold["notes"]]
    return "\n".join([*request["list_notes"], *request["modifiers"], *notes, *request["warnings"]])


@check("not_credited")
def _not_credited(seen: Seen, expected: str) -> None:
    chunk_id, rank = re.fullmatch(r"(\S+) at rank (\d+)", expected).groups()  # type: ignore[union-attr]
    assert seen.hit(chunk_id)["rank"] == int(rank)
    assert int(rank) not in seen.request["gold_ranks"].values()


@check("note_shown")
def _note_shown(seen: Seen, expected: str) -> None:
    rank = re.search(r"rank \d+", expected)
    assert rank is not None
    assert any(
        rank.group().lower() in note.lower() and "same text" in note for note in seen.request["gold"][0]["notes"]
    )


@check("match")
def _match(seen: Seen, expected: str) -> None:
    assert expected.removeprefix("by ") in _ranks_of(seen, seen.request["gold"][0]["name"])["matched_by"]


@named_check(r"score_of_(.+)")
def _score_of(seen: Seen, expected: dict[str, float], name: str) -> None:
    gold = next(gold for gold in seen.request["gold"] if gold["name"] == name)
    assert {stage: gold["ranks"][stage]["score"] for stage in expected} == expected


@check("scores_of_different_stages_never_mixed")
def _scores_apart(seen: Seen, _expected: bool) -> None:
    for stage in seen.lists:
        assert len({hit["id"] for hit in stage["hits"]}) == len(stage["hits"])
    for gold in seen.request["gold"]:
        scores = [point["score"] for point in gold["ranks"].values() if point["score"] is not None]
        assert len(set(scores)) == len(scores)


@check("listed_order")
def _listed_order(seen: Seen, expected: str) -> None:
    ids = [hit["id"] for hit in seen.lists[0]["hits"]]
    assert expected.startswith(", ".join(ids))


@check("first_missing_stage")
def _first_missing(seen: Seen, expected: str) -> None:
    assert seen.request["stage"] == expected


@check("empty_context_marked")
def _empty_context(seen: Seen, _expected: bool) -> None:
    assert seen.request["context"] == {"source": "declared", "chunk_ids": []}


@check("level")
def _level(seen: Seen, expected: str) -> None:
    assert {gold["level"] for gold in seen.request["gold"]} == {expected}


@check("warning")
def _warning(seen: Seen, expected: str) -> None:
    assert expected in _said(seen)


@check("ratio")
def _ratio(seen: Seen, expected: float) -> None:
    """In the words of the warning: about twice, about 3.1 times."""
    assert ("about twice" if 1.9 <= expected <= 2.1 else f"about {expected:.1f} times") in _said(seen)


@check("first_gold_rank_documents")
def _first_document(seen: Seen, expected: int) -> None:
    ranks = [point["document"] for gold in seen.request["gold"] for point in gold["ranks"].values()]
    assert min(rank for rank in ranks if rank is not None) == expected


@check("share_of_top10_by_document")
def _shares(seen: Seen, expected: dict[str, int]) -> None:
    (note,) = [note for note in seen.request["list_notes"] if "by document" in note]
    assert {name: int(number) for name, number in re.findall(r"(\S+) (\d+)(?=,| and| of)", note)} == expected


@check("rule")
def _recorded_order(seen: Seen, _expected: str) -> None:
    """Ties are said to stand as they were recorded, and do."""
    assert seen.path is not None
    (stage,) = json.loads(seen.path.read_text(encoding="utf-8"))["stages"]
    assert [hit["id"] for hit in seen.lists[0]["hits"]] == [hit["id"] for hit in stage["hits"]]
    assert "the recorded order decides" in _said(seen)


@check("first_gold_rank_chunks")
def _first_chunk(seen: Seen, expected: int) -> None:
    assert min(rank for rank in seen.request["gold_ranks"].values() if rank) == expected


@check("shown")
def _shown(seen: Seen, expected: Any) -> None:
    if isinstance(expected, str):
        _shown_moved(seen, expected)
        return
    states = Counter(_state(request) for request in seen.result["requests"])
    assert {name: states[name] for name in expected} == expected


def _state(request: dict[str, Any] | None) -> str:
    if request is None:
        return "not_run"
    (stage,) = request["stages"]
    if stage["status"] == "error":
        return "failed"
    return "answered" if stage["hits"] else "empty"


def _shown_moved(seen: Seen, expected: str) -> None:
    """ "label moved: faq#1 -> faq#2 (same text); faq#1 is now something else"."""
    old, new = re.findall(r"\S+#\d+", expected)[:2]
    assert f"{old} -> {new}, same text" in seen.result["relinked"]


# Replays.


def _searched(request: dict[str, Any]) -> set[str | None]:
    """The queries that retrievers were given."""
    return {stage["query"] for stage in request["stages"] if stage["kind"] == "retrieve"}


@check("fix_that_helps")
def _fix_that_helps(seen: Seen, expected: str) -> None:
    """Run again as recorded, nothing is better; with the fix alone, a gold comes to the rank that is promised."""
    fix = fix_in(expected)
    again = seen.replay(pins=PinChoice.REWRITE)
    assert again["request"]["gold_ranks"] == seen.request["gold_ranks"]
    assert all(then == now for then, now in again["golds"].values())
    fixed = seen.replay(overrides=fix.overrides)
    better = [name for name, (then, now) in fixed["golds"].items() if now == fix.rank != then]
    assert better, f"{fix.overrides}: {fixed['golds']}"


@check("replay_uses")
def _replay_uses(seen: Seen, expected: str) -> None:
    """The app is given the recorded history; its own rewrite runs, or gives the recorded one where that is pinned."""
    live, kept = seen.replay(), seen.replay(pins=PinChoice.REWRITE)
    assert live["request"]["history"] == kept["request"]["history"] == seen.request["history"]
    if "history" in expected:
        assert seen.request["history"]
    if "rewrite" in expected:
        rewritten = [
            query for stage in seen.request["stages"] if stage["kind"] == "rewrite" for query in stage["queries"]
        ]
        asked = seen.request["history"][0]
        assert all(asked in str(query) for query in _searched(live["request"])), "its rewrite was given the history"
        assert (live["pinned"], kept["pinned"]) == ([], ["rewrite"])
        assert _searched(kept["request"]) == set(rewritten)


# Re-indexed.


@named_check(r"case_\d+")
def _case(seen: Seen, expected: dict[str, Any]) -> None:
    ranks = {"gold_rank", "relinked"} <= set(expected)
    case = next(
        one
        for one in seen.result["cases"]
        if (one["gold_rank"] == expected.get("gold_rank") if ranks else one["state"] == "stale")
        and (not ranks or re.findall(r"-> (\w+)", expected["relinked"]) == one["relinked"])
    )
    if "scored" in expected:
        assert case["scored"] is expected["scored"]
        assert case["similar"][0] in expected["suggest"]
    if ranks:
        assert any("same text" in note for note in case["notes"])
        assert not any("something else" in note for note in case["notes"]), "the old id is gone, not taken"


@check("summary")
def _summary(seen: Seen, expected: str) -> None:
    stale, all_of_them = re.findall(r"\d+", expected)
    assert sum(case["state"] == "stale" for case in seen.result["cases"]) == int(stale)
    assert len(seen.result["cases"]) == int(all_of_them)


@check("left_over_ids")
def _left_over(seen: Seen, _expected: str) -> None:
    """Ids that were there before, are in no chunk of after, and still answer."""
    known = seen.case_file
    before, after = ({chunk["id"] for chunk in known[when]} for when in ("before", "after"))
    wanted = [
        hit["id"]
        for case in seen.result["cases"]
        for stage in case["stages"]
        for hit in stage["hits"] or ()
        if hit["id"] in before - after
    ]
    if not wanted:
        raise NotExpressible("the case has no id that is left over")
    notes = "\n".join(note for case in seen.result["cases"] for note in case["list_notes"])
    assert [one for one in wanted if not re.search(rf"{re.escape(one)}\b.* left over", notes)] == []


# Ids.


@check("ids")
def _derived(seen: Seen, _expected: str) -> None:
    first, second = seen.requests
    hits = first["stages"][0]["hits"]
    assert {hit["id_source"] for hit in hits} == {"derived"}
    assert hits[1]["id"] == second["stages"][0]["hits"][0]["id"]


@check("distinct_ids_in_q1")
def _distinct_ids(seen: Seen, expected: int) -> None:
    assert len({hit["id"] for hit in seen.requests[0]["stages"][0]["hits"]}) == expected


@check("rank_of_each")
def _rank_of_each(seen: Seen, expected: list[tuple[int | None, str | None]]) -> None:
    for request, (rank, warning) in zip(seen.requests, expected, strict=True):
        assert list(request["gold_ranks"].values()) == [rank]
        notes = "\n".join(request["gold"][0]["notes"])
        assert (warning or "") in notes
        assert bool(notes) is (warning is not None)


# Span lines.


HALF_A_PAIR = re.compile("[\ud800-\udfff]")
"""A surrogate of a text as Python holds it, where whole pairs are one character."""


@check("batch_rejected")
def _batch_rejected(seen: Seen, expected: bool) -> None:
    assert bool(seen.result["bad_frames"]) is expected


@named_check(r"hits_in_trace_(\d+)")
def _hits_in_trace(seen: Seen, expected: int, number: str) -> None:
    """Traces are numbered as they come first in the file."""
    assert len(seen.requests[int(number) - 1]["stages"][0]["hits"]) == expected


@check("hits")
def _hits(seen: Seen, expected: int) -> None:
    assert len(seen.lists[0]["hits"]) == expected


@check("healthy_trace_unchanged")
def _healthy(seen: Seen, _expected: bool) -> None:
    healthy = [one for one in seen.requests if not _torn(seen, one["trace_id"])]
    assert healthy
    assert not any(one["repaired"] for one in healthy)
    assert "\ufffd" not in json.dumps(healthy, ensure_ascii=False)


def _torn(seen: Seen, trace_id: str) -> bool:
    """Whether a line of the trace holds half a pair."""
    lines = (json.dumps(line, ensure_ascii=False) for line in seen.lines if line["trace_id"] == trace_id)
    return any("\ud800" <= one <= "\udfff" for line in lines for one in line)


@check("emoji_kept")
def _emoji(seen: Seen, expected: str) -> None:
    hits = [hit for request in seen.requests for stage in request["stages"] for hit in stage["hits"] or ()]
    assert expected in [hit["text"] for hit in hits]


@check("bad_unit_replaced_by")
def _replaced(seen: Seen, expected: str) -> None:
    by_trace = {request["trace_id"]: request for request in seen.requests}
    for line in seen.lines:
        request, given = by_trace[line["trace_id"]], line["attributes"]
        if "question" in given:
            assert request["question"] == HALF_A_PAIR.sub(expected, given["question"])
        kept = {hit["id"]: hit["text"] for stage in request["stages"] for hit in stage["hits"] or ()}
        for hit in given.get("hits", ()):
            if "text" in hit:
                assert kept[HALF_A_PAIR.sub(expected, hit["id"])] == HALF_A_PAIR.sub(expected, hit["text"])


@check("marked_repaired")
def _marked_repaired(seen: Seen, expected: bool) -> None:
    assert seen.requests[0]["repaired"] is expected


@check("exports_are_valid_utf8")
def _valid_utf8(seen: Seen, _expected: bool) -> None:
    json.dumps(seen.result, ensure_ascii=False).encode("utf-8")


@check("after_first_line")
def _after_first_line(seen: Seen, expected: dict[str, Any]) -> None:
    rows = seen.result["after_each_line"][0]["rows"]
    assert bool(rows) is expected["trace_listed"]
    assert rows[0][expected["marked"]] is True


@check("at_end")
def _at_end(seen: Seen, expected: dict[str, Any]) -> None:
    for name, wanted in expected.items():
        request = seen.trace(int(name.removeprefix("trace_")))
        assert request["root"] == wanted["root"]
        if "spans" in wanted:
            assert request["spans"] == wanted["spans"]
        if "orphan" in wanted:
            orphans = [stage["name"] for stage in request["stages"] if stage["parent_missing"]]
            assert orphans == [wanted["orphan"]]
        if "question" in wanted:
            assert request["question"] is None
        assert request["missing"] == [wanted["marked"].replace("one ", "1 ")]


@check("steps")
def _loads_after_each_line(seen: Seen, _expected: list[str]) -> None:
    assert seen.path is not None
    lines = [line for line in seen.path.read_text(encoding="utf-8").split("\n") if line.strip()]
    after = seen.result["after_each_line"]
    assert len(after) == len(lines)
    assert all(listed["stored"] >= 1 and len(listed["rows"]) == listed["stored"] for listed in after)


@check("never")
def _no_odd_duration(seen: Seen, _expected: str) -> None:
    """None is negative, and none is longer than the day on which all of it happened."""
    durations = [seen.request["duration_ms"], *(stage["duration_ms"] for stage in seen.request["stages"])]
    assert [one for one in durations if one is not None and not 0 <= one < 86_400_000] == []


@check("stage_order")
def _stage_order(seen: Seen, expected: list[str]) -> None:
    names = [stage["name"] for stage in seen.requests[0]["stages"]]
    assert [name for name in names if name in expected] == expected


@check("durations_ms")
def _durations(seen: Seen, expected: dict[str, float | None]) -> None:
    found = {stage["name"]: stage["duration_ms"] for stage in seen.request["stages"]}
    found[seen.request["root"]] = seen.request["duration_ms"]
    assert found == expected


@check("flag_clock")
def _clock(seen: Seen, expected: list[str]) -> None:
    assert [stage["name"] for stage in seen.request["stages"] if stage["clock"]] == expected


@check("flag_no_end")
def _no_end(seen: Seen, expected: list[str]) -> None:
    assert [stage["name"] for stage in seen.request["stages"] if stage["no_end"]] == expected


@check("listed_under_day")
def _listed_under(seen: Seen, expected: str) -> None:
    day = datetime.fromtimestamp(seen.rows[0]["start_ns"] / 1e9, UTC).date()
    assert expected.startswith(day.isoformat())


# Sizes and times. Seconds are generous ceilings: these are no measurements.


@check("small_traces_complete")
def _small_complete(seen: Seen, _expected: bool) -> None:
    sizes = [request["stages"][-1]["prompt_chars"] or 0 for request in seen.requests]
    small = [one for one, size in zip(seen.requests, sizes, strict=True) if size < max(sizes)]
    assert small
    assert [one["missing"] for one in small] == [[]] * len(small)
    assert {len(one["stages"]) for one in seen.requests} == {len(small[0]["stages"])}


@check("list_page_seconds_at_most", "list_seconds_at_most")
def _list_seconds(seen: Seen, expected: float) -> None:
    assert seen.result["listed"]["seconds"] <= expected * _crowd()


@check("list_page_bytes_at_most")
def _list_bytes(seen: Seen, expected: int) -> None:
    assert seen.result["listed"]["bytes"] <= expected


@check("huge_trace")
def _huge(seen: Seen, _expected: str) -> None:
    assert seen.module is not None
    wanted = max(len(line["attributes"].get("prompt", "")) for line in seen.module.rows())
    assert max(request["stages"][-1]["prompt_chars"] for request in seen.requests) == wanted


@check("gold")
def _gold(seen: Seen, expected: str) -> None:
    ids = {hit["id"] for request in seen.requests for stage in request["stages"] for hit in stage["hits"] or ()}
    assert expected in ids


@check("open_large_trace_seconds_at_most")
def _open_seconds(seen: Seen, expected: float) -> None:
    assert max(request["open_seconds"] for request in seen.requests) <= expected * _crowd()


@check("gold_rank_in_last_search")
def _last_search(seen: Seen, expected: int) -> None:
    large = max(seen.requests, key=lambda request: request["spans"])
    last = [stage for stage in large["stages"] if stage["hits"]][-1]
    assert last["hits"][expected - 1]["id"].endswith(f"-{expected - 1}")


@check("note")
def _note(seen: Seen, expected: str | None) -> None:
    spans = re.search(r"of ([\d,]+) spans", expected or "")
    if expected and "rewrite" in expected:
        assert seen.request["question"]
        queries = {query for stage in seen.request["stages"] for query in (stage["query"], *stage["queries"]) if query}
        assert queries - {seen.request["question"]}, "the recorded rewrite stands beside the question"
    if expected and "replay must allow either" in expected:
        kept, raw = seen.replay(pins=PinChoice.REWRITE), seen.replay(overrides=("rewrite=off",))
        assert _searched(kept["request"]) == _searched(seen.request)
        assert _searched(raw["request"]) == {seen.request["question"]}
    if expected and "prompt" in expected:
        assert seen.request["context"]["chunk_ids"], "what was sent is recorded"
    if spans is not None:
        large = max(seen.requests, key=lambda request: request["spans"])
        assert large["spans"] == int(spans.group(1).replace(",", ""))
        assert large["spans_shown"] < large["spans"]


@check("browser_table_rows_at_most")
def _table_rows(seen: Seen, expected: int) -> None:
    assert len(seen.rows) <= expected
    assert max(request["spans_shown"] for request in seen.requests) <= expected


@check("utc")
def _utc(seen: Seen, expected: list[str]) -> None:
    starts = [_iso(row["start_ns"]) for row in reversed(seen.rows)]
    assert starts == expected


def _iso(at_ns: int) -> str:
    seconds, rest = divmod(at_ns, 1_000_000_000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{rest:09}Z" if rest else f"{text}Z"


def _on_day(seen: Seen, zone: str, day: str) -> int:
    first, last = day_range(date.fromisoformat(day), date.fromisoformat(day), ZoneInfo(zone))
    return sum(first <= row["start_ns"] < last for row in seen.rows)


ZONES = {"berlin": "Europe/Berlin", "tokyo": "Asia/Tokyo", "utc": "UTC"}
"""Zones whose cities stand in keys; any other is looked for by its city."""


def _zone_of(city: str) -> str:
    return ZONES.get(city) or next(zone for zone in available_timezones() if zone.lower().endswith(f"/{city}"))


@named_check(r"filter_(\d+)_([a-z]{3})_(\w+)")
def _filtered_day(seen: Seen, expected: int, number: str, month: str, city: str) -> None:
    """The year is that of the requests."""
    year = datetime.fromtimestamp(seen.rows[0]["start_ns"] / 1e9, UTC).year
    day = datetime.strptime(f"{number} {month} {year}", "%d %b %Y").replace(tzinfo=UTC).date()
    assert _on_day(seen, _zone_of(city), day.isoformat()) == expected


@check("zone")
def _zone(seen: Seen, expected: str) -> None:
    """The zone changes what a day is, and no time that is stored."""
    assert minute(seen.rows[0]["start_ns"], ZoneInfo(expected)) != minute(seen.rows[0]["start_ns"], ZoneInfo("UTC"))


@check("today_includes_now")
def _today(_seen: Seen, expected: bool) -> None:
    for name in ("Europe/Berlin", "Asia/Tokyo", "UTC"):
        now = datetime.now(ZoneInfo(name))
        first, last = day_range(now.date(), now.date(), ZoneInfo(name))
        assert (first <= int(now.timestamp() * 1e9) < last) is expected


@named_check(r"for_(\w+)")
def _for_city(seen: Seen, expected: dict[str, int], city: str) -> None:
    assert {day: _on_day(seen, _zone_of(city), day) for day in expected} == expected


@check("order")
def _order(seen: Seen, _expected: str) -> None:
    starts = [row["start_ns"] for row in seen.rows]
    assert starts == sorted(starts, reverse=True)


@check("round_trip_ns")
def _round_trip(seen: Seen, expected: list[int]) -> None:
    assert [seen.rows[0]["start_ns"], seen.requests[-1]["end_ns"]] == expected


@check("shown_with")
def _shown_with(seen: Seen, _expected: str) -> None:
    """Minutes that are different are told apart, also in the hour that comes twice."""
    zone = ZoneInfo(seen.expectation_beside["zone"])
    minutes = {row["start_ns"] // 60_000_000_000 for row in seen.rows}
    assert len({minute(one * 60_000_000_000, zone) for one in minutes}) == len(minutes)


# Curation.


@check("cases")
def _cases(seen: Seen, expected: int) -> None:
    assert len(seen.result["cases"]) == expected


@named_check(r"case_\d+_traces")
def _case_traces(seen: Seen, expected: list[str]) -> None:
    assert expected in [case["traces"] for case in seen.result["cases"]]


@check("second_click")
def _second_click(seen: Seen, expected: str) -> None:
    first, second = seen.result["promotes"][:2]
    assert second["outcome"] in expected
    assert first["cases_after"] == second["cases_after"] == 1


@check("t3")
def _third(seen: Seen, expected: str) -> None:
    third = seen.result["promotes"][-1]
    if expected.startswith("refused"):
        assert third["outcome"] == "refused"
        assert expected.split()[1] in third["error"]
        assert "gold" in third["error"]
        assert "forbidden" in third["error"]
    else:
        assert third["outcome"] == "created"


@check("at_once")
def _at_once(seen: Seen, _expected: str) -> None:
    assert seen.result["cases_at_once"] == len(seen.result["cases"])


@named_check(r"after_(\d+)")
def _conflict(seen: Seen, _expected: str, number: str) -> None:
    """The first promote and this one stand against each other, as they were written."""
    asked = seen.case_file["promotes"]
    first, now = asked[0], asked[int(number) - 1]
    done = seen.result["promotes"][int(number) - 1]
    assert done["outcome"] == "conflict"
    assert [side["who"] for side in done["conflict"]] == [first["user"], now["user"]]
    assert [side["gold"] for side in done["conflict"]] == [first["gold"], now["gold"]]
    assert done["conflict"][0]["at_ns"] < done["conflict"][1]["at_ns"]
    assert done["cases_after"] == 1
    assert seen.result["cases"][0]["gold"] == first["gold"]


@check("choices")
def _choices(_seen: Seen, expected: list[str]) -> None:
    from goldrank.actions import OnConflict

    words = {choice.value.replace("the ", "") for choice in OnConflict}
    assert set(expected) <= words


@check("jsonl")
def _jsonl(seen: Seen, _expected: str) -> None:
    questions = [json.loads(line)["question"] for line in seen.result["jsonl"]["text"].split("\n") if line]
    wanted = [case["question"] for case in seen.result["cases"]]
    assert sorted(questions) == sorted(wanted)


@check("reimport")
def _reimport(seen: Seen, _expected: str) -> None:
    """Every question of the set comes back letter for letter. Those that differ in white space alone are one case."""
    assert seen.path is not None
    asked = [one["question"] for one in json.loads(seen.path.read_text(encoding="utf-8"))["cases"]]
    lines = [json.loads(line)["question"] for line in seen.result["jsonl"]["text"].split("\n") if line]
    firsts: dict[str, str] = {}
    for question in asked:
        firsts.setdefault(normalise_question(question), question)
    assert sorted(lines) == sorted(firsts.values())
    _jsonl_round_trip(seen, _expected)


@check("jsonl_round_trip", "round_trip_jsonl")
def _jsonl_round_trip(seen: Seen, _expected: str) -> None:
    assert seen.result["jsonl"]["equal_after_import"]
    assert seen.result["jsonl"]["bad_lines"] == []
    assert seen.result["jsonl"]["lines"] == len(seen.result["cases"])


@check("json_looking_text")
def _json_looking(seen: Seen, _expected: str) -> None:
    kept = {case["question"]: [one["target"]["chunk_id"] for one in case["labels"]] for case in seen.result["cases"]}
    like_json = {one["question"]: one["gold"] for one in seen.case_file["cases"] if one["question"][:1] in {"{", "["}}
    assert {question: kept.get(question) for question in like_json} == like_json


@check("empty_question")
def _empty_question(seen: Seen, _expected: str) -> None:
    blank = [one["question"] for one in seen.case_file["cases"] if not one["question"].strip()]
    assert [one["question"] for one in seen.result["refused"]] == blank


@check("promote")
def _promoted(seen: Seen, _expected: str) -> None:
    assert seen.result["refused"] == []
    assert len(seen.result["cases"]) == 1


@check("case_has")
def _case_has(seen: Seen, expected: dict[str, Any]) -> None:
    (case,) = seen.result["cases"]
    assert case["question"] == expected["question"]
    assert len(case["history"]) == expected["history_turns"]
    assert case["standalone"] == expected["standalone"]


@check("export_csv_and_jsonl")
def _export_holds(seen: Seen, _expected: str) -> None:
    (case,) = [json.loads(line) for line in seen.result["jsonl"]["text"].split("\n") if line]
    text = json.dumps(case)
    hits = seen.result["request"]["stages"][0]["hits"]
    assert [hit["id"] for hit in hits if json.dumps(hit["id"]) not in text] == []
    assert case["question"] == seen.result["request"]["question"]


@check("metadata_key_present")
def _metadata_key(seen: Seen, expected: str) -> None:
    assert seen.result["cases"][0][expected]


@check("csv_and_jsonl_keep_history")
def _history_kept(seen: Seen, _expected: bool) -> None:
    (line,) = [json.loads(line) for line in seen.result["jsonl"]["text"].split("\n") if line]
    assert len(line["history"]) == len(seen.result["cases"][0]["history"]) > 0


@check("warn_when")
def _warned(seen: Seen, _expected: str) -> None:
    assert seen.result["warnings"] == []
    assert len(seen.result["bare_warnings"]) == 1


# Parallel, lock, links.


@check("wrong_answers")
def _wrong(seen: Seen, expected: int) -> None:
    assert seen.result["wrong"] == expected


@check("errors")
def _errors(seen: Seen, expected: int) -> None:
    assert seen.result["errors"] == expected


@check("cases_after_promotes")
def _cases_after(seen: Seen, expected: int) -> None:
    assert seen.result["cases"] == expected


@check("step_2")
def _dashboard_opens(seen: Seen, _expected: str) -> None:
    assert seen.result["seen_when_opened"] == seen.result["recorded_before"] > 0


@check("step_3", "step_4")
def _five_more(seen: Seen, _expected: str) -> None:
    assert seen.result["seen_after_refresh"] == seen.result["seen_when_opened"] + 5
    assert seen.result["refresh_seconds"] < 5


@check("step_5")
def _documented(seen: Seen, _expected: str) -> None:
    """Who opens the file beside a hub is told who holds it, and the documentation names the way to look anyway."""
    assert str(seen.result["holder_pid"]) in seen.result["message"]
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    section = page.partition("\n## goldrank snapshot\n")[2].partition("\n## ")[0]
    assert "while a hub runs" in section
    assert "who holds it" in section


@check("step_6")
def _second_app(seen: Seen, _expected: str) -> None:
    assert seen.result["seen_at_end"] > seen.result["seen_after_refresh"]


@check("message")
def _message(seen: Seen, _expected: str) -> None:
    assert str(seen.result["holder_pid"]) in seen.result["message"]
    assert "try again" in seen.result["message"]
    assert seen.result["message_stderr"] == ""


@check("first")
def _first_link(seen: Seen, _expected: str) -> None:
    for links in (seen.result["links"], seen.result["links_after_restart"]):
        assert links[0]["requests"][0].startswith(seen.result["known"])


@check("unknown")
def _unknown_link(seen: Seen, _expected: str) -> None:
    for link in seen.result["links"]:
        if link["text"] != seen.result["known"]:
            assert link["requests"] == []
            assert link["message"]


@check("injection")
def _injection(seen: Seen, _expected: str) -> None:
    assert seen.result["stored"] == 1


@check("text")
def _long_text(seen: Seen, _expected: str) -> None:
    assert seen.result["prompt_chars"] == seen.case_file["make"]["one_text_chars"]
    assert seen.result["bytes_without_texts"] < 1_000_000
    assert seen.result["listed"]["bytes"] < 1_000_000


@check("table")
def _long_table(seen: Seen, _expected: str) -> None:
    rows = seen.case_file["make"]["rows"]
    assert (seen.result["table_rows"], seen.result["table_more"]) == (min(rows, 1000), rows > 1000)
