"""Is the hub alive, and which goldrank is it?"""

from __future__ import annotations

import os
from importlib.metadata import version

from pydantic import BaseModel, ConfigDict

from .workspace import Workspace


class Ping(BaseModel):
    """Asks for a sign of life."""

    model_config = ConfigDict(frozen=True)


class Pong(BaseModel):
    """The sign of life."""

    model_config = ConfigDict(frozen=True)

    pid: int
    version: str


def ping(workspace: Workspace, ask: Ping) -> Pong:  # noqa: ARG001 - every action has this shape
    """Answers at once, without touching the store."""
    return Pong(pid=os.getpid(), version=version("goldrank"))
