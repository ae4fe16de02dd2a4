"""How a collector starts, who may send to it, what it leaves alone, and how it ends."""

from __future__ import annotations

import http.client
import importlib.util
import signal
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from certificates import make_certificate
from goldrank.cli import main

PROTOBUF = "application/x-protobuf"


def test_it_never_loads_the_store(start_collector: Any, otlp: Any):
    """No DuckDB is mapped into a collector that has taken something: it can run where no store is."""
    running = start_collector().wait_until_up()
    assert running.post("/v1/traces", otlp("Light?")).status == 200
    maps = Path(f"/proc/{running.process.pid}/maps").read_text()
    assert "orjson" in maps or "pydantic" in maps, "the libraries of a process were not found at all"
    for name in ("duckdb", "pandas", "pyarrow", "numpy"):
        assert name not in maps, name
    assert sorted(path.name for path in running.directory.iterdir()) == ["spool"]


def test_several_on_one_folder(start_collector: Any, otlp: Any, stored: Any, tmp_path: Path):
    """Each writes its own segments, beside each other; one reader takes in what all of them wrote."""
    running = [start_collector(directory=tmp_path / "data") for _ in range(3)]
    for one in running:
        one.wait_until_up()
    asked = [f"Question {number}?" for number in range(30)]
    for number, question in enumerate(asked):
        assert running[number % 3].post("/v1/traces", otlp(question)).status == 200
    assert [one.stop() for one in running] == [(0, "")] * 3
    found = stored(tmp_path / "data")
    assert sorted(found.questions) == sorted(asked)
    assert [receiver.received["spans"] for receiver in found.counts["receivers"]] == [10, 10, 10]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_and_keeps_what_it_acknowledged(start_collector: Any, otlp: Any, stored: Any, number: int):
    """Under load: exit code 0, nothing on stderr, and every span that was acknowledged is stored."""
    running = start_collector().wait_until_up()
    acknowledged: list[str] = []
    enough = threading.Event()

    def send(name: str) -> None:
        for place in range(10_000):
            question = f"{name} {place}"
            try:
                if running.post("/v1/traces", otlp(question)).status != 200:
                    return
            except (OSError, http.client.HTTPException):
                return
            acknowledged.append(question)
            if len(acknowledged) >= 60:
                enough.set()

    threads = [threading.Thread(target=send, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    assert running.stop(number) == (0, "")
    for thread in threads:
        thread.join()
    assert set(acknowledged) <= set(stored(running.directory).questions)


def test_a_client_that_never_finishes_does_not_hold_it(start_collector: Any):
    """A body that never ends is cut off some seconds after the signal."""
    running = start_collector().wait_until_up()
    with socket.create_connection(("127.0.0.1", running.http_port)) as hung:
        hung.sendall(
            b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
            b"Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n"
        )
        assert hung.recv(10_000).startswith(b"HTTP/1.1 100 ")  # its body is waited for
        hung.sendall(b"abc")
        code, errors = running.stop()
        answer = hung.recv(10_000)
    assert code == 0
    assert "Traceback" not in errors
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"Send it again" in answer


def test_beyond_this_machine_a_token_is_needed(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Unless it is told otherwise in words that nobody overlooks."""
    code = main(["collect", "--host", "0.0.0.0", "--directory", str(tmp_path / "data")])
    said = capsys.readouterr().err
    assert code == 2
    assert "GOLDRANK_TOKEN" in said
    assert "--insecure-no-token" in said
    assert not (tmp_path / "data").exists()


def test_it_can_be_told_to_take_what_anybody_sends(start_collector: Any, otlp: Any):
    """And says so."""
    running = start_collector("--host", "0.0.0.0", "--insecure-no-token").wait_until_up()
    assert running.post("/v1/traces", otlp("Open?"), Host="any.example").status == 200
    assert "WITHOUT A TOKEN everybody who reaches 0.0.0.0" in running.said


def test_the_token_comes_from_option_file_or_environment(start_collector: Any, otlp: Any, tmp_path: Path):
    """401 without it on every route that takes something; /healthz needs none."""
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    for arguments, environment in (
        (("--token", "s3cret"), {}),
        (("--token-file", str(file)), {"GOLDRANK_TOKEN": "another"}),
        ((), {"GOLDRANK_TOKEN": "s3cret"}),
    ):
        running = start_collector(*arguments, **environment).wait_until_up()
        for path in ("/v1/traces", "/v1/logs", "/v1/feedback", "/v1/complaints", "/v1/corpus", "/v1/drops"):
            refused = running.post(path, b"{}", "application/json")
            assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer"), path
        assert running.post("/v1/traces", otlp("x"), Authorization="Bearer nonsense").status == 401
        assert running.post("/v1/traces", otlp("x"), Authorization="Bearer s3cret").status == 200
        assert running.call("GET", "/healthz").json["refused"] == {"no token": 7}
        assert running.stop() == (0, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--token", "a", "--token-file", "b"), "one of them is expected"),
        (("--token", ""), "holds no token"),
        (("--token", "müsli"), "characters that no HTTP header carries"),
        (("--tls-cert", "c.pem"), "both --tls-cert and --tls-key"),
        (("--tls-cert", "no.pem", "--tls-key", "no.pem"), "No such file"),
        (("--token-file", "/nowhere/token"), "cannot be read"),
        (("--host", "no.such.host.invalid", "--token", "x"), "no address of this machine"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], says: str
):
    """Without a traceback."""
    code = main(["collect", *arguments, "--http-port", "0", "--grpc-port", "0", "--directory", str(tmp_path)])
    said = capsys.readouterr().err
    assert code in {1, 2, 3}
    assert says in said
    assert len(said.strip().splitlines()) == 1


def test_a_taken_port_is_refused_with_a_remedy(
    start_collector: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    """HTTP's and gRPC's alike: exit code 3."""
    running = start_collector().wait_until_up()
    ports = ("--http-port", str(running.http_port), "--grpc-port", "0")
    assert main(["collect", *ports, "--directory", str(tmp_path / "b")]) == 3
    assert "goldrank collect --http-port 0" in capsys.readouterr().err
    other = start_collector("--grpc-port", str(running.grpc_port), directory=tmp_path / "c")
    assert other.process.wait(60) == 3
    error = other.process.stderr.read()
    assert "gRPC cannot listen" in error
    assert "Traceback" not in error


def test_without_its_packages_grpc_is_named_in_one_line(tmp_path: Path, otlp: Any):
    """Where grpcio is not installed HTTP is served all the same."""
    code = (
        "import sys; sys.modules['grpc'] = None\n"
        "import goldrank.collectors.receiving.collector as collector; collector.find_spec = lambda name: None\n"
        "from goldrank.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "collect", "--http-port", "0", "--directory", str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 0
    assert "gRPC:  not served; pip install 'goldrank[collector]' brings it\n" in said


def test_tls_for_http_and_grpc(start_collector: Any, otlp: Any, tmp_path: Path):
    """One certificate for both; without TLS nobody is answered."""
    cert, key = make_certificate(tmp_path)
    running = start_collector("--tls-cert", str(cert), "--tls-key", str(key)).wait_until_up()
    assert f"https://127.0.0.1:{running.http_port}" in running.said
    trusting = ssl.create_default_context(cafile=str(cert))
    connection = http.client.HTTPSConnection("127.0.0.1", running.http_port, context=trusting, timeout=60)
    connection.request("POST", "/v1/traces", otlp("Secret?"), {"Content-Type": PROTOBUF})
    assert connection.getresponse().status == 200
    connection.close()
    with pytest.raises((OSError, http.client.HTTPException)):
        running.post("/v1/traces", otlp("Open?"))
    import grpc
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

    credentials = grpc.ssl_channel_credentials(cert.read_bytes())
    with grpc.secure_channel(f"127.0.0.1:{running.grpc_port}", credentials) as channel:
        TraceServiceStub(channel).Export(ExportTraceServiceRequest.FromString(otlp("Secret too?")), timeout=60)
    assert running.stop()[0] == 0


def test_grpc_is_installed_with_the_development_packages():
    """The tests of gRPC must not skip by mistake."""
    assert importlib.util.find_spec("grpc") is not None


@pytest.mark.parametrize("command", [["collect", "--http-port"], ["collect", "--grpc-port"], ["up", "--port"]])
@pytest.mark.parametrize("number", ["65536", "99999", "-1", "http"])
def test_a_port_that_is_none(command: list[str], number: str, capsys: Any, tmp_path: Path):
    """A socket would take 99999 for another port, and nobody would find the receiver there."""
    with pytest.raises(SystemExit) as ended:
        main([*command, number, "--directory", str(tmp_path)])
    assert ended.value.code == 2
    assert f"{number!r} is no " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("", "A token is needed here and was not sent"),
        ("s3cret", "what was sent does not begin with Bearer"),
        ("Bearer other", "the one that was sent is another one"),
    ],
)
def test_a_refused_token_says_what_was_wrong(header: str, said: str):
    """No token, one that lacks its word, and another one are three slips."""
    from goldrank.collectors.receiving.guard import why_no_token

    assert said in why_no_token(header)
    assert why_no_token(header).endswith("Authorization: Bearer <token>.")
