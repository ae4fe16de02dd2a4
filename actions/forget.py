"""What belongs to a person leaves the store, the spool and what waits in it, and does not come back."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from .. import model
from ..model import IdForm, NotFound, UsageError, find_ids
from .ingest import Ingest, ingest
from .lookup import look_up
from .workspace import Workspace

_LEAST: Final = 4
"""Letters and digits that a text to forget must have: shorter ones stand in every second answer."""


class Forgetting(BaseModel):
    """One of the three."""

    model_config = ConfigDict(frozen=True)

    user: str = ""
    """As the app recorded it."""
    request: str = ""
    """In any form in which a request is named."""
    text: str = ""
    dry_run: bool = False


class Forgotten(BaseModel):
    """What went, or would go."""

    model_config = ConfigDict(frozen=True)

    dry_run: bool
    requests: tuple[str, ...]
    """At most 1,000 of them."""
    requests_gone: int
    rows: dict[str, int]
    """Table -> rows deleted."""
    masked: dict[str, int]
    """Table -> rows in which the text was masked."""
    spool_frames: int = 0
    """Frames that were overwritten in segments whose apps still write."""
    spool_bad: int = 0
    """Unreadable frames in `spool/bad` that were removed."""
    open_segments: int = 0
    """Segments whose apps still write. What they hold in memory comes later, and is not stored then."""
    bytes_before: int = 0
    bytes_after: int = 0
    unread: str = ""
    """What of the spool could not be read first, in words; empty when all of it was."""

    @property
    def nothing(self) -> bool:
        """Nothing was there."""
        return not (self.requests_gone or self.rows or self.masked or self.spool_frames or self.spool_bad)


def forget(workspace: Workspace, ask: Forgetting) -> Forgotten:
    """Reads the spool first, so that what waits there is found; erases; then takes it out of the spool's files too."""
    from ..store.erasures import Forget

    if sum(map(bool, (ask.user, ask.request, ask.text))) != 1:
        raise UsageError("Say one thing to forget: a user, a request or a text.")
    _check_text(ask.text)
    unread = "" if ask.dry_run else ingest(workspace, Ingest()).message
    what = Forget(user=ask.user, request_ids=_request_ids(workspace, ask.request), text=ask.text)
    erased = workspace.store.erasures.forget(what, now_ns=workspace.now_ns(), dry_run=ask.dry_run, tell=workspace.tell)
    done = Forgotten(
        dry_run=ask.dry_run,
        requests=erased.requests,
        requests_gone=erased.requests_gone,
        rows=erased.rows,
        masked=erased.masked,
        bytes_before=erased.bytes_before,
        bytes_after=erased.bytes_after,
        unread=unread,
    )
    return done if ask.dry_run else _finish(workspace, what.request_ids, erased.traces, ask, done)


def _finish(
    workspace: Workspace, request_ids: tuple[str, ...], traces: frozenset[str], ask: Forgetting, done: Forgotten
) -> Forgotten:
    """The spool, and verdicts of what was masked."""
    from ..collectors.examiner import reindex
    from ..collectors.spool_erasing import Named, erase_from_spool, without_files
    from ..store import IntakeBatch

    store = workspace.store
    named = Named(ask.user, ask.text, request_ids, traces)
    spool = erase_from_spool(workspace.spool, store.intake.progress(), store.erasures.sieve(), named)
    if spool.bad_files:
        noted = without_files(store.intake.bad_frames(limit=100_000), spool.bad_files)
        store.intake.commit(IntakeBatch(bad_frames=noted))
    if done.masked:
        reindex(store)
    return done.model_copy(
        update={
            "spool_frames": spool.frames,
            "spool_bad": len(spool.bad_files),
            "open_segments": spool.open_segments,
        }
    )


def _request_ids(workspace: Workspace, request: str) -> tuple[str, ...]:
    """The request that is meant. A whole id that is not stored may still come, and is remembered."""
    if not request:
        return ()
    found = look_up(workspace.store, request)
    if len(found.request_ids) == 1 and not found.message:
        return found.request_ids
    whole = tuple(one.digits for one in find_ids(request) if one.form is IdForm.REQUEST)
    if len(whole) == 1 and len(found.request_ids) <= 1:
        return whole
    raise (UsageError if found.request_ids else NotFound)(found.message)


def _check_text(text: str) -> None:
    from ..model.sieve import words_of

    if not text:
        return
    found = words_of(text)
    if sum(len(word.text) for word in found) < _LEAST:
        raise UsageError(
            f"{text!r} stands in too many places: a text to forget has at least {_LEAST} letters or digits."
        )
    if len(found) == 1 and found[0].text in _own_words():
        raise UsageError(f"{text!r} is a word of goldrank itself; add a word that stands beside it.")


def _own_words() -> frozenset[str]:
    """Words by which goldrank says kinds, states and verdicts: to mask them would break what is stored."""
    found = (getattr(model, name) for name in model.__all__)
    kinds = [one for one in found if isinstance(one, type) and issubclass(one, StrEnum)]
    return frozenset(str(member.value) for kind in kinds for member in kind)
