"""Nothing acknowledged is lost or doubled, whoever is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
def test_killed_writers_and_ingesters_lose_and_double_nothing(root: Path) -> None:
    """A short run of the crash benchmark, killed ten times: by id and content, 0 lost, 0 doubled."""
    script = root / "tests" / "benchmarks" / "crash.py"
    command = [sys.executable, str(script), "--kills", "10", "--rows", "8000", "--seed", "7", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert (found["lost"], found["doubled"]) == ([], [])
    assert sum(found["kills"].values()) >= 10
    assert found["kills"]["ingester"] >= 3
    assert found["acknowledged"] * 28 >= 8_000
    assert found["requests"] >= found["acknowledged"]
