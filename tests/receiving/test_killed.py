"""Nothing acknowledged is lost when the collector is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
@pytest.mark.parametrize("protocol", ["http", pytest.param("grpc", marks=pytest.mark.slow)])
def test_a_collector_that_is_killed_loses_and_doubles_nothing(root: Path, protocol: str) -> None:
    """A short run of the benchmark, killed with -9 three times under load: by span id, 0 lost, 0 doubled."""
    script = root / "tests" / "benchmarks" / "collect.py"
    command = [
        sys.executable,
        str(script),
        "--kills",
        "3",
        "--between",
        "30",
        "--seconds",
        "0",
        "--bytes",
        "3000",
        "--json",
    ]
    done = subprocess.run([*command, "--protocol", protocol], capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert (found["lost"], found["doubled"]) == ([], [])
    assert (found["kills"], found["exit_code"]) == (3, 0)
    assert found["acknowledged"] >= 60
    assert found["stored"] >= found["acknowledged"] * 6
