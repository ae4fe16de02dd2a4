"""python -m examples.support_bot --directory DIRECTORY: runs the demo into a data folder of goldrank."""

from __future__ import annotations

import argparse
from pathlib import Path

from goldrank.model import GoldrankError

try:
    from .demo import LINK, run
except ModuleNotFoundError as error:
    if error.name not in ("bm25s", "numpy"):
        raise
    raise SystemExit(f"The example needs {error.name}: pip install 'goldrank[example]'") from None


def main() -> None:
    """Reads the command line and runs the demo."""
    parser = argparse.ArgumentParser(prog="support_bot", description="Runs the support bot on about 300 questions.")
    parser.add_argument("--directory", default=".goldrank", type=Path, help="data folder (%(default)s)")
    parser.add_argument("--link", default=LINK, help="address of a request in tickets (%(default)s)")
    arguments = parser.parse_args()
    try:
        run(arguments.directory, link=arguments.link)
    except GoldrankError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
