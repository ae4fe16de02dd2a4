"""What a file is, by its content: its name says nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from ...model import BadInput, UsageError
from . import langfuse_export, langsmith_runs, mlflow_traces, phoenix_spans
from .names import QUESTION_NAMES, simple
from .protobuf_files import looks_like_frames, looks_like_message
from .records import BOM, LIST_KEYS, read_json
from .sources import Source
from .tables import table_rows

HEAD: Final = 262_144
"""Bytes that are looked at."""
_ABOUT: Final = 3
"""How many other things a page of an API says of itself."""
_OF_REQUESTS: Final = ("question", "query", "answer", "input", "user_query", "prompt")
_PARQUET: Final = b"PAR1"
_FOREIGN: Final[Mapping[bytes, str]] = {
    b"%pdf": "a PDF",
    b"<!doctype html": "a page of HTML, as servers answer to who is not logged in",
    b"<html": "a page of HTML, as servers answer to who is not logged in",
    b"<?xml": "XML",
    b"pk\x03\x04": "a zip archive or a workbook of Excel (unpack it, or save the sheet as CSV)",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"sqlite format 3": "a database of SQLite (write the table that holds the requests to CSV)",
    b"\x80\x04\x95": "a pickle of Python (write the data frame with to_parquet, or to_json)",
    b"\x80\x05\x95": "a pickle of Python (write the data frame with to_parquet, or to_json)",
    b"obj\x01": "Avro (write it as Parquet, or as JSON lines)",
    b"arrow1": "Arrow or Feather (write it as Parquet)",
}
"""Beginnings of files that people have beside their logs, in lower case."""
_TREC: Final = re.compile(rb"\A\S+[ \t]+\S+[ \t]+\S+[ \t]+-?\d+[ \t]+[-+.0-9eE]+[ \t]+\S+[ \t]*\r?\n")


class Form(StrEnum):
    """What may be imported."""

    ROWS = "rows"
    """A plain log: each record a request, or a hit."""
    OTLP = "otlp"
    """OTLP in JSON lines, or in protobuf."""
    PHOENIX = "phoenix"
    LANGFUSE = "langfuse"
    LANGSMITH = "langsmith"
    MLFLOW = "mlflow"


TITLES: Final = {
    Form.ROWS: "a log",
    Form.OTLP: "OTLP",
    Form.PHOENIX: "Phoenix",
    Form.LANGFUSE: "Langfuse",
    Form.LANGSMITH: "LangSmith",
    Form.MLFLOW: "MLflow",
}
"""How people write them."""


class Carrier(StrEnum):
    """How the records of a file are written."""

    LINES = "JSON lines"
    DOCUMENT = "a JSON document"
    CSV = "CSV"
    PARQUET = "Parquet"
    MESSAGE = "an OTLP message in protobuf"
    FRAMES = "OTLP messages in protobuf, one after the other"


OTLP_KEYS: Final = (
    *("resourceSpans", "resourceLogs", "resourceMetrics"),
    *("resource_spans", "resource_logs", "resource_metrics"),
)
_MARKS: Final[tuple[tuple[Form, Callable[[Mapping[str, Any]], bool]], ...]] = (
    (Form.OTLP, lambda record: any(key in record for key in OTLP_KEYS)),
    (Form.MLFLOW, mlflow_traces.is_trace),
    (Form.PHOENIX, phoenix_spans.is_span),
    (Form.PHOENIX, phoenix_spans.is_trace),
    (Form.LANGSMITH, langsmith_runs.is_run),
    (Form.LANGFUSE, langfuse_export.is_trace),
    (Form.LANGFUSE, langfuse_export.is_observation),
    (Form.LANGFUSE, langfuse_export.is_bare_trace),
)


def find_carrier(source: Source) -> Carrier:
    """By the first bytes; BadInput where they are nothing that is known."""
    head = source.head(HEAD)
    if not head.strip():
        raise BadInput(f"{source.name} is empty.")
    foreign = next((what for start, what in _FOREIGN.items() if head[:256].lstrip().lower().startswith(start)), None)
    if foreign:
        raise BadInput(f"{source.name} is {foreign}: it cannot be imported.")
    if head.startswith(_PARQUET):
        return Carrier.PARQUET
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Carrier.CSV
    text = head.removeprefix(BOM).lstrip()
    if text[:1] == b"[":
        return Carrier.DOCUMENT
    if text[:1] == b"{":
        return Carrier.LINES if _first_line_is_whole(text) else Carrier.DOCUMENT
    whole = len(head) < HEAD
    if looks_like_message(head, whole=whole):
        return Carrier.MESSAGE
    if looks_like_frames(head):
        return Carrier.FRAMES
    if _TREC.match(text):
        raise UsageError(
            f"{source.name} is a TREC run, or looks like one: goldrank import --trec-run {source.name} --qrels …"
        )
    if b"\0" in text[:1024]:
        raise BadInput(f"{source.name} is no text, no Parquet and no OTLP: it cannot be imported.")
    before = _before_json(text)
    if before:
        raise UsageError(
            f"{source.name}: its lines are JSON behind other text ({before[:40]!r}). Take that off: "
            f"sed 's/^[^{{]*//' {shlex.quote(source.name)} | goldrank import -"
        )
    return Carrier.CSV


def _before_json(text: bytes) -> str:
    """What stands in the first line before a JSON object that goes on to its end; empty where none does."""
    line = text.partition(b"\n")[0].strip()
    before, brace, inside = line.partition(b"{")
    if not (before and inside.endswith(b"}")):
        return ""
    try:
        read_json(brace + inside)
    except ValueError:
        return ""
    return before.decode("utf-8", "replace").strip()


def _first_line_is_whole(text: bytes) -> bool:
    """A document over several lines has an opening bracket in its first one; a long line may be cut by the look."""
    line, end, rest = text.partition(b"\n")
    if not end:
        return not _is_wrapper(line)
    try:
        found = read_json(line)
    except ValueError:
        return bool(line.strip()[1:].strip()) and (rest.lstrip()[:1] == b"{")
    return not (isinstance(found, Mapping) and not rest.strip() and _holds_records(found))


def _is_wrapper(line: bytes) -> bool:
    """One line that is one document: an object that holds its records in a list."""
    try:
        found = read_json(line)
    except ValueError:  # longer than what is looked at
        return re.match(rb'\{\s*"(?:%s)"\s*:\s*\[' % "|".join(LIST_KEYS[:4]).encode(), line) is not None
    return isinstance(found, Mapping) and (_holds_records(found) or _rows_of(found) is not None)


def _holds_records(value: Mapping[str, Any]) -> bool:
    """Whether an object is only there to hold a list of records: a page of an API, say."""
    inner = _inner(value)
    about = [key for key in value if key not in LIST_KEYS]
    if not inner or len(about) > _ABOUT or any(key in value for key in _OF_REQUESTS):
        return False
    return form_of(value) is Form.ROWS and all(map(_is_asked_or_traced, inner))


def _is_asked_or_traced(one: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether it can be a request, or a span: a hit asks nothing."""
    if not isinstance(one, Mapping):
        return False
    return form_of(one) is not Form.ROWS or any(simple(str(key)) in _QUESTIONS for key in one)


_QUESTIONS: Final = frozenset(name for names in QUESTION_NAMES for name in names if name != "text")


def _inner(value: Mapping[str, Any]) -> list[Any] | None:
    return next((value[key] for key in LIST_KEYS if isinstance(value.get(key), list)), None)


def records_in(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """The records of a document: an array's elements, those that an object holds, or the object itself."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and _holds_records(value):
        return _inner(value) or []
    if isinstance(value, Mapping):
        return _rows_of(value) or [dict(value)]
    return [value]


def _rows_of(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of a table that was written as one document; else None."""
    if not all(isinstance(one, list | Mapping) for one in value.values()):
        return None
    return table_rows(value, _is_row)


def _is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is a span or a trace, or asks with words."""
    asked = (value for name, value in row.items() if any(simple(str(name)) in names for names in QUESTION_NAMES[:2]))
    return form_of(row) is not Form.ROWS or any(isinstance(value, str) for value in asked)


def form_of(record: Mapping[str, Any]) -> Form:
    """What a record is; rows of a log where it is nothing else that is known."""
    return next((form for form, fits in _MARKS if fits(record)), Form.ROWS)
