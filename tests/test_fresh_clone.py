"""The README's set-up, followed to the letter in an empty folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _environment() -> dict[str, str]:
    """As a new shell has it: no virtual environment, and a browser command that does nothing.

    pip compiles no file of the packages beforehand: there are thousands, and the demo imports a part of them.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "GOLDRANK_"))}
    return {**kept, "BROWSER": "true", "PYTHONUNBUFFERED": "1", "PIP_COMPILE": "0"}


def _clone(target: Path) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("NOT A GIT CHECKOUT: the fresh clone was not tried")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(target)], check=True)
    return target


def _address(output: subprocess.Popen[str]) -> str:
    """The address that `make demo` prints; fails when it ends without one."""
    seen = []
    assert output.stdout is not None
    for line in output.stdout:
        seen.append(line)
        found = re.search(r"http://(127\.0\.0\.1|localhost):\d+", line)
        if found:
            return found.group(0)
    pytest.fail("make demo ended without printing an address:\n" + "".join(seen[-30:]))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_make_demo_in_a_fresh_clone_prints_an_address_that_answers(tmp_path: Path) -> None:
    """`git clone`, `make demo`: an address is printed, the dashboard answers there, and it stops when told to."""
    clone = _clone(tmp_path / "a clone")
    demo = subprocess.Popen(
        ["make", f"PYTHON={sys.executable}", "demo"],
        cwd=clone,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        address = _address(demo)
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=30) as answer:
            assert answer.status == 200
    finally:
        os.killpg(demo.pid, signal.SIGINT)
        demo.communicate(timeout=60)
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, check=True, capture_output=True, text=True
    ).stdout
    assert changed == "", f"the demo left files that git does not ignore:\n{changed}"
