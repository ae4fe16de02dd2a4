"""What people made by hand, brought in from a backup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from ..model import IdForm, IdMention, UsageError, text_hash
from ..model.sieve import Cause, Kind, Sieve
from .workspace import Workspace

if TYPE_CHECKING:
    from ..store import Store
    from ..store.handmade import History

_TRACE_ID_LENGTH = 32


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
    """Whether it, its request or its user was forgotten here."""
    kinds = {"cases": Kind.CASE, "complaints": Kind.COMPLAINT}
    own = kinds.get(history.made.value)
    if own is not None and sieve.is_gone(own, history.name):
        return True
    newest = history.revisions[-1] if history.revisions else {}
    if history.made.value == "complaints" and sieve.user_gone(newest.get("who"), int(newest.get("at_ns", 0))):
        return True
    request_id = str(newest.get("request_id") or "")
    named = ((Kind.REQUEST, request_id), (Kind.TRACE, request_id.partition("-")[0]))
    return any(sieve.why_gone(kind, name) is Cause.FORGOTTEN for kind, name in named)


def _placed(store: Store, histories: list[History], sieve: Sieve) -> Iterator[History]:
    """The histories as this store keeps them: forgotten texts masked, requests under the ids that they have here."""
    for one in histories:
        yield one.model_copy(
            update={"revisions": tuple(_here(store, _masked(fields, sieve)) for fields in one.revisions)}
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
