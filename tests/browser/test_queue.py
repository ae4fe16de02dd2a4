"""Twenty failures worked through by keyboard alone; fast keys; keys while typing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from goldrank.actions.hub_client import call_hub
from goldrank.actions.requests import FindRequests
from goldrank.actions.show import RequestView, ShowRequest
from goldrank.actions.triage import AskQueue, Queued
from goldrank.model import Judgement, short_id
from goldrank.store import RequestFilter, RequestPage
from watching import POLL_MS

if TYPE_CHECKING:
    from conftest import Demo, Person
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]

FAILURES = 20
MOST_KEYS = 8
LIST = "/?complained=With+complaint&labelled=Not+labelled&queue=Open"
DRAWN = """short => {
    const app = document.querySelector('[data-testid=stApp]');
    return app && app.getAttribute('data-test-script-state') === 'notRunning'
        && !document.querySelector('[data-testid=stSkeleton]')
        && (!short || document.body.innerText.includes(` · ${short} · `));
}"""
"""The script has run to its end; `short`: and shows this request's line of facts."""


class Keyboard:
    """Hands that touch nothing but keys, and count them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses += 1

    def go(self, key: str) -> str:
        """Presses a key that opens another request; its id."""
        before = self.page.url
        self.press(key)
        self.page.wait_for_function("before => location.href !== before", arg=before, polling=POLL_MS)
        return self.arrived(shown_id(self.page))

    def arrived(self, request_id: str) -> str:
        """The page shows this request, to its end."""
        self.page.wait_for_function(DRAWN, arg=short_id(request_id), polling=POLL_MS)
        return request_id

    def settled(self) -> None:
        """What was pressed is drawn."""
        self.page.wait_for_function(DRAWN, arg="", polling=POLL_MS)

    def search(self) -> None:
        """Goes into the search for passages, once the page listens to that key."""
        self.page.wait_for_function("() => document.body.dataset.searchKey")
        self.press("/")

    def mark(self, number: int) -> None:
        """Marks a suggested passage; the question which one it is goes away."""
        self.press(str(number))
        self._asks(shown=False)

    def undo_mark(self) -> None:
        self.press("u")
        self._asks(shown=True)

    def put_aside(self, key: str, label: str) -> None:
        """Later or cannot tell; the button has done its work."""
        from playwright.sync_api import expect

        self.press(key)
        expect(self.page.locator(".st-key-queue_bar").get_by_role("button", name=label)).to_be_disabled()
        self.settled()

    def _asks(self, *, shown: bool) -> None:
        heading = self.page.get_by_role("heading", name="Which passage should have answered this?")
        heading.wait_for(state="visible" if shown else "detached")
        self.settled()


def shown_id(page: Page) -> str:
    """The request in the address."""
    found = re.search(r"request_id=([0-9a-f-]+)", page.evaluate("location.href"))
    assert found, page.url
    return found.group(1)


def suggested(page: Page) -> list[str]:
    """Chunk ids of the suggested passages, as a person reads them: the first is marked by 1."""
    names = page.locator(".st-key-mark_gold").get_by_role("button", name=re.compile("#"))
    return [text.partition(" · ")[0].strip() for text in names.all_inner_texts()]


def asked(demo: Demo, ask: Any, name: str, answer: Any) -> Any:
    """What an action of the running hub answers."""
    body = call_hub(demo.directory, name, ask.model_dump_json().encode())
    assert body is not None
    return answer.model_validate_json(body)


def stored(demo: Demo, request_id: str) -> tuple[list[str], str | None]:
    """The golds and the place in the queue of a request."""
    view = asked(demo, ShowRequest(request=request_id), "show", RequestView)
    golds = [one.target.chunk_id for one in view.labels if one.judgement is Judgement.GOLD]
    state = asked(demo, AskQueue(request_id=request_id), "queued", Queued).state
    return golds, state.value if state else None


def ids(demo: Demo, **which: Any) -> list[str]:
    """Requests that a filter lets through, newest first."""
    page = asked(demo, FindRequests(which=RequestFilter(**which), limit=1000), "find_requests", RequestPage)
    return [row.request_id for row in page.rows]


def opened(demo: Demo, person: Person) -> Keyboard:
    """The list of failures, loaded; from here on there is no mouse."""
    keyboard = Keyboard(person.page)
    person.page.goto(demo.url + LIST)
    person.page.get_by_role("button", name="Work through these").wait_for()
    keyboard.settled()
    return keyboard


def test_fast_presses_mark_what_was_seen_or_nothing(fresh_demo: Demo, person: Person) -> None:
    """J and 1 in one go; 1 and 2 in one go; L three times: never another passage, never twice."""
    from playwright.sync_api import expect

    keyboard, page = opened(fresh_demo, person), person.page
    first = keyboard.go("w")
    mine = {first: suggested(page)[0]}
    second = keyboard.go("j")
    mine[second] = suggested(page)[0]
    assert keyboard.go("k") == first

    keyboard.press("j")
    keyboard.press("1")
    # Either key may be the one that the browser let through first.
    heading = "Which passage should have answered this?"
    moved_or_marked = "([id, heading]) => location.href.includes(id) || !document.body.innerText.includes(heading)"
    page.wait_for_function(moved_or_marked, arg=[second, heading])
    keyboard.arrived(shown_id(page))
    marked = {one: stored(fresh_demo, one)[0] for one in (first, second)}
    assert all(golds in ([], [mine[one]]) for one, golds in marked.items()), marked
    assert len(ids(fresh_demo, labelled=True)) <= 1
    if shown_id(page) == first:
        assert keyboard.go("j") == second

    third = keyboard.go("j")
    passages = suggested(page)
    for key in "1122":
        keyboard.press(key)
    keyboard._asks(shown=False)
    golds = stored(fresh_demo, third)[0]
    assert golds in ([passages[0]], [passages[1]])  # Streamlit runs both at once: one is first, the other refused

    fourth = keyboard.go("j")
    for key in "lll":
        keyboard.press(key)
    expect(page.locator(".st-key-queue_bar").get_by_role("button", name="Later")).to_be_disabled()
    keyboard.settled()
    assert stored(fresh_demo, fourth) == ([], "later")
    keyboard.press("u")
    page.get_by_text("Taken back: later.").wait_for()
    assert stored(fresh_demo, fourth) == ([], None)

    for one in (first, second, third):
        _forget_golds(fresh_demo, one)


def _forget_golds(demo: Demo, request_id: str) -> None:
    from goldrank.actions import LabelsSaved, UndoLabel

    if stored(demo, request_id)[0]:
        asked(demo, UndoLabel(request_id=request_id), "undo_label", LabelsSaved)


def test_keys_do_nothing_while_somebody_types(fresh_demo: Demo, person: Person) -> None:
    """A slash goes into the search; letters and digits stay there; Escape leaves it, and keys are keys again."""
    from playwright.sync_api import expect

    keyboard, page = opened(fresh_demo, person), person.page
    first = keyboard.go("w")
    keyboard.search()
    field = page.locator(".st-key-mark_gold").get_by_label("Words, sentence, id or document")
    expect(field).to_be_focused()
    page.keyboard.type("jklxua123")
    expect(field).to_have_value("jklxua123")
    keyboard.settled()
    assert shown_id(page) == first
    assert stored(fresh_demo, first) == ([], None)
    keyboard.press("Escape")
    expect(field).not_to_be_focused()
    assert keyboard.go("j") != first


def test_what_was_searched_for_is_marked_by_its_number(fresh_demo: Demo, person: Person) -> None:
    """After Enter the keys are no longer the field's: 1 marks the first passage found."""
    from playwright.sync_api import expect

    keyboard, page = opened(fresh_demo, person), person.page
    first = keyboard.go("w")
    keyboard.search()
    expect(page.get_by_label("Words, sentence, id or document")).to_be_focused()
    page.keyboard.type("webhooks#signature")
    keyboard.press("Enter")
    page.get_by_text("found among").wait_for()
    keyboard.settled()
    assert suggested(page)[0] == "webhooks#signature"
    keyboard.mark(1)
    assert stored(fresh_demo, first)[0] == ["webhooks#signature"]
    keyboard.undo_mark()
    assert stored(fresh_demo, first)[0] == []


