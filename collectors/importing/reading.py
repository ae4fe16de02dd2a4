"""One file of an import: first what it is and how its columns are read, then what it holds, one piece at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

import orjson

from ...model import BadInput, Span
from . import langfuse_export, langsmith_runs, mlflow_traces, phoenix_spans, protobuf_files
from .forms import TITLES, Carrier, Form, find_carrier, form_of, records_in
from .guessing import NoLog, make_columns
from .leftovers import beside
from .logged import LoggedRequest
from .long_rows import gathered
from .mapping import Columns, Declared
from .profile import profile
from .protobuf_files import ExportRequest
from .records import Record, array_records, csv_records, json_document, json_lines, parquet_records
from .rows import RowReader, Surroundings
from .sources import Source

SAMPLE: Final = 200
"""Records that a mapping is guessed from."""
_REMEMBERED: Final = 1_000_000
"""Requests of one file of which it is known that they came; a later repetition goes in and changes nothing."""

_EXPORTS: Final[Mapping[Form, Callable[..., tuple[Span, ...]]]] = {
    Form.PHOENIX: phoenix_spans.phoenix_spans,
    Form.LANGFUSE: langfuse_export.langfuse_spans,
    Form.LANGSMITH: langsmith_runs.run_spans,
    Form.MLFLOW: mlflow_traces.trace_spans,
}


class Options(NamedTuple):
    """What a person said for all files."""

    form: Form | None = None
    declared: Declared = Declared()
    guess: bool = True
    app: str = ""
    environment: str = ""
    zone: str = ""
    encoding: str = ""
    now_ns: int = 0
    base_ns: Callable[[str], int] = lambda _request_id: 0
    """When rows without a time happened, from the id of the first of them."""


class Seen(NamedTuple):
    """What a file is."""

    source: Source
    carrier: Carrier
    form: Form
    columns: Columns | None = None
    """Of rows: how they are read."""
    kept: tuple[str, ...] = ()
    """Of rows: columns that are read as nothing, and kept as they are."""


class Bad(NamedTuple):
    """A record that could not be used."""

    line: int
    reason: str


class Foreign(NamedTuple):
    """Spans of an export."""

    spans: tuple[Span, ...]


Piece = LoggedRequest | Foreign | ExportRequest | Bad


def look(source: Source, options: Options) -> Seen:
    """What a file is. BadInput where it is nothing that can be imported, UsageError where its columns are not clear."""
    carrier = find_carrier(source)
    if carrier in (Carrier.MESSAGE, Carrier.FRAMES):
        return Seen(source, carrier, Form.OTLP)
    first = list(islice(_records(source, carrier, options), SAMPLE))
    if carrier is Carrier.LINES and len(first) == 1 and records_in(first[0].fields) != [first[0].fields]:
        carrier = Carrier.DOCUMENT  # one line, longer than what a file is known by
        first = list(islice(_records(source, carrier, options), SAMPLE))
    sample = [record for record in first if not record.reason]
    if not sample:
        raise BadInput(_no_record(source, carrier, first))
    if phoenix_spans.lacks_its_ids(sample[0].fields):
        raise BadInput(
            f"{source.name} holds spans of Phoenix without their ids, which are the index of the data frame: write it "
            "with that, as in frame.reset_index().to_json(…), or frame.to_parquet(…)."
        )
    form = options.form or form_of(sample[0].fields)
    if form is not Form.ROWS:
        return Seen(source, carrier, form)
    columns = profile(record.fields for record in sample)
    try:
        made = make_columns(columns, options.declared, source=source.name, guess=options.guess)
    except NoLog as error:
        said = "; its first line is taken for the names of columns" if carrier is Carrier.CSV else ""
        raise NoLog(f"{error}{said}.") from None
    return Seen(source, carrier, form, made, beside(columns, made))


def _no_record(source: Source, carrier: Carrier, first: list[Record]) -> str:
    """Why nothing of a file can be used."""
    if first:
        what = {Carrier.DOCUMENT: "record", Carrier.PARQUET: "row"}.get(carrier, "line")
        where = f"{source.name}, read as {carrier.value}, holds no record: {what} {first[0].line:,}: {first[0].reason}"
        return f"{where} Its first line is taken for the names of columns." if "line of names" in where else where
    if carrier is Carrier.CSV:
        return f"{source.name} holds no record: read as CSV, nothing stands below its line of names."
    if carrier is Carrier.DOCUMENT:
        return f"{source.name} holds no record: its list is empty."
    return f"{source.name} holds no record."


def read(seen: Seen, options: Options) -> Iterator[Piece]:
    """Everything that a file holds, in its order."""
    if seen.carrier is Carrier.MESSAGE:
        yield from map(_export_request, protobuf_files.protobuf_message(seen.source))
    elif seen.carrier is Carrier.FRAMES:
        yield from map(_export_request, protobuf_files.protobuf_frames(seen.source))
    elif seen.form is Form.OTLP:
        yield from _otlp_in_json(seen, options)
    elif seen.columns is not None:
        yield from _rows(seen, seen.columns, options)
    else:
        yield from _exported(seen, options)


def _records(source: Source, carrier: Carrier, options: Options) -> Iterator[Record]:
    if carrier is Carrier.LINES:
        return json_lines(source, options.encoding)
    if carrier is Carrier.CSV:
        return csv_records(source, options.encoding)
    if carrier is Carrier.PARQUET:
        return parquet_records(source)
    return array_records(records_in(json_document(source)))


def _export_request(found: ExportRequest) -> Piece:
    return Bad(found.place, found.reason) if found.reason else found


def _otlp_in_json(seen: Seen, options: Options) -> Iterator[Piece]:
    if seen.carrier is Carrier.LINES:
        yield from map(_export_request, protobuf_files.json_lines(seen.source, options.encoding))
        return
    for place, value in enumerate(records_in(json_document(seen.source)), start=1):
        yield from map(_export_request, protobuf_files.json_message(place, orjson.dumps(value)))


def _exported(seen: Seen, options: Options) -> Iterator[Piece]:
    convert = _EXPORTS[seen.form]
    for record in _records(seen.source, seen.carrier, options):
        if record.reason:
            yield Bad(record.line, record.reason)
        elif options.form is None and form_of(record.fields) is not seen.form:
            yield Bad(record.line, f"it is no record of {TITLES[seen.form]}, as the first ones are.")
        else:
            try:
                yield Foreign(convert(record.fields, app=options.app))
            except BadInput as error:
                yield Bad(record.line, str(error))


def _rows(seen: Seen, columns: Columns, options: Options) -> Iterator[Piece]:
    around = Surroundings(
        app=options.app,
        environment=options.environment,
        zone=options.zone,
        now_ns=options.now_ns,
        digest=lambda: seen.source.digest,
        base_ns=options.base_ns,
        declared_lists=bool(options.declared.stages),
    )
    reader = RowReader(columns, around)
    known: set[int] = set()
    for record in _requests_of(seen, columns, options):
        if isinstance(record, Bad):
            yield record
            continue
        try:
            found = reader.read(record.fields, record.line)
        except BadInput as error:
            yield Bad(record.line, str(error))
            continue
        number = int(found.span_id, 16)
        if number in known:
            yield Bad(record.line, "the same request (id, question and time) stands in an earlier line already.")
            continue
        if len(known) < _REMEMBERED:
            known.add(number)
        yield found


def _requests_of(seen: Seen, columns: Columns, options: Options) -> Iterator[Record | Bad]:
    """A record a request, also where a row is one hit."""
    records = _records(seen.source, seen.carrier, options)
    if columns.long is None:
        for record in records:
            yield Bad(record.line, record.reason) if record.reason else record
        return
    bad: list[Bad] = []
    for record in gathered(records, columns, lambda one: bad.append(Bad(one.line, one.reason))):
        while bad:
            yield bad.pop(0)
        yield record
    yield from bad


def preview(seen: Seen, options: Options, rows: int) -> Iterator[LoggedRequest | Bad]:
    """The first requests of a log as goldrank would see them, and the lines up to there that it could not use."""
    for piece in read(seen, options):
        if rows <= 0:
            return
        if isinstance(piece, LoggedRequest):
            rows -= 1
            yield piece
        elif isinstance(piece, Bad):
            yield piece
