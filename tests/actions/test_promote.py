"""Promote: one case a question, conflicts shown, nothing overwritten unasked, safe when many press at once."""

import threading

import pytest
from goldrank.actions import (
    OnConflict,
    Promote,
    PromoteDraft,
    PromoteOutcome,
    ShowRequest,
    promote,
    promote_draft,
    show,
)
from goldrank.model import CaseOrigin, Message, NotFound, Refused, Stage, StageKind
from goldrank.store import CaseFilter


def press(desk, request_id, *, who="anna", **more):
    """Promotes as somebody."""
    return promote(desk.by(who), Promote(request_id=request_id, **more))


def cases(desk):
    """Every case of the store."""
    return desk.store.cases.page(CaseFilter(archived=None), limit=100).rows


def test_the_same_question_is_one_case_with_both_requests(desk):
    """Promoted twice, and by another person from another request: one case; another history: another case."""
    first = desk.record(1, question="How do I cancel?")
    second = desk.record(2, question="how do i  cancel ?")
    third = desk.record(3, question="How do I cancel?", history=(Message(role="user", text="I have two contracts"),))
    for request_id in (first, second, third):
        desk.label(request_id, "c")

    assert press(desk, first).outcome is PromoteOutcome.CREATED
    assert press(desk, first).outcome is PromoteOutcome.ALREADY_IN_SET
    assert press(desk, second, who="ben").outcome is PromoteOutcome.ALREADY_IN_SET
    assert press(desk, third, who="ben").outcome is PromoteOutcome.CREATED

    assert [one.source_requests for one in cases(desk)] == [(first, second), (third,)]


def test_a_second_click_stores_nothing(desk):
    """Promoting again what is in the set already makes no new revision."""
    request_id = desk.record()
    desk.label(request_id, "c")
    press(desk, request_id)

    again = press(desk, request_id)

    assert again.case.revision == 1
    assert len(desk.store.cases.history(again.case.case_id)) == 1


def test_a_case_owns_everything_it_needs(desk):
    """Texts, history, filters, lists, failing stage and origin are copied, so retention cannot hollow the case."""
    rewrite = Stage(
        stage_id="f" * 16,
        kind=StageKind.REWRITE,
        name="condense",
        technique="standalone",
        start_ns=1,
        queries=("What does a windscreen replacement cost for model K?",),
    )
    request_id = desk.record(
        question="And a windscreen?",
        history=(Message(role="user", text="What does a tyre change cost?"), Message(role="assistant", text="90 EUR.")),
        legs={"vector": "seats k-glass other"},
        prompt="seats",
        before=(rewrite,),
        tenant="north",
        groups=("staff", "admins"),
        notes={"plan": "pro"},
        environment="prod",
        app_version="2.3",
    )
    desk.complain("T-7", f"Wrong answer in {request_id}", request_id)
    desk.label(request_id, "k-glass")

    done = press(desk, request_id, note="Seen twice.", kind="prices", expected_answer_contains=("450 EUR",))

    case = done.case
    assert done.warnings == ()
    assert (case.eval_set, case.app, case.environment, case.app_version) == ("bot", "bot", "prod", "2.3")
    assert case.standalone == "What does a windscreen replacement cost for model K?"
    assert [one.text for one in case.history] == ["What does a tyre change cost?", "90 EUR."]
    assert (case.tenant, case.groups) == ("north", ("admins", "staff"))
    assert case.labels[0].target.text == "The passage k-glass says in its own words what k-glass is about."
    assert [(one.stage, [hit.chunk_id for hit in one.hits]) for one in case.lists] == [
        ("vector", ["seats", "k-glass", "other"])
    ]
    assert case.lists[0].hits[1].score == 0.5
    assert case.lists[0].hits[1].metadata == {"page": 2}
    assert (case.origin, case.ticket, case.note, case.kind) == (CaseOrigin.COMPLAINT, "T-7", "Seen twice.", "prices")
    assert case.notes == {"plan": "pro"}
    assert (case.author, case.source_requests) == ("anna", (request_id,))
    assert case.verdict == "below_cut"


def test_a_request_without_a_complaint_is_sampled(desk):
    """The origin says how the case came to be."""
    request_id = desk.record()
    desk.label(request_id, "c")

    assert press(desk, request_id).case.origin is CaseOrigin.SAMPLED


