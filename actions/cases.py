"""Eval cases: list, open, archive, export, import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..evals import CaseDefaults, ReadCase, make_case_id, read_cases, write_cases
from ..model import CaseLabel, EvalCase, NotFound, StoreError, UsageError, make_case_key, text_hash
from ..model.sieve import Kind
from ..store import CaseFilter, CasePage, Store
from .bad_line import BadLine
from .case_merge import brought_in, same_labels
from .case_place import place_case
from .human_text import hides_anything, redact_values, redactor
from .reexamine import reexamine_case
from .stale import stale_marks
from .workspace import Workspace

_ATTEMPTS = 20
"""How often a change starts over because somebody else changed the same case in between."""
_HUMAN_TEXTS = ("question", "standalone", "note", "ticket", "kind")
_HUMAN_VALUES = ("filters", "notes", "extra")


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


class OpenCase(BaseModel):
    """Which case to open."""

    model_config = ConfigDict(frozen=True)

    case_id: str


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


class Imported(BaseModel):
    """What an import did."""

    model_config = ConfigDict(frozen=True)

    created: int
    updated: int
    unchanged: int
    bad: tuple[BadLine, ...]


_PAGE = 1000
"""Cases a page while all of them are read."""


def list_cases(workspace: Workspace, ask: ListCases) -> CaseStates:
    """A page of cases, by set, then created, then id, with what is stale in them."""
    page = workspace.store.cases.page(ask.which, limit=ask.limit, offset=ask.offset)
    rows = tuple(_state(workspace, case) for case in page.rows)
    return CaseStates(rows=rows, matching=page.matching, sets=page.sets)


def open_case(workspace: Workspace, ask: OpenCase) -> CaseState:
    """One case, archived or not; the first digits of its id are enough where no other begins with them."""
    return _state(workspace, _required_case(workspace, ask.case_id))


def archive_case(workspace: Workspace, ask: ArchiveCase) -> CaseState:
    """Takes a case out of its set, or back in. Requests that inherited from it are judged anew."""
    for _ in range(_ATTEMPTS):
        case = _required_case(workspace, ask.case_id)
        if case.archived is ask.archived:
            return _state(workspace, case)
        changed = case.model_copy(update={"archived": ask.archived, "revision": case.revision + 1})
        if workspace.store.cases.save(changed, expected_revision=case.revision):
            reexamine_case(workspace.store, changed)
            return _state(workspace, changed)
    raise StoreError(f"Case {ask.case_id} was changed by others {_ATTEMPTS} times meanwhile: try again.")


def export_cases(workspace: Workspace, ask: ExportCases) -> Exported:
    """Canonical JSON lines of every case that the filter lets through."""
    cases = tuple(all_cases(workspace.store, ask.which))
    return Exported(text=write_cases(cases), cases=len(cases))


def import_cases(workspace: Workspace, ask: ImportCases) -> Imported:
    """Reads cases into their sets. The same question in the same set is the same case: it is updated.

    A line that cannot be read, or that contradicts an earlier line of the file, is named, and the rest goes on.
    """
    defaults = CaseDefaults(
        eval_set=ask.eval_set.strip(), app=ask.app.strip(), author=workspace.who, created_ns=workspace.now_ns()
    )
    read = read_cases(ask.text, defaults)
    bad = [BadLine(line=one.line, reason=one.reason) for one in read.bad]
    counts: Counter[str] = Counter()
    first: dict[tuple[str, str], ReadCase] = {}
    for number, one in enumerate(read.cases, start=1):
        workspace.tell(f"{ask.source}: {number:,} of {len(read.cases):,} cases")
        case = _redacted_case(workspace, one.case)
        if workspace.store.erasures.sieve().is_gone(Kind.CASE, case.case_id):
            bad.append(BadLine(line=one.line, reason="this case was forgotten here, and is not stored again."))
            continue
        before = first.setdefault((case.eval_set, case.case_key), one)
        if before.line != one.line and not same_labels(before.case, case):
            bad.append(BadLine(line=one.line, reason=f"it asks the same as line {before.line} with other labels."))
            continue
        counts[_import_one(workspace, case)] += 1
    return Imported(
        created=counts["created"],
        updated=counts["updated"],
        unchanged=counts["unchanged"],
        bad=tuple(sorted(bad, key=lambda one: one.line)),
    )


def _state(workspace: Workspace, case: EvalCase) -> CaseState:
    marks = stale_marks(workspace.store, case)
    return CaseState(case=case, stale=marks.stale, relinked=marks.relinked)


def all_cases(store: Store, which: CaseFilter) -> Iterator[EvalCase]:
    """Every case that the filter lets through, a page at a time."""
    offset = 0
    while True:
        page = store.cases.page(which, limit=_PAGE, offset=offset)
        yield from page.rows
        offset += len(page.rows)
        if not page.rows or offset >= page.matching:
            return


def _required_case(workspace: Workspace, case_id: str) -> EvalCase:
    case = workspace.store.cases.get(case_id)
    if case is not None:
        return case
    if not case_id.strip():
        raise UsageError("Name a case by its id; `goldrank cases list` shows them.")
    every = all_cases(workspace.store, CaseFilter(archived=None))
    fitting = [one for one in every if one.case_id.startswith(case_id)]
    if len(fitting) > 1:
        named = ", ".join(one.case_id for one in fitting[:5])
        raise UsageError(f"{len(fitting)} cases begin with {case_id}: {named}. Write more of the id.")
    if not fitting:
        raise NotFound(f"There is no case {case_id} in {workspace.store.path}; `goldrank cases list` shows them.")
    return fitting[0]


def _import_one(workspace: Workspace, case: EvalCase) -> str:
    """ "created", "updated" or "unchanged"."""
    cases = workspace.store.cases
    for _ in range(_ATTEMPTS):
        case, existing = place_case(workspace.store, case, id_decides=True)
        if existing is None:
            if cases.save(case, expected_revision=None):
                reexamine_case(workspace.store, case)
                return "created"
            continue
        merged = brought_in(existing, case)
        if merged == existing:
            return "unchanged"
        changed = merged.model_copy(update={"revision": existing.revision + 1})
        if cases.save(changed, expected_revision=existing.revision):
            reexamine_case(workspace.store, changed)
            if changed.case_key != existing.case_key:
                reexamine_case(workspace.store, existing)  # who asked the old question inherits no longer
            return "updated"
    raise StoreError(f"Case {case.case_id} was changed by others {_ATTEMPTS} times meanwhile: try again.")


def _redacted_case(workspace: Workspace, case: EvalCase) -> EvalCase:
    """The case of a file as it may be stored. Its key is made of what is stored: later requests are redacted, too."""
    if not hides_anything(workspace):
        return case
    redact = redactor(workspace)
    changed: dict[str, Any] = {
        name: redact(value) for name in _HUMAN_TEXTS if (value := getattr(case, name)) is not None
    }
    changed |= {name: redact_values(getattr(case, name), redact) for name in _HUMAN_VALUES}
    changed["expected_answer_contains"] = tuple(redact(one) for one in case.expected_answer_contains)
    changed["history"] = tuple(one.model_copy(update={"text": redact(one.text)}) for one in case.history)
    changed["labels"] = tuple(_redacted_label(label, redact) for label in case.labels)
    changed["lists"] = tuple(
        one.model_copy(
            update={"query": redact_values(one.query, redact), "filters": redact_values(one.filters, redact)}
        )
        for one in case.lists
    )
    redacted = case.model_copy(update=changed)
    key = make_case_key(
        app=redacted.app,
        question=redacted.question,
        history=redacted.history,
        tenant=redacted.tenant,
        groups=redacted.groups,
    )
    made = case.case_id == make_case_id(case.eval_set, case.case_key)
    case_id = make_case_id(case.eval_set, key) if made else case.case_id
    return redacted.model_copy(update={"case_key": key, "case_id": case_id})


def _redacted_label(label: CaseLabel, redact: Callable[[str], str]) -> CaseLabel:
    """Its quote is a person's; the passage's text is hidden alike, as it would be in the list of a request."""
    target = label.target
    quote = None if target.quote is None else redact(target.quote)
    text = None if target.text is None else redact(target.text)
    update: dict[str, Any] = {"quote": quote, "text": text}
    if text != target.text and text is not None:
        update["text_hash"] = text_hash(text)
    return label.model_copy(update={"target": target.model_copy(update=update)})


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
    "OpenCase",
    "all_cases",
    "archive_case",
    "export_cases",
    "import_cases",
    "list_cases",
    "open_case",
]
