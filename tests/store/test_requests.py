"""Finding requests: filters, order, neighbours, ids, and what diagnosis said."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from goldrank.model import (
    CaseLabel,
    Certainty,
    Complaint,
    Context,
    ContextSource,
    Diagnosis,
    EvalCase,
    Feedback,
    Finding,
    Flow,
    GoldOutcome,
    GoldPoint,
    IdForm,
    IdMention,
    Judgement,
    LabelTarget,
    Level,
    MatchedBy,
    Modifier,
    NotFound,
    Outcome,
    PointState,
    StoreError,
    Verdict,
    find_ids,
    make_case_key,
)
from goldrank.store import IntakeBatch, Neighbours, RequestFilter

EVERYTHING = RequestFilter()


def ids(store, which=EVERYTHING, **place):
    """The ids of a page."""
    return [row.request_id for row in store.requests.page(which, **{"limit": 100, **place}).rows]


def test_empty_store_has_an_empty_page(store):
    """Nothing stored is an empty page, no error."""
    page = store.requests.page(EVERYTHING, limit=25)
    assert (page.rows, page.matching, page.stored) == ((), 0, 0)
    assert store.requests.get("unknown") is None
    assert store.requests.diagnosis("unknown") is None
    assert store.requests.spans("unknown", limit=5).total == 0


def test_newest_first_then_by_id(store, make):
    """Start time descending decides, and the id among equal times; pages do not overlap."""
    made = [make.request(number, start_ns=start) for number, start in ((1, 100), (2, 300), (3, 300), (4, 200))]
    store.intake.commit(make.batch(*made))
    expected = [made[1].request_id, made[2].request_id, made[3].request_id, made[0].request_id]
    assert ids(store) == expected
    assert ids(store, limit=2) + ids(store, limit=2, offset=2) == expected
    assert store.requests.page(EVERYTHING, limit=1).matching == 4


def test_a_row_says_what_was_recorded(store, make):
    """A line of the list has the fields of the request, the question cut at 300 characters."""
    made = make.request(
        1,
        question="x" * 400,
        user="u1",
        session="s1",
        environment="prod",
        app_version="1.2",
        outcome=Outcome.ERROR,
        missing=("1 span missing",),
        replay_of="r0",
        start_ns=1_000_000,
        end_ns=3_500_000,
    )
    store.intake.commit(make.batch(made))
    (row,) = store.requests.page(EVERYTHING, limit=1).rows
    assert row.question == "x" * 300
    assert (row.user, row.session, row.environment, row.app_version) == ("u1", "s1", "prod", "1.2")
    assert (row.outcome, row.missing, row.replay_of, row.duration_ms) == (
        Outcome.ERROR,
        ("1 span missing",),
        "r0",
        2.5,
    )
    assert (row.verdict, row.gold_path, row.labelled, row.inherited) == ("no_label", "", False, False)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("refund", [1, 2]),
        ("REFUND annual", [1]),
        ("annual refund", [1]),
        ("nual", [1]),
        ("days", [1]),
        ("refund zebra", []),
        ("100%", [2]),
        ("_", [2]),
        ("E-4711", [2]),
        ("größe", [3]),
        ("GRÖSSE", []),
        ("退款", [3]),
        ("款", [3]),
        ("\\", [4]),
        ("api", [3]),
        ("  ", [1, 2, 3, 4]),
    ],
)
def test_every_word_must_occur(store, make, words, found):
    """Words are parts of the question or the answer, in any case and order; their signs mean themselves."""
    made = {
        1: make.request(1, question="Refund of the Annual plan?", answer="Within 14 days."),
        2: make.request(2, question="Is a refund 100% sure with E-4711?", answer="see snake_case"),
        3: make.request(3, question="Welche Größe? API退款政策", answer=""),
        4: make.request(4, question="C:\\temp", answer="no"),
    }
    store.intake.commit(make.batch(*made.values()))
    assert ids(store, RequestFilter(words=words)) == [made[number].request_id for number in reversed(found)]


def test_filters_let_through_what_they_name(store, make):
    """Each filter alone, and two together."""
    made = [
        make.request(1, user="ann", app="bot", environment="prod"),
        make.request(2, user="bob", app="bot", environment="test", outcome=Outcome.ERROR),
        make.request(3, user="annabel", app="shop", environment="prod"),
    ]
    store.intake.commit(make.batch(*made))
    store.labels.save((make.label(made[0].request_id),))
    store.complaints.save(Complaint(complaint_id="T-1", text="x", at_ns=1, request_id=made[1].request_id))
    first, second, third = (one.request_id for one in made)
    start_ns = made[1].recorded.request.start_ns
    assert ids(store, RequestFilter(user="Ann")) == [first]
    assert ids(store, RequestFilter(app="bot")) == [second, first]
    assert ids(store, RequestFilter(environment="prod")) == [third, first]
    assert ids(store, RequestFilter(outcome=Outcome.ERROR)) == [second]
    assert ids(store, RequestFilter(labelled=True)) == [first]
    assert ids(store, RequestFilter(labelled=False)) == [third, second]
    assert ids(store, RequestFilter(complained=True)) == [second]
    assert ids(store, RequestFilter(complained=False)) == [third, first]
    assert ids(store, RequestFilter(verdict="no_label")) == [third, second]
    assert ids(store, RequestFilter(since_ns=start_ns)) == [third, second]
    assert ids(store, RequestFilter(until_ns=start_ns)) == [first]
    assert ids(store, RequestFilter(app="bot", environment="prod")) == [first]
    assert store.requests.page(RequestFilter(app="bot"), limit=1).matching == 2
    assert store.requests.page(RequestFilter(app="bot"), limit=1).stored == 3


def test_times_keep_their_nanoseconds(store, make):
    """Two requests one nanosecond apart stay apart, in order and in filters."""
    earlier, later = 1_792_891_800_000_000_000, 1_792_891_800_000_000_001
    made = [make.request(1, start_ns=later, end_ns=later + 2), make.request(2, start_ns=earlier)]
    store.intake.commit(make.batch(*made))
    assert ids(store) == [made[0].request_id, made[1].request_id]
    assert ids(store, RequestFilter(since_ns=later)) == [made[0].request_id]
    assert store.requests.get(made[0].request_id).request.end_ns == 1_792_891_800_000_000_003


def test_requests_of_a_local_day(store, make):
    """A day of the viewer's zone, turned into nanoseconds, holds the requests that the case file says."""
    folder = Path(os.environ.get("GOLDRANK_CASES", "../shared/cases/inputs"))
    if not (folder / "59-times.jsonl").exists():
        pytest.skip(f"NO CASES at {folder}: days of the viewer's zone were not looked at")
    lines = (folder / "59-times.jsonl").read_text().splitlines()
    expected = json.loads((folder / "59-times.expect.json").read_text())
    starts = [json.loads(line)["start_ns"] for line in lines]
    store.intake.commit(make.batch(*(make.request(number, start_ns=start) for number, start in enumerate(starts, 1))))
    for zone, day, count in (
        ("Europe/Berlin", 24, expected["filter_24_oct_berlin"]),
        ("Europe/Berlin", 25, expected["filter_25_oct_berlin"]),
        ("UTC", 24, expected["filter_24_oct_utc"]),
        ("UTC", 25, expected["filter_25_oct_utc"]),
        ("Asia/Tokyo", 24, expected["for_tokyo"]["2026-10-24"]),
        ("Asia/Tokyo", 25, expected["for_tokyo"]["2026-10-25"]),
    ):
        first, last = (datetime(2026, 10, at, tzinfo=ZoneInfo(zone)) for at in (day, day + 1))
        which = RequestFilter(since_ns=int(first.timestamp()) * 10**9, until_ns=int(last.timestamp()) * 10**9)
        assert store.requests.page(which, limit=9).matching == count, (zone, day)
    newest = [row.start_ns for row in store.requests.page(EVERYTHING, limit=9).rows]
    assert newest == sorted(starts, reverse=True)


