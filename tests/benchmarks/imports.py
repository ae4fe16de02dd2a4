"""What importing goldrank costs an app, beside what it needs anyway.

    python tests/benchmarks/imports.py [--rounds 7]

Wall milliseconds of a fresh process that imports, less one that imports nothing; medians, taken in turn.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

STATEMENTS = {
    "nothing": "pass",
    "opentelemetry.sdk.trace": "import opentelemetry.sdk.trace",
    "opentelemetry + pydantic + orjson": "import opentelemetry.sdk.trace, pydantic, orjson",
    "goldrank": "import goldrank",
    "goldrank, init": "import goldrank, tempfile; goldrank.init(app='bench', directory=tempfile.mkdtemp())",
    "duckdb": "import duckdb",
    "streamlit": "import streamlit",
}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    ask = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(ask.rounds):
        for name, statement in STATEMENTS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, capture_output=True)
            times[name].append((time.perf_counter() - start) * 1e3)
    base = statistics.median(times["nothing"])
    for name, values in times.items():
        print(f"{name:36} {statistics.median(values) - base:8.0f} ms")


if __name__ == "__main__":
    main()
