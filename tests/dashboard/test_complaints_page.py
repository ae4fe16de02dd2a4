"""The page about complaints: paste, find, link, import, the queue, and one complaint until it is closed."""

from __future__ import annotations

from typing import Any

import pytest
from app_text import fine, links_of, shown
from goldrank.actions import add_complaint, assign_complaint, link_complaint, open_complaint
from goldrank.actions.add_complaint import AddComplaint
from goldrank.actions.assign_complaint import AssignComplaint
from goldrank.actions.link_complaint import LinkComplaint
from goldrank.actions.open_complaint import OpenComplaint
from goldrank.dashboard import links
from goldrank.model import short_id
from goldrank.model.complaint import ComplaintState

PAGE = "complaints.py"
TICKET = "Hi, u-2041 here. I asked what about for annual plans and it told me “Within 14 days of payment”. It is 30!"


def stored(desk: Any, ticket: str) -> Any:
    """The complaint as it is now."""
    return open_complaint(desk.workspace, OpenComplaint(complaint_id=ticket)).row


def file(desk: Any, text: str = TICKET, ticket: str = "T-7") -> str:
    """Files a ticket of 29 November; its id."""
    add_complaint(desk.workspace, AddComplaint(text=text, complaint_id=ticket, at_ns=desk.T0))
    return ticket


def test_an_empty_store_says_how_complaints_come(pages: Any):
    """Nothing is stored: the page asks for a ticket, and says what fills the queue."""
    app = fine(pages(PAGE))
    assert "No complaint yet" in shown(app)
    assert "/v1/complaints" in shown(app)
    assert app.text_area(key="ticket_text").value == ""


def test_to_find_without_a_ticket_asks_for_one(pages: Any):
    """The button works before anything was pasted, and says what is missing."""
    app = fine(pages(PAGE))
    assert "paste its text" in shown(fine(app.button(key="find_request").click().run()))


def test_a_ticket_without_an_id_is_linked_by_a_person(pages: Any, desk: Any):
    """Paste, find, Link: the request's page opens, the ticket beside the answer, and the link is the person's."""
    desk.record_scenes("demoted", "nowhere")
    app = fine(pages(PAGE))
    app.text_area(key="ticket_text").set_value(TICKET).run()
    chips = [one.content for one in app.get("button_group")[0].proto.options]
    assert any("u-2041" in chip.replace("\\", "") for chip in chips)
    app.button(key="find_request").click().run()
    text = shown(fine(app))
    assert "what about for annual plans?" in text
    assert "same user u-2041" in text
    assert "Within 14 days of payment [S1]." in text
    assert desk.workspace.store.complaints.count() == 0
    app.button(key=f"link_{desk.id_of('demoted')}").click().run()
    text = shown(fine(app))
    assert app.query_params[links.REQUEST_ID] == desk.id_of("demoted")
    assert "I asked what about for annual plans" in text
    complaint = desk.workspace.store.complaints.list()[0]
    assert (complaint.request_id, complaint.linked_by) == (desk.id_of("demoted"), "anna")


def test_a_chip_that_is_taken_away_no_longer_counts(pages: Any, desk: Any):
    """Without the user's chip no candidate has the same user as its reason; put back, it counts again."""
    desk.record_scenes("demoted")
    file(desk)
    app = fine(pages(PAGE, complaint="T-7"))
    assert "same user u-2041" in shown(app)
    app = fine(pages(PAGE, complaint="T-7", without="user u-2041"))
    assert "same user" not in shown(app)
    assert "what about for annual plans?" in shown(app)


def test_a_whole_id_links_by_itself_and_says_so(pages: Any, desk: Any):
    """A ticket with a request's id needs no search."""
    desk.record_scenes("demoted", "nowhere")
    app = fine(pages(PAGE))
    app.text_area(key="ticket_text").set_value(f"It was wrong. Request {desk.id_of('nowhere')}").run()
    app.button(key="find_request").click().run()
    text = shown(fine(app))
    assert "linked by itself" in text
    assert "Do you refund the VAT?" in text
    assert any(f"request_id={desk.id_of('nowhere')}" in link for link in links_of(app))


def test_none_of_these_keeps_the_ticket_as_new(pages: Any, desk: Any):
    """What fits no request stays in the queue."""
    desk.record_scenes("demoted")
    app = fine(pages(PAGE))
    app.text_area(key="ticket_text").set_value("It said something strange about plans").run()
    app.button(key="find_request").click().run()
    app.button(key="none_of_these").click().run()
    fine(app)
    complaint = desk.workspace.store.complaints.list()[0]
    assert stored(desk, complaint.complaint_id).state is ComplaintState.NEW
    assert app.query_params[links.COMPLAINT] == complaint.complaint_id