def test_complaints_of_a_row(store, make):
    """Tickets in their order, then bad feedback; good feedback is no complaint."""
    made = [make.request(1), make.request(2)]
    store.intake.commit(
        make.batch(
            *made,
            complaints=(
                Complaint(complaint_id="T-2", text="x", at_ns=2, request_id=made[0].request_id),
                Complaint(complaint_id="T-1", text="x", at_ns=1, request_id=made[0].request_id),
            ),
            feedback=(
                Feedback(feedback_id="f1", request_id=made[0].request_id, score=-1, at_ns=1),
                Feedback(feedback_id="f2", request_id=made[1].request_id, score=1, at_ns=1),
            ),
        )
    )
    rows = {row.request_id: row.complaints for row in store.requests.page(EVERYTHING, limit=5).rows}
    assert rows == {made[0].request_id: ("T-1", "T-2", "thumbs down"), made[1].request_id: ()}


def test_without_texts_ranks_and_scores_are_all_there(store, make):
    """Bodies stay away; everything else of hits, stages and prompts comes."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    found = store.requests.get(made.request_id, texts=False)
    for stage, recorded in zip(found.stages, made.recorded.stages, strict=True):
        if recorded.hits is not None:
            assert stage.hits == tuple(hit.model_copy(update={"text": None}) for hit in recorded.hits)
        if recorded.prompt is not None:
            assert [(message.role, message.text) for message in stage.prompt] == [("system", ""), ("user", "")]
            assert stage.text == ""
    assert found.request == made.recorded.request


def test_neighbours_in_a_filtered_list(store, make):
    """Place, newer and older inside the filter; a request that the filter stops has neighbours but no place."""
    made = [make.request(number, app="bot" if number != 3 else "shop") for number in range(1, 6)]
    store.intake.commit(make.batch(*made))
    newest_first = [one.request_id for one in reversed(made)]
    assert store.requests.neighbours(newest_first[0], EVERYTHING) == Neighbours(
        place=1, matching=5, newer=None, older=newest_first[1]
    )
    assert store.requests.neighbours(newest_first[4], EVERYTHING) == Neighbours(
        place=5, matching=5, newer=newest_first[3], older=None
    )
    assert store.requests.neighbours(made[2].request_id, RequestFilter(app="bot")) == Neighbours(
        place=None, matching=4, newer=made[3].request_id, older=made[1].request_id
    )
    assert store.requests.neighbours("unknown", EVERYTHING) == Neighbours(
        place=None, matching=5, newer=None, older=None
    )


def test_every_form_of_an_id_finds_the_request(store, make, made_of):
    """Request id, traceparent of any span, trace id, span id, a prefix of either."""
    trace_id, root, inner = "7f3a9c2b" + "0" * 24, "a1" * 8, "b2" * 8
    spans = (
        make.span(trace_id, root, None, "answer", 1, {}, {}),
        make.span(trace_id, inner, root, "bm25", 2, {}, {}),
    )
    recorded = make.request(1).recorded
    request = recorded.request.model_copy(update={"request_id": f"{trace_id}-{root}", "trace_id": trace_id})
    made = made_of(recorded.model_copy(update={"request": request}), spans)
    store.intake.commit(make.batch(made, make.request(2)))
    for text in (
        made.request_id,
        f"ticket about {made.request_id.upper()}!",
        f"00-{trace_id}-{inner}-01",
        f"00-{trace_id}-{'c' * 16}-01",
        f"{trace_id}-{inner}",
        trace_id,
        inner,
        "7f3a9c2b",
        trace_id[:20],
        inner[:12],
    ):
        mentions = find_ids(text)
        assert mentions, text
        assert store.requests.resolve(mentions[0]) == (made.request_id,), text
    assert store.requests.resolve(IdMention(form=IdForm.TRACE, trace_id="f" * 32)) == ()


def test_a_prefix_may_mean_several(store, make):
    """Newest first, at most twenty."""
    made = [
        make.request(number, start_ns=number, request_id=f"abcdef01{number:024x}-{number:016x}") for number in range(25)
    ]
    store.intake.commit(make.batch(*made))
    found = store.requests.resolve(IdMention(form=IdForm.PREFIX, prefix="abcdef01"))
    assert found == tuple(one.request_id for one in reversed(made))[:20]


def test_a_trace_of_two_requests_means_both(store, make):
    """Two request spans in one trace are two requests; a request that is joined over traces is found by each."""
    made = make.request(1)
    second = made.recorded.model_copy(
        update={"request": made.recorded.request.model_copy(update={"request_id": "other", "start_ns": 1})}
    )
    elsewhere = make.span("b" * 32, "c" * 16, None, "worker", 5, {}, {})
    store.intake.commit(
        IntakeBatch(
            spans=(*made.spans, elsewhere),
            requests=(made.recorded, second),
            members={made.request_id: (*made.members[:3], ("b" * 32, "c" * 16)), "other": made.members[3:]},
        )
    )
    trace_id = made.recorded.request.trace_id
    assert store.requests.resolve(IdMention(form=IdForm.TRACE, trace_id=trace_id)) == (made.request_id, "other")
    assert store.requests.resolve(IdMention(form=IdForm.TRACE, trace_id="b" * 32)) == (made.request_id,)


def test_raw_spans_by_start_in_pages(store, make):
    """Spans of a request come by start time, a page at a time, with their attributes."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    page = store.requests.spans(made.request_id, limit=2, offset=1)
    assert page.total == 6
    assert [row.name for row in page.rows] == ["bm25", "dense"]
    assert page.rows[0].attributes == made.spans[1].attributes


