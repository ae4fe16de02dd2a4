"""OTLP as JSON, one export request a document, to the same message as protobuf.

What exporters and the Collector's file exporter write: lowerCamelCase keys, ids in hex, 64-bit numbers as texts,
enums as numbers. Ids in base64, as plain protobuf JSON has them, are told apart by their length.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ..model import BadInput
from .json_messages import Unusual, fill

_ID_KEYS: Final = frozenset({"traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id"})
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{16})\Z")


def traces_from_json(document: bytes | str) -> bytes:
    """An ExportTraceServiceRequest in JSON as the bytes of its protobuf form. Raises BadInput where it is none."""
    return _convert(document, ExportTraceServiceRequest(), "trace")


def logs_from_json(document: bytes | str) -> bytes:
    """An ExportLogsServiceRequest in JSON as the bytes of its protobuf form. Raises BadInput where it is none."""
    return _convert(document, ExportLogsServiceRequest(), "logs")


def _convert(document: bytes | str, message: Message, what: str) -> bytes:
    try:
        parsed = json.loads(document)
        if not isinstance(parsed, dict):
            raise ValueError("it is no JSON object")
        try:
            fill(message, parsed)
        except (Unusual, TypeError, ValueError):  # it is either written otherwise than usual, or wrong
            message.Clear()
            json_format.ParseDict(_with_binary_ids(parsed), message, ignore_unknown_fields=True)
        return message.SerializeToString()
    except (ValueError, RecursionError, json_format.ParseError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise BadInput(
            f"{len(document):,} characters were read as an OTLP {what} request in JSON and are none: {reason}"
        ) from None


def _with_binary_ids(value: Any) -> Any:  # noqa: ANN401 - parsed JSON of any depth
    """The same document with ids as protobuf's JSON wants them: base64."""
    if isinstance(value, dict):
        return {
            key: _as_base64(item) if key in _ID_KEYS and isinstance(item, str) else _with_binary_ids(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_with_binary_ids(item) for item in value]
    return value


def _as_base64(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode("ascii") if _HEX.match(text) else text
