"""A checkup: what an app's telemetry holds, which verdicts that allows, and the change that helps most."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from .verdict import Verdict


class Lack(StrEnum):
    """What the telemetry of a request does not say. The order decides between changes that help equally."""

    SEARCH = "search"
    """No stage that searches was recorded."""
    LIST = "list"
    """The list of a stage that searches was not sent, or was hidden."""
    RANKS = "ranks"
    """A list is incomplete: ranks are missing, or what stands at them is not readable."""
    INNER = "inner"
    """The instrumentation records the outermost search alone: legs, fusions and rerankers inside it stay unseen."""
    REQUEST = "request"
    """No span of the request itself came, so where it begins and what was asked is not known."""
    QUESTION = "question"
    CONTEXT = "context"
    """Neither the prompt nor what the app put together for it."""
    ANSWER = "answer"
    FLOW = "flow"
    """Which lists went into a stage is not known."""
    TEXT = "text"
    """No text of any chunk came: passages cannot be searched for or found in the prompt by their words."""
    ID = "id"
    """Chunks have no id of the app's: a hash of the text stands in, and a changed text is another chunk."""
    CORPUS = "corpus"
    """What the index holds is not known."""


class Standing(StrEnum):
    """Whether a verdict can be reached."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    ABSENT = "absent"
    """The app has no such stage, as far as is recorded."""


class Told(BaseModel):
    """Whether one verdict can be reached for an app's requests."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    standing: Standing
    requests: int
    """In how many of the requests that were looked at."""
    why: str = ""
    """What keeps it from the others; empty where it can be reached in all."""


class Sent(BaseModel):
    """One thing that telemetry can hold."""

    model_config = ConfigDict(frozen=True)

    what: str
    """ "question", "prompt", ..."""
    requests: int
    """How many of the requests that were looked at hold it."""
    note: str = ""


class Change(BaseModel):
    """One change, in the app or its settings, and what it brings."""

    model_config = ConfigDict(frozen=True)

    lack: Lack
    what: str
    """A sentence."""
    how: str = ""
    """Lines of code or a command, to copy; empty where the sentence says all."""
    brings: tuple[Verdict, ...] = ()
    """Verdicts that it is needed for; empty where it makes others more certain."""
    requests: int
    """How many of the requests that were looked at lack it."""


class Checkup(BaseModel):
    """What one app sends, from its newest requests."""

    model_config = ConfigDict(frozen=True)

    app: str
    environment: str
    looked_at: int
    """Requests, the newest; replays are not among them."""
    stored: int
    since_ns: int
    """Start of the oldest that was looked at."""
    until_ns: int
    """Start of the newest."""
    writers: dict[str, int]
    """Name of an instrumentation -> how many of the requests hold spans of it, most first."""
    stages: dict[str, int]
    """ "bm25 (retrieve)" -> how many of the requests hold it, in the order in which they usually follow each other."""
    sent: tuple[Sent, ...]
    told: tuple[Told, ...]
    changes: tuple[Change, ...]
    """The one that helps most first; empty where nothing is lacking."""
