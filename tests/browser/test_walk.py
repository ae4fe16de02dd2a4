"""The README's walk: a complaint, its request, the gold, the verdict, a replay with more depth, the case."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Demo, Person

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).resolve().parents[2] / "build" / "walk"
TICKET = "QM-4103"
DEPTH = 200
RUN_MS = 90_000


@pytest.mark.slow
def test_the_walk_of_the_readme(fresh_demo: Demo, person: Person) -> None:
    """Every step stands on its page, in words, and the pictures are kept."""
    from playwright.sync_api import expect

    complaint = next(one for one in fresh_demo.complaints if one["ticket"] == TICKET)
    page = person.page
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.goto(fresh_demo.url)
    person.paste(page.get_by_placeholder("Paste a request id, a link, or the text of a ticket"), complaint["text"])
    expect(page).to_have_url(re.compile(rf"request_id={complaint['request_id']}"))
    card = page.locator(".st-key-mark_gold")
    person.type(card.get_by_label("Words, sentence, id or document"), complaint["search_words"])
    row = card.get_by_test_id("stHorizontalBlock").filter(
        has=page.get_by_role("button", name=re.compile(rf"^{re.escape(complaint['gold_chunks'][0])}( ·|$)"))
    )
    person.click(row.last.get_by_role("button", name="★ Gold"))
    expect(page.get_by_test_id("stAlert").filter(has_text="No retriever found it").first).to_be_visible()
    page.screenshot(path=PICTURES / "1-verdict.png")

    person.click(page.get_by_role("link", name="Replay", exact=True))
    depth = page.locator('input[aria-label^="Depth of every retriever"]')
    person.type(depth, str(DEPTH))
    person.click(page.locator(".st-key-replay_run button"))
    expect(page.get_by_role("heading", name="Then and now")).to_be_visible(timeout=RUN_MS)
    said = page.get_by_test_id("stAlert").filter(has_text=complaint["gold_chunks"][0]).first
    expect(said).to_contain_text(re.compile(r"is now at rank \d+ of \d+"))
    expect(said).to_contain_text("it was in no list, not among the first 30 of")
    page.screenshot(path=PICTURES / "2-replay.png")

    person.click(page.get_by_role("link", name="Compare on a page of its own"))
    expect(page.get_by_role("heading", name="Compare two requests")).to_be_visible()
    page.screenshot(path=PICTURES / "3-compare.png")

    person.click(page.get_by_role("link", name=re.compile("^Then: ")))
    expect(page).to_have_url(re.compile(rf"request_id={complaint['request_id']}"))
    person.click(page.get_by_role("link", name="Steps", exact=True))
    expect(page.get_by_text(re.compile("^Step 1 of "))).to_be_visible()
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("step=2"))
    person.click(page.get_by_role("link", name=re.compile("^Request ")))

    person.click(page.get_by_role("button", name="Promote", exact=True))
    person.click(page.get_by_role("dialog").get_by_role("button", name="Promote", exact=True))
    expect(page.get_by_text(re.compile(r"Case \w+ of support-bot was created|already in the set"))).to_be_visible()
    page.screenshot(path=PICTURES / "4-case.png")
