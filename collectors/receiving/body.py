"""Reading the body of an HTTP request: up to a limit, and only as long as something comes."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from .limits import Limits, Room
from .refusal import NotTaken, Reason


async def read_body(request: Request, limit: int, *, room: Room | None = None, limits: Limits | None = None) -> bytes:
    """The body as sent.

    NotTaken as soon as it is known to be larger than `limit` bytes, when all requests together hold too much,
    when nothing more comes, and when the client goes away.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:20]) > limit:
        raise NotTaken(
            Reason.TOO_LARGE,
            f"The body has {int(announced[:20]):,} bytes; at most {limit:,} are taken. Send smaller batches.",
        )
    limits = limits or Limits()
    loop = asyncio.get_running_loop()
    give_up = loop.time() + limits.whole_s
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.idle_s) as patience:
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise NotTaken(Reason.TOO_LARGE, f"The body has more than {limit:,} bytes. Send smaller batches.")
                if room is not None:
                    room.take(len(chunk))
                chunks.append(chunk)
                patience.reschedule(min(loop.time() + limits.idle_s, give_up))
    except ClientDisconnect:
        raise NotTaken(Reason.CUT_OFF, "The client went away before its body was complete.") from None
    except TimeoutError:
        raise NotTaken(Reason.TOO_SLOW, f"The body stopped coming after {size:,} bytes. Send it again.") from None
    return b"".join(chunks)
