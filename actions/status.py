"""The state of store, spool, ingester and hub, with what to do about each trouble."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from ..store import BadFrame, CorpusState
from ..store.intake import ReceiverCounts
from .human_text import redaction_names
from .workspace import Workspace

_REMEDIES: Final[Mapping[str, str]] = {
    "not sampled": "The app's own sampler leaves them out; init(own_provider=True) records everything beside it.",
    "queue full": "More came at once than was written: raise GOLDRANK_QUEUE_SIZE, or record less text.",
    "disk full": "Make room on the disk of the spool; recording goes on by itself.",
    "spool full": "Read the spool: goldrank ingest, or keep goldrank up running.",
    "spool not writable": "Let the app's user write to the spool's folder.",
    "too large": "One request was larger than a frame may be: record less text (GOLDRANK_MAX_TEXT_CHARS).",
    "of a pruned request": "Nothing is to be done: late parts of requests that goldrank prune has erased.",
    "forgotten": "Nothing is to be done: goldrank forget has erased what they belong to.",
    "internal error": "A defect of goldrank: the app's log names the place; please report it.",
}
"""Reason for a loss, as writers count it -> what to do."""


_AGAIN: Final = "The sender was told to send it again, which exporters do for some minutes. "
_REFUSED: Final[Mapping[str, str]] = {
    "no token": "Give the sender the token: OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20<token>.",
    "no such address": "Give the sender the right endpoint: OTEL_EXPORTER_OTLP_ENDPOINT is an address without a path. "
    "For metrics, which are not taken: OTEL_METRICS_EXPORTER=none.",
    "content type": "Send OTLP as application/x-protobuf or application/json, all else as application/json.",
    "content coding": "Set the sender's compression to gzip, or to none.",
    "not readable": "The sender's log shows what it was told; what it sent is no OTLP, or names a wrong field.",
    "too large": "Make the sender's batches smaller, or raise goldrank collect --max-body and --max-inflated.",
    "cut off": "The sender gave up before it was done: raise its timeout (OTEL_EXPORTER_OTLP_TIMEOUT).",
    "over the rate": f"{_AGAIN}Raise goldrank collect --rate or --rate-spans, or run a second one.",
    "too much at once": f"{_AGAIN}Raise goldrank collect --max-waiting.",
    "spool full": f"{_AGAIN}Read the spool: goldrank ingest, or keep goldrank up running.",
    "disk full": f"{_AGAIN}Make room on the disk of the spool.",
    "spool not writable": f"{_AGAIN}Let the receiver's user write to the spool's folder.",
}
"""Reason for a refusal, as receivers count it -> what to do."""


class AskStatus(BaseModel):
    """Asks for the status."""

    model_config = ConfigDict(frozen=True)


class IngesterState(BaseModel):
    """How the ingester fares."""

    model_config = ConfigDict(frozen=True)

    running: bool
    """False where no hub runs."""
    healthy: bool
    message: str
    last_commit_ns: int | None
    oldest_unread_s: float | None
    """Age of the oldest frame that is not in the store yet, in seconds; None: nothing waits."""
    frames_read: int
    frames_bad: int


class Trouble(BaseModel):
    """Something a person should know, and the next step."""

    model_config = ConfigDict(frozen=True)

    what: str
    remedy: str


class Status(BaseModel):
    """The whole state."""

    model_config = ConfigDict(frozen=True)

    spool: str
    """Absolute path."""
    spool_written: bool
    """Some app has ever written here."""
    spool_segments: int
    spool_bytes: int
    spool_unread: int = 0
    """Segments that hold something which is not in the store yet."""
    store: str
    store_bytes: int
    schema_version: int
    rows: dict[str, int]
    drops: dict[str, dict[str, int]]
    """App -> reason -> count; "not sampled" is among the reasons."""
    receivers: tuple[ReceiverCounts, ...] = ()
    """What the hub and collectors took and refused, by name."""
    bad_frames: tuple[BadFrame, ...]
    """The newest ones."""
    bad_frames_total: int = 0
    older_rules: int = 0
    """How many requests were judged by other rules than today's."""
    corpora: tuple[CorpusState, ...]
    ingester: IngesterState
    redaction: tuple[str, ...] = ()
    """What is hidden in texts that people write, in order: "email", "phone", or the name of a function."""
    hub: dict[str, Any] | None
    """pid, url, since_ns; None where no hub runs."""
    troubles: tuple[Trouble, ...]


