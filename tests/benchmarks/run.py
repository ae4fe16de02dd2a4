"""Runs every benchmark and prints what docs/performance.md reports.

python tests/benchmarks/run.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("imports.py", "shim.py", "ingest.py", "at_once.py", "store.py", "crash.py")


def main() -> None:
    """One part after the other, so that none disturbs another."""
    for part in PARTS:
        print(f"\n== {part}", flush=True)
        subprocess.run([sys.executable, str(HERE / part)], check=True)


if __name__ == "__main__":
    main()
