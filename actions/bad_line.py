"""A line of a file that could not be used."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class BadLine(BaseModel):
    """A line that was not imported."""

    model_config = ConfigDict(frozen=True)

    line: int
    """1-based."""
    reason: str
