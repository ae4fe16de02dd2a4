"""The store as a whole: its nouns, and the one lock that all writers take."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

if TYPE_CHECKING:  # the nouns bring the models of all that is kept
    from .batches import Batches
    from .cases import Cases
    from .chunks import Chunks, Corpora
    from .complaints import Complaints
    from .erasures import Erasures
    from .handmade import HandMade
    from .intake import Intake
    from .labels import Labels
    from .requests import Requests
    from .saved_filters import SavedFilters
    from .triages import Triages


class Table(NamedTuple):
    """The answer to a free query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool
    """There were more rows than the limit."""


class Store(Protocol):
    """One store. Every noun may be used from any thread; each call uses a cursor of its own."""

    @property
    def path(self) -> Path: ...

    @property
    def requests(self) -> Requests: ...

    @property
    def chunks(self) -> Chunks: ...

    @property
    def corpora(self) -> Corpora: ...

    @property
    def labels(self) -> Labels: ...

    @property
    def cases(self) -> Cases: ...

    @property
    def complaints(self) -> Complaints: ...

    @property
    def triages(self) -> Triages: ...

    @property
    def saved_filters(self) -> SavedFilters: ...

    @property
    def batches(self) -> Batches: ...

    @property
    def intake(self) -> Intake: ...

    @property
    def erasures(self) -> Erasures: ...

    @property
    def handmade(self) -> HandMade: ...

    def writing(self) -> AbstractContextManager[None]:
        """One change: what is read inside stays so until it ends, and others see all that was written, or nothing.

        An error inside takes everything back. Re-entrant; every noun's writing methods take it themselves.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One state: whatever this thread reads inside is of the same moment, and costs less than call by call.

        For reading alone: what is written inside is not seen by what is read after it. Re-entrant.
        """
        ...

    def query(self, sql: str, *, limit: int) -> Table:
        """A query that reads. Anything that would change the store raises UsageError."""
        ...

    def snapshot(self, target: Path) -> None:
        """A copy that another process can open, written beside and renamed."""
        ...

    def close(self) -> None:
        """Closing twice is harmless."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Closes the store."""
        ...
