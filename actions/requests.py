"""Find requests: a filtered page of the list, and the request that a pasted ticket means."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..store import RequestFilter, RequestRow


class FindRequests(BaseModel):
    """A page of the list of requests."""

    model_config = ConfigDict(frozen=True)

    which: RequestFilter = RequestFilter()
    limit: int = Field(default=25, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


class Resolve(BaseModel):
    """A text that may contain a request id in any form."""

    model_config = ConfigDict(frozen=True)

    text: str


class Resolved(BaseModel):
    """What the text means."""

    model_config = ConfigDict(frozen=True)

    request_ids: tuple[str, ...]
    """Newest first; one in the usual case."""
    mentions: tuple[str, ...]
    """The ids that were found in the text, as written in their normal form."""
    message: str
    """What to tell the person when it is not exactly one: no id in the text, unknown id (and why an id can be
    unknown: not sampled, another store), several."""


__all__ = ["FindRequests", "RequestFilter", "RequestRow", "Resolve", "Resolved"]
