"""What an import makes of a file before it stores anything: for people to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ..model import RecordedRequest, Span, wire
from .bad_line import BadLine

if TYPE_CHECKING:
    from ..collectors.importing.logged import LoggedRequest
    from ..collectors.importing.mapping import Columns
    from ..collectors.importing.reading import Options, Seen

_SPANS_LOOKED_AT = 2000


class SeenColumn(BaseModel):
    """A field of a request, and the column that it is read from."""

    model_config = ConfigDict(frozen=True)

    field: str
    """"question", "bm25.hits"."""
    column: str
    note: str = ""
    """What to know of how it was chosen, and how to say it otherwise."""


class SeenStage(BaseModel):
    """A stage of a row, in short."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    ids: tuple[str, ...] | None
    """Chunk ids by rank; None: no list."""


class SeenRow(BaseModel):
    """A request as goldrank would see it."""

    model_config = ConfigDict(frozen=True)

    line: int | None
    start_ns: int | None
    """None: the file does not say."""
    question: str | None
    answer: str | None
    user: str | None
    session: str | None
    stages: tuple[SeenStage, ...]
    expected: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class FileSeen(BaseModel):
    """A file before it is imported."""

    model_config = ConfigDict(frozen=True)

    file: str
    form: str
    """"rows", "otlp", "phoenix", "langfuse", "langsmith", "mlflow", "trec"."""
    carrier: str
    """"JSON lines", "CSV", …"""
    columns: tuple[SeenColumn, ...] = ()
    kept: tuple[str, ...] = ()
    """Columns that nothing is read from: they stay with the request as they are."""
    rows: tuple[SeenRow, ...] = ()
    """The first ones; only where they were asked for."""
    bad: tuple[BadLine, ...] = ()
    """Lines before the last of `rows` that would not be imported."""
    skipped: str = ""
    """Why nothing of it would be imported; then all but its name is empty."""


def file_seen(seen: Seen, rows: Iterable[SeenRow | BadLine] = ()) -> FileSeen:
    """The file, and how its columns are read."""
    found = tuple(rows)
    columns = seen_columns(seen.columns) if seen.columns is not None else ()
    return FileSeen(
        file=seen.source.name,
        form=seen.form.value,
        carrier=seen.carrier.value,
        columns=columns,
        kept=seen.kept,
        rows=tuple(row for row in found if isinstance(row, SeenRow)),
        bad=tuple(row for row in found if isinstance(row, BadLine)),
    )


def seen_columns(columns: Columns) -> tuple[SeenColumn, ...]:
    """Every field that is read, in the order of a request."""
    found = [
        SeenColumn(field=field, column=path, note=columns.notes.get(field, ""))
        for field, path in columns.fields.items()
    ]
    for stage in columns.stages:
        for field, path in stage.fields.items():
            note = f"a {stage.kind.value} stage; --map {stage.name}.kind=… for another one" if field == "hits" else ""
            found.append(SeenColumn(field=f"{stage.name}.{field}", column=path, note=note))
    if columns.long is not None:
        note = "each row is one hit"
        for field, path in columns.long.fields.items():
            found.append(SeenColumn(field=field, column=path, note=note if field == "hit" else ""))
    if columns.separator:
        found.append(SeenColumn(field="separator", column=repr(columns.separator), note="between the ids of a cell"))
    return tuple(found)


def seen_rows(seen: Seen, options: Options, count: int) -> Iterator[SeenRow | BadLine]:
    """The first requests of the file as goldrank would see them; of a log also the lines between that are none."""
    from ..collectors.frames import decode_frame
    from ..collectors.importing.protobuf_files import ExportRequest
    from ..collectors.importing.reading import Bad, Foreign, read
    from ..collectors.importing.reading import preview as preview_rows

    if seen.columns is not None:
        for row in preview_rows(seen, options, count):
            yield BadLine(line=row.line, reason=row.reason) if isinstance(row, Bad) else logged_row(row)
        return
    spans: list[Span] = []
    for piece in read(seen, options):
        if isinstance(piece, Foreign):
            spans += piece.spans
        elif isinstance(piece, ExportRequest):
            spans += decode_frame(piece.kind, piece.payload).spans
        if len(spans) > _SPANS_LOOKED_AT:
            break
    yield from islice(_composed(spans), count)


def _composed(spans: list[Span]) -> Iterator[SeenRow]:
    from ..collectors import compose

    for one in sorted(compose(spans), key=lambda one: one.recorded.request.start_ns):
        yield _recorded_row(one.recorded)


def logged_row(logged: LoggedRequest) -> SeenRow:
    """A row of a log."""
    said = logged.attributes
    return SeenRow(
        line=logged.line,
        start_ns=logged.start_ns if logged.start_ns > 0 else None,
        question=said.get(wire.QUESTION),
        answer=said.get(wire.ANSWER),
        user=said.get(wire.USER),
        session=said.get(wire.SESSION),
        stages=tuple(SeenStage(name=one.name, kind=one.kind.value, ids=one.ids) for one in logged.stages),
        expected=tuple(f"{one.passage} (grade {one.grade})" if one.grade != 1 else one.passage for one in logged.golds),
        remarks=logged.remarks,
    )


def _recorded_row(recorded: RecordedRequest) -> SeenRow:
    request = recorded.request
    return SeenRow(
        line=None,
        start_ns=request.start_ns,
        question=request.question,
        answer=request.answer,
        user=request.user,
        session=request.session,
        stages=tuple(
            SeenStage(
                name=one.name,
                kind=one.kind.value,
                ids=None if one.hits is None else tuple(hit.chunk_id for hit in one.hits),
            )
            for one in recorded.stages
        ),
    )
