"""python examples/support_bot/run.py --directory DIRECTORY: `python -m examples.support_bot`, from anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support_bot.__main__ import main

if __name__ == "__main__":
    main()
