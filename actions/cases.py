"""Eval cases: list, open, archive, export, import."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..model import EvalCase
from ..store import CaseFilter, CasePage


class ListCases(BaseModel):
    """A page of cases."""

    model_config = ConfigDict(frozen=True)

    which: CaseFilter = CaseFilter()
    limit: int = Field(default=100, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


class CaseState(BaseModel):
    """A case with what the corpus says of its labels now."""

    model_config = ConfigDict(frozen=True)

    case: EvalCase
    stale: tuple[str, ...]
    """Names of labelled passages whose text the newest index version no longer holds."""
    relinked: tuple[str, ...]
    """"7f1c -> 91aa, same text"."""


class CaseStates(BaseModel):
    """A page of cases with their stale marks."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[CaseState, ...]
    matching: int
    sets: dict[str, int]


class ArchiveCase(BaseModel):
    """Takes a case out of its set (or back in); it is kept."""

    model_config = ConfigDict(frozen=True)

    case_id: str
    archived: bool = True


class ExportCases(BaseModel):
    """Canonical JSON lines of the cases that the filter lets through."""

    model_config = ConfigDict(frozen=True)

    which: CaseFilter = CaseFilter()


class Exported(BaseModel):
    """An export as text."""

    model_config = ConfigDict(frozen=True)

    text: str
    cases: int


class ImportCases(BaseModel):
    """JSON lines to read: goldrank's own, or another golden set with the same field names."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: str
    """Name of the file, for messages."""
    eval_set: str = ""
    """For lines that name none. Empty: the app, or "imported"."""
    app: str = ""
    """For lines that name none."""


class BadLine(BaseModel):
    """A line that was not imported."""

    model_config = ConfigDict(frozen=True)

    line: int
    """1-based."""
    reason: str


class Imported(BaseModel):
    """What an import did."""

    model_config = ConfigDict(frozen=True)

    created: int
    updated: int
    unchanged: int
    bad: tuple[BadLine, ...]


__all__ = [
    "ArchiveCase",
    "BadLine",
    "CaseFilter",
    "CasePage",
    "CaseState",
    "CaseStates",
    "ExportCases",
    "Exported",
    "ImportCases",
    "Imported",
    "ListCases",
]
