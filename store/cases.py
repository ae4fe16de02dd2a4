"""Eval cases as a noun of the store: append-only revisions, one current row a key and set."""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, ConfigDict

from ..model import EvalCase


class CaseFilter(BaseModel):
    """Which cases a list shows."""

    model_config = ConfigDict(frozen=True)

    eval_set: str = ""
    app: str = ""
    words: str = ""
    """Every word must occur in question, ticket, note, author, or an id: of the case, its sources or its passages."""
    archived: bool | None = False
    """None: both."""


class CasePage(BaseModel):
    """Cases by set, then created, then id."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[EvalCase, ...]
    matching: int
    sets: dict[str, int]
    """Eval set -> number of cases that are not archived."""


class Cases(Protocol):
    """Eval cases."""

    def page(self, which: CaseFilter, *, limit: int = 100, offset: int = 0) -> CasePage: ...

    def get(self, case_id: str) -> EvalCase | None: ...

    def by_key(self, case_key: str, *, eval_set: str = "") -> tuple[EvalCase, ...]:
        """Cases with this key that are not archived; of every set when none is given."""
        ...

    def naming(self, request_id: str, *, case_key: str = "") -> tuple[EvalCase, ...]:
        """Cases with this request as a source, or with this key, not archived; by set, then created, then id."""
        ...

    def save(self, case: EvalCase, *, expected_revision: int | None) -> bool:
        """Stores `case` if the current revision is `expected_revision` (None: the key is new in its set).

        False when somebody else was quicker; nothing is stored then. Safe when many call at once.
        """
        ...

    def history(self, case_id: str) -> tuple[EvalCase, ...]:
        """Every revision, oldest first."""
        ...
