"""From a ticket that names no request to the request it is about, by keyboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Demo, Person

pytestmark = pytest.mark.browser


def test_a_ticket_without_an_id_leads_to_its_request(demo: Demo, person: Person) -> None:
    """Pasted on Requests, found by what it says, linked with Enter: ticket and answer stand side by side."""
    from playwright.sync_api import expect

    meant = next(one for one in demo.complaints if one["question"] == "How do I stop syncing for a while?")
    ticket = (
        f"Hello, this is {meant['user']}. A few minutes ago I asked how to stop the syncing for some time, "
        "and your bot told me how to start the app afresh. That cost me an hour."
    )
    page = person.page
    page.goto(demo.url)
    person.paste(page.get_by_placeholder("Paste a request id, a link, or the text of a ticket"), ticket)
    by_words = page.get_by_role("button", name="Find it by what it says")
    expect(by_words).to_be_visible()
    by_words.press("Enter")

    first = page.locator(".st-key-candidate_1")
    expect(first).to_contain_text(meant["question"])
    expect(first).to_contain_text(meant["request_id"][:8])
    user_chip = page.locator(".st-key-paste_ticket").get_by_role("button", name=re.compile(meant["user"])).first
    expect(first).to_contain_text("same user")
    user_chip.press("Enter")
    expect(page.get_by_text("same user")).to_have_count(0)
    user_chip.press("Enter")
    expect(first).to_contain_text("same user")
    first.get_by_role("button", name="Link").press("Enter")

    expect(page).to_have_url(re.compile(rf"request_id={meant['request_id']}"))
    expect(page.get_by_text("is linked to this request")).to_be_visible()
    expect(page.get_by_text("That cost me an hour.").first).to_be_visible()
    expect(page.get_by_text("Answer given")).to_be_visible()
    complaint = page.get_by_test_id("stPageLink").get_by_role("link", name=re.compile("Open the complaint c-"))
    complaint.press("Enter")
    expect(page).to_have_url(re.compile(r"complaint=c-[0-9a-f]{12}"))
    expect(page.get_by_role("heading", name="Its request")).to_be_visible()
