"""Messages between a worker and its parent: JSON behind its length, over pipes of their own."""

from __future__ import annotations

import os
import struct
from typing import Final

LENGTH: Final = struct.Struct(">Q")
MAX_PLAN: Final = 256 * 1024 * 1024
"""Bytes of a plan: the texts of many pinned hits."""
MAX_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of an outcome; the worker cuts what is longer."""


def write_frame(fd: int, payload: bytes) -> None:
    """Writes one message, all of it."""
    data = memoryview(LENGTH.pack(len(payload)) + payload)
    while data:
        data = data[os.write(fd, data) :]


def read_frame(fd: int, most: int) -> bytes | None:
    """The next message; None at the end, or where it is longer than `most` bytes."""
    head = _read(fd, LENGTH.size)
    if head is None:
        return None
    length: int = LENGTH.unpack(head)[0]
    return _read(fd, length) if length <= most else None


def _read(fd: int, count: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < count:
        part = os.read(fd, min(count - len(parts), 1 << 20))
        if not part:
            return None
        parts += part
    return bytes(parts)