def test_facets_are_the_values_there_are(store, make):
    """Apps, environments, users and verdicts of what is stored."""
    made = [make.request(1, user="ann", environment="prod"), make.request(2, user="ann"), make.request(3, app="shop")]
    store.intake.commit(make.batch(*made))
    store.labels.save((make.label(made[0].request_id),))
    store.requests.save_diagnosis(diagnosis(made[0]))
    facets = store.requests.facets()
    assert (facets.apps, facets.environments, facets.users) == (("shop", "support-bot"), ("prod",), 1)
    assert facets.verdicts == {"no_label": 2, "demoted": 1}


def diagnosis(made, *, verdict=Verdict.DEMOTED, takes=5, prompt=None):
    """A diagnosis of one gold that stood at 1 and 14, then 2, then 9."""
    stages = made.recorded.stages
    ranks = (1, 14, 2, 9)
    finding = Finding(verdict=verdict, title="The reranker pushed it out", body="rank 1", certainty=Certainty.RECORDED)
    return Diagnosis(
        request_id=made.request_id,
        headline=finding,
        outcomes=(
            GoldOutcome(
                label_id="l1",
                evidence=1,
                name="c1",
                level=Level.CHUNK,
                finding=finding,
                path=tuple(
                    GoldPoint(
                        stage_id=stage.stage_id,
                        state=PointState.FOUND,
                        rank=rank,
                        distinct_rank=rank,
                        matched_by=MatchedBy.ID,
                    )
                    for stage, rank in zip(stages, ranks, strict=False)
                ),
                lost_at=stages[3].stage_id,
                takes=takes,
            ),
        ),
        flow=Flow(
            order=tuple(stage.stage_id for stage in stages),
            level=dict(zip((stage.stage_id for stage in stages), (0, 0, 1, 2, 3), strict=True)),
        ),
        context=Context(source=ContextSource.PROMPT, stage_id=stages[4].stage_id, prompt_text=prompt),
        modifiers=(Modifier(kind="ties", text="Two are tied.", stage_id=stages[0].stage_id),),
    )


