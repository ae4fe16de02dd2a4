"""Waiting for a page in a browser."""

from __future__ import annotations

from typing import Any

WAIT_MS = 90_000
"""The machine may be busy with other tests."""
POLL_MS = 50
"""To look at every frame makes chromium draw every frame."""
IDLE = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    const idle = app && app.getAttribute('data-test-script-state') === 'notRunning';
    return idle && !document.querySelector('[data-testid=stSkeleton]');
}"""


def settle(page: Any) -> None:
    """Waits until the script has run and no part is still being loaded."""
    page.wait_for_selector("[data-testid=stMainBlockContainer] h1, [data-testid=stMainBlockContainer] h2")
    page.wait_for_function(IDLE, polling=POLL_MS)
