"""Eval cases: list with stale marks, open, archive, export, import."""

import json

import pytest
from goldrank.actions import (
    ArchiveCase,
    ExportCases,
    ImportCases,
    ListCases,
    OpenCase,
    Promote,
    archive_case,
    export_cases,
    import_cases,
    list_cases,
    open_case,
    promote,
)
from goldrank.model import NotFound, UsageError
from goldrank.store import CaseFilter


def promoted(desk, number=1, *gold, **request):
    """A case from a new request."""
    request_id = desk.record(number, **request)
    desk.label(request_id, *(gold or ("c",)))
    return promote(desk.workspace, Promote(request_id=request_id)).case


def load(desk, *lines, **more):
    """Imports lines, given as texts or objects."""
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines)
    return import_cases(desk.workspace, ImportCases(text=text, source="golden.jsonl", **more))


def exported(desk, **which):
    """The export as text."""
    return export_cases(desk.workspace, ExportCases(which=CaseFilter(**which))).text


SEED = {"question": "Who may see prices?", "user_groups": ["sales"], "relevant_chunk_ids": ["p#1"], "level": 3}


def test_an_export_loads_into_another_store_and_comes_out_equal(desk, tmp_path, make_desk):
    """Out and in again: the same bytes, whatever the store held before."""
    promoted(desk, 1)
    promoted(desk, 2, question="line\u2028separator\u2029and\u0085next")
    archived = promoted(desk, 3, question="Is this old?")
    archive_case(desk.workspace, ArchiveCase(case_id=archived.case_id))
    text = exported(desk, archived=None)

    with make_desk(tmp_path / "other") as other:
        done = load(other, *text.splitlines())
        again = exported(other, archived=None)

    assert (done.created, done.bad) == (3, ())
    assert again == text
    assert len(text.splitlines()) == 3


def test_importing_twice_changes_nothing(desk):
    """The second time every case is unchanged, and its revision stays."""
    load(desk, SEED, eval_set="prices")

    again = load(desk, SEED, eval_set="prices")

    assert (again.created, again.updated, again.unchanged) == (0, 0, 1)
    (state,) = list_cases(desk.workspace, ListCases()).rows
    assert state.case.revision == 1


def test_an_edited_line_updates_its_case(desk):
    """The same question with other labels is a new revision of the same case; the history is kept."""
    load(desk, SEED, eval_set="prices")

    done = load(desk, {**SEED, "relevant_chunk_ids": ["p#2"]}, eval_set="prices")

    assert (done.created, done.updated) == (0, 1)
    (state,) = list_cases(desk.workspace, ListCases()).rows
    assert [one.target.chunk_id for one in state.case.labels] == ["p#2"]
    assert [one.revision for one in desk.store.cases.history(state.case.case_id)] == [1, 2]


def test_a_case_whose_question_was_edited_in_the_file_stays_the_same_case(desk):
    """An edited export updates its case; the old question is free to become a case of its own again."""
    case = promoted(desk, 1)
    inheriting = desk.record(3)
    line = json.loads(exported(desk))

    done = load(desk, {**line, "question": "How do I cancel my contract?"})

    assert (done.created, done.updated) == (0, 1)
    assert open_case(desk.workspace, OpenCase(case_id=case.case_id)).case.question == "How do I cancel my contract?"
    assert desk.store.requests.diagnosis(inheriting).headline.verdict.value == "no_label"
    again = promoted(desk, 2)
    assert again.question == "How do I cancel?"
    assert again.case_id != case.case_id


def test_a_line_that_was_given_another_set_is_a_copy_there(desk):
    """The case of the first set stays where it is."""
    case = promoted(desk, 1)
    line = json.loads(exported(desk))

    load(desk, {**line, "eval_set": "other"})

    assert list_cases(desk.workspace, ListCases()).sets == {"bot": 1, "other": 1}
    assert open_case(desk.workspace, OpenCase(case_id=case.case_id)).case.eval_set == "bot"


def test_bad_lines_are_named_and_the_rest_is_imported(desk):
    """Empty question, no JSON, and a line that contradicts an earlier one: each with its line and reason."""
    contradicts = {**SEED, "question": "who may  see prices ?", "relevant_chunk_ids": ["p#9"]}

    done = load(desk, SEED, {"question": "", "relevant_chunk_ids": ["i"]}, "{", contradicts, SEED)

    assert (done.created, done.unchanged) == (1, 1)
    assert [(one.line, one.reason.partition(":")[0]) for one in done.bad] == [
        (2, "`question` is empty or missing; a case needs one."),
        (3, "it is no JSON"),
        (4, "it asks the same as line 1 with other labels."),
    ]


