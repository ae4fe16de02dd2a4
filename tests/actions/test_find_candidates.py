"""From a ticket to the requests it may be about."""

from __future__ import annotations

import pytest
from goldrank.actions import AddComplaint, Candidates, FindCandidates, add_complaint, find_candidates
from goldrank.model import RecordedRequest, Request, UsageError

HOUR = 3600 * 10**9


@pytest.fixture
def full(desk):
    """A desk with five requests, an hour apart, the last one an hour ago; `times` says when each started."""
    asked = [
        ("How do I cancel my annual plan?", "You can cancel within 30 days of payment.", "u-17"),
        ("Do charities get a discount?", "Charities pay half of the price.", "u-18"),
        ("How do I cancel my annual plan?", "You can cancel within 14 days.", "u-19"),
        ("Where is my invoice?", "Invoices are sent by mail on the first.", "u-17"),
        ("Can I export my data?", "Exports are in the admin area.", "u-20"),
    ]
    desk.clock.at_ns += 20 * HOUR
    desk.times = {number: desk.clock.at_ns - (6 - number) * HOUR for number in range(1, 6)}
    for number, (question, answer, user) in enumerate(asked, start=1):
        store(desk, number, desk.times[number], question=question, answer=answer, user=user)
    return desk


def store(desk, number: int, start_ns: int, **fields) -> None:
    """Stores a request with one list that starts then."""
    request_id = fields.pop("request_id", desk.request_id(number))
    request = Request(request_id=request_id, trace_id=request_id[:32], app="bot", start_ns=start_ns, **fields)
    stages = desk._stages(number, request.question or "", {"bm25": "a b c"}, None, "a b")
    desk.store_recorded(RecordedRequest(request=request, stages=stages))


def find(desk, text: str, **fields) -> Candidates:
    """In UTC, now."""
    return find_candidates(desk.workspace, FindCandidates(text=text, zone="UTC", **fields))


def test_words_find_the_question_and_its_requests_are_folded(full):
    """The newest inside where nothing tells them apart."""
    found = find(full, "Hi team, your bot was wrong about cancelling an annual plan. Thanks")
    first = found.candidates[0]
    assert first.request_id == full.request_id(3)
    assert [other.request_id for other in first.others] == [full.request_id(1)]
    assert first.asked == 2
    assert "of 3 words of the question" in first.reasons[0]
    assert found.exact == ()
    assert found.searched == 5


def test_the_user_decides_between_requests_of_one_question(full):
    """And is named as the reason; without the chip the newest comes back."""
    found = find(full, "User u-17 was told something wrong about how to cancel an annual plan")
    assert found.candidates[0].request_id == full.request_id(1)
    assert "same user u-17" in found.candidates[0].reasons
    assert [mention.words for mention in found.reading.users] == ["u-17"]
    without = find(full, "User u-17 was told something wrong about how to cancel an annual plan", without=("u-17",))
    assert without.candidates[0].request_id == full.request_id(3)
    assert without.reading.users == ()


def test_the_time_decides_too(full):
    """Said in words, with how far it is."""
    at = full.times[1]
    hour = (at // HOUR) % 24
    found = find(full, f"The annual plan cannot be cancelled? Asked today around {hour}:00 UTC.")
    assert found.candidates[0].request_id == full.request_id(1)
    assert any("“" in reason for reason in found.candidates[0].reasons)


def test_a_quotation_of_the_answer_finds_its_request(full):
    """Though no word of the question is said."""
    found = find(full, 'It said "charities pay half of the prise", is that so?')
    assert found.candidates[0].request_id == full.request_id(2)
    assert "quotes its answer" in found.candidates[0].reasons


def test_a_whole_id_comes_first_and_a_beginning_too(full):
    """The one is exact, the other a hint that a person confirms."""
    request_id = "7f3a9c12" + "0" * 24 + "-" + "1" * 16
    store(full, 7, full.times[4] + 1, request_id=request_id, question="When is payday?")
    assert find(full, f"charities discount, see {request_id}").exact == (request_id,)
    found = find(full, f"charities discount, see {request_id[:12]}")
    assert found.exact == ()
    assert found.candidates[0].request_id == request_id
    assert found.candidates[0].reasons[0] == f"names it: {request_id[:8]}"


def test_a_beginning_without_a_letter_is_one_where_a_request_begins_so(full):
    """One id in forty does; any other number is no id, and stands in no chip."""
    request_id = "94761999" + "0" * 24 + "-" + "1" * 16
    store(full, 7, full.times[4] + 1, request_id=request_id, question="When is payday?")
    found = find(full, "charities discount, see 94761999 on invoice 20261128")
    assert (found.exact, found.candidates[0].request_id) == ((), request_id)
    assert [one.prefix for one in found.reading.ids] == ["94761999"]


def test_replays_and_later_requests_are_none(full):
    """The ticket cannot be about them."""
    store(full, 6, full.times[2], question="Do charities get a discount?", replay_of=full.request_id(2))
    later = find(full, "charities discount", opened_ns=full.times[1] + HOUR // 2)
    assert all(full.request_id(2) != one.request_id for one in later.candidates)
    now = find(full, "charities discount")
    assert full.request_id(6) not in {one.request_id for one in now.candidates}
    assert now.candidates[0].others == ()


def test_a_stored_complaint_brings_its_time_user_and_app(full):
    """As the help desk gave them."""
    ask = AddComplaint(text="annual plan: cancel?", complaint_id="T-1", who="u-17", at_ns=full.clock.at_ns, app="bot")
    add_complaint(full.workspace, ask)
    found = find_candidates(full.workspace, FindCandidates(complaint_id="T-1", zone="UTC"))
    assert found.candidates[0].request_id == full.request_id(1)
    assert found.reading.users[0].words == "reported by u-17"
    other = find(full, "annual plan", app="another")
    assert (other.candidates, other.searched) == ((), 0)


def test_typing_slips_and_other_forms_are_found(full):
    """One letter, or another number."""
    assert find(full, "chrities, discuonts").candidates[0].request_id == full.request_id(2)
    assert find(full, "invoices").candidates[0].request_id == full.request_id(4)


def test_a_card_has_what_a_page_shows(full):
    """Question, answer, user, time, verdict, likelihood and the parts of the score."""
    full.label(full.request_id(2), "c")
    card = find(full, "Do charities get a discount? User u-18").candidates[0]
    assert (card.question, card.answer) == ("Do charities get a discount?", "Charities pay half of the price.")
    assert (card.user, card.start_ns, card.app) == ("u-18", full.times[2], "bot")
    assert card.verdict == "below_cut"
    assert card.likelihood == "very likely"
    assert card.score == pytest.approx(sum(card.parts.values()), abs=0.01)


def test_nothing_in_common_is_no_candidate(full):
    """An honest nothing; an empty ticket is a mistake."""
    assert find(full, "zzzz qqqq").candidates == ()
    with pytest.raises(UsageError, match="no ticket"):
        find(full, "  ")


def test_nothing_is_linked(full):
    """Looking is no decision."""
    add_complaint(full.workspace, AddComplaint(text="charities discount?", complaint_id="T-1"))
    find_candidates(full.workspace, FindCandidates(complaint_id="T-1"))
    assert full.store.complaints.get("T-1").request_id is None