def test_none_of_these_on_a_stored_ticket_is_noted(pages: Any, desk: Any):
    """With whose word it is and which they were: who comes next need not look at the same ones again."""
    desk.record_scenes("demoted")
    file(desk, text=desk.view("demoted").recorded.request.question)
    app = fine(pages(PAGE, complaint="T-7"))
    app.button(key="none_of_these").click().run()
    (note,) = stored(desk, "T-7").complaint.notes
    assert note.who == "anna"
    assert note.text == f"None of the likely requests is meant: {desk.id_of('demoted')[:8]}."
    assert "None of the likely requests" in shown(fine(app))


def test_the_queue_shows_state_request_verdict_and_owner(pages: Any, desk: Any):
    """A row says how far the ticket has come, and its links lead to the ticket and the request."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    desk.complain("demoted", "Your bot told me 14 days!")
    file(desk, "it cannot find anything about VAT", "T-9")
    assign_complaint(desk.workspace, AssignComplaint(complaint_id="T-9", owner="Mara K."))
    app = fine(pages(PAGE))
    text = shown(app)
    assert "2 of 2 complaints" in text
    assert "labelled" in text
    assert "demoted" in text
    assert "Mara K." in text
    assert any("complaint=T-1042" in link for link in links_of(app))
    assert any(f"request_id={desk.id_of('demoted')}" in link for link in links_of(app))


@pytest.mark.parametrize(
    ("params", "number"), [({"state": "new"}, 1), ({"said": "14 days"}, 1), ({"owner": "mara"}, 1), ({"said": "x"}, 0)]
)
def test_the_queue_is_filtered_by_the_address(pages: Any, desk: Any, params: dict[str, str], number: int):
    """A link to a filtered queue shows that queue, and its rows carry the filter on."""
    desk.record_scenes("demoted")
    desk.complain("demoted", "Your bot told me 14 days!")
    file(desk, "it cannot find VAT", "T-9")
    assign_complaint(desk.workspace, AssignComplaint(complaint_id="T-9", owner="mara"))
    app = fine(pages(PAGE, params=params))
    assert f"{number} of 2 complaints" in shown(app)
    rows = [link for link in links_of(app) if "complaint=" in link]
    assert len(rows) == number
    assert all("within=" in link for link in rows)
    if not number:
        assert "No complaint matches" in shown(app)


def test_a_state_is_chosen_by_its_pill(pages: Any, desk: Any):
    """Pressing a pill puts its state into the address."""
    desk.record_scenes("demoted")
    desk.complain("demoted", "Your bot told me 14 days!")
    file(desk, "VAT?", "T-9")
    app = fine(pages(PAGE))
    app.button_group(key="queue_states").set_value([ComplaintState.LINKED]).run()
    assert "1 of 2 complaints" in shown(fine(app))
    assert app.query_params["state"] == "linked"


def test_an_unknown_complaint_is_explained(pages: Any):
    """The id that was asked for, why it can be unknown, and the way back."""
    app = fine(pages(PAGE, complaint="T-404"))
    assert "This complaint is not here" in shown(app)
    assert "T-404" in shown(app)
    assert any(one.value == "Complaints" for one in app.get("page_link"))


def test_a_linked_complaint_shows_its_request_and_can_be_unlinked(pages: Any, desk: Any):
    """Question, verdict and answer stand beside what was said; unlinked, candidates are offered."""
    desk.record_scenes("demoted")
    file(desk)
    link_complaint(desk.workspace, LinkComplaint(complaint_id="T-7", request=desk.id_of("demoted")))
    app = fine(pages(PAGE, complaint="T-7"))
    text = shown(app)
    assert "Its request" in text
    assert "linked by anna" in text
    assert "mark the passage" in text
    app.button(key="unlink").click().run()
    assert "Likely requests" in shown(fine(app))
    assert stored(desk, "T-7").request_id is None
    assert "Unlinked by anna" in shown(app)


def test_closing_needs_a_reason(pages: Any, desk: Any):
    """Closed without anything that shows it, the dialog refuses; with a reason it closes, and can be opened again."""
    desk.record_scenes("demoted")
    file(desk)
    app = fine(pages(PAGE, complaint="T-7"))
    app.button(key="close").click().run()
    app.button(key="close_save").click().run()
    assert "needs a passing case" in shown(fine(app))
    assert stored(desk, "T-7").complaint.closing is None
    app.text_area(key="close_reason").set_value("The page was rewritten").run()
    app.button(key="close_save").click().run()
    assert stored(desk, "T-7").state is ComplaintState.FIXED
    app = fine(pages(PAGE, complaint="T-7"))
    assert "Closed as fixed by anna · The page was rewritten" in shown(app)
    app.text_input(key="reopen_reason").set_value("It is back").run()
    app.button(key="reopen").click().run()
    assert "It is back" in shown(fine(app))
    assert stored(desk, "T-7").complaint.closing is None


def test_a_complaint_is_taken_and_noted(pages: Any, desk: Any):
    """Take it makes the viewer its owner; a note is kept with its writer."""
    file(desk)
    app = fine(pages(PAGE, complaint="T-7"))
    app.button(key="take_it").click().run()
    app.text_input(key="note_text").set_value("Asked the customer").run()
    app.button(key="add_note").click().run()
    text = shown(fine(app))
    assert "Asked the customer" in text
    assert "Assigned to anna" in text
    complaint = stored(desk, "T-7").complaint
    assert (complaint.owner, complaint.notes[0].who) == ("anna", "anna")


def test_tickets_are_imported_after_a_look(pages: Any, desk: Any):
    """The first rows and the columns are shown, then the good lines come in and the bad ones are named."""
    desk.record_scenes("demoted")
    lines = ["Ticket,Description,Reporter,Created"]
    lines += [f"T-{number},Wrong answer {number},u-{number},2026-11-28T10:0{number}:00Z" for number in range(1, 5)]
    lines.append("T-5,too few")
    app = fine(pages(PAGE))
    app.button(key="import_tickets").click().run()
    app.get("file_uploader")[0].set_value(("tickets.csv", "\n".join(lines).encode(), "text/csv")).run()
    text = shown(fine(app))
    assert "complaint id ← Ticket" in text
    assert "text ← Description" in text
    assert "The first 3 of 4 tickets" in text
    assert "1 line cannot be read" in text
    assert desk.workspace.store.complaints.count() == 0
    app.button(key="import_run").click().run()
    text = shown(fine(app))
    assert "4 new tickets, 0 renewed" in text
    assert "1 line could not be read" in text
    assert desk.workspace.store.complaints.count() == 4


def test_an_import_reads_the_chosen_column(pages: Any, desk: Any):
    """Where no usual name fits, the person says which column holds the text."""
    app = fine(pages(PAGE))
    app.button(key="import_tickets").click().run()
    content = "ref;what happened\nA-1;Das war falsch: 14 Tage für Jahresverträge\n".encode("cp1252")
    app.get("file_uploader")[0].set_value(("export.csv", content, "text/csv")).run()
    assert "none of its columns is known as the text" in str([table.value for table in app.dataframe])
    assert app.button(key="import_run").disabled
    box = next(one for one in app.selectbox if one.label == "Text")
    box.set_value("what happened").run()
    assert "read as Windows-1252" in shown(fine(app))
    app.button(key="import_run").click().run()
    fine(app)
    assert "für Jahresverträge" in desk.workspace.store.complaints.list()[0].text


def test_texts_of_tickets_stay_text(pages: Any, desk: Any):
    """A ticket that tries to be Markdown or HTML is shown letter for letter, in the queue and by itself."""
    desk.record_scenes("hostile")
    file(desk, desk.HOSTILE, "T-66")
    for app in (fine(pages(PAGE)), fine(pages(PAGE, complaint="T-66"))):
        assert any("<script>" in one.value for one in app.text)
        assert not any("<script>" in one.value for one in app.markdown)


def test_a_ticket_pasted_on_requests_is_found_by_what_it_says(pages: Any, desk: Any):
    """Without an id the box on Requests goes on to Complaints, where the ticket is searched for at once."""
    desk.record_scenes("demoted", "nowhere")
    app = fine(pages())
    app.chat_input[0].set_value("Your bot was wrong about annual plans").run()
    app.button(key="paste_find").click().run()
    assert app.text_area(key="ticket_text").value == "Your bot was wrong about annual plans"
    assert "what about for annual plans?" in shown(fine(app))


def test_the_requests_page_leads_to_the_queue(pages: Any, desk: Any):
    """The compact card on Requests has the way to the whole queue."""
    desk.record_scenes("demoted")
    desk.complain("demoted", f"Wrong. {short_id(desk.id_of('demoted'))}")
    assert any(one.value == "Queue" for one in fine(pages()).get("page_link"))
