"""A request while it is open: its id, its texts, its flow. Shared by its stages, from any thread or task."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING, Any, Final

from .flow import Flow
from .texts import TextBook

if TYPE_CHECKING:
    from .open_stage import OpenStage

_scopes: Final = random.Random()  # noqa: S311 - no secrets; seeded from the system, and apart from the app's
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_scopes.seed)

_NOTHING: Final[frozenset[str]] = frozenset()


class OpenRequest:
    """One request of this process, or the part of a request that another process continues here."""

    __slots__ = ("_made", "_scope", "book", "closed", "flow", "id", "lock", "root", "root_ended")

    book: TextBook
    flow: Flow

    def __init__(self, request_id: str, scope: str) -> None:
        self.id = request_id
        """`<trace id>-<span id>`, answered also where nothing is recorded."""
        self.root: OpenStage | None = None
        """Its request span; None where that is in another process, or has ended."""
        self.root_ended = False
        self.renew_lock()
        self._scope = scope
        self._made: frozenset[str] = _NOTHING
        """Which of `book` and `flow` are there."""
        self.closed = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - either of the two
        """`book` and `flow` are made when they are first asked for: a request without lists needs none, and hardly a
        closed one does."""
        made: Any
        if name == "flow":
            made = self.flow = Flow()
        elif name == "book":
            made = self.book = TextBook(_scopes.randbytes(4).hex() if self.closed else self._scope)
        else:
            raise AttributeError(name, name=name, obj=self)
        self._made |= {name}
        return made

    def renew_lock(self) -> None:
        """Gives it a lock that nobody holds."""
        self.lock = threading.RLock()
        """Held while one list is read or one call's arguments are looked at: microseconds. Re-entrant, because
        the garbage collector may end a dropped stream of this request just then, in this very thread."""

    def close(self) -> None:
        """Lets go of the app's objects. Stages that still run are recorded, with texts of their own."""
        with self.lock:
            self.closed = True
            self.root_ended = self.root_ended or self.root is not None
            self.root = None
            for name in self._made:
                delattr(self, name)
            self._made = _NOTHING
