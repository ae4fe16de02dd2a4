"""The dashboard in a real browser: it looks right in both themes and widths, and text from traces stays text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from watching import WAIT_MS, settle

pytestmark = pytest.mark.browser
PICTURES = Path(__file__).resolve().parents[2] / "build" / "screenshots"

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
    "complaints": ("/complaints", ""),
    "complaint": ("/complaints?complaint=T-1042", ""),
    "complaint-hostile": ("/complaints?complaint=T-66", ""),
    "complaint-close": ("/complaints?complaint=T-1042", "Close …"),
    "status": ("/status", ""),
}

CORE = ("requests", "request-unlabelled", "request-demoted", "chunk-drawer", "promote", "eval-set", "case", "status")
"""Looked at in every theme and width; the other scenes in the first of them only."""
THEMES = ("light", "dark")
NARROW, WIDE = 1280, 1600
HEIGHT = 900


@pytest.fixture(scope="module")
def looking(tab: Any) -> Any:
    """The tab; requests to other hosts are collected in `foreign`."""
    tab.set_default_timeout(WAIT_MS)
    tab.foreign = []
    tab.on("request", lambda one: tab.foreign.append(one.url) if _is_foreign(one.url) else None)
    return tab


@pytest.fixture
def opened(looking: Any, demo_hub: Any) -> Callable[..., Any]:
    """Loads a page of the hub and waits until it is settled."""

    def load(address: str, *, width: int = NARROW, theme: str = THEMES[0]) -> Any:
        looking.foreign.clear()
        looking.set_viewport_size({"width": width, "height": HEIGHT})
        looking.emulate_media(color_scheme=theme)
        looking.goto(demo_hub.info.url + address)
        settle(looking)
        return looking

    return load


def _is_foreign(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:"))


def _picture(page: Any, name: str, width: int, theme: str) -> None:
    """Keeps a picture of the whole page at this width, and holds it to what every page must keep."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    settle(page)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(4000, max(HEIGHT, height + 20))})
    settle(page)
    page.screenshot(path=PICTURES / f"{name}-{width}-{theme}.png")
    assert page.locator("[data-testid=stException]").count() == 0, name
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width, name
    assert page.foreign == [], name


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_every_page_looks_as_designed(opened: Any, scene_ids: Any, theme: str):
    """No page overflows its width, shows an exception or asks another host; pictures are kept to be looked at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in PAGES if theme == THEMES[0] else CORE:
        address, press = PAGES[name]
        page = opened(address.format(**scene_ids), theme=theme)
        if press:
            page.get_by_role("button", name=press, exact=True).click()
            page.get_by_role("dialog").wait_for()
        for width in (NARROW, WIDE) if name in CORE else (NARROW,):
            _picture(page, name, width, theme)


@pytest.mark.parametrize(
    "part",
    [
        "Prompt",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("Lists", "Queries", "Answer", "Labels", "Timings", "Raw")
        ),
    ],
)
def test_hostile_text_stays_text(opened: Any, scene_ids: Any, hostile_text: str, part: str):
    """No script runs, no foreign link or request is made, no formula, image or emoji appears."""
    address = f"/request?request_id={scene_ids['hostile']}&tab={part}"
    page = opened(address)
    assert page.foreign == []
    targets = page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
    assert [target for target in targets if _is_foreign(target)] == []
    assert page.locator("img[src*='evil'], .katex").count() == 0
    assert page.locator("del").count() == (1 if part == "Queries" else 0)  # the one is our own word diff
    heading = page.locator("h2").first.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert heading == hostile_text
    assert hostile_text in page.locator("[data-testid=stText]:visible").first.inner_text()


@pytest.mark.slow
def test_hostile_text_stays_text_in_lists_search_and_drawer(opened: Any, scene_ids: Any, hostile_text: str):
    """The same in the list of requests, among found passages and in the drawer."""
    page = opened("/", width=WIDE)
    shown = [text for text in page.locator("[data-testid=stText]").all_inner_texts() if "<script>" in text]
    assert hostile_text in shown
    assert page.foreign == []
    page = opened(f"/request?request_id={scene_ids['hostile']}")
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


@pytest.mark.slow
def test_from_the_pasted_ticket_to_the_promoted_case(opened: Any, scene_ids: Any):
    """Paste, search, Gold, Promote, Promote: at most twelve clicks, and each answer comes at once."""
    clicks = 0

    def press(target: Any) -> None:
        nonlocal clicks
        clicks += 1
        target.click()

    ticket = f"Hello,\nthe bot was wrong about VAT.\nRequest: {scene_ids['hostile']}\nThanks, Mara"
    page = opened("/")
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


def test_rows_open_by_keyboard_and_the_way_back_keeps_the_filter(opened: Any):
    """A row is a link that can be reached by Tab; back from the request the filter still stands."""
    page = opened("/?verdict=demoted")
    page.locator("[data-testid=stPageLink] a", has_text="…").count()
    link = page.locator(".st-key-request_rows a").first
    link.focus()
    page.keyboard.press("Enter")
    page.get_by_text("verdict demoted").wait_for()
    assert "request_id=" in page.url
    page.locator("[data-testid=stPageLink] a", has_text="Requests").first.click()
    page.get_by_text("· newest first").wait_for()
    settle(page)
    assert "verdict=demoted" in page.url


def test_the_drawer_closes_and_leaves_the_address(opened: Any, scene_ids: Any):
    """Escape closes the drawer and takes the chunk out of the address."""
    address = f"/request?request_id={scene_ids['demoted']}&chunk=refunds-v5%23annual"
    page = opened(address)
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.wait_for_function("!location.search.includes('chunk=')")
    assert page.get_by_role("dialog").count() == 0
    assert f"request_id={scene_ids['demoted']}" in page.url


def test_what_an_app_records_appears_in_the_open_list(
    opened: Any, demo_hub: Any, post_request: Callable[[Any, str], None]
):
    """A request that comes while the list is open appears in it without a reload."""
    page = opened("/?words=arrive")
    page.get_by_text("No request matches").wait_for()
    post_request(demo_hub, "Did it arrive just now?")
    page.get_by_text("Did it arrive just now?").wait_for()
    assert page.get_by_text("No request matches").count() == 0


def test_a_set_is_exported_as_lines(opened: Any):
    """The download holds one JSON object a line, the one of the case that stands in the set."""
    page = opened("/eval_set")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export JSONL").click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert "Can I log in with our company account?" in [json.loads(line)["question"] for line in lines]


def test_figures_and_tables_have_names(opened: Any, scene_ids: Any):
    """Who cannot see the figure is told its ranks."""
    address = f"/request?request_id={scene_ids['demoted']}"
    page = opened(address)
    figure = page.get_by_role("figure", name="Rank of the gold after each stage")
    assert "1 in bm25, 14 in dense, 4 in rrf, 9 in rerank" in (figure.get_attribute("aria-label") or "")
    assert page.get_by_role("region", name="List of bm25").count() == 1