def status(workspace: Workspace, ask: AskStatus) -> Status:  # noqa: ARG001 - every action has this shape
    """The whole state, with a next step for each trouble."""
    from ..tracing.spool import list_segments

    store = workspace.store
    counts = store.intake.counts()
    segments = list_segments(workspace.spool)
    progress = store.intake.progress()
    unread = [one for one in segments if progress.get(one.name, 0) < one.size]
    state = Status(
        spool=str(workspace.spool.absolute()),
        spool_written=bool(segments) or any(counts["rows"].get(name) for name in ("spans", "complaints", "corpora")),
        spool_segments=len(segments),
        spool_bytes=sum(one.size for one in segments),
        spool_unread=len(unread),
        store=str(store.path),
        store_bytes=counts["bytes"],
        schema_version=counts["schema_version"],
        rows=counts["rows"],
        drops=counts["drops"],
        receivers=counts["receivers"],
        bad_frames=store.intake.bad_frames(),
        bad_frames_total=counts["bad_frames"],
        older_rules=counts["older_rules"],
        corpora=store.corpora.list(),
        ingester=_ingester(workspace),
        redaction=redaction_names(workspace),
        hub=workspace.hub,
        troubles=(),
    )
    return state.model_copy(update={"troubles": tuple(find_troubles(state))})


def _ingester(workspace: Workspace) -> IngesterState:
    if workspace.ingester is None:
        return IngesterState(
            running=False,
            healthy=True,
            message="",
            last_commit_ns=None,
            oldest_unread_s=None,
            frames_read=0,
            frames_bad=0,
        )
    now = workspace.ingester.state
    return IngesterState(
        running=now.running,
        healthy=now.healthy,
        message=now.message,
        last_commit_ns=now.last_commit_ns,
        oldest_unread_s=now.oldest_unread_s,
        frames_read=now.frames_read,
        frames_bad=now.frames_bad,
    )


def find_troubles(state: Status) -> Iterator[Trouble]:
    """What a person should know, the most pressing first."""
    if state.ingester.message:
        yield Trouble(what=f"The ingester has trouble: {state.ingester.message}", remedy="It tries again by itself.")
    elif state.hub is not None and not state.ingester.running:
        yield Trouble(what="The ingester of the hub has stopped.", remedy="Restart the hub: goldrank up")
    if not state.spool_written:
        yield Trouble(
            what=f"No app has ever recorded into {state.spool}.",
            remedy="In the app: goldrank.init(directory=...) with this folder, or look at another one: --directory.",
        )
    if state.spool_unread and state.hub is None:
        yield Trouble(
            what=f"{_many(state.spool_unread, 'segment')} of the spool wait to be read.",
            remedy="goldrank ingest, or goldrank up, which reads as it comes.",
        )
    if state.bad_frames_total:
        yield Trouble(
            what=f"{_many(state.bad_frames_total, 'frame')} could not be read and were set aside.",
            remedy=f"They are kept in {state.spool}/bad, each with its reason; no other frame was lost.",
        )
    if state.older_rules:
        running = state.ingester.running
        yield Trouble(
            what=f"{_many(state.older_rules, 'request')} {_were(state.older_rules)} judged by older rules.",
            remedy="They are judged anew in the background, the newest first." if running else "goldrank reindex",
        )
    for corpus in state.corpora:
        if not corpus.complete:
            yield Trouble(
                what=f"Parts of the corpus {corpus.index} {corpus.version} ({corpus.app}) are missing.",
                remedy='Until they come, "in the corpus?" is answered as not known: load the file again.',
            )
    yield from _drops(state)
    yield from _refused(state)


def _drops(state: Status) -> Iterator[Trouble]:
    for app, reasons in state.drops.items():
        for reason, count in reasons.items():
            remedy = _REMEDIES.get(reason, "The app's log names the trouble once; what was recorded is complete.")
            yield Trouble(what=f"{app}: {_many(count, 'span')} not recorded ({reason}).", remedy=remedy)


def _refused(state: Status) -> Iterator[Trouble]:
    for one in state.receivers:
        for reason, count in one.refused.items():
            remedy = _REFUSED.get(reason, "The answer told the sender why; its log shows it.")
            yield Trouble(what=f"{one.receiver}: {_many(count, 'message')} refused ({reason}).", remedy=remedy)


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
