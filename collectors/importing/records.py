"""Records of a file: JSON lines, a JSON array, CSV with a line of names, Parquet. Each has its place."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

import orjson

from ...model import BadInput
from ..repair import repair_json, repair_text
from .sources import Line, Source

BOM: Final = b"\xef\xbb\xbf"
_DELIMITERS: Final = ",;\t|"
_SPACE: Final = re.compile(r"\s*")
_LONGEST_CELL: Final = 64 * 1024 * 1024
_ROWS_AT_ONCE: Final = 500
LIST_KEYS: Final = (
    "data",
    "requests",
    "records",
    "rows",
    "items",
    "results",
    "spans",
    "traces",
    "runs",
    "observations",
)
"""Keys under which a JSON document may hold its records."""


class Record(NamedTuple):
    """One record of a file, or why there is none."""

    line: int
    """1-based; of a JSON array the place of the element, of Parquet the row."""
    fields: Mapping[str, Any]
    reason: str = ""
    """Why it cannot be read; then `fields` is empty."""


def json_lines(source: Source, encoding: str = "") -> Iterator[Record]:
    """A JSON object a line; empty lines are passed over."""
    for line in source.lines(encoding):
        data = line.data.removeprefix(BOM) if line.number == 1 else line.data
        if line.reason:
            yield Record(line.number, {}, line.reason)
        elif data.strip():
            yield json_record(line.number, data)


def json_record(number: int, data: bytes) -> Record:
    """One line as a record."""
    try:
        value = read_json(data)
    except ValueError as error:
        return Record(number, {}, f"it is no JSON ({error}).")
    if not isinstance(value, dict):
        return Record(number, {}, f"a JSON object was expected, it is {json_type(value)}.")
    return Record(number, value)


def read_json(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """A JSON value; NaN and infinities become their names. Raises ValueError, whose text says where it goes wrong."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass  # Python's own reader takes more: NaN, infinities, lone surrogates
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is not UTF-8: 0x{data[error.start]:02x}; --encoding names another one"
        raise ValueError(message) from None
    try:
        return json.loads(repair_json(repair_text(text)), parse_constant=str)
    except json.JSONDecodeError as error:
        place = (
            f"character {error.pos + 1:,}" if error.lineno == 1 else f"line {error.lineno:,}, character {error.colno:,}"
        )
        message = f"{error.msg.removesuffix(' at')} at {place}"
        raise ValueError(message) from None
    except RecursionError:
        message = "it is nested too deeply"
        raise ValueError(message) from None


def json_document(source: Source) -> Any:  # noqa: ANN401 - any JSON value
    """A whole document. BadInput where it is none."""
    with source.open() as stream:
        data = stream.read().removeprefix(BOM)
    try:
        return read_json(data)
    except ValueError as error:
        several = _one_after_the_other(data)
        if several is not None:
            return several
        raise BadInput(f"{source.name} begins like JSON and is none: {error}.") from error


def _one_after_the_other(data: bytes) -> list[Any] | None:
    """Documents with nothing but space between them, as jq writes them; None where the data is no such thing."""
    decoder = json.JSONDecoder(parse_constant=str)
    try:
        text = repair_json(repair_text(data.decode("utf-8")))
    except UnicodeDecodeError:
        return None
    found: list[Any] = []
    place = 0
    try:
        while rest := _SPACE.match(text, place):
            place = rest.end()
            if place == len(text):
                break
            value, place = decoder.raw_decode(text, place)
            found += value if isinstance(value, list) else [value]
    except (json.JSONDecodeError, RecursionError):
        return None
    return found


def array_records(values: Iterable[Any]) -> Iterator[Record]:
    """The elements of a list, by their places."""
    for place, one in enumerate(values, start=1):
        if isinstance(one, dict):
            yield Record(place, one)
        else:
            yield Record(place, {}, f"a JSON object was expected, it is {json_type(one)}.")


def csv_records(source: Source, encoding: str = "") -> Iterator[Record]:
    """Rows of a CSV file by the names in its first line; the separator is the one that stands most often in it."""
    csv.field_size_limit(_LONGEST_CELL)
    texts = _Texts(source.lines(encoding))
    rows: Any = None
    names: list[str] = []
    line = 1
    while True:
        try:
            if rows is None:
                head = next(texts)
                texts.put_back(head)
                rows = csv.reader(texts, delimiter=max(_DELIMITERS, key=head.count), strict=True)
            line = texts.number + 1
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            if texts.trouble or line != texts.number or not names:  # where the next record begins is not known
                yield Record(line, {}, texts.trouble or _no_csv(error))
                break
            yield Record(line, {}, f"it is no CSV ({error}).")
            continue
        if not any(cell.strip() for cell in row):
            continue
        if not names:
            names = _unique([name.strip() for name in row])
        elif len(row) != len(names):
            yield Record(line, {}, f"it has {len(row)} fields, the line of names has {len(names)}.")
        elif texts.mended:
            yield Record(line, {}, f"{texts.mended}; --encoding names another one.")
        else:
            yield Record(line, dict(zip(names, row, strict=True)))
        texts.mended = ""
    if texts.trouble:
        yield Record(texts.number, {}, texts.trouble)


def _no_csv(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote that is opened in this record is never closed; what follows was not read."
    return f"it is no CSV ({error}); what follows was not read."


class _Texts:
    """Lines as texts, for the CSV reader; it knows their numbers."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._back: str | None = None
        self.number = 0
        self.trouble = ""
        """Why the lines ended early."""
        self.mended = ""
        """What was not UTF-8 since this was last emptied."""

    def __iter__(self) -> _Texts:
        return self

    def put_back(self, text: str) -> None:
        """The next line is this one again."""
        self._back = text
        self.number -= 1

    def __next__(self) -> str:
        if self._back is not None:
            text, self._back = self._back, None
            self.number += 1
            return text
        line = next(self._lines)
        self.number = line.number
        if line.reason:
            self.trouble = line.reason
            raise StopIteration
        data = line.data.removeprefix(BOM) if line.number == 1 else line.data
        try:
            return data.decode("utf-8") + "\n"
        except UnicodeDecodeError as error:
            self.mended = f"byte {error.start + 1} of line {line.number} is not UTF-8: 0x{data[error.start]:02x}"
            return data.decode("utf-8", "replace") + "\n"


def _unique(names: list[str]) -> list[str]:
    """A second column of a name gets a number: a dict would lose it."""
    seen: dict[str, int] = {}
    result = []
    for place, given in enumerate(names, start=1):
        name = given or f"column_{place}"
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def parquet_records(source: Source) -> Iterator[Record]:
    """The rows of a Parquet file, some at a time."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    number = 0
    try:
        with pq.ParquetFile(source.seekable) as file:
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield Record(number, {key: plain(value) for key, value in row.items()})
                source.read_bytes = int(source.size * number / max(1, file.metadata.num_rows))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200]
        yield Record(number + 1, {}, f"the Parquet file cannot be read here ({reason}); what follows was not read.")


def plain(value: Any) -> Any:  # noqa: ANN401 - what Arrow gives
    """A value as JSON would have it; times stay times, numbers that are none become nothing."""
    if isinstance(value, float):
        return None if value != value else value  # noqa: PLR0124 - NaN, by which pandas says "nothing"
    if value is None or isinstance(value, str | bool | int | datetime):
        return value
    if isinstance(value, list):
        if value and all(isinstance(one, tuple) and len(one) == 2 for one in value):  # Arrow's maps
            return {str(key): plain(one) for key, one in value}
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def json_type(value: object) -> str:
    """What a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
