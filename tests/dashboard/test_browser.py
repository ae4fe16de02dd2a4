"""The dashboard in a real browser: it looks right in both themes and widths, and text from traces stays text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
WAIT_MS = 90_000
"""The machine may be busy with other tests."""

PAGES: dict[str, tuple[str, str]] = {
    "requests": ("/", ""),
    "request-unlabelled": ("/request?request_id={hostile}", ""),
    "request-demoted": ("/request?request_id={demoted}", ""),
    "request-table": ("/request?request_id={demoted}&view=Table", ""),
    "request-twelve-stages": ("/request?request_id={twelve_stages}", ""),
    "request-incomplete": ("/request?request_id={incomplete}", ""),
    "request-three-golds": ("/request?request_id={three_golds}", ""),
    "request-nowhere": ("/request?request_id={nowhere}", ""),
    "request-nothing-found": ("/request?request_id={nothing_found}", ""),
    "request-prompt": ("/request?request_id={demoted}&tab=Prompt", ""),
    "request-labels": ("/request?request_id={demoted}&tab=Labels", ""),
    "chunk-drawer": ("/request?request_id={demoted}&chunk=refunds-v5%23annual", ""),
    "promote": ("/request?request_id={demoted}", "Promote"),
    "unknown-id": ("/request?request_id=feedfeedfeed", ""),
    "eval-set": ("/eval_set", ""),
    "case": ("/case?case_id={case}", ""),
    "status": ("/status", ""),
}

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1280, 1600)]
CORE = ("requests", "request-unlabelled", "request-demoted", "chunk-drawer", "promote", "eval-set", "case", "status")
"""Looked at in every theme and width; the other scenes in the first of them only."""


@contextmanager
def opened(browser: Any, hub: Any, address: str, **context: Any) -> Iterator[Any]:
    """A page of the hub, settled; requests to other hosts are collected in `page.foreign`."""
    made = browser.new_context(timezone_id="Europe/Berlin", **context)
    page = made.new_page()
    page.set_default_timeout(WAIT_MS)
    page.foreign = []
    page.on("request", lambda one: page.foreign.append(one.url) if _is_foreign(one.url) else None)
    page.goto(hub.info.url + address)
    settle(page)
    try:
        yield page
    finally:
        made.close()


def _is_foreign(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:"))


def settle(page: Any) -> None:
    """Waits until the script has run and no part is still being loaded."""
    page.wait_for_selector("[data-testid=stMainBlockContainer] h1, [data-testid=stMainBlockContainer] h2")
    page.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid=stApp]');
            const idle = app && app.getAttribute('data-test-script-state') === 'notRunning';
            return idle && !document.querySelector('[data-testid=stSkeleton]');
        }"""
    )


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_looks_as_designed(browser: Any, demo_hub: Any, scene_ids: Any, theme: str, width: int):
    """No page overflows its width, shows an exception or asks another host; pictures are kept to be looked at."""
    size = {"width": width, "height": 900}
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    with opened(browser, demo_hub, "/", viewport=size, color_scheme=theme) as page:
        for name in PAGES if (theme, width) == LOOKS[0] else CORE:
            address, press = PAGES[name]
            page.set_viewport_size(size)
            page.goto(demo_hub.info.url + address.format(**scene_ids))
            settle(page)
            if press:
                page.get_by_role("button", name=press, exact=True).click()
                page.get_by_role("dialog").wait_for()
            height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": width, "height": min(4000, max(900, height + 20))})
            settle(page)
            page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
            assert page.locator("[data-testid=stException]").count() == 0, name
            assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width, name
            assert page.foreign == [], name


@pytest.mark.parametrize("tab", ["Lists", "Queries", "Prompt", "Answer", "Labels", "Timings", "Raw"])
def test_hostile_text_stays_text(browser: Any, demo_hub: Any, scene_ids: Any, hostile_text: str, tab: str):
    """No script runs, no foreign link or request is made, no formula, image or emoji appears."""
    address = f"/request?request_id={scene_ids['hostile']}&tab={tab}"
    with opened(browser, demo_hub, address, viewport={"width": 1280, "height": 900}) as page:
        assert page.foreign == []
        targets = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        assert [target for target in targets if _is_foreign(target)] == []
        assert page.locator("img[src*='evil'], .katex").count() == 0
        assert page.locator("del").count() == (1 if tab == "Queries" else 0)  # the one is our own word diff
        heading = page.locator("h2").first.inner_text().replace("\N{NO-BREAK SPACE}", " ")
        assert heading == hostile_text
        assert hostile_text in page.locator("[data-testid=stText]:visible").first.inner_text()


