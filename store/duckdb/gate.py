"""Many may use the file at once, or one may put another in its place while nobody does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ...model import StoreError


class _Mine(threading.local):
    """How often this thread is inside."""

    depth: int = 0


class Gate:
    """Whoever reads or writes is inside; whoever replaces the file is alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False
        self._mine = _Mine()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Waits while somebody is alone. A thread that is inside may enter again at once."""
        if self._mine.depth == 0:
            with self._changed:
                self._changed.wait_for(lambda: not self._closed)
                self._inside += 1
        self._mine.depth += 1
        try:
            yield
        finally:
            self._mine.depth -= 1
            if self._mine.depth == 0:
                with self._changed:
                    self._inside -= 1
                    self._changed.notify_all()

    @contextmanager
    def alone(self, wait_s: float) -> Iterator[None]:
        """Lets nobody in any more and waits until all are gone; StoreError where somebody stays for so many seconds."""
        if self._mine.depth:
            raise StoreError("The file cannot be replaced by a thread that is reading it.")
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            if not self._changed.wait_for(lambda: self._inside == 0, wait_s):
                self._open()
                raise StoreError(
                    f"Somebody has been reading the store for {wait_s:.0f} s, so its file was not replaced. "
                    "Nothing is lost; try again when that query has ended."
                )
        try:
            yield
        finally:
            with self._changed:
                self._open()

    def _open(self) -> None:
        self._closed = False
        self._changed.notify_all()
