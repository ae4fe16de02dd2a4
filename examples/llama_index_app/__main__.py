"""`python -m examples.llama_index_app "Can I return an annual plan?"`."""

from __future__ import annotations

import sys

import goldrank

from .app import answer

if __name__ == "__main__":
    print(answer(" ".join(sys.argv[1:]) or "Can I return an annual plan?", user="ann"))
    goldrank.flush()