def test_a_ticket_that_names_a_request_by_its_first_digits_goes_along(desk):
    """It is shown with the request and prefilled as the case's ticket, though nothing stores it as linked."""
    request_id = desk.record(0xABCDEF12 << 96)
    desk.complain("T-77", f"The small print says {request_id[:8]}")
    desk.label(request_id, "c")

    case = press(desk, request_id).case

    shown = show(desk.workspace, ShowRequest(request=request_id)).complaints
    assert [one.complaint_id for one in shown] == ["T-77"]
    assert (case.ticket, case.origin) == ("T-77", CaseOrigin.COMPLAINT)
    assert desk.store.complaints.get("T-77").request_id is None


def test_other_labels_for_the_same_question_are_a_conflict(desk):
    """Both sides are shown with who and when; nothing is merged or overwritten unasked."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a", who="anna")
    desk.label(second, "e", who="ben")
    held = press(desk, first).case

    done = press(desk, second, who="ben")

    assert done.outcome is PromoteOutcome.CONFLICT
    assert done.case == held
    in_set, offered = done.conflict
    assert (in_set.who, in_set.gold, offered.who, offered.gold) == ("anna", ("a",), "ben", ("e",))
    assert 0 < in_set.at_ns < offered.at_ns
    assert [one.source_requests for one in cases(desk)] == [(first,)]


@pytest.mark.parametrize(
    ("choice", "outcome", "golds"),
    [
        (OnConflict.REPLACE, PromoteOutcome.UPDATED, [("e", 1)]),
        (OnConflict.EITHER_COUNTS, PromoteOutcome.UPDATED, [("a", 1), ("e", 1)]),
        (OnConflict.KEEP_FIRST, PromoteOutcome.ALREADY_IN_SET, [("a", 1)]),
    ],
)
def test_a_person_chooses_what_a_conflict_becomes(desk, choice, outcome, golds):
    """Replace, either counts, keep the first; whatever is chosen, both requests are sources."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a")
    desk.label(second, "e", who="ben")
    press(desk, first)

    done = press(desk, second, who="ben", on_conflict=choice)

    assert done.outcome is outcome
    assert [(one.target.chunk_id, one.evidence) for one in done.case.labels] == golds
    assert done.case.source_requests == (first, second)
    assert done.case.author == "anna"
    assert done.case.revision == 2


def test_either_counts_says_that_two_needed_passages_became_alternatives(desk):
    """What the choice loses is said."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a", "b")
    desk.label(second, "e")
    press(desk, first)

    done = press(desk, second, on_conflict=OnConflict.EITHER_COUNTS)

    assert done.warnings == ("One of the two needed several passages at once; now any one of them counts.",)


def test_either_counts_is_refused_where_one_side_forbids_what_the_other_needs(desk):
    """No choice makes one passage both gold and forbidden."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a", forbidden=("e",))
    desk.label(second, "e")
    press(desk, first)

    with pytest.raises(Refused, match="e is both forbidden and gold"):
        press(desk, second, on_conflict=OnConflict.EITHER_COUNTS)


def test_a_request_without_labels_or_question_is_refused(desk):
    """A case says which passage should have answered which question."""
    unlabelled = desk.record(1)
    silent = desk.record(2, question=None)
    desk.label(silent, "a")

    with pytest.raises(Refused, match="Nothing is marked yet"):
        press(desk, unlabelled)
    with pytest.raises(Refused, match="needs a question"):
        press(desk, silent)
    with pytest.raises(Refused, match="needs a question"):
        press(desk, silent, question="  ")
    assert press(desk, silent, question="What now?").case.question == "What now?"


def test_an_unknown_request_is_not_found(desk):
    """The message says why an id can be unknown."""
    desk.record()

    with pytest.raises(NotFound, match="another spool"):
        press(desk, "deadbeef" * 4)


@pytest.mark.parametrize(
    ("question", "warned"),
    [
        ("And a windscreen?", True),
        ("yes please", True),
        ("How much is that one?", True),
        ("Is it possible to pay by card?", False),
        ("How do I cancel my contract?", False),
        ("Und dort auch?", True),
        ("Et pour Lyon ?", True),
        ("\u00bfY ma\u00f1ana?", True),
        ("Ja bitte", True),
        ("En qu\u00e9 pa\u00eds se paga?", False),
        ("Ma commande est en retard", False),
    ],
)
def test_a_follow_up_without_its_history_is_warned_about(desk, question, warned):
    """A question that refers back cannot fail the same way again without what it refers to."""
    request_id = desk.record(question=question)
    desk.label(request_id, "c")

    draft = promote_draft(desk.workspace, PromoteDraft(request_id=request_id))

    refers = "The question refers back, and neither history nor a standalone form is recorded."
    assert draft.warnings == ((refers,) if warned else ())
    assert press(desk, request_id, standalone="What does a windscreen cost?").warnings == ()


