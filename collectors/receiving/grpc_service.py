"""OTLP over gRPC: TraceService and LogsService, in the event loop of the HTTP routes and through the same receiver."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

import grpc
from grpc import aio

from ...model import GoldrankError
from .receiver import Coded, Receiver
from .refusal import NotTaken, Reason
from .responses import export_answer, rpc_status
from .serving import GRACE_S
from .signals import SIGNALS, Form, Signal
from .tls import Keys

LOG: Final = logging.getLogger("goldrank.receiving")
MOST_AT_ONCE: Final = 256
"""Calls under way; gRPC itself answers RESOURCE_EXHAUSTED beyond."""
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}

Handler = Callable[[AsyncIterator[bytes], "aio.ServicerContext[bytes, bytes]"], Awaitable[bytes]]


class GrpcStart(NamedTuple):
    """Where a gRPC server listens."""

    host: str
    port: int
    keys: Keys | None = None

    async def serve(self, receiver: Receiver) -> GrpcServer:
        """A server that takes calls. Raises GoldrankError where the port cannot be had."""
        server = aio.server(options=_options(receiver), maximum_concurrent_rpcs=MOST_AT_ONCE)
        server.add_generic_rpc_handlers(tuple(_handlers(receiver, signal) for signal in SIGNALS))
        address = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        try:
            port = self._add_port(server, address)
        except RuntimeError:
            port = 0
        if not port:
            raise GoldrankError(f"gRPC cannot listen at {address}. Choose another port: --grpc-port, 0 for any.")
        await server.start()
        return GrpcServer(server, port)

    def _add_port(self, server: aio.Server, address: str) -> int:
        if self.keys is None:
            return server.add_insecure_port(address)
        pair = (self.keys.key.read_bytes(), self.keys.certificate.read_bytes())
        return server.add_secure_port(address, grpc.ssl_server_credentials([pair]))


class GrpcServer(NamedTuple):
    """A server that listens."""

    server: aio.Server
    port: int

    async def stop(self) -> None:
        """Takes no new calls, waits some seconds for those under way, and ends."""
        await self.server.stop(GRACE_S)


def _options(receiver: Receiver) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", receiver.limits.inflated_bytes),
        ("grpc.so_reuseport", 0),  # or a second server on the port would silently take every other call
    ]


def _handlers(receiver: Receiver, signal: Signal) -> grpc.GenericRpcHandler:
    export: Handler = partial(_export, receiver, signal)
    # Bytes in and out: what strict parsing refuses may still be read leniently, as over HTTP. One message comes; taken
    # as a stream of one, who sends it is checked before it is in memory.
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_unary_rpc_method_handler(export)
    return grpc.method_handlers_generic_handler(signal.service, {"Export": method})


async def _export(
    receiver: Receiver, signal: Signal, messages: AsyncIterator[bytes], context: aio.ServicerContext[bytes, bytes]
) -> bytes:
    try:
        with receiver.admitted(_authorization(context)) as room:
            payload = await _read(messages, receiver.limits.whole_s)
            room.take(len(payload))
            export = await receiver.take_export(signal, Coded(payload), Form.PROTOBUF, room)
        return export_answer(signal, export).SerializeToString()
    except NotTaken as refusal:
        refused = refusal
    except Exception as error:  # noqa: BLE001 - a defect of ours is an answer too, and the sender may come again
        LOG.error("goldrank: %s could not be taken: %s: %s", signal.service, type(error).__name__, error)
        receiver.tally.refuse(Reason.FAILED)
        refused = NotTaken(Reason.FAILED, "A defect of goldrank; its log names it.")
    trailing: list[tuple[str, str | bytes]] = [("grpc-status-details-bin", rpc_status(refused))]
    if refused.retry_s is not None:
        trailing.append(("grpc-retry-pushback-ms", str(refused.retry_s * 1000)))
    await context.abort(_CODES[refused.codes.rpc], refused.text, tuple(trailing))
    raise AssertionError  # abort raises


async def _read(messages: AsyncIterator[bytes], whole_s: float) -> bytes:
    """The message of a call. NotTaken where none comes, or not all of it in time."""
    try:
        async with asyncio.timeout(whole_s):
            async for payload in messages:
                return payload
    except TimeoutError:
        raise NotTaken(Reason.TOO_SLOW, f"The message did not come within {whole_s:.0f} s. Send it again.") from None
    raise NotTaken(Reason.CUT_OFF, "The call ended before its message came.")


def _authorization(context: aio.ServicerContext[bytes, bytes]) -> str | None:
    for name, value in context.invocation_metadata() or ():
        if name == "authorization":
            return value if isinstance(value, str) else value.decode("latin-1")
    return None