def test_hostile_text_stays_text_in_lists_search_and_drawer(
    browser: Any, demo_hub: Any, scene_ids: Any, hostile_text: str
):
    """The same in the list of requests, among found passages and in the drawer."""
    with opened(browser, demo_hub, "/", viewport={"width": 1600, "height": 900}) as page:
        shown = [text for text in page.locator("[data-testid=stText]").all_inner_texts() if "<script>" in text]
        assert hostile_text in shown
        assert page.foreign == []
    with opened(browser, demo_hub, f"/request?request_id={scene_ids['hostile']}") as page:
        page.get_by_label("Words, sentence, id or document").fill("annual")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="★ Gold").first.wait_for()
        settle(page)
        page.locator("[data-testid=stBaseButton-tertiary]", has_text="refunds-v5").first.click()
        page.get_by_role("dialog").wait_for()
        settle(page)
        targets = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        assert [target for target in targets if _is_foreign(target)] == []
        assert page.foreign == []
        assert page.locator("img[src*='evil'], .katex").count() == 0


def test_from_the_pasted_ticket_to_the_promoted_case(browser: Any, demo_hub: Any, scene_ids: Any):
    """Paste, search, Gold, Promote, Promote: at most twelve clicks, and each answer comes at once."""
    clicks = 0

    def press(target: Any) -> None:
        nonlocal clicks
        clicks += 1
        target.click()

    ticket = f"Hello,\nthe bot was wrong about VAT.\nRequest: {scene_ids['hostile']}\nThanks, Mara"
    with opened(browser, demo_hub, "/", viewport={"width": 1280, "height": 900}) as page:
        box = page.get_by_placeholder("Paste a request id, a link, or the text of a ticket")
        press(box)
        box.fill(ticket)
        page.keyboard.press("Enter")
        press(page.get_by_label("Words, sentence, id or document"))
        page.keyboard.type("passage refunds-v4 annual")
        page.keyboard.press("Enter")
        press(page.get_by_role("button", name="★ Gold").first)
        page.get_by_text("Gold path").first.wait_for()
        settle(page)
        press(page.get_by_role("button", name="Promote", exact=True))
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        settle(page)
        press(dialog.get_by_role("button", name="Promote", exact=True))
        page.get_by_text("was created.").wait_for()
        assert clicks <= 12


def test_rows_open_by_keyboard_and_the_way_back_keeps_the_filter(browser: Any, demo_hub: Any):
    """A row is a link that can be reached by Tab; back from the request the filter still stands."""
    with opened(browser, demo_hub, "/?verdict=demoted", viewport={"width": 1280, "height": 900}) as page:
        page.locator("[data-testid=stPageLink] a", has_text="…").count()
        link = page.locator(".st-key-request_rows a").first
        link.focus()
        page.keyboard.press("Enter")
        page.get_by_text("verdict demoted").wait_for()
        assert "request_id=" in page.url
        page.locator("[data-testid=stPageLink] a", has_text="Requests").first.click()
        page.get_by_text("newest first").wait_for()
        settle(page)
        assert "verdict=demoted" in page.url


def test_the_drawer_closes_and_leaves_the_address(browser: Any, demo_hub: Any, scene_ids: Any):
    """Escape closes the drawer and takes the chunk out of the address."""
    address = f"/request?request_id={scene_ids['demoted']}&chunk=refunds-v5%23annual"
    with opened(browser, demo_hub, address, viewport={"width": 1280, "height": 900}) as page:
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")
        page.wait_for_function("!location.search.includes('chunk=')")


def test_what_an_app_records_appears_in_the_open_list(
    browser: Any, demo_hub: Any, post_request: Callable[[Any, str], None]
):
    """A request that comes while the list is open appears in it without a reload."""
    with opened(browser, demo_hub, "/?words=arrive", viewport={"width": 1280, "height": 900}) as page:
        page.get_by_text("No request matches").wait_for()
        post_request(demo_hub, "Did it arrive just now?")
        page.get_by_text("Did it arrive just now?").wait_for()


def test_a_set_is_exported_as_lines(browser: Any, demo_hub: Any):
    """The download holds one JSON object a line, the one of the case that stands in the set."""
    with opened(browser, demo_hub, "/eval_set", viewport={"width": 1280, "height": 900}) as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="Export JSONL").click()
        lines = Path(download.value.path()).read_text("utf-8").splitlines()
        assert "Can I log in with our company account?" in [json.loads(line)["question"] for line in lines]


def test_figures_and_tables_have_names(browser: Any, demo_hub: Any, scene_ids: Any):
    """Who cannot see the figure is told its ranks."""
    address = f"/request?request_id={scene_ids['demoted']}"
    with opened(browser, demo_hub, address, viewport={"width": 1280, "height": 900}) as page:
        figure = page.get_by_role("figure", name="Rank of the gold after each stage")
        assert "1 in bm25, 14 in dense, 4 in rrf, 9 in rerank" in (figure.get_attribute("aria-label") or "")
        assert page.get_by_role("region", name="List of bm25").count() == 1
