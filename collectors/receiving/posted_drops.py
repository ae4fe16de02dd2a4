"""Counts of losses that an app posts, as `goldrank.init(endpoint=)` sends them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...model import Drops
from .json_bodies import mistakes, parse_body, refuse


class PostedDrops(BaseModel):
    """What an app may say of itself; what a receiver took is for the receiver to say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    app: str = Field(max_length=500)
    pid: int = Field(ge=0, le=2**62)
    drops: dict[Annotated[str, Field(max_length=100)], Annotated[int, Field(ge=0, le=2**53)]] = Field(max_length=50)
    at_ns: int = Field(ge=0, le=2**62)


def read_drops(body: bytes) -> Drops:
    """The counts; BadInput names each field that is wrong."""
    try:
        posted = PostedDrops.model_validate(parse_body(body))
    except ValidationError as error:
        refuse(mistakes(error, "", depth=2))
        raise
    return Drops(**posted.model_dump())
