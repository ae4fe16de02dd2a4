"""The two signals that are received: traces and logs, with what differs between them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from ...model import FrameKind
from ..otlp_json import logs_from_json, traces_from_json


class Form(Enum):
    """How an export request is written."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


class Signal(NamedTuple):
    """An OTLP export request is groups of groups of items: resource_spans, scope_spans, spans."""

    path: str
    """Of its route."""
    service: str
    """Of its gRPC method `Export`."""
    kind: FrameKind
    what: str
    """Its items, for people."""
    groups: tuple[str, str, str]
    """Fields of the message from the outside in."""
    json_groups: tuple[str, str, str]
    """The same in JSON."""
    rejected: str
    """Field of the answer's partial success that counts items."""
    request: type[Message]
    response: type[Message]
    from_json: Callable[[str], bytes]
    modules: tuple[Any, ...]
    """Where its messages are declared, each after those that it needs."""


TRACES: Final = Signal(
    path="/v1/traces",
    service="opentelemetry.proto.collector.trace.v1.TraceService",
    kind=FrameKind.TRACES,
    what="spans",
    groups=("resource_spans", "scope_spans", "spans"),
    json_groups=("resourceSpans", "scopeSpans", "spans"),
    rejected="rejected_spans",
    request=trace_service_pb2.ExportTraceServiceRequest,
    response=trace_service_pb2.ExportTraceServiceResponse,
    from_json=traces_from_json,
    modules=(common_pb2, resource_pb2, trace_pb2, trace_service_pb2),
)
LOGS: Final = Signal(
    path="/v1/logs",
    service="opentelemetry.proto.collector.logs.v1.LogsService",
    kind=FrameKind.LOGS,
    what="log records",
    groups=("resource_logs", "scope_logs", "log_records"),
    json_groups=("resourceLogs", "scopeLogs", "logRecords"),
    rejected="rejected_log_records",
    request=logs_service_pb2.ExportLogsServiceRequest,
    response=logs_service_pb2.ExportLogsServiceResponse,
    from_json=logs_from_json,
    modules=(common_pb2, resource_pb2, logs_pb2, logs_service_pb2),
)
SIGNALS: Final = (TRACES, LOGS)
