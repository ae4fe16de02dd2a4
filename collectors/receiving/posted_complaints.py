"""Complaints that an app or a help desk posts: JSON of a declared model, one or a list of them.

{"id": "T-1042", "text": "...", "user": "u-17", "session": "s-9", "at": "2026-11-29T16:40:00+01:00", "app": "bot"}
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from ...model import Complaint
from ...model.complaint import ComplaintSource
from .json_bodies import read_each, time_of


class PostedComplaint(BaseModel):
    """One complaint of the body. Fields that are not named here are refused: a slip would lose them silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True)

    id: str = Field(default="", max_length=200, validation_alias=AliasChoices("id", "complaint_id"))
    """The ticket's own id; a complaint that comes again with it is renewed. Without one an id is made, and a post
    that is sent twice is two complaints."""
    text: str = Field(min_length=1, max_length=200_000)
    who: str | None = Field(default=None, max_length=500, validation_alias=AliasChoices("who", "user"))
    session: str | None = Field(default=None, max_length=500)
    at: str | int | float | None = Field(default=None, validation_alias=AliasChoices("at", "at_ns"))
    """When it was written: ISO 8601, or an epoch number. By default now."""
    app: str = Field(default="", max_length=500)
    environment: str = Field(default="", max_length=500)
    request_id: str | None = Field(default=None, pattern=r"^([0-9a-f]{32}(-[0-9a-f]{16})?)?$")
    """The whole id of its request, as `goldrank.request_id()` gives it, where the app knows it."""


_OF_PEOPLE: Final = frozenset({"source", "owner", "linked_by", "notes", "closing", "verdict_at_ns"})
"""Fields of a stored complaint that are no sender's to say; the shim's own posts carry them empty."""


def read_posted(body: bytes, *, now_ns: int) -> tuple[Complaint, ...]:
    """The complaints of a body in their order; BadInput names each field that is wrong by its path."""
    return read_each(body, "complaint", lambda one: _complaint(PostedComplaint.model_validate(_said(one)), now_ns))


def _said(value: Any) -> Any:  # noqa: ANN401 - whatever was posted
    """What the sender says, of a complaint as `goldrank.complaint()` posts it."""
    if not isinstance(value, dict) or "complaint_id" not in value:
        return value
    return {name: one for name, one in value.items() if name not in _OF_PEOPLE}


def _complaint(posted: PostedComplaint, now_ns: int) -> Complaint:
    return Complaint(
        complaint_id=posted.id or f"c-{uuid.uuid4().hex[:12]}",
        app=posted.app,
        environment=posted.environment,
        text=posted.text,
        who=posted.who or None,
        at_ns=time_of(posted.at, now_ns),
        request_id=posted.request_id or None,
        source=ComplaintSource.APP,
        session=posted.session or None,
    )
