"""What the exports of other tools have in common: ids, times, values as span attributes hold them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from ...model import BadInput, Span
from ...model.external_id import trace_id_of
from ..dialects.json_text import load
from .moments import moment_ns

_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F]{1,32})")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
ERROR: Final = 2
OK: Final = 1


def trace_id(value: Any) -> str:  # noqa: ANN401 - a value of an export
    """32 hex digits of a trace id in hex, as a UUID or in base64; of any other text those made from it."""
    text = str(value)
    hexed = _HEX.fullmatch(text)
    if hexed is not None and (text.startswith("0x") or len(hexed[1]) == 32):
        return hexed[1].lower().rjust(32, "0")
    return _decoded(text, 16) or trace_id_of(text)


def span_id(value: Any) -> str:  # noqa: ANN401 - a value of an export
    """16 hex digits in hex or in base64; of any other text, a UUID as well, a digest.

    Half of a UUID would do for random ones alone: those of one millisecond that begin with the time are nearly alike.
    """
    text = str(value)
    hexed = _HEX.fullmatch(text)
    if hexed is not None and (text.startswith("0x") or len(hexed[1]) == 16):
        return hexed[1].lower().rjust(16, "0")[-16:]
    return _decoded(text, 8) or hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _decoded(text: str, size: int) -> str | None:
    """An id in base64, which MLflow writes."""
    if len(text) != (size + 2) // 3 * 4 or not _BASE64.fullmatch(text):
        return None
    try:
        return base64.b64decode(text, validate=True).hex()
    except binascii.Error:
        return None


def time_ns(value: Any, what: str) -> int:  # noqa: ANN401 - a value of an export
    """Nanoseconds; a time without a zone is UTC, as these tools write it. 0 where there is none."""
    if value is None or value == "":
        return 0
    try:
        return moment_ns(value, zone="UTC", now_ns=0)
    except BadInput as error:
        raise BadInput(f"its {what} cannot be read: {error}") from error


def text_of(value: Any) -> str | None:  # noqa: ANN401 - a value of an export
    """A value as one attribute: texts as they are, anything else as JSON; None for nothing."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS).decode()


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def attribute(value: Any) -> Any:  # noqa: ANN401 - a value of an export
    """A value as an attribute may hold it."""
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(one, str | bool | int | float) for one in value):
        return value
    return text_of(value)


def mapping(value: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a value of an export
    """An object, also one in a text; empty where it is none."""
    loaded = load(value)
    return loaded if isinstance(loaded, Mapping) else {}


def first(record: Mapping[str, Any], *names: str) -> Any:  # noqa: ANN401 - a value of an export
    """The first of these that is there and says something."""
    for name in names:
        value = record.get(name)
        if value is not None and value != "":
            return value
    return None


def required(record: Mapping[str, Any], *names: str) -> Any:  # noqa: ANN401 - a value of an export
    """As `first`; BadInput where there is none."""
    value = first(record, *names)
    if value is None:
        raise BadInput(f"it has no {' or '.join(names)}.")
    return value


def made_span(
    *,
    trace: Any,  # noqa: ANN401 - a value of an export
    span: Any,  # noqa: ANN401 - the same
    parent: Any,  # noqa: ANN401 - the same
    name: Any,  # noqa: ANN401 - the same
    start: Any,  # noqa: ANN401 - the same
    end: Any,  # noqa: ANN401 - the same
    error: str | None,
    attributes: Mapping[str, Any],
    resource: Mapping[str, Any],
    scope: str,
) -> Span:
    """A span from what an export says."""
    return Span(
        trace_id=trace_id(trace),
        span_id=span_id(span),
        parent_span_id=None if parent in (None, "") else span_id(parent),
        name="" if name is None else str(name),
        kind=1,
        start_ns=time_ns(start, "start time"),
        end_ns=time_ns(end, "end time"),
        status=ERROR if error is not None else OK,
        status_message=error or "",
        attributes={key: value for key, value in attributes.items() if value is not None},
        resource={key: value for key, value in resource.items() if value},
        scope=scope,
    )