def test_a_diagnosis_comes_back_equal(store, make):
    """What diagnosis said is kept whole, its rows can be counted, and saving again replaces it."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    store.labels.save((make.label(made.request_id),))
    prompt = "\n\n".join(message.text for message in made.recorded.stages[4].prompt)
    for text in (prompt, "another text", None):
        expected = diagnosis(made, prompt=text)
        store.requests.save_diagnosis(expected)
        assert store.requests.diagnosis(made.request_id) == expected
    ranks = store.query("select rank from gold_ranks order by rank", limit=9).rows
    assert ranks == ((1,), (2,), (9,), (14,))
    kinds = store.query("select kind from findings order by kind", limit=9).rows
    assert kinds == (("headline",), ("outcome",), ("ties",))
    assert ids(store, RequestFilter(verdict="demoted")) == [made.request_id]


@pytest.mark.parametrize(
    ("verdict", "takes", "line"),
    [
        (Verdict.DEMOTED, 5, "1 · 14 → 2 → 9 ✕5"),
        (Verdict.FILTERED, None, "1 · 14 → 2 → 9 ✕"),
        (Verdict.DELIVERED, None, "1 · 14 → 2 → 9 ✓"),
        (Verdict.UNKNOWN, None, "1 · 14 → 2 → 9 ?"),
    ],
)
def test_gold_path_in_one_line(store, make, verdict, takes, line):
    """Legs are joined by a dot, later stages by an arrow, and the end says what became of it."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    store.labels.save((make.label(made.request_id),))
    store.requests.save_diagnosis(diagnosis(made, verdict=verdict, takes=takes))
    assert store.requests.page(EVERYTHING, limit=1).rows[0].gold_path == line


def test_a_diagnosis_of_an_unknown_request_is_refused(store, make):
    """There is no row to hang it on."""
    with pytest.raises(NotFound, match="No request"):
        store.requests.save_diagnosis(diagnosis(make.request(1)))


