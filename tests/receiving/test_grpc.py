"""OTLP over gRPC on a real collector: what the generated stubs send is taken, and refused by the same rules as HTTP."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

MIB = 1024 * 1024
RAW = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


@pytest.fixture
def channel() -> Iterator[Callable[[int], grpc.Channel]]:
    """Opens channels without a limit of their own."""
    opened: list[grpc.Channel] = []

    def connect(port: int) -> grpc.Channel:
        opened.append(grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.max_send_message_length", -1)]))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


def refusal(call: Callable[[], object]) -> grpc.RpcError:
    """The error of a call that is refused."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value


def test_traces_and_logs_are_acknowledged_and_stored(
    start_collector: Any, channel: Any, otlp: Any, model_event: Any, stored: Any
):
    """Also with gzip, also far above the 4 MiB at which gRPC stops by itself."""
    running = start_collector().wait_until_up()
    stub = TraceServiceStub(channel(running.grpc_port))
    for question in ("First?", "Second?"):
        message = ExportTraceServiceRequest.FromString(otlp(question, spans=2))
        assert not stub.Export(message, compression=grpc.Compression.Gzip).HasField("partial_success")
    stub.Export(ExportTraceServiceRequest.FromString(otlp("Large?", padding=20 * MIB)), timeout=60)
    logs = LogsServiceStub(channel(running.grpc_port))
    logs.Export(ExportLogsServiceRequest.FromString(model_event(events=1)))
    assert running.stop(signal.SIGINT) == (0, "")
    found = stored(running.directory)
    assert {"First?", "Second?", "Large?"} <= set(found.questions)
    assert found.spans == 2 + 2 + 1 + 1


def test_what_is_no_otlp_is_an_invalid_argument(collector: Any, channel: Any):
    """Not to be sent again: no word of a retry."""
    error = refusal(lambda: channel(collector.grpc_port).unary_unary(RAW)(b"\xff\xfe garbage", timeout=30))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "is no OTLP ExportTraceServiceRequest" in error.details()
    assert "grpc-retry-pushback-ms" not in dict(error.trailing_metadata())


def test_parts_that_cannot_be_read_are_counted_in_the_answer(collector: Any, channel: Any, otlp: Any):
    """The others are taken."""
    message = ExportTraceServiceRequest.FromString(otlp("Deep?", spans=2))
    value = message.resource_spans[0].scope_spans[0].spans[1].attributes.add(key="deep").value
    for _ in range(60):
        value = value.array_value.values.add()
    answer = TraceServiceStub(channel(collector.grpc_port)).Export(message)
    assert answer.partial_success.rejected_spans == 1


def test_a_message_that_inflates_too_far_is_refused(start_collector: Any, channel: Any):
    """While it is inflated: 400 MiB of zeros never stand in memory."""
    running = start_collector("--max-inflated", "8").wait_until_up()
    call = channel(running.grpc_port).unary_unary(RAW)
    error = refusal(lambda: call(b"\x00" * (400 * MIB), compression=grpc.Compression.Gzip, timeout=60))
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    peak_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    assert peak_kb < 300_000


def test_a_token_is_asked_for(start_collector: Any, channel: Any, otlp: Any):
    """As over HTTP, in the metadata that exporters send as headers."""
    running = start_collector("--token", "s3cret").wait_until_up()
    stub = TraceServiceStub(channel(running.grpc_port))
    message = ExportTraceServiceRequest.FromString(otlp("Who?"))
    for metadata in ((), (("authorization", "Bearer nonsense"),), (("authorization", "s3cret"),)):
        error = refusal(lambda metadata=metadata: stub.Export(message, metadata=metadata))
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    stub.Export(message, metadata=(("authorization", "Bearer s3cret"),))


def test_a_token_is_asked_for_before_the_message(start_collector: Any, channel: Any):
    """Who may not send cannot fill the memory either: nothing is waited for or read of what they send."""
    running = start_collector("--token", "s3cret").wait_until_up()
    never, ended = threading.Event(), threading.Event()

    def nothing_yet() -> Iterator[bytes]:
        never.wait(20)
        ended.set()
        yield b""

    call = channel(running.grpc_port).stream_unary(RAW)
    error = refusal(lambda: call(nothing_yet(), timeout=15))
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    assert not ended.is_set()
    never.set()


def test_a_call_without_a_message_is_no_defect(start_collector: Any, channel: Any):
    """It is counted as what it is, and nothing is logged."""
    running = start_collector().wait_until_up()
    error = refusal(lambda: channel(running.grpc_port).stream_unary(RAW)(iter(()), timeout=15))
    assert error.code() is grpc.StatusCode.CANCELLED
    assert running.stop(signal.SIGINT) == (0, "")


def test_a_full_spool_says_when_to_come_again(start_collector: Any, channel: Any, otlp: Any):
    """RESOURCE_EXHAUSTED with RetryInfo, which OTLP exporters wait for, and gRPC's own push-back."""
    running = start_collector("--max-spool", "1").wait_until_up()
    stub = TraceServiceStub(channel(running.grpc_port))
    error = refusal(lambda: stub.Export(ExportTraceServiceRequest.FromString(otlp("Full?", padding=2 * MIB))))
    metadata = dict(error.trailing_metadata())
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "spool full" in error.details()
    assert metadata["grpc-retry-pushback-ms"] == "30000"
    status_pb2 = pytest.importorskip("google.rpc.status_pb2")
    error_details_pb2 = pytest.importorskip("google.rpc.error_details_pb2")
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    info = error_details_pb2.RetryInfo()
    assert status.details[0].Unpack(info)
    assert (status.code, status.message, info.retry_delay.seconds) == (8, error.details(), 30)


def test_damaged_messages_and_clients_that_go_cost_nothing(collector: Any, channel: Any, otlp: Any, wait_for: Any):
    """Cut messages, calls given up at once, connections that speak no gRPC: the next call is served."""
    whole = otlp("Damaged?", spans=3)
    connected = channel(collector.grpc_port)
    call = connected.unary_unary(RAW)
    for place in range(0, len(whole), 9):
        answered = call.future(whole[:place] + bytes([place % 256]) + whole[place + 1 :], timeout=30)
        assert answered.code() in {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT}
    for place in range(30):
        call.future(otlp("Given up?", padding=MIB), timeout=0.001 * place).cancel()
    for sent in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x00\xa5",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\xff",
    ):
        with socket.create_connection(("127.0.0.1", collector.grpc_port), timeout=30) as other:
            other.sendall(sent)
    with pytest.raises(grpc.RpcError) as caught:
        connected.unary_unary("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export")(b"", timeout=30)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert call(otlp("Served?"), timeout=30) == b""
    wait_for(lambda: collector.call("GET", "/healthz").json["waiting"] == {"requests": 0, "bytes": 0})
