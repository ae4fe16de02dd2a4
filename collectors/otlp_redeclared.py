"""OTLP's trace messages declared anew with something changed: one wire format, and another way of parsing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

FILES: Final = (common_pb2, resource_pb2, trace_pb2, trace_service_pb2)
"""Each before those that import it."""


def trace_request(change: Callable[[descriptor_pb2.DescriptorProto], None]) -> type[Message]:
    """`ExportTraceServiceRequest` after `change` has seen each message of OTLP's traces, in a pool of its own."""
    pool = descriptor_pool.DescriptorPool()
    for module in FILES:
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for message in file.message_type:
            change(message)
        pool.Add(file)
    name = trace_service_pb2.ExportTraceServiceRequest.DESCRIPTOR.full_name
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
