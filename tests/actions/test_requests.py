"""From what a person pastes to the request that is meant."""

import pytest
from goldrank.actions import FindRequests, Resolve, ShowRequest, find_requests, resolve, show
from goldrank.model import Drops, NotFound, UsageError
from goldrank.store import IntakeBatch, RequestFilter

TRACE = "0af7651916cd43dd8448eb211c80319c"
ROOT = "b7ad6b7169203331"


@pytest.fixture
def request_id(desk):
    """A request with a fixed id."""
    return desk.record(1, request_id=f"{TRACE}-{ROOT}")


@pytest.mark.parametrize(
    "text",
    [
        f"{TRACE}-{ROOT}",
        f"  {TRACE.upper()}-{ROOT}  ",
        TRACE,
        ROOT,
        TRACE[:8],
        f"00-{TRACE}-{ROOT}-01",
        f"Ticket 4711: wrong answer!\nrequest id {TRACE}-{ROOT}, customer 12345678, please look",
        f"https://host/?request_id={TRACE}-{ROOT}&tab=Prompt",
    ],
)
def test_a_request_is_found_in_any_text_that_holds_its_id(desk, request_id, text):
    """Request id, trace id, span id, traceparent, short id, a ticket, a link."""
    found = resolve(desk.workspace, Resolve(text=text))

    assert (found.request_ids, found.message) == ((request_id,), "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Nothing to look up"),
        ("the answer was wrong", "There is no request id in this text"),
        ("0af76", "is too short: at least the first 8 digits"),
        ("invoice 20261130 is missing", "There is no request id in this text"),
        ("deadbeef", "No request with the id deadbeef is in "),
    ],
)
def test_what_is_no_known_id_is_explained(desk, request_id, text, message):
    """No id, too short, not stored: each says what it is."""
    found = resolve(desk.workspace, Resolve(text=text))

    assert found.request_ids == ()
    assert message in found.message


def test_a_short_id_of_digits_alone_is_an_id_in_the_search_box(desk):
    """Inside a ticket eight digits are an invoice number; alone they are what pages show as the id."""
    request_id = desk.record(1, request_id=f"{'1234567890' * 3}12-{ROOT}")

    assert resolve(desk.workspace, Resolve(text="12345678")).request_ids == (request_id,)


def test_an_unknown_id_may_be_one_that_the_app_did_not_sample(desk, request_id):
    """The message says how many requests apps chose not to record."""
    drops = Drops(app="bot", pid=1, drops={"not sampled": 1200}, at_ns=1)
    desk.store.intake.commit(IntakeBatch(drops=(drops,)))

    assert "Apps chose not to record 1,200 requests" in resolve(desk.workspace, Resolve(text="deadbeef")).message


def test_a_known_prefix_does_not_stand_in_for_an_unknown_id(desk, request_id):
    """A ticket whose request is not stored is not answered with another one that its digits happen to begin."""
    found = resolve(desk.workspace, Resolve(text=f"request {'f' * 32}-{'e' * 16}, order {TRACE[:8]}"))

    assert found.request_ids == ()
    assert "No request with the id" in found.message


def test_several_requests_are_offered_and_not_chosen(desk):
    """One trace with two requests: a person chooses."""
    first = desk.record(1, request_id=f"{TRACE}-{ROOT}")
    second = desk.record(2, request_id=f"{TRACE}-{'c' * 16}")

    found = resolve(desk.workspace, Resolve(text=TRACE))

    assert set(found.request_ids) == {first, second}
    assert found.message == f"2 requests fit {TRACE}: choose one."
    with pytest.raises(UsageError, match="They are: "):
        show(desk.workspace, ShowRequest(request=TRACE))


def test_the_list_is_a_page_of_the_store(desk):
    """Newest first, filtered, with how many there are."""
    desk.record(1, question="How do I cancel?")
    newest = desk.record(2, question="How do I pay?")

    page = find_requests(desk.workspace, FindRequests(which=RequestFilter(words="pay"), limit=10))

    assert [row.request_id for row in page.rows] == [newest]
    assert (page.matching, page.stored) == (1, 2)


def test_show_with_a_gold_saves_nothing(desk, request_id):
    """Looking is free: the verdict of another passage, with no label behind it."""
    desk.label(request_id, "a")

    view = show(desk.workspace, ShowRequest(request=request_id, gold=("e", "doc:b"), expect=("30 days",)))

    assert [(one.evidence, one.target.level.value) for one in view.labels] == [(1, "chunk"), (2, "document")]
    assert [one.target.chunk_id for one in desk.store.labels.of(request_id)] == ["a"]
    assert desk.store.requests.diagnosis(request_id).headline.verdict.value == "delivered"


def test_show_names_complaints_feedback_and_cases(desk, request_id):
    """Everything that people said about the request stands beside it."""
    from goldrank.actions import Promote, promote
    from goldrank.model import Feedback

    desk.label(request_id, "a")
    desk.complain("T-1", "Wrong.", request_id)
    feedback = Feedback(feedback_id="f1", request_id=request_id, score=-1, at_ns=1)
    desk.store.intake.commit(IntakeBatch(feedback=(feedback,)))
    edited = promote(desk.workspace, Promote(request_id=request_id, question="Another wording?")).case

    view = show(desk.workspace, ShowRequest(request=request_id))

    assert [one.complaint_id for one in view.complaints] == ["T-1"]
    assert [one.score for one in view.feedback] == [-1]
    assert [one.case_id for one in view.cases] == [edited.case_id]
    assert view.in_prompt.value == "Yes"


def test_an_id_in_another_form_is_not_found_in_an_empty_store(desk):
    """The message names the store that was looked into."""
    with pytest.raises(NotFound, match=r"store\.duckdb"):
        show(desk.workspace, ShowRequest(request=TRACE))


def test_an_id_whose_span_is_unknown_says_that_only_its_trace_is_known(desk, request_id):
    """The trace's request is what is meant, most likely; that it is a guess is said."""
    trace_id = request_id.partition("-")[0]
    found = resolve(desk.workspace, Resolve(text=f"{trace_id}-00000000000000aa"))
    assert found.request_ids == (request_id,)
    assert found.message == (
        f"No span 00000000000000aa is stored in trace {trace_id}; this is the request of that trace."
    )
    assert resolve(desk.workspace, Resolve(text=request_id)).message == ""