def test_a_recomposed_request_keeps_its_diagnosis_until_the_next(store, make):
    """No list shows a labelled request without a verdict; one that is gone takes what was said with it."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    store.labels.save((make.label(made.request_id),))
    store.requests.save_diagnosis(diagnosis(made))
    store.intake.commit(make.batch(made))
    assert store.requests.diagnosis(made.request_id) == diagnosis(made)
    (row,) = store.requests.page(EVERYTHING, limit=1).rows
    assert (row.verdict, row.labelled) == (diagnosis(made).headline.verdict, True)
    store.intake.commit(IntakeBatch(dissolved=(made.request_id,)))
    assert store.requests.page(EVERYTHING, limit=1).rows == ()
    assert store.query("select count(*) from diagnoses", limit=1).rows == ((0,),)


def test_one_change_is_seen_whole_or_not_at_all(store, make):
    """What fails inside takes back everything before it, and what follows is stored as if nothing had been."""
    first, second = make.request(1), make.request(2)

    def change():
        with store.writing():
            store.intake.commit(make.batch(first))
            store.labels.save((make.label(first.request_id),))
            assert store.requests.get(first.request_id) is not None
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()
    assert store.requests.page(EVERYTHING, limit=5).rows == ()
    assert store.labels.of(first.request_id) == ()
    with store.writing():
        store.intake.commit(make.batch(second))
        store.labels.save((make.label(second.request_id),))
    assert [row.request_id for row in store.requests.page(EVERYTHING, limit=5).rows] == [second.request_id]
    assert store.requests.get(second.request_id) == second.recorded


def test_a_failure_that_was_caught_inside_a_change_still_takes_it_back(store, make):
    """Half of a change is never kept."""
    made = make.request(1)

    def change():
        with store.writing():
            store.intake.commit(make.batch(made))
            with pytest.raises(NotFound):
                store.requests.save_diagnosis(diagnosis(make.request(2)))

    with pytest.raises(StoreError, match="nothing of it was kept"):
        change()
    assert store.requests.page(EVERYTHING, limit=5).rows == ()


def test_requests_that_may_be_labelled_are_found_quickly(store, make):
    """With labels of their own, or replays of any; nothing else."""
    one, two, replay = make.request(1), make.request(2, question="Another?"), make.request(3, question="A third?")
    replay = replay._replace(
        recorded=replay.recorded.model_copy(
            update={"request": replay.recorded.request.model_copy(update={"replay_of": one.request_id})}
        )
    )
    for made in (one, two, replay):
        store.intake.commit(make.batch(made))
    assert store.requests.may_be_labelled((two.request_id,)) == ()
    assert store.requests.may_be_labelled((one.request_id,)) == (replay.request_id,)
    store.labels.save((make.label(two.request_id),))
    assert store.requests.may_be_labelled((two.request_id,)) == (two.request_id,)


def test_chunks_that_were_ever_seen_are_known(store, make):
    """Of this app only."""
    store.intake.commit(make.batch(make.request(1, chunks=(("a", "text"),))))
    assert store.chunks.is_known("support-bot", "a")
    assert not store.chunks.is_known("support-bot", "b")
    assert not store.chunks.is_known("other", "a")


def case_for(request, **fields):
    """A case with the key of a request."""
    key = make_case_key(
        app=request.app,
        question=request.question,
        history=request.history,
        tenant=request.tenant,
        groups=request.groups or (),
    )
    label = CaseLabel(judgement=Judgement.GOLD, target=LabelTarget(chunk_id="c1"))
    return EvalCase(
        **{
            "case_id": "case-1",
            "case_key": key,
            "eval_set": "main",
            "app": request.app,
            "question": request.question,
            "labels": (label,),
            **fields,
        }
    )


def test_requests_with_the_key_of_a_case_inherit(store, make):
    """The same question inherits the case's labels; its own labels come first; an archived case gives none."""
    first, same, other = (
        make.request(1, question="How do I cancel?"),
        make.request(2, question="how do i  cancel ?"),
        make.request(3, question="How do I cancel?", tenant="north"),
    )
    store.intake.commit(make.batch(first, same, other))
    store.labels.save((make.label(first.request_id),))
    case = case_for(first.recorded.request)
    assert store.cases.save(case, expected_revision=None)
    rows = {row.request_id: (row.labelled, row.inherited) for row in store.requests.page(EVERYTHING, limit=5).rows}
    assert rows == {first.request_id: (True, False), same.request_id: (False, True), other.request_id: (False, False)}
    assert store.requests.labelled_ids() == (first.request_id, same.request_id)
    assert store.requests.with_case_key(case.case_key) == (same.request_id, first.request_id)
    assert ids(store, RequestFilter(verdict="no_label")) == [other.request_id]
    store.cases.save(case.model_copy(update={"revision": 2, "archived": True}), expected_revision=1)
    assert store.requests.labelled_ids() == (first.request_id,)