def test_twenty_failures_by_keyboard_alone(fresh_demo: Demo, person: Person) -> None:
    """At most eight keys a failure; afterwards the store says exactly what was pressed, and nothing else."""
    keyboard, page = opened(fresh_demo, person), person.page
    gold_of = {one["request_id"]: one["gold_chunks"] for one in fresh_demo.complaints}
    waiting = ids(fresh_demo, complained=True, labelled=False, queue="open", replays=False)
    assert len(waiting) > FAILURES
    expected: dict[str, tuple[list[str], str | None]] = {}
    counts = []
    request_id = keyboard.go("w")
    for number in range(FAILURES):
        assert request_id == waiting[number]
        begun = keyboard.presses
        passages = suggested(page)
        known = [one for one in gold_of.get(request_id, []) if one in passages]
        if number == 3:  # a slip: the wrong one, taken back
            wrong = next(place for place, one in enumerate(passages, start=1) if one not in known)
            keyboard.mark(wrong)
            keyboard.undo_mark()
        if known:
            keyboard.mark(passages.index(known[0]) + 1)
            expected[request_id] = ([known[0]], None)
        elif gold_of.get(request_id) is None or number % 2:
            keyboard.put_aside("x", "Cannot tell")
            expected[request_id] = ([], "cannot_tell")
        else:
            keyboard.put_aside("l", "Later")
            expected[request_id] = ([], "later")
        request_id = keyboard.go("j")
        counts.append(keyboard.presses - begun)

    assert max(counts) <= MOST_KEYS, counts
    assert {state for _, state in expected.values()} == {None, "later", "cannot_tell"}
    assert {one: stored(fresh_demo, one) for one in expected} == expected
    assert ids(fresh_demo, complained=True, labelled=False, queue="open", replays=False) == waiting[FAILURES:]
    assert set(ids(fresh_demo, labelled=True)) == {one for one, (golds, _) in expected.items() if golds}
    put_aside = ids(fresh_demo, queue="later") + ids(fresh_demo, queue="cannot_tell")
    assert set(put_aside) == {one for one, (_, state) in expected.items() if state}
