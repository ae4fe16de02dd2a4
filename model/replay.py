"""Replays: a recorded request run again, with what should be different; and what came of it.

A `ReplayPlan` is all that the app's side needs: it travels as JSON to a worker process, or to
`goldrank.replay_app` inside a running app, and a `ReplayOutcome` comes back.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from .hit import Hit
from .stage import Message
from .stage_words import StageKind


class RecordedCall(BaseModel):
    """What the user asked, as recorded: the arguments of the new call."""

    model_config = ConfigDict(frozen=True)

    question: str
    history: tuple[Message, ...] = ()
    user: str | None = None
    session: str | None = None
    tenant: str | None = None
    groups: tuple[str, ...] | None = None
    """None: not recorded, and the app's own default counts."""
    filters: Any = None
    as_of: str | None = None


_SIGNS_OF_GROUPS: Final = " +|"
_NAMED_ERROR: Final = re.compile(r"[\w.]+: ")
OFF: Final = "off"
"""The parameter of an override that leaves its stage out."""


def shown(value: object) -> str:
    """A JSON value in few words."""
    try:
        said = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        said = f"a {type(value).__name__}"
    return said if len(said) <= 100 else said[:99] + "…"


class Override(BaseModel):
    """One parameter that gets another value: `retrieve.top_k=200`."""

    model_config = ConfigDict(frozen=True)

    target: str
    """A StageKind value or the name of a stage; "request" is the entry point itself."""
    parameter: str
    """The function's own name for it, or one of `top_k`, `filters`, `query`, `index`, which stand for the parameter
    that the decorator reads as such. "off" (a JSON true) leaves the stage out: a rewrite, filter or rerank then
    returns what it was given."""
    value: Any = None
    """JSON."""

    @property
    def words(self) -> str:
        """As a person types it: "retrieve.top_k=200", "rerank=off"; a long value is cut."""
        return f"{self.target}=off" if self.parameter == OFF else f"{self.target}.{self.parameter}={shown(self.value)}"


class Pin(BaseModel):
    """What a decorated stage returned then, and returns again instead of running."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    """Of the recorded stage."""
    kind: StageKind
    name: str
    query: str | None = None
    """A call belongs to the pin of its kind, name and query; among equal ones the order of the recording counts."""
    shape: str | None = None
    """Shape tag of the value, see `tracing.shapes`."""
    hits: tuple[Hit, ...] | None = None
    """With texts and metadata. None: the stage returned a text or texts."""
    text: str | None = None
    texts: tuple[str, ...] | None = None
    """Of a rewrite that returned a list."""


class Injection(BaseModel):
    """A chunk that is put into the context, so that the answer is generated with it."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    doc_id: str | None = None
    text: str
    metadata: dict[str, Any] = {}
    position: int = Field(default=1, ge=1)
    """1-based place in the list that goes into the prompt; beyond its end: the last place."""
    stage: str | None = None
    """Name of the list stage whose result takes it, for an app that has no assemble stage and whose generate stage
    is given no list. None: the list that assemble is given, else the one that generate is given as its context."""


class ReplayPlan(BaseModel):
    """One run of a recorded request."""

    model_config = ConfigDict(frozen=True)

    replay_of: str
    """Id of the recorded request."""
    call: RecordedCall
    overrides: tuple[Override, ...] = ()
    pins: tuple[Pin, ...] = ()
    injection: Injection | None = None
    batch: str | None = None
    """Id of the batch it belongs to."""


class ReplayStatus(StrEnum):
    """How a replay ended."""

    DONE = "done"
    """The app answered."""
    FAILED = "failed"
    """The app raised an error, or called exit()."""
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    """The process ended in the middle (a signal, os._exit)."""
    REFUSED = "refused"
    """It cannot be run as asked; `ReplayOutcome.detail` says why."""


class PlaceRan(StrEnum):
    """What a stage of a replay did."""

    LIVE = "live"
    PINNED = "pinned"
    UNMATCHED = "unmatched"
    """It was to be pinned, and no recording fits this call: it ran live."""


class StageRan(BaseModel):
    """One call of a decorated stage in a replay, in the order in which they began."""

    model_config = ConfigDict(frozen=True)

    kind: StageKind
    name: str
    ran: PlaceRan
    note: str = ""
    """Why it ran live although pins were asked for, or what was overridden ("top_k: 20 -> 200")."""


class ReplayOutcome(BaseModel):
    """What came of one run."""

    model_config = ConfigDict(frozen=True)

    status: ReplayStatus
    replay_of: str
    request_id: str | None = None
    """Of the new request; None where none was recorded."""
    answer: str | None = None
    detail: str = ""
    """The error with its traceback, or why it was refused; at most 20,000 characters."""
    output: str = ""
    """What the app printed, stdout and stderr together; its first and last megabyte."""
    output_dropped: int = 0
    """Bytes of output that are not in `output`."""
    stages: tuple[StageRan, ...] = ()
    unused: tuple[str, ...] = ()
    """Overrides, pins or the injection that nothing took, in words."""
    seconds: float = 0.0
    warm: bool = False
    """It ran in a process that had run other replays: caches and memories of those may have helped."""
    unreachable: bool = False
    """The app could not be started, or not be asked: any other request would fare the same."""

    @property
    def trouble(self) -> str:
        """The line of `detail` that says what went wrong: of a traceback its error, else the first; may be empty."""
        return error_line(self.detail)


def error_line(text: str) -> str:
    """Of a traceback the line that names the error, of a chain of them the last one's; of any other text the first.

    More may stand behind a traceback. Of a group of errors it is the line of the group.
    """
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not lines or "Traceback (most recent call last)" not in lines[0]:
        return lines[0].strip() if lines else ""
    bare = [line.lstrip(_SIGNS_OF_GROUPS) for line in lines]
    if not lines[0].startswith("Traceback"):
        return next((line for line in bare if _NAMED_ERROR.match(line)), bare[-1])
    last = max((at for at, line in enumerate(bare) if line.startswith('File "')), default=0)
    return next((line.strip() for line in lines[last + 1 :] if not line.startswith(" ")), lines[-1].strip())
