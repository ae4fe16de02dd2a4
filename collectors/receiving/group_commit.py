"""Appends frames to the spool for many callers at once: one write and one fsync for all that wait."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from ...tracing.spool import NOT_WRITABLE, TOO_LARGE, SpoolWriter

MOST_TOGETHER_BYTES: Final = 8 * 1024 * 1024
"""A write takes at most this much at once (and always one frame), so that nobody waits for a huge one of others."""


class _Waiting(NamedTuple):
    frame: bytes
    done: asyncio.Future[str | None]


class GroupCommit:
    """Belongs to one event loop. The disk is only touched in a thread of its own."""

    def __init__(self, writer: SpoolWriter) -> None:
        self._writer = writer
        self.trouble: str | None = None
        """Why the last write was refused; None: it was not."""
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="goldrank-spool")
        self._waiting: list[_Waiting] = []
        self._work: asyncio.Task[None] | None = None

    async def append(self, frame: bytes) -> str | None:
        """Returns when the frame is on the disk: None, or why it was refused in two words."""
        refused = self._writer.refusal()
        if refused:
            return refused
        waiting = _Waiting(frame, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._write_all())
        return await waiting.done

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._next_batch()
            try:
                refused = await loop.run_in_executor(self._executor, self._write, [one.frame for one in batch])
            except Exception as error:  # noqa: BLE001 - who waits is told, and those behind wait for an answer too
                for one in batch:
                    if not one.done.done():
                        one.done.set_exception(error)
                continue
            self.trouble = None if refused == TOO_LARGE else refused
            for one in batch:
                if not one.done.done():  # its client may have gone
                    one.done.set_result(refused)

    def _next_batch(self) -> list[_Waiting]:
        size, count = 0, 0
        for one in self._waiting:
            size += len(one.frame)
            if count and size > MOST_TOGETHER_BYTES:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def _write(self, frames: list[bytes]) -> str | None:
        refused = self._writer.write(frames)
        if refused:
            return refused
        return None if self._writer.sync() else NOT_WRITABLE

    async def append_report(self, frame: bytes) -> bool:
        """Appends the few bytes that say what was lost, also beyond the limits of the spool. False: refused."""

        def write() -> bool:
            return not self._writer.write([frame], beyond_limits=True) and self._writer.sync()

        return await asyncio.get_running_loop().run_in_executor(self._executor, write)

    async def tend(self) -> float | None:
        """Seals the open segment when it is old enough; the seconds until the next call is due."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._writer.tend)

    async def close(self) -> None:
        """Waits for what is under way, then closes the spool."""
        if self._work is not None:
            await asyncio.gather(self._work, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(self._executor, self._writer.close)
        self._executor.shutdown()
