"""How an import speaks: which column is what, the first rows, what became of each file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .table import Column, many
from .terminal import Terminal
from .times import local_time

if TYPE_CHECKING:
    from ..actions.import_files import FileImported, FilesImported
    from ..actions.import_seen import FileSeen, SeenRow, SeenStage

_COLUMNS: Final = (Column("field"), Column("column"), Column("note", shrinks=True))
_WIDTH: Final = 100
_IDS: Final = 6
_BAD_SHOWN: Final = 20
_NAMES: Final = {
    "rows": "a log",
    "otlp": "OTLP",
    "trec": "TREC",
    "phoenix": "Phoenix",
    "langfuse": "Langfuse",
    "langsmith": "LangSmith",
    "mlflow": "MLflow",
}
_KEPT: Final = 12
"""Columns without a field that are named."""


class MappingTable:
    """Shows how the columns of files are read; those of a file like the one before it are not repeated."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._last: object = None

    def show(self, seen: FileSeen) -> None:
        """One file."""
        form = _NAMES.get(seen.form, seen.form)
        same = bool(seen.columns) and seen.columns == self._last
        how = f"{form}, {seen.carrier}" if seen.carrier != form else form
        self._terminal.line(f"{seen.file} ({how}){': columns as before' if same else ''}")
        if seen.columns and not same:
            rows = [(one.field, one.column, one.note) for one in seen.columns]
            self._terminal.table(_COLUMNS if any(row[2] for row in rows) else _COLUMNS[:2], _plain(rows))
            if seen.kept:
                more = f" and {len(seen.kept) - _KEPT:,} more" if len(seen.kept) > _KEPT else ""
                self._terminal.line(f"kept as they are: {', '.join(seen.kept[:_KEPT])}{more}")
        self._last = seen.columns


def _plain(rows: list[tuple[str, str, str]]) -> list[tuple[str, ...]]:
    return rows if any(row[2] for row in rows) else [row[:2] for row in rows]  # type: ignore[return-value]


def say_rows(terminal: Terminal, seen: FileSeen) -> None:
    """The first requests of a file."""
    for row in seen.rows:
        terminal.line()
        terminal.line(_head(row))
        for name, value in (("question", row.question), ("answer", row.answer)):
            terminal.line(f"  {name:<9} {_short(value)}")
        for stage in row.stages:
            terminal.line(f"  {stage.kind:<9} {stage.name}: {_list(stage)}")
        if row.expected:
            terminal.line(f"  {'expected':<9} {', '.join(row.expected)}")
        for remark in row.remarks:
            terminal.line(f"  {'note':<9} {remark}")
    for bad in seen.bad[:_BAD_SHOWN]:
        terminal.note(f"{seen.file} line {bad.line:,}: {bad.reason}")
    if not seen.rows:
        terminal.line("  no request in it")
    terminal.line()


def _head(row: SeenRow) -> str:
    when = local_time(row.start_ns, seconds=True) if row.start_ns and row.start_ns > 10**15 else "time not recorded"
    who = " · ".join(part for part in (f"user {row.user}" if row.user else "", row.session or "") if part)
    place = f"row {row.line}: " if row.line is not None else ""
    return f"{place}{when}{f' · {who}' if who else ''}"


def _short(text: str | None) -> str:
    if text is None:
        return "not recorded"
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _list(stage: SeenStage) -> str:
    if stage.ids is None:
        return "no list"
    if not stage.ids:
        return "nothing found"
    more = f", … {len(stage.ids):,} in all" if len(stage.ids) > _IDS else ""
    return ", ".join(stage.ids[:_IDS]) + more


def say_done(terminal: Terminal, done: FilesImported) -> None:
    """What became of all files; troubles go to stderr."""
    for one in done.files:
        _say_file(terminal, one)
    requests = sum(one.requests for one in done.files)
    spans = sum(one.spans for one in done.files)
    read = " and ".join(part for part in (many(requests, "request"), many(spans, "span") if spans else "") if part)
    if not requests and spans:
        read = many(spans, "span")
    terminal.line(f"{read} read; {done.new:,} new, {many(done.stored, 'request')} in the store.")
    if done.labels or done.labels_known:
        known = f"; {done.labels_known:,} were labelled before" if done.labels_known else ""
        terminal.line(f"{many(done.labels, 'label')} saved{known}.")
    if done.feedback:
        terminal.line(f"{many(done.feedback, 'feedback score')} kept.")
    for refused in done.labels_refused[:_BAD_SHOWN]:
        terminal.note(refused)
    if done.bad:
        terminal.note(
            f"Not imported: {many(done.bad, 'bad line or file')}." if done.bad == 1 else _not_imported(done.bad)
        )
    if done.message:
        terminal.note(done.message)


def _not_imported(count: int) -> str:
    return f"Not imported: {count:,} bad lines or files."


def _say_file(terminal: Terminal, one: FileImported) -> None:
    if one.skipped:
        terminal.note(one.skipped)
    for bad in one.bad[:_BAD_SHOWN]:
        terminal.note(f"{one.file} line {bad.line:,}: {bad.reason}")
    if one.bad_count > _BAD_SHOWN:
        terminal.note(f"{one.file}: {one.bad_count - _BAD_SHOWN:,} more bad lines.")
    for remark, count in one.remarks.items():
        terminal.note(f"{one.file}: {remark} ({many(count, 'request')})")
