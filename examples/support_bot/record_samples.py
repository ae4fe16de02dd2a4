"""Records sample_traces anew: one small request for each way to fail.

    python examples/support_bot/record_samples.py

Run it after a change of what the shim writes. What goldrank must say of each sample is not made here: it stands in
samples.json, was written before there was code to say it, and is copied beside the trace.
"""

from __future__ import annotations

import sys
from pathlib import Path

from goldrank.sample_traces import DIRECTORY

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support_bot.samples import record

if __name__ == "__main__":
    print(f"{record()} samples recorded in {DIRECTORY}")
