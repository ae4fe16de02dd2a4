"""What people made by hand, brought in from a backup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict

from ..model import IdForm, IdMention, UsageError, text_hash
from ..model.case import OF_ONE_REQUEST
from ..model.sieve import Cause, Kind, Sieve
from .workspace import Workspace

if TYPE_CHECKING:
    from ..store import Store
    from ..store.handmade import History

_TRACE_ID_LENGTH = 32
_REQUESTS = ("source_requests", "request_ids")
"""Fields of cases and batches that name several requests."""


class Restore(BaseModel):
    """Which backup."""

    model_config = ConfigDict(frozen=True)

    source: str
    """Absolute path."""
    replace: bool = False
    """Where the backup contradicts what is stored, the backup counts."""


class ConflictLeft(BaseModel):
    """A thing that says something else here, and was left as it is."""

    model_config = ConfigDict(frozen=True)

    kind: str
    name: str
    reason: str


class Restored(BaseModel):
    """What was brought in."""

    model_config = ConfigDict(frozen=True)

    added: int
    continued: int
    """Things of which newer revisions came."""
    unchanged: int
    replaced: int
    forgotten: int
    """Left out: they were forgotten here after the backup was made."""
    conflicts: tuple[ConflictLeft, ...]
    waiting: int
    """Requests that have labels and are not stored: these count when the requests come."""


def restore(workspace: Workspace, ask: Restore) -> Restored:
    """Merges a backup into the store, all of it or nothing. The same backup again changes nothing."""
    from ..collectors.examiner import reindex
    from .archive import read_archive

    source = Path(ask.source)
    if not source.is_absolute():
        raise UsageError(f"The place of a backup is an absolute path; found {ask.source!r}.")
    _, histories = read_archive(source)
    store = workspace.store
    sieve = store.erasures.sieve()
    kept = [one for one in histories if not _forgotten(one, sieve)]
    with store.writing():
        placed = tuple(_placed(store, kept, sieve))
        merged = store.handmade.merge(placed, replace=ask.replace, at_ns=workspace.now_ns())
    if merged.added or merged.continued or merged.replaced:
        reindex(store, lambda done, total: workspace.tell(f"{done:,} of {total:,} requests examined"))
    return Restored(
        added=merged.added,
        continued=merged.continued,
        unchanged=merged.unchanged,
        replaced=merged.replaced,
        forgotten=len(histories) - len(kept),
        conflicts=tuple(
            ConflictLeft(kind=one.made.value, name=one.name, reason=one.reason) for one in merged.conflicts
        ),
        waiting=store.handmade.waiting(),
    )


def _forgotten(history: History, sieve: Sieve) -> bool:
    """Whether it, its request, all of its requests, or its user was forgotten here."""
    kinds = {"cases": Kind.CASE, "complaints": Kind.COMPLAINT}
    own = kinds.get(history.made.value)
    if own is not None and sieve.is_gone(own, history.name):
        return True
    newest = history.revisions[-1] if history.revisions else {}
    at_ns = int(newest.get("at_ns", 0))
    if history.made.value == "complaints" and sieve.user_gone(newest.get("who"), at_ns):
        return True
    if history.made.value == "saved_filters":
        values = [history.name, *(value for _, value in parse_qsl(str(newest.get("params", ""))))]
        return any(sieve.user_gone(one, at_ns) or _request_forgotten(one, sieve) for one in values)
    if any(_request_forgotten(newest.get(name), sieve) for name in ("request_id", "replay_id")):
        return True
    named = next((newest[name] for name in _REQUESTS if newest.get(name)), ())
    return bool(named) and all(_request_forgotten(one, sieve) for one in named)


def _request_forgotten(request_id: object, sieve: Sieve) -> bool:
    named = str(request_id or "")
    kinds = ((Kind.REQUEST, named), (Kind.TRACE, named.partition("-")[0]))
    return any(sieve.why_gone(kind, name) is Cause.FORGOTTEN for kind, name in kinds)


def _placed(store: Store, histories: list[History], sieve: Sieve) -> Iterator[History]:
    """The histories as this store keeps them: what was forgotten taken out, requests under the ids that they have
    here.
    """
    for one in histories:
        kept = _without_forgotten(one, sieve)
        yield one.model_copy(update={"revisions": tuple(_here(store, _masked(fields, sieve)) for fields in kept)})


def _without_forgotten(history: History, sieve: Sieve) -> tuple[dict[str, Any], ...]:
    """Revisions of what others asked too, without the forgotten requests and what a case held of the one request."""
    gone = {
        one
        for fields in history.revisions
        for name in _REQUESTS
        for one in fields.get(name, ())
        if _request_forgotten(one, sieve)
    }
    if not gone:
        return history.revisions
    return tuple(
        {
            name: [one for one in value if one not in gone] if name in _REQUESTS else value
            for name, value in fields.items()
            if name not in OF_ONE_REQUEST or history.made.value != "cases"
        }
        for fields in history.revisions
    )


def _masked(fields: dict[str, Any], sieve: Sieve) -> dict[str, Any]:
    if not sieve.masks:
        return fields
    masked: dict[str, Any] = sieve.mask_value(fields)
    target = masked.get("target")
    if masked != fields and isinstance(target, dict) and target.get("text") and target.get("text_hash"):
        target["text_hash"] = text_hash(target["text"])
    return masked


def _here(store: Store, fields: dict[str, Any]) -> dict[str, Any]:
    """A request that was known by its trace alone then has its final id here."""
    request_id = fields.get("request_id")
    if not isinstance(request_id, str) or len(request_id) != _TRACE_ID_LENGTH:
        return fields
    if store.requests.get(request_id, texts=False) is not None:
        return fields
    found = store.requests.resolve(IdMention(form=IdForm.TRACE, trace_id=request_id))
    return {**fields, "request_id": found[0]} if len(found) == 1 else fields
