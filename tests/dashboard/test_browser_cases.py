"""What is promised for awkward recordings, held to it in a real browser: controls, size, links, days."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
from goldrank.actions.hub_client import call_hub
from watching import WAIT_MS, settle

pytestmark = pytest.mark.browser


@contextmanager
def session(tab: Any, hub: Any, address: str) -> Iterator[Any]:
    """A fresh browser session on this address, settled; bytes that came over its socket are in `page.received`."""
    page = tab.context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.received = []
    page.on("websocket", lambda one: one.on("framereceived", lambda data: page.received.append(len(data))))
    page.goto(hub.info.url + address)
    settle(page)
    try:
        yield page
    finally:
        page.close()


def open_first(page: Any) -> None:
    """Opens the first request of the list."""
    page.locator(".st-key-request_rows a").first.click()
    page.wait_for_url(re.compile("request_id="))
    settle(page)


def test_controls_are_marks_and_turn_nothing_round(tab: Any, demo_hub: Any, post_request: Callable[[Any, str], None]):
    """NUL, an escape and a bidi override in a question show as marks; none of them reaches the page itself."""
    post_request(demo_hub, "controlled\x00 \x1b[31mred \u202egnp.exe")
    with session(tab, demo_hub, "/?words=controlled") as page:
        page.locator(".st-key-request_rows a").first.wait_for()
        open_first(page)
        assert page.locator("h2").first.inner_text() == "controlled␀ ␛[31mred ⟦RLO⟧gnp.exe"
        assert not re.search("[\x00\x1b\u202e]", page.locator("body").inner_text())


def test_a_huge_text_does_not_cross_the_wire_and_others_go_on(
    tab: Any, demo_hub: Any, post_request: Callable[[Any, str], None]
):
    """A question of a million characters: the page gets a part of it with its length, and another session answers."""
    post_request(demo_hub, "enormous " + "word " * 200_000)
    with session(tab, demo_hub, "/?words=enormous") as page:
        page.locator(".st-key-request_rows a").first.wait_for()
        open_first(page)
        assert page.get_by_text("The Queries tab shows all of them", exact=False).count() == 1
        assert page.get_by_text("exceeds").count() == 0
        assert sum(page.received) < 900_000
        with session(tab, demo_hub, "/status") as other:
            assert other.get_by_role("heading", name="Status").count() == 1


@pytest.mark.parametrize("asked", ["", "does-not-exist", "'; drop table spans--", "<script>alert(1)</script>"])
def test_a_link_to_nothing_is_explained(tab: Any, demo_hub: Any, asked: str):
    """Unknown, empty and hostile ids: text and a way back, no traceback, no script."""
    with session(tab, demo_hub, f"/request?request_id={quote(asked)}") as page:
        heading = page.locator("h2").first.inner_text()
        assert heading == ("Which request?" if not asked else "This request is not here")
        assert page.get_by_role("link", name="All requests").count() == 1
        assert page.locator("[data-testid=stException]").count() == 0
        if asked:
            assert page.get_by_text(asked, exact=True).first.is_visible()


def test_a_filtered_list_survives_a_click_and_back(tab: Any, demo_hub: Any):
    """The address changes when a request is chosen, and the browser's Back returns to the filtered list."""
    with session(tab, demo_hub, "/?verdict=demoted") as page:
        counted = page.get_by_text(re.compile(r"^\d+ of \d+ requests"))
        before = counted.inner_text()
        open_first(page)
        assert "request_id=" in page.evaluate("location.search")
        page.go_back()
        page.get_by_text("· newest first").wait_for()
        settle(page)
        assert page.evaluate("location.search").startswith("?verdict=demoted")
        assert counted.inner_text().partition(" of ")[0] == before.partition(" of ")[0]


def test_ids_with_every_sign_survive_the_link(tab: Any, demo_hub: Any):
    """A case id with slashes, spaces and signs: its link opens it, also in a second session."""
    case_id = "case/7 a&b ?x#y %20 +ü"
    line = {"case_id": case_id, "question": "Does the link survive?", "relevant_chunk_ids": ["refunds-v5#annual"]}
    text = json.dumps(line)
    ask = json.dumps({"text": text, "source": "links.jsonl", "eval_set": "links", "app": "support-bot"}).encode()
    assert json.loads(call_hub(demo_hub.directory, "import_cases", ask) or b"{}")["bad"] == []
    with session(tab, demo_hub, "/eval_set?set=links") as page:
        page.locator("[data-testid=stPageLink] a", has_text="›").first.click()
        page.get_by_role("heading", name="Does the link survive?").wait_for()
        copied = page.evaluate("location.pathname + location.search")
    assert quote(case_id, safe="") in copied.replace("+", "%20")
    with session(tab, demo_hub, copied) as page:
        assert page.get_by_role("heading", name="Does the link survive?").count() == 1


def test_today_includes_now(tab: Any, demo_hub: Any, post_request: Callable[[Any, str], None]):
    """A request of this moment is in the list of today, in the zone of the person who looks, which is named."""
    post_request(demo_hub, "momentary question")
    with session(tab, demo_hub, "/?time=Today&words=momentary") as page:
        page.get_by_text("momentary question").first.wait_for()
        assert page.get_by_text("times in Europe/Berlin").count() == 1


def test_a_request_opened_too_early_appears_by_itself(tab: Any, demo_hub: Any, otlp: Callable[..., bytes]):
    """The page of an id that has not come yet waits, and shows the request without a reload."""
    import urllib.request

    trace_id = bytes.fromhex("fedcba9876543210fedcba9876543210")
    with session(tab, demo_hub, f"/request?request_id={trace_id.hex()}") as page:
        page.get_by_role("heading", name="This request is not here").wait_for()
        call = urllib.request.Request(
            f"{demo_hub.info.url}/v1/traces",
            otlp("Am I too early?", trace_id),
            {"Content-Type": "application/x-protobuf"},
        )
        with urllib.request.urlopen(call, timeout=30) as answer:
            assert answer.status == 200
        page.get_by_role("heading", name="Am I too early?").wait_for()


@pytest.mark.parametrize("part", ["Prompt", "Labels"])
def test_a_link_to_a_tab_brings_the_reader_there(tab: Any, demo_hub: Any, scene_ids: Any, part: str):
    """The tabs stand below the fold; a link that names one scrolls to them."""
    with session(tab, demo_hub, f"/request?request_id={scene_ids['demoted']}&tab={part}") as page:
        page.wait_for_function(
            "() => { const top = document.querySelector('[data-testid=stTabs]').getBoundingClientRect().top;"
            " return top >= 40 && top < window.innerHeight - 300; }"
        )
        assert page.get_by_role("tab", name=part).get_attribute("aria-selected") == "true"


def test_keys_go_to_the_neighbours(tab: Any, demo_hub: Any, scene_ids: Any):
    """J opens the older request, K the newer one; the tab stays."""
    with session(tab, demo_hub, f"/request?request_id={scene_ids['demoted']}&tab=Prompt") as page:
        page.keyboard.press("j")
        page.wait_for_function("id => !location.search.includes(id)", arg=scene_ids["demoted"])
        settle(page)
        assert "tab=Prompt" in page.evaluate("location.search")
        page.keyboard.press("k")
        page.wait_for_function("id => location.search.includes(id)", arg=scene_ids["demoted"])
