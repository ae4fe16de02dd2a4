"""A filter of the list of requests that somebody keeps under a name."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SavedFilter(BaseModel):
    """One name and what it stands for."""

    model_config = ConfigDict(frozen=True)

    name: str
    """Unique among those that are kept."""
    params: str
    """The list's parameters as its address has them: "queue=open&verdict=demoted"; empty: all requests."""
    who: str
    at_ns: int
    removed: bool = False
