"""A request while it is open: its id, its texts, its flow. Shared by its stages, from any thread or task."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from .flow import Flow
from .texts import TextBook

if TYPE_CHECKING:
    from .open_stage import OpenStage


class OpenRequest:
    """One request of this process, or the part of a request that another process continues here."""

    __slots__ = ("book", "closed", "flow", "id", "lock", "root")

    def __init__(self, request_id: str, scope: str) -> None:
        self.id = request_id
        """`<trace id>-<span id>`, answered also where nothing is recorded."""
        self.root: OpenStage | None = None
        """Its request span; None where that is in another process."""
        self.renew_lock()
        self.book = TextBook(scope)
        self.flow = Flow()
        self.closed = False

    def renew_lock(self) -> None:
        """Gives it a lock that nobody holds."""
        self.lock = threading.RLock()
        """Held while one list is read or one call's arguments are looked at: microseconds. Re-entrant, because
        the garbage collector may end a dropped stream of this request just then, in this very thread."""

    def close(self) -> None:
        """Lets go of the app's objects. Stages that still run are recorded, with texts of their own."""
        with self.lock:
            self.closed = True
            self.book = TextBook(os.urandom(4).hex())
            self.flow = Flow()
