"""What every test gets: a clean environment, strict internal errors, and chromium where it is there."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from goldrank.store.duckdb.database import Database
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONGEST_FIRST = (
    "browser/test_planted_complaints.py",
    "browser/test_queue.py",
    "dashboard/test_browser.py",
    "cases/test_cases.py",
    "test_fresh_clone.py",
    "test_docs.py",
    "cli/test_with_hub.py",
    "dashboard/test_hub.py",
    "dashboard/test_pages.py",
    "crash/test_crash.py",
)
"""Files whose tests take minutes. They begin first, so that no process ends long before the other."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest first; within a file, and of the others, the order stays."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> Iterator[None]:
    """No setting of the person's shell reaches a test, internal errors of the shim raise, and nothing phones home."""
    kept = dict(os.environ)
    for name in list(os.environ):
        if name.startswith(("OTEL_", "GOLDRANK_")) and name not in {"GOLDRANK_CASES", "GOLDRANK_BROWSER"}:
            del os.environ[name]
    os.environ["GOLDRANK_STRICT"] = "1"
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # no report to its makers, no file in the home folder
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # started with nohup: the programs of tests would ignore it too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="session", autouse=True)
def _new_stores_are_copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new store of this process begins as a copy of an empty one.

    The migrations make the first, as they make a user's; to run them for each test took longer than most tests do.
    """
    from goldrank.store.duckdb import store as module

    opened: type[Database] = module.Database
    empty = tmp_path_factory.mktemp("empty") / "store.duckdb"

    def database(path: Path, *, read_only: bool) -> Database:
        if not read_only and not path.exists() and path.parent.is_dir() and os.access(path.parent, os.W_OK):
            _copy_empty_store(empty, path)
        return opened(path, read_only=read_only)

    module.Database = database  # type: ignore[assignment,misc]
    yield
    module.Database = opened  # type: ignore[misc]


def _copy_empty_store(empty: Path, path: Path) -> None:
    from goldrank.store.duckdb.database import Database
    from goldrank.store.duckdb.schema import MIGRATIONS

    if not empty.exists():
        database = Database(empty, read_only=False)
        MIGRATIONS.apply(database)
        database.close()
    shutil.copyfile(empty, path)
    path.chmod(0o600)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless chromium. Without one the test skips, unless GOLDRANK_BROWSER=required.

    It ends with the module: while playwright runs, its event loop counts as running in this thread.
    """
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        if os.environ.get("GOLDRANK_BROWSER") == "required":
            pytest.fail("GOLDRANK_BROWSER=required, but there is no chromium on the PATH")
        pytest.skip("NO CHROMIUM: this page was not looked at. On Debian: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """One tab for the tests of a module. Each loads its page anew, which begins a session of its own.

    To compile the pages' scripts takes chromium longer than anything that a test does, and a tab does it once.
    Motion is reduced: drawing a moving icon and grey bars in software took a third of the time.
    """
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, timezone_id="Europe/Berlin", reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def recorded_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder that the example app's run leaves, ingested. Nobody changes it: copy it.

    Made once for all processes of the run; the one that comes first makes it, the others wait.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "recorded-demo"
    with (shared / "recorded-demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = shared / "recorded-demo-in-the-making"
            shutil.rmtree(making, ignore_errors=True)
            run = [sys.executable, str(ROOT / "examples" / "support_bot" / "run.py"), "--directory", str(making)]
            subprocess.run(run, check=True, capture_output=True, timeout=300)
            ingest = [sys.executable, "-m", "goldrank", "ingest", "--directory", str(making)]
            subprocess.run(ingest, check=True, capture_output=True, timeout=300)
            making.rename(folder)
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT
