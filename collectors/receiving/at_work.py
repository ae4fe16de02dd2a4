"""A receiver at work: it reports what it took and refused, seals its segment in time, and serves gRPC beside HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...model import FrameKind
from ...tracing.spool import SpoolLimits, SpoolWriter, encode
from .group_commit import GroupCommit
from .guard import Tokens
from .limits import Limits
from .receiver import Receiver
from .tally import Tally

if TYPE_CHECKING:
    from .grpc_service import GrpcStart

TEND_S: Final = 15.0
REPORT_S: Final = 10.0
"""What a receiver took and refused is written to the spool this often; a kill -9 loses the counts since then."""


def make_receiver(
    spool: Path, *, what: str, port: int, tokens: Tokens, limits: Limits | None = None, spool_limits: SpoolLimits | None
) -> Receiver:
    """A receiver that writes to `spool`. `what` is "hub" or "collector"; the port tells two of one machine apart."""
    commit = GroupCommit(SpoolWriter(spool, app=what, limits=spool_limits))
    return Receiver(commit, Tally(f"{what} {socket.gethostname()}:{port}"), tokens=tokens, limits=limits)


@asynccontextmanager
async def at_work(receiver: Receiver, grpc: GrpcStart | None = None) -> AsyncIterator[int | None]:
    """From the first to the last moment at which routes answer; then all that was acknowledged is on the disk.

    Gives the port of gRPC; None where it is not served.
    """
    server = await grpc.serve(receiver) if grpc is not None else None
    tasks = [asyncio.create_task(_tend(receiver.commit)), asyncio.create_task(_report(receiver))]
    try:
        yield None if server is None else server.port
    finally:
        if server is not None:
            await server.stop()
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await report(receiver)
        await receiver.commit.close()


async def _tend(commit: GroupCommit) -> None:
    """Seals the segment when it is old enough, so that what is read can be deleted."""
    while True:
        due = await commit.tend()
        await asyncio.sleep(TEND_S if due is None else max(1.0, min(due, TEND_S)))


async def _report(receiver: Receiver) -> None:
    while True:
        await asyncio.sleep(REPORT_S)
        await report(receiver)


async def report(receiver: Receiver) -> None:
    """Writes what happened since the last report, if anything did; what cannot be written waits for the next."""
    said = receiver.tally.report()
    if said is None:
        return
    frame = encode(FrameKind.DROPS, said.model_dump_json(exclude_defaults=True).encode())
    if await receiver.commit.append_report(frame):
        receiver.tally.said(said)
