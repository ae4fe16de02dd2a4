"""The page of a request that an app of others sent, in a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from goldrank.actions.hub_link import read_hub_info

pytestmark = pytest.mark.browser
WAIT_MS = 90_000
LIMIT_S = 120


@pytest.fixture
def hub(see: Any) -> Iterator[tuple[Any, str]]:
    """A hub over what the LlamaIndex app sent: the request and the hub's address."""
    seen = see("engine", "openinference-llama_index")
    environment = {**os.environ, "GOLDRANK_DIR": str(seen.directory)}
    process = subprocess.Popen(
        [sys.executable, "-m", "goldrank", "up", "--port", "0", "--no-browser"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield seen, _address(seen.directory, process)
    finally:
        process.terminate()
        process.wait(LIMIT_S)


def _address(directory: Path, process: subprocess.Popen[bytes]) -> str:
    deadline, pause = time.monotonic() + LIMIT_S, threading.Event()
    while time.monotonic() < deadline:
        info = read_hub_info(directory)
        if info is not None and info.pid == process.pid:
            return info.url
        assert process.poll() is None, "the hub ended"
        pause.wait(0.05)
    pytest.fail("no hub came up")


@pytest.mark.slow
def test_the_page_shows_what_was_sent(hub, tab):
    """Question, answer, the retriever's and the reranker's lists by name, and every passage of them."""
    seen, address = hub
    tab.set_default_timeout(WAIT_MS)
    tab.goto(f"{address}/request?request_id={seen.request['request_id']}")
    tab.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid=stApp]');
            const idle = app && app.getAttribute('data-test-script-state') === 'notRunning';
            return idle && !document.querySelector('[data-testid=stSkeleton]');
        }""",
        polling=50,
    )
    tab.get_by_text(seen.request["question"]).first.wait_for()
    page = tab.locator("[data-testid=stMainBlockContainer]").inner_text()
    assert seen.truth["answer"] in page
    for name in ("VectorIndexRetriever", "LongestReranker"):
        assert name in page
    assert "refunds#2" in page
    assert "Traceback" not in page
