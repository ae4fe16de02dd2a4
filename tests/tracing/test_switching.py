"""init, flush and shutdown, onto a real spool and a real endpoint."""

from __future__ import annotations

import gzip
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import goldrank
import pytest
from goldrank.model import FrameKind, UsageError, wire
from goldrank.tracing.spool import list_segments, read_frames
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

REQUESTS = 3


@goldrank.request
def answer(question):
    """A request."""
    with goldrank.stage("retrieve", name="vector", query=question) as s:
        s.hits([{"id": "a", "text": "one"}])
    return goldrank.request_id()


def test_init_writes_to_the_spool_and_says_where(tmp_path, caplog):
    """Everything is in the spool after flush; the log has its absolute path, once."""
    with caplog.at_level(logging.INFO, logger="goldrank"):
        goldrank.init(app="bot", directory=tmp_path)
    said = [record.message for record in caplog.records if record.name.startswith("goldrank")]
    assert said == [f"goldrank records bot to {tmp_path / 'spool'}"]
    assert goldrank.settings().spool == tmp_path / "spool"
    ids = [answer("q") for _ in range(REQUESTS)]
    goldrank.feedback(ids[0], score=1)
    assert goldrank.flush()
    goldrank.shutdown()
    assert goldrank.settings() is None
    assert answer("after shutdown") == ""

    frames = [frame for segment in list_segments(tmp_path / "spool") for frame in read_frames(segment.path)]
    spans = [span for frame in frames if frame.kind == FrameKind.TRACES for span in spans_in(frame.payload)]
    assert sorted(span.name for span in spans) == ["answer"] * REQUESTS + ["vector"] * REQUESTS
    assert {text_of(span, wire.REQUEST_ID) for span in spans} == set(ids)
    assert [frame.kind for frame in frames].count(FrameKind.FEEDBACK) == 1


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, caplog):
    """init never raises for want of a disk; what is lost is counted, and said once."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    goldrank.init(app="bot", directory=blocked)
    assert len(answer("q")) == 49
    assert not goldrank.flush(2)


def test_flush_and_shutdown_without_init_do_nothing():
    """Nothing is recorded, so nothing is missing."""
    assert goldrank.flush()
    goldrank.shutdown()
    assert goldrank.settings() is None


class Collector(ThreadingHTTPServer):
    """Takes what is posted to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.posts: list[tuple[str, str | None, bytes]] = []
        self.senders: list[int] = []
        """The port from which each post came."""
        self.status = 200
        """0: an answer that is no HTTP."""


class Handler(BaseHTTPRequestHandler):
    """Keeps what is posted; a sender may keep its connection."""

    server: Collector
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.posts.append((self.path, self.headers.get("Authorization"), body))
        self.server.senders.append(self.client_address[1])
        if not self.server.status:
            self.wfile.write(b"this is no HTTP\r\n\r\n")
            self.close_connection = True
            return
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None: ...  # the test reads no log of the server


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on this machine."""
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint_gets_spans_and_frames(collector):
    """Spans go out by OTLP/HTTP, feedback and corpus as JSON, all with the token; nothing is written to disk."""
    goldrank.init(app="bot", endpoint=f"http://127.0.0.1:{collector.server_port}/", token="t0")
    request_id = answer("q")
    goldrank.feedback(request_id, score=1)
    goldrank.corpus([{"id": "a", "text": "one"}], index="docs", version="v1")
    assert goldrank.flush()
    by_path = {path: body for path, _, body in collector.posts}
    assert set(by_path) == {"/v1/traces", "/v1/feedback", "/v1/corpus"}
    assert {token for _, token, _ in collector.posts} == {"Bearer t0"}
    spans = [span for path, _, body in collector.posts if path == "/v1/traces" for span in spans_in(body)]
    assert {span.name for span in spans} == {"answer", "vector"}


def test_what_an_endpoint_refuses_is_counted_and_never_waits(collector, caplog):
    """A collector that answers with an error costs the app nothing; flush says that something was lost."""
    collector.status = 400
    goldrank.init(app="bot", endpoint=f"http://127.0.0.1:{collector.server_port}")
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    try:
        assert len(answer("q")) == 49
        goldrank.feedback(answer("q"), score=1)
        assert not goldrank.flush()
    finally:
        logging.getLogger("opentelemetry").setLevel(logging.NOTSET)
    collector.status = 200
    answer("q")
    assert goldrank.flush()
    assert "/v1/drops" in {path for path, _, _ in collector.posts}


def test_a_forked_child_does_not_talk_into_its_parents_connection(collector):
    """Two processes on one connection would read each other's answers."""
    goldrank.init(app="bot", endpoint=f"http://127.0.0.1:{collector.server_port}")
    answer("q")
    assert goldrank.flush()

    child = os.fork()
    if not child:
        answer("in the child")
        os._exit(0 if goldrank.flush() else 1)

    assert os.waitpid(child, 0)[1] == 0
    answer("q")
    assert goldrank.flush()
    parent, of_child, again = collector.senders
    assert of_child != parent
    assert again == parent


def test_each_frame_is_counted_where_the_endpoint_speaks_no_http(collector):
    """The first answer that cannot be read loses none of those behind it unsaid."""
    goldrank.init(app="bot", endpoint=f"http://127.0.0.1:{collector.server_port}")
    request_id = answer("q")
    assert goldrank.flush()
    collector.status = 0

    for _ in range(3):
        goldrank.feedback(request_id, score=1)
    assert not goldrank.flush()

    collector.status = 200
    answer("q")
    assert goldrank.flush()
    counted = [json.loads(body)["drops"] for path, _, body in collector.posts if path == "/v1/drops"]
    assert counted[-1] == {"endpoint did not take it": 3}


def test_an_endpoint_that_is_no_address_is_refused():
    """A host without a scheme is the usual slip."""
    with pytest.raises(UsageError, match="an address like http://collector:4318 is expected"):
        goldrank.init(app="bot", endpoint="collector:4318")


def spans_in(payload: bytes) -> list:
    """The spans of an OTLP message."""
    message = ExportTraceServiceRequest.FromString(payload)
    return [span for resource in message.resource_spans for scope in resource.scope_spans for span in scope.spans]


def text_of(span, key: str) -> str:
    """A text attribute of a span."""
    return next(attribute.value.string_value for attribute in span.attributes if attribute.key == key)


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "raise RuntimeError", "os.kill(os.getpid(), 15)"])
def test_the_last_requests_reach_an_endpoint(collector, ending):
    """However the process ends that can be noticed, what it recorded is sent, and its exit code is its own."""
    code = f"""
import os, sys, goldrank
goldrank.init(app="bot", endpoint="http://127.0.0.1:{collector.server_port}")

@goldrank.request
def ask(question):
    return "x"

for n in range(5):
    ask("q")
{ending}
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert out.returncode == {"": 0, "sys.exit(3)": 3, "raise RuntimeError": 1}.get(ending, -15)
    spans = [span for path, _, body in collector.posts if path == "/v1/traces" for span in spans_in(body)]
    assert len(spans) == 5
