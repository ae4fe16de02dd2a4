"""What is taken out of the store for good: old requests, and whatever belongs to a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from ..model.sieve import Sieve


class Forget(BaseModel):
    """What is to be forgotten. Each is a thing of its own."""

    model_config = ConfigDict(frozen=True)

    user: str = ""
    """As the app recorded it: all requests and complaints of this user up to now."""
    request_ids: tuple[str, ...] = ()
    """With their replays, labels, complaints and cases."""
    text: str = ""
    """Its words, wherever they stand one after the other, are masked."""


class Erased(BaseModel):
    """What went, or would go."""

    model_config = ConfigDict(frozen=True)

    requests: tuple[str, ...] = ()
    """Ids of the requests that went, at most 1,000 of them, oldest first."""
    requests_gone: int = 0
    rows: dict[str, int] = {}
    """Table -> rows deleted, without those that are derived from others."""
    masked: dict[str, int] = {}
    """Table -> rows in which the text was masked."""
    kept: dict[str, int] = {}
    """Why older requests stay, in words -> how many."""
    traces: frozenset[str] = frozenset()
    """Traces of the requests that went."""
    bytes_before: int = 0
    """Of the store's file and its log."""
    bytes_after: int = 0
    """In a dry run: about."""
    bytes_needed: int = 0
    """So much had to be free on the disk for the new file beside the old one."""
    bytes_free: int = 0

    @property
    def nothing(self) -> bool:
        """Nothing was there."""
        return not self.requests_gone and not self.rows and not self.masked


class Erasures(Protocol):
    """Taking things out for good. Rows go in one transaction; then the file is written anew, so that they are gone
    from its bytes and the disk has its room back. Writers wait for both, readers only for the exchange of the file.
    """

    @property
    def times(self) -> int:
        """How often something was erased since the store was opened: what was read before may be gone by now."""
        ...

    def sieve(self) -> Sieve:
        """Knows what must not come back."""
        ...

    def prune(self, before_ns: int, *, now_ns: int, dry_run: bool = False, tell: Callable[[str], None] = ...) -> Erased:
        """Erases requests that started before, with all that belongs to them.

        A request stays that has labels, is in a case, is named by a complaint, or whose replay or original stays.
        """
        ...

    def forget(self, what: Forget, *, now_ns: int, dry_run: bool = False, tell: Callable[[str], None] = ...) -> Erased:
        """Erases what is named, and remembers by keyed hashes that it must not come back."""
        ...

    def strike(self, request_ids: tuple[str, ...], spans: tuple[tuple[str, str], ...], *, now_ns: int) -> None:
        """What came of a forgotten user after all: takes out what is stored of these requests and spans.

        The file is not written anew; that is due at the next erasure.
        """
        ...

    def finish(self) -> bool:
        """Writes the file anew where an erasure was cut short; whether that was so."""
        ...
