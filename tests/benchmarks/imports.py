"""What importing goldrank costs an app, beside what it needs anyway, and what a command costs before it works.

    python tests/benchmarks/imports.py [--rounds 7] [--show REQUEST]

`--show` adds `goldrank show REQUEST` on the data folder, which answers through the hub where one runs.

CPU milliseconds of a fresh process that imports, less one that imports nothing; medians, taken in turn. Bytecode is
there, as in an installed app: it is kept in a folder of its own, and the first round is not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

STATEMENTS = {
    "nothing": "pass",
    "opentelemetry.sdk.trace": "import opentelemetry.sdk.trace",
    "opentelemetry.sdk.trace + orjson": "import opentelemetry.sdk.trace, orjson",
    "goldrank, a decorator": "import goldrank; goldrank.request",
    "goldrank, init": "import goldrank, tempfile; goldrank.init(app='bench', directory=tempfile.mkdtemp())",
    "pydantic": "import pydantic",
    "goldrank --version": "import sys, goldrank.cli; sys.exit(goldrank.cli.main(['--version']))",
    "goldrank --help": "import sys, goldrank.cli; sys.exit(goldrank.cli.main(['--help']))",
    "goldrank show --help": "import sys, goldrank.cli; sys.exit(goldrank.cli.main(['show', '--help']))",
    "duckdb": "import duckdb",
    "streamlit": "import streamlit",
}


def cpu_ms(statement: str, bytecode: str) -> float:
    """CPU milliseconds of a process that runs `statement`, with its bytecode below the folder `bytecode`."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--show", metavar="REQUEST")
    ask = parser.parse_args()
    statements = dict(STATEMENTS)
    if ask.show:
        statements["goldrank show"] = f"import sys, goldrank.cli; sys.exit(goldrank.cli.main(['show', {ask.show!r}]))"
    times: dict[str, list[float]] = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as kept:
        for turn in range(ask.rounds + 1):
            for name, statement in statements.items():
                spent = cpu_ms(statement, kept)
                if turn:
                    times[name].append(spent)
    base = statistics.median(times["nothing"])
    for name, values in times.items():
        print(f"{name:36} {statistics.median(values) - base:8.0f} ms")


if __name__ == "__main__":
    main()
