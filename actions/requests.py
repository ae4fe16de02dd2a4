"""Find requests: a filtered page of the list, and the request that a pasted ticket means."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..store import Facets, Neighbours, RequestFilter, RequestPage, RequestRow
from .lookup import look_up, written
from .workspace import Workspace


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


def find_requests(workspace: Workspace, ask: FindRequests) -> RequestPage:
    """A page of the list, newest first."""
    return workspace.store.requests.page(ask.which, limit=ask.limit, offset=ask.offset)


def resolve(workspace: Workspace, ask: Resolve) -> Resolved:
    """The request that a pasted id, traceparent or ticket means."""
    found = look_up(workspace.store, ask.text)
    return Resolved(
        request_ids=found.request_ids,
        mentions=tuple(written(mention) for mention in found.mentions),
        message=found.message,
    )


__all__ = [
    "Facets",
    "FindRequests",
    "Neighbours",
    "RequestFilter",
    "RequestPage",
    "RequestRow",
    "Resolve",
    "Resolved",
    "find_requests",
    "resolve",
]
