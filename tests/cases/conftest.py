"""Where the cases are; helpers of this folder importable by name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "collectors"))

ROOT = HERE.parent.parent
"""Of the checkout."""


def pytest_configure() -> None:
    """Lets the tests find the cases: GOLDRANK_CASES, else the folder beside the checkout."""
    default = ROOT.parent / "shared" / "cases" / "inputs"
    os.environ.setdefault("GOLDRANK_CASES", str(default))