def test_the_draft_shows_the_case_and_stores_nothing(desk):
    """The dialog is prefilled; the set keeps what it had."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a")

    draft = promote_draft(desk.workspace, PromoteDraft(request_id=first))
    assert (draft.case.question, draft.existing, draft.sets) == ("How do I cancel?", None, {})
    assert cases(desk) == ()

    press(desk, first)
    draft = promote_draft(desk.workspace, PromoteDraft(request_id=second))
    assert draft.sets == {"bot": 1}
    assert draft.existing.source_requests == (first,)


def test_a_later_request_inherits_the_labels_of_the_case(desk):
    """Asked again, the question is judged by the case; its labels are shown as inherited and stored nowhere."""
    legs = {"dense": "a b c"}
    first, later = desk.record(1, legs=legs), desk.record(2, legs=legs, question="How do I  cancel ?")
    desk.label(first, "c")
    case = press(desk, first).case

    view = show(desk.workspace, ShowRequest(request=later))

    assert [(one.target.chunk_id, one.from_case) for one in view.labels] == [("c", case.case_id)]
    assert desk.store.labels.of(later) == ()
    assert desk.store.requests.diagnosis(later).headline.verdict.value == "below_cut"


def test_a_note_that_the_case_cannot_take_is_not_lost_silently(desk):
    """A field that is empty is filled; one that says something else is kept, and that is said."""
    request_id = desk.record()
    desk.label(request_id, "c")
    press(desk, request_id, note="first")

    done = press(desk, request_id, note="second", ticket="T-9")

    assert (done.case.note, done.case.ticket) == ("first", "T-9")
    assert done.warnings == ("The case keeps its own note: 'first'. Yours was not stored: 'second'.",)


def test_redaction_runs_over_what_a_person_types(desk):
    """A note with an address in it is stored without it."""
    request_id = desk.record()
    desk.label(request_id, "c")
    workspace = desk.workspace._replace(redact=(lambda text: text.replace("ann@example.org", "[e-mail]"),))

    done = promote(workspace, Promote(request_id=request_id, note="Mail ann@example.org", ticket="T ann@example.org"))

    assert (done.case.note, done.case.ticket) == ("Mail [e-mail]", "T [e-mail]")


def test_many_who_press_at_once_make_one_case(desk):
    """Eight sessions promote eight requests with one question at the same moment: one case with eight sources."""
    ids = [desk.record(number) for number in range(1, 9)]
    for request_id in ids:
        desk.label(request_id, "c")
    start, outcomes = threading.Barrier(len(ids)), []

    def work(request_id):
        start.wait()
        outcomes.append(press(desk, request_id).outcome)

    threads = [threading.Thread(target=work, args=(request_id,)) for request_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (case,) = cases(desk)
    assert sorted(case.source_requests) == sorted(ids)
    assert sorted(outcomes) == [PromoteOutcome.ALREADY_IN_SET] * 7 + [PromoteOutcome.CREATED]


def test_two_who_disagree_at_once_never_overwrite_each_other(desk):
    """Of two contradictory promotions at the same moment one is stored and the other meets a conflict."""
    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a")
    desk.label(second, "e", who="ben")
    start, outcomes = threading.Barrier(2), []

    def work(request_id):
        start.wait()
        outcomes.append(press(desk, request_id).outcome)

    threads = [threading.Thread(target=work, args=(request_id,)) for request_id in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == [PromoteOutcome.CONFLICT, PromoteOutcome.CREATED]
    assert len(cases(desk)) == 1


def test_an_archived_case_comes_back_with_the_new_labels(desk):
    """Promoting what was taken out of the set puts it back, and says so."""
    from goldrank.actions import ArchiveCase, archive_case

    first, second = desk.record(1), desk.record(2)
    desk.label(first, "a")
    desk.label(second, "e")
    case = press(desk, first).case
    archive_case(desk.workspace, ArchiveCase(case_id=case.case_id))

    done = press(desk, second)

    assert done.outcome is PromoteOutcome.UPDATED
    assert (done.case.case_id, done.case.archived) == (case.case_id, False)
    assert [one.target.chunk_id for one in done.case.labels] == ["e"]
    assert "The case had been archived" in done.warnings[0]
