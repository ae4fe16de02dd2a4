"""Whatever comes over the wire gets a status; nothing hangs, and nothing is written on stderr but a line."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import random
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from goldrank.collectors import decode_traces
from goldrank.collectors.otlp_logs import decode_logs
from goldrank.collectors.receiving.exports import read_export
from goldrank.collectors.receiving.refusal import NotTaken
from goldrank.collectors.receiving.signals import LOGS, TRACES, Form
from hypothesis import given, settings
from hypothesis import strategies as st

PATHS = ("/v1/traces", "/v1/logs", "/v1/feedback", "/v1/complaints", "/v1/corpus", "/v1/drops")
KINDS = ("application/x-protobuf", "application/json")
HEAD = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"


@contextlib.contextmanager
def serving(spool: Path) -> Iterator[int]:
    """A collector inside this process, so that its patience can be shortened; its HTTP port."""
    from goldrank.collectors.receiving.at_work import at_work, make_receiver
    from goldrank.collectors.receiving.collector import Collect, _app, _config, _Server
    from goldrank.collectors.receiving.guard import Tokens
    from goldrank.collectors.receiving.serving import bind

    wanted = Collect(spool, grpc_port=None)
    bound = bind("127.0.0.1", 0, otherwise="")
    receiver = make_receiver(spool, what="collector", port=1, tokens=Tokens(), spool_limits=None)
    server = _Server(_config(wanted, _app(receiver, "127.0.0.1")), receiver)

    async def run() -> None:
        async with at_work(receiver):
            await server.serve(sockets=[bound])

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()
    bound.close()


def damaged(whole: bytes, chance: random.Random) -> Iterator[bytes]:
    """A message cut off, with bytes changed, with lengths that are wrong, and with a piece repeated."""
    for _ in range(40):
        yield whole[: chance.randrange(len(whole))]
        changed = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        yield bytes(changed)
        at = chance.randrange(len(whole))
        yield whole[:at] + chance.randbytes(chance.randrange(1, 12)) + whole[at:]
        yield whole[:at] + whole[max(0, at - 40) :]


@pytest.mark.parametrize("signal", [TRACES, LOGS], ids=["traces", "logs"])
def test_what_is_taken_of_a_damaged_message_the_ingester_reads(otlp: Any, model_event: Any, signal: Any):
    """Either it is refused, or the frame that is written can be read, with as many items as were acknowledged."""
    whole = otlp("Damaged?", spans=4, padding=50) if signal is TRACES else model_event(events=4, others=1)
    decode = decode_traces if signal is TRACES else decode_logs
    taken = refused = 0
    for body in damaged(whole, random.Random(7)):
        try:
            export = read_export(signal, body, Form.PROTOBUF)
        except NotTaken:
            refused += 1
            continue
        taken += 1
        if export.payload:
            assert len(decode(export.payload)) == export.items
    assert taken > 5
    assert refused > 5


def _taken_or_refused(signal: Any, body: bytes, form: Any) -> None:
    decode = decode_traces if signal is TRACES else decode_logs
    try:
        export = read_export(signal, body, form)
    except NotTaken as error:
        why = str(error)
    else:
        why = None
    if why is None:
        assert len(decode(export.payload) if export.payload else ()) == export.items
    else:
        assert why


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([TRACES, LOGS]), st.sampled_from(list(Form)))
def test_any_bytes_are_taken_or_refused(body: bytes, signal: Any, form: Any):
    """What is taken the ingester reads, item for item; what is not is refused in words, and nothing else is raised."""
    _taken_or_refused(signal, body, form)


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["resourceSpans", "scopeSpans", "spans", "attributes", "key", "value", "traceId", "name", "resource"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(JSONS)
def test_any_json_is_taken_or_refused(document: object):
    """Also with the names of OTLP in places where they do not belong."""
    import json

    body = json.dumps({"resourceSpans": document}).encode()
    _taken_or_refused(TRACES, body, Form.JSON)


def test_damaged_bodies_on_every_route_get_a_status(collector: Any, otlp: Any):
    """Random bytes, cut and changed messages, with and without a coding that they do not have."""
    chance = random.Random(3)
    bodies = [*damaged(otlp("Damaged?", spans=3), chance)][:40] + [chance.randbytes(300) for _ in range(20)]
    bodies += [b"[" * 50_000, b'{"a":' * 50_000, b"\x0a\xff\xff\xff\xff\x0f", b"\x00" * 1000, b"9" * 6000]
    for place, body in enumerate(bodies):
        coding = ("identity", "gzip", "deflate")[place % 3]
        sent = gzip.compress(body) if coding == "gzip" and place % 2 else body
        answer = collector.post(PATHS[place % 6], sent, KINDS[place // 2 % 2], Content_Encoding=coding)
        assert answer.status in {200, 202, 400, 415}, (answer.status, body[:50])
    assert collector.call("GET", "/healthz").json["state"] == "ok"


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\nContent-Length: -5\r\nHost: localhost\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\nHost: localhost\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n",
        b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/traces HTTP/1.0\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\n\r\n",
        HEAD + b"Authorization: Bearer \xff\xfe\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_or_closed(collector: Any, sent: bytes):
    """And the next one is served."""
    address = ("127.0.0.1", collector.http_port)
    with socket.create_connection(address, timeout=30) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(sent)
        with contextlib.suppress(OSError):  # it may have closed already
            connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65536)
        assert not answer or answer.startswith(b"HTTP/1.1 "), answer
    assert collector.call("GET", "/healthz").status == 200


def test_clients_that_go_in_the_middle_cost_nothing(collector: Any, otlp: Any, wait_for: Any):
    """Some reset, some close: what they held is given back, and nothing of them is stored."""
    before = collector.call("GET", "/healthz").json
    for place in range(20):
        connection = socket.create_connection(("127.0.0.1", collector.http_port), timeout=30)
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n" + b"x" * (place * 2000))
        if place % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def settled() -> bool:
        now = collector.call("GET", "/healthz").json
        gone = now["refused"].get("cut off", 0) - before["refused"].get("cut off", 0)
        return bool(gone == 20 and now["waiting"] == {"requests": 0, "bytes": 0})

    wait_for(settled)
    assert collector.post("/v1/traces", otlp("Still there?")).status == 200


@pytest.mark.parametrize(("sent", "begins"), [(b"POST /v1/traces HTTP/1.1\r\nHost: lo", b"HTTP/1.1 408 "), (b"", b"")])
def test_a_request_whose_head_never_ends_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, otlp: Any, sent: bytes, begins: bytes
):
    """408 where it had begun; a connection on which requests were answered before is kept no longer either."""
    from goldrank.collectors.receiving import patience

    monkeypatch.setattr(patience, "HEAD_S", 0.3)
    with serving(tmp_path / "spool") as port:
        for before in (b"", HEAD + b"Content-Length: 0\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                if before:
                    connection.sendall(before)
                    assert connection.recv(4096).startswith(b"HTTP/1.1 200")
                connection.sendall(sent)
                assert connection.recv(4096).startswith(begins)
                assert not begins or connection.recv(4096) == b""


def test_a_slow_client_holds_up_nobody(collector: Any, otlp: Any):
    """While one body comes byte by byte, others are acknowledged; and the slow one is taken as well."""
    body = otlp("Slow?")
    with socket.create_connection(("127.0.0.1", collector.http_port), timeout=30) as slow:
        slow.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode())
        for place in range(len(body)):
            slow.sendall(body[place : place + 1])
            if place % 50 == 0:
                assert collector.post("/v1/traces", otlp(f"Quick {place}?")).status == 200
        answer = http.client.HTTPResponse(slow)
        answer.begin()
        assert answer.status == 200
