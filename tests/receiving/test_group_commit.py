"""Frames of many callers go to the disk together, and each caller is told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from goldrank.collectors.receiving.group_commit import MOST_TOGETHER_BYTES, GroupCommit
from goldrank.tracing.spool import SpoolWriter


class Stumbling(SpoolWriter):
    """Fails at its first frame as no disk does."""

    def write(self, framed: Sequence[bytes], *, beyond_limits: bool = False) -> str | None:
        if framed[0].startswith(b"first"):
            raise MemoryError
        return super().write(framed, beyond_limits=beyond_limits)


def test_a_write_that_fails_leaves_nobody_behind_it_waiting(tmp_path: Path) -> None:
    """Those that were to be written after it are written."""

    async def both() -> list[str | BaseException | None]:
        commit = GroupCommit(Stumbling(tmp_path / "spool", app="test"))
        frames = (b"first".ljust(MOST_TOGETHER_BYTES), b"second")
        try:
            async with asyncio.timeout(20):
                return await asyncio.gather(*map(commit.append, frames), return_exceptions=True)
        finally:
            await commit.close()

    first, second = asyncio.run(both())

    assert isinstance(first, MemoryError)
    assert second is None


def test_what_is_together_in_one_write_fails_together(tmp_path: Path) -> None:
    """Nobody is told that a frame lies on the disk that was never written."""

    async def both() -> list[str | BaseException | None]:
        commit = GroupCommit(Stumbling(tmp_path / "spool", app="test"))
        try:
            return await asyncio.gather(*map(commit.append, (b"first", b"second")), return_exceptions=True)
        finally:
            await commit.close()

    assert [type(one) for one in asyncio.run(both())] == [MemoryError, MemoryError]
