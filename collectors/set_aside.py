"""Frames and ends of segments that cannot be read: kept in `spool/bad/` with the reason, never dropped.

File names say segment and offset, so setting the same thing aside twice (after a crash) leaves one copy.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import IO, Final

from ..model import BadInput
from ..store import BadFrame

BAD_FOLDER: Final = "bad"


def set_frame_aside(
    spool: Path, segment: str, offset: int, payload: bytes, error: Exception, *, at_ns: int
) -> BadFrame:
    """Keeps the payload of one frame. Raises OSError where even that cannot be written."""
    reason = describe(error)
    target = _target(spool, segment, offset)
    with _create(target) as file:
        file.write(payload)
    _write_reason(target, reason)
    return BadFrame(segment=segment, offset=offset, reason=reason, saved_as=target.name, at_ns=at_ns)


def set_tail_aside(spool: Path, path: Path, offset: int, reason: str, *, at_ns: int) -> BadFrame:
    """Keeps the end of a segment from `offset` on. Raises OSError where even that cannot be written."""
    target = _target(spool, path.name, offset)
    with path.open("rb") as source, _create(target) as file:
        source.seek(offset)
        shutil.copyfileobj(source, file)
    _write_reason(target, reason)
    return BadFrame(segment=path.name, offset=offset, reason=reason, saved_as=target.name, at_ns=at_ns)


def describe(error: Exception) -> str:
    """The reason in words. Only texts that goldrank wrote itself: any other error may quote the payload."""
    return str(error) if isinstance(error, BadInput) else f"it could not be taken in ({type(error).__name__})"


def _target(spool: Path, segment: str, offset: int) -> Path:
    folder = spool / BAD_FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{segment}-{offset}.bin"


def _create(target: Path) -> IO[bytes]:
    return open(target, "wb", opener=_private)


def _write_reason(target: Path, reason: str) -> None:
    with _create(target.with_suffix(".reason.txt")) as file:
        file.write(f"{reason}\n".encode("utf-8", "replace"))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
