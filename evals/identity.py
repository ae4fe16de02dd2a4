"""The id of an eval case."""

from __future__ import annotations

import hashlib


def make_case_id(eval_set: str, case_key: str) -> str:
    """12 hex digits; the same question in the same set has the same id in every store, so exports can be merged."""
    return hashlib.sha256(f"{eval_set}\0{case_key}".encode("utf-8", "replace")).hexdigest()[:12]
