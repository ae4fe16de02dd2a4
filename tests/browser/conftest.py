"""A hub over the demo's requests, and a person who counts what they do."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PAGE_READY_MS = 30_000


class Demo(NamedTuple):
    """The demo, running."""

    url: str
    directory: Path
    complaints: list[dict[str, Any]]
    """As `demo_complaints.json` has them, with the ids of the recorded requests."""


class Person:
    """Somebody at the page: clicks, types and pastes, and keeps count."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0
        self.keys = 0
        self.started = time.monotonic()

    def click(self, target: Locator) -> None:
        target.click(timeout=PAGE_READY_MS)
        self.clicks += 1

    def type(self, target: Locator, text: str) -> None:
        """Clicks into a field, types, presses Enter."""
        self.click(target)
        target.press_sequentially(text)
        target.press("Enter")
        self.keys += len(text) + 1

    def paste(self, target: Locator, text: str) -> None:
        """Clicks into a field, pastes (two keys), presses Enter."""
        self.click(target)
        target.fill(text)
        target.press("Enter")
        self.keys += 3

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, recorded_demo: Path, root: Path) -> Iterator[Demo]:
    """The example app's requests in a folder of their own, with a hub over them."""
    folder = shutil.copytree(recorded_demo, tmp_path_factory.mktemp("demo") / "data")
    with _running(folder, root) as running:
        yield running


@pytest.fixture(scope="module")
def fresh_demo(tmp_path_factory: pytest.TempPathFactory, recorded_demo: Path, root: Path) -> Iterator[Demo]:
    """Another one, in which no other module labels anything."""
    folder = shutil.copytree(recorded_demo, tmp_path_factory.mktemp("fresh-demo") / "data")
    with _running(folder, root) as running:
        yield running


@contextmanager
def _running(directory: Path, root: Path) -> Iterator[Demo]:
    hub = subprocess.Popen(
        [
            *(sys.executable, "-m", "goldrank", "up", "--directory", str(directory), "--port", "0", "--no-browser"),
            *("--app", "examples.support_bot.app:answer"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=root,
    )
    try:
        yield Demo(_address(hub), directory, json.loads((directory / "demo_complaints.json").read_text("utf-8")))
    finally:
        hub.send_signal(signal.SIGINT)
        hub.communicate(timeout=60)


def _address(hub: subprocess.Popen[str]) -> str:
    seen = []
    assert hub.stdout is not None
    for line in hub.stdout:
        seen.append(line)
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found.group(0)
    pytest.fail("the hub ended without an address:\n" + "".join(seen))


@pytest.fixture
def person(tab: Page) -> Person:
    """A person who opens the dashboard anew, in a tab that was used before."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PAGE_READY_MS)
    tab.set_default_timeout(PAGE_READY_MS)
    return Person(tab)