def test_a_line_without_a_set_goes_where_it_is_told(desk):
    """The set of the call, else the app, else "imported"."""
    load(desk, SEED)
    load(desk, SEED, app="bot")
    load(desk, SEED, app="bot", eval_set="prices")

    assert list_cases(desk.workspace, ListCases()).sets == {"bot": 1, "imported": 1, "prices": 1}


def test_unknown_fields_of_another_golden_set_are_kept(desk):
    """What goldrank does not know comes out again as it came in."""
    load(desk, SEED)

    assert json.loads(exported(desk))["level"] == 3


def test_an_imported_case_judges_requests_that_ask_its_question(desk):
    """Its labels are inherited as soon as it is there."""
    request_id = desk.record(question="How do I cancel?", prompt="a b")

    load(desk, {"question": "How do I cancel?", "app": "bot", "relevant_chunk_ids": ["a"]})

    assert desk.store.requests.diagnosis(request_id).headline.verdict.value == "delivered"


def test_an_archived_case_is_kept_and_no_longer_inherited(desk):
    """Out of the set, still openable, and back again."""
    case = promoted(desk, 1)
    later = desk.record(2)

    state = archive_case(desk.workspace, ArchiveCase(case_id=case.case_id))

    assert state.case.archived
    assert list_cases(desk.workspace, ListCases()).rows == ()
    assert open_case(desk.workspace, OpenCase(case_id=case.case_id)).case.archived
    assert desk.store.requests.diagnosis(later).headline.verdict.value == "no_label"
    archive_case(desk.workspace, ArchiveCase(case_id=case.case_id, archived=False))
    assert [one.case.case_id for one in list_cases(desk.workspace, ListCases()).rows] == [case.case_id]


def test_a_case_is_stale_by_the_newest_index_version(desk):
    """Changed text is stale, the same text under another id is re-linked, the same text is neither."""
    promoted(desk, 1, "a", "b", "c")
    desk.corpus("a", "b", "c", version="1")
    assert list_cases(desk.workspace, ListCases()).rows[0].stale == ()

    text = desk.text_of
    desk.corpus(version="2", texts={"a": text("a"), "moved": text("b"), "c": "Something else entirely."})

    (state,) = list_cases(desk.workspace, ListCases()).rows
    assert state.stale == ("c",)
    assert state.relinked == ("b -> moved, same text",)


def test_a_case_is_meant_by_the_first_digits_of_its_id(desk):
    """As in git; what fits none or several is said."""
    case = promoted(desk, 1)
    promoted(desk, 2, question="Something else?")

    assert open_case(desk.workspace, OpenCase(case_id=case.case_id[:6])).case == case
    with pytest.raises(NotFound, match="cases list"):
        open_case(desk.workspace, OpenCase(case_id="zzzz"))
    with pytest.raises(UsageError, match="Name a case"):
        open_case(desk.workspace, OpenCase(case_id=""))


def test_an_empty_set_exports_as_nothing(desk):
    """No case is the empty text."""
    assert exported(desk) == ""


def test_a_large_case_promotes_and_comes_back_whole(desk):
    """120 passages of 30 kB: every id, rank, score and metadata is in the export, and the gold's text."""
    from goldrank.model import Hit, RecordedRequest, Request, Stage, StageKind, TextState

    found = tuple(
        Hit(
            rank=place + 1,
            chunk_id=f"annex#{place}",
            score=1 - place / 1000,
            text=f"part {place} " * 3500,
            text_state=TextState.KNOWN,
            metadata={"page": place},
        )
        for place in range(120)
    )
    stage = Stage(stage_id="a" * 16, kind=StageKind.RETRIEVE, name="dense", start_ns=1, hits=found)
    request_id = desk.request_id(7)
    request = Request(
        request_id=request_id,
        trace_id=request_id[:32],
        app="bot",
        question="Which annex lists the spare parts?",
        tenant="north",
        start_ns=0,
    )
    desk.store_recorded(RecordedRequest(request=request, stages=(stage,)))
    desk.label(request_id, "annex#77")

    case = promote(desk.workspace, Promote(request_id=request_id)).case
    line = json.loads(exported(desk))

    assert line["tenant"] == "north"
    hits = line["goldrank"]["lists"][0]["hits"]
    assert [(one["rank"], one["chunk_id"], one["score"], one["metadata"]) for one in hits] == [
        (one.rank, one.chunk_id, one.score, one.metadata) for one in found
    ]
    assert line["goldrank"]["labels"][0]["target"]["text"] == found[77].text
    assert case == desk.store.cases.get(case.case_id)
