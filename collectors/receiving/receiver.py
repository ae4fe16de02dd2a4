"""Takes what senders send, whatever the protocol: checks it, writes it to the spool, counts it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeVar

from pydantic import BaseModel

from ...model import BadInput, FrameKind
from ...tracing.spool import MAX_PAYLOAD, encode
from .exports import Export, read_export
from .group_commit import GroupCommit
from .guard import Tokens, why_no_token
from .inflating import inflated
from .limits import Limits, Rates, Room, Waiting
from .refusal import NotTaken, Reason, refused_by_spool
from .signals import Form, Signal
from .tally import Tally

_INLINE_BYTES: Final = 256 * 1024
"""Up to this size a body is checked in the event loop: parsing 30 kB takes about 40 microseconds."""
_INLINE_COMPRESSED: Final = 8 * 1024
"""The same for a compressed body, which may become a thousand times as large."""
_INLINE_JSON: Final = 32 * 1024
"""And for JSON, which takes ten times as long."""


Found = TypeVar("Found")


class Coded(NamedTuple):
    """A body as it came."""

    body: bytes
    coding: str = ""
    """"" for none, or one of `inflating.TAKEN`."""


class Posted(NamedTuple):
    """What a body of JSON came to."""

    kind: FrameKind
    messages: Sequence[BaseModel]
    ids: tuple[str, ...] = ()
    """For the answer, in the order of the body."""
    items: int = 0
    """How many things were posted, in the words of `what`."""


class Receiver:
    """Belongs to one event loop."""

    def __init__(self, commit: GroupCommit, tally: Tally, *, tokens: Tokens, limits: Limits | None = None) -> None:
        self.commit = commit
        self.tally = tally
        self.tokens = tokens
        self.limits = limits or Limits()
        self.waiting = Waiting(self.limits.waiting_bytes)
        self._rates = Rates(self.limits)
        self.since_ns = time.time_ns()
        self.stopping = False
        """Told to end: what is under way is still taken."""

    @contextmanager
    def admitted(self, authorization: str | None) -> Iterator[Room]:
        """Room for one request whose sender may send, at a rate that is not exceeded. Counts a refusal."""
        try:
            if not self.tokens.allow(authorization):
                raise NotTaken(Reason.NO_TOKEN, why_no_token(authorization))
            self._rates.check()
            with self.waiting.room() as room:
                yield room
        except NotTaken as refusal:
            self.tally.refuse(refusal.reason)
            raise

    async def take_export(self, signal: Signal, coded: Coded, form: Form, room: Room) -> Export:
        """Returns when what was taken is on the disk. NotTaken: nothing was."""

        def read() -> tuple[Export, int]:
            body = _inflated(coded, self.limits.inflated_bytes)
            return read_export(signal, body, form), len(body)

        limit = _INLINE_JSON if form is Form.JSON else _INLINE_BYTES
        export, size = await self._read(coded, read, limit)
        room.take(len(export.payload))
        if export.payload:
            await self._write([encode(signal.kind, export.payload)], f"the {signal.what}")
        self._rates.charge(size, export.items)
        counts = {signal.what.replace(" ", "_"): export.items, "other_log_records": export.ignored}
        self.tally.take(**counts, bytes=size)
        if export.rejected:
            self.tally.reject(Reason.NOT_READABLE, export.rejected)
        return export

    async def take_json(self, coded: Coded, read: Callable[[bytes], Posted], what: str, limit: int) -> Posted:
        """The same for messages of declared models: all of a body of at most `limit` bytes or nothing."""

        def checked() -> tuple[Posted, list[bytes], int]:
            body = _inflated(coded, min(limit, self.limits.inflated_bytes))
            try:
                posted = read(body)
            except BadInput as error:
                raise NotTaken(Reason.NOT_READABLE, str(error)) from None
            return posted, _frames(posted, what), len(body)

        posted, frames, size = await self._read(coded, checked, _INLINE_JSON)
        await self._write(frames, f"the {what}")
        self._rates.charge(size, 0)
        self.tally.take(**{what.replace(" ", "_"): posted.items, "bytes": size})
        return posted

    async def _read(self, coded: Coded, read: Callable[[], Found], inline: int) -> Found:
        if len(coded.body) > (_INLINE_COMPRESSED if coded.coding else inline):
            return await asyncio.to_thread(read)
        return read()

    async def _write(self, frames: list[bytes], what: str) -> None:
        """In one piece: all of them or none."""
        refused = await self.commit.append(frames[0] if len(frames) == 1 else b"".join(frames))
        if refused:
            raise refused_by_spool(refused, what)


def _inflated(coded: Coded, limit: int) -> bytes:
    return inflated(coded.body, coded.coding, limit) if coded.coding else coded.body


def _frames(posted: Posted, what: str) -> list[bytes]:
    frames = []
    for message in posted.messages:
        payload = message.model_dump_json(exclude_defaults=True).encode()
        if len(payload) > MAX_PAYLOAD:
            raise NotTaken(
                Reason.TOO_LARGE, f"The {what} takes {len(payload):,} bytes; at most {MAX_PAYLOAD:,} go at once."
            )
        frames.append(encode(posted.kind, payload))
    return frames
