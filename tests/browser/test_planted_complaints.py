"""From the pasted ticket to the promoted case, for every complaint that the demo plants."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Demo, Person
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MOST_CLICKS = 12
COUNTS = Path(__file__).resolve().parents[2] / "build" / "planted-complaints.jsonl"
"""Clicks, keys and seconds of each complaint, for docs/performance.md. Seconds are reported, not asserted."""
PLANTED = json.loads(
    (Path(__file__).resolve().parents[2] / "examples" / "support_bot" / "planted.json").read_text("utf-8")
)
BRIEFLY = frozenset(("QM-4101", "QM-4118"))
"""Nothing to find; a passage, and a phrase that was promised: the two ways of a person, which the others repeat."""
TICKETS = [
    pytest.param(name, marks=() if name in BRIEFLY else pytest.mark.slow)
    for name in (complaint["ticket"] for complaint in PLANTED)
]


def _expect_sentence(page: Page, sentence: str) -> None:
    """Title and body of the verdict box say this sentence, whatever the case of its first letters."""
    title, _, body = sentence.rstrip(".").partition(": ")
    box = page.get_by_test_id("stAlert").filter(has_text=re.compile(re.escape(title.replace("`", "")), re.IGNORECASE))
    box.first.filter(has_text=re.compile(re.escape(body.replace("`", "")), re.IGNORECASE)).wait_for()


def _mark_gold(person: Person, words: str, chunk_id: str) -> None:
    """Types the words and presses Gold beside the passage, which a person would know by its text."""
    card = person.page.locator(".st-key-mark_gold")
    person.type(card.get_by_label("Words, sentence, id or document"), words)
    row = card.get_by_test_id("stHorizontalBlock").filter(
        has=person.page.get_by_role("button", name=re.compile(rf"^{re.escape(chunk_id)}( ·|$)"))
    )
    person.click(row.last.get_by_role("button", name="★ Gold"))


def _mark_missing(person: Person, words: str) -> None:
    """Searches, sees what there is, finds that nobody wrote it, and says so."""
    card = person.page.locator(".st-key-mark_gold")
    person.type(card.get_by_label("Words, sentence, id or document"), words)
    card.get_by_text("found among").wait_for()
    person.click(card.get_by_role("button", name="No such passage exists"))
    person.click(person.page.get_by_role("button", name="Save as missing"))


@pytest.mark.parametrize("ticket", TICKETS)
def test_from_the_ticket_to_the_case(ticket: str, demo: Demo, person: Person) -> None:
    """A planted complaint is found by its ticket's text, explained by the right sentence, and promoted."""
    complaint = next(one for one in demo.complaints if one["ticket"] == ticket)
    page = person.page
    page.goto(demo.url)
    person.paste(page.get_by_placeholder("Paste a request id, a link, or the text of a ticket"), complaint["text"])
    page.get_by_role("heading", name="Which passage should have answered this?").wait_for()
    assert f"request_id={complaint['request_id']}" in page.url

    if complaint["gold_chunks"]:
        words = [complaint["search_words"], *complaint.get("more_search_words", [])]
        for number, (typed, chunk_id) in enumerate(zip(words, complaint["gold_chunks"], strict=True)):
            if number:
                _go_to_labels(person)
            _mark_gold(person, typed, chunk_id)
    else:
        _mark_missing(person, complaint["search_words"])
    if not complaint["expect_phrases"]:
        _expect_sentence(page, complaint["sentence"])

    person.click(page.get_by_role("button", name="Promote", exact=True))
    dialog = page.get_by_role("dialog")
    if complaint["expect_phrases"]:
        field = dialog.get_by_role("textbox", name="The answer should contain")
        person.type(field, " | ".join(complaint["expect_phrases"]))
    person.click(dialog.get_by_role("button", name="Promote", exact=True))
    page.get_by_text(re.compile(r"Case \w+ of support-bot was created")).wait_for()
    _expect_sentence(page, complaint["sentence"])

    assert person.clicks <= MOST_CLICKS, f"{person.clicks} clicks"
    _report(ticket, person)
    _assert_exported(demo, complaint)


def _report(ticket: str, person: Person) -> None:
    COUNTS.parent.mkdir(exist_ok=True)
    row = {"ticket": ticket, "clicks": person.clicks, "keys": person.keys, "seconds": round(person.seconds, 1)}
    with COUNTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def _go_to_labels(person: Person) -> None:
    """Once a gold is marked, more are marked on the Labels tab."""
    person.page.get_by_role("heading", name="Which passage should have answered this?").wait_for(state="detached")
    person.click(person.page.get_by_role("tab", name="Labels"))
    person.page.get_by_role("heading", name="Mark another passage").wait_for()


def _assert_exported(demo: Demo, complaint: dict[str, Any]) -> None:
    """The promoted case is in the export, while the hub runs, with its question, gold and ticket."""
    export = [sys.executable, "-m", "goldrank", "cases", "export", "--directory", str(demo.directory)]
    lines = subprocess.run(export, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    case = next(case for case in map(json.loads, lines) if case["question"] == complaint["question"])
    assert case["relevant_chunk_ids"] == complaint["gold_chunks"]
    assert case["expected_answer_contains"] == complaint["expect_phrases"]
