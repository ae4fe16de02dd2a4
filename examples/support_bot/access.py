"""The group filter: takes out what the user may not read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .hits import Hit


def readable(hits: Sequence[Hit], groups: Collection[str]) -> list[Hit]:
    """The hits of pages that are for everybody or for one of `groups`, in their order."""
    return [hit for hit in hits if _may_read(hit.metadata.get("groups", ()), groups)]


def _may_read(allowed: Collection[str], groups: Collection[str]) -> bool:
    return not allowed or any(group in groups for group in allowed)
