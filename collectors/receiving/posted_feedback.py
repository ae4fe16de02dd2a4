"""Feedback that an app posts: JSON of a declared model, one or a list of them.

{"request_id": "7f3a9c12…-00f067aa0ba902b7", "score": -1, "comment": "That is the old price."}
"""

from __future__ import annotations

import uuid

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from ...model import Feedback
from .json_bodies import read_each, time_of


class PostedFeedback(BaseModel):
    """One score of the body. Fields that are not named here are refused: a slip would lose them silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    id: str = Field(default="", max_length=200, validation_alias=AliasChoices("id", "feedback_id"))
    """Of the sender's; with it feedback that is sent twice is one."""
    request_id: str = Field(pattern=r"^[0-9a-f]{32}(-[0-9a-f]{16})?$")
    """The whole id of its request, as `goldrank.request_id()` gives it."""
    score: float = Field(allow_inf_nan=False)
    """Below 0 bad, above 0 good."""
    comment: str | None = Field(default=None, max_length=200_000)
    at: str | int | float | None = Field(default=None, validation_alias=AliasChoices("at", "at_ns"))
    """When it was given: ISO 8601, or an epoch number. By default now."""
    app: str = Field(default="", max_length=500)
    environment: str = Field(default="", max_length=500)


def read_feedback(body: bytes, *, now_ns: int) -> tuple[Feedback, ...]:
    """The feedback of a body in its order; BadInput names each field that is wrong by its path."""
    return read_each(body, "feedback", lambda one: _feedback(PostedFeedback.model_validate(one), now_ns))


def _feedback(posted: PostedFeedback, now_ns: int) -> Feedback:
    return Feedback(
        feedback_id=posted.id or uuid.uuid4().hex,
        request_id=posted.request_id,
        app=posted.app,
        environment=posted.environment,
        score=posted.score,
        comment=posted.comment or None,
        at_ns=time_of(posted.at, now_ns),
    )
