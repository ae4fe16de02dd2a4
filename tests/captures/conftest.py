"""Makes the helpers of this folder importable by name, and says loudly where there is nothing to test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line of its own where the recordings are absent: a skipped test is easily overlooked."""
    from recordings import FOLDER, names

    if not names():
        terminalreporter.write_line(f"NOT TESTED: no recordings in {FOLDER}; GOLDRANK_CAPTURES names their folder")
