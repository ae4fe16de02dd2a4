"""Recordings that are not understood yet, each with its reason."""

from __future__ import annotations

NOT_DONE: dict[str, str] = {}
