"""A real hub: it takes telemetry safely, lets nobody in who should stay out, and ends cleanly."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from certificates import make_certificate
from goldrank.actions import read_hub_info, write_hub_info
from goldrank.actions.hub_client import call_hub
from goldrank.model import StoreError

PROTOBUF = "application/x-protobuf"


def call(
    hub: Any, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, str, http.client.HTTPMessage]:
    """Status, text and headers of one HTTP call."""
    address = urlsplit(hub.info.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace"), response.headers
    finally:
        connection.close()


def post(hub: Any, body: bytes, **headers: str) -> int:
    """Status of a post of traces; header names with underscores."""
    given = {"Content-Type": PROTOBUF} | {name.replace("_", "-"): value for name, value in headers.items()}
    return call(hub, "POST", "/v1/traces", body, given)[0]


def wait_for(condition: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Waits until the condition holds."""
    until = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def listed(hub: Any) -> list[str]:
    """Questions of the list, asked over the unix socket or HTTP as the command line does."""
    answer = call_hub(hub.directory, "find_requests", b"{}")
    assert answer is not None
    return [row["question"] for row in json.loads(answer)["rows"]]


def test_what_is_posted_is_listed(otlp: Any, hub: Any):
    """A request that is acknowledged stands in the list soon after."""
    assert post(hub, otlp("Is it live?")) == 200
    wait_for(lambda: "Is it live?" in listed(hub))


def test_gzip_is_undone(otlp: Any, hub: Any):
    """Exporters compress; the body is the same."""
    assert post(hub, gzip.compress(otlp("Zipped?")), Content_Encoding="gzip") == 200


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", ""])
def test_only_protobuf_and_json_are_taken(hub: Any, kind: str):
    """What a web page can post without asking gets 415."""
    assert post(hub, b"{}", Content_Type=kind) == 415


@pytest.mark.slow
def test_the_hub_takes_what_a_collector_takes(hub: Any):
    """JSON, logs and feedback go through the same code; Status counts them for the hub."""
    json_type = {"Content-Type": "application/json"}
    assert call(hub, "POST", "/v1/traces", b"{}", json_type)[0] == 200
    assert call(hub, "POST", "/v1/logs", b'{"resourceLogs": []}', json_type)[0] == 200
    score = b'{"id": "f-1", "request_id": "' + b"7f" * 16 + b'", "score": 1}'
    status, text, _ = call(hub, "POST", "/v1/feedback", score, json_type)
    assert (status, json.loads(text)) == (202, {"ids": ["f-1"]})

    def counted() -> bool:
        receivers = json.loads(call(hub, "GET", "/api/status")[1])["receivers"]
        return any(one["receiver"].startswith("hub ") and one["received"].get("feedback") for one in receivers)

    wait_for(counted)


def test_beyond_this_machine_senders_have_a_token_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The hub's token changes at each start: apps are given GOLDRANK_TOKEN, which opens no action."""
    from goldrank.actions.folder import Folder
    from goldrank.dashboard.hub import Start, _senders

    monkeypatch.setenv("GOLDRANK_TOKEN", "for-apps")
    with socket.socket() as bound:
        local = _senders(Start(Folder(tmp_path), "127.0.0.1", False, "of-the-hub", bound))
        public = _senders(Start(Folder(tmp_path), "0.0.0.0", False, "of-the-hub", bound))
    assert local.allow(None)
    assert public.allow("Bearer for-apps")
    assert public.allow("bearer of-the-hub")
    assert not public.allow("Bearer for-app")
    assert not public.allow(None)


@pytest.mark.slow
def test_grpc_beside_the_pages_where_it_is_asked_for(otlp: Any, start_hub: Any, tmp_path: Path):
    """Acknowledged, listed, and a second hub that wants the same port reads a sentence."""
    import grpc

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    hub = start_hub(None, "0", port).wait_until_up()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call_it = channel.unary_unary("/opentelemetry.proto.collector.trace.v1.TraceService/Export")
        assert call_it(otlp("By gRPC?"), timeout=30) == b""
    wait_for(lambda: "By gRPC?" in listed(hub))
    other = start_hub(tmp_path / "other", "0", port)
    assert other.process.wait(90) == 3
    error = other.process.stderr.read()
    assert f"Port {port} of 127.0.0.1" in error
    assert "Traceback" not in error
    assert hub.stop() == 0


def test_with_tls_nobody_is_answered_without_it(otlp: Any, tmp_path: Path):
    """Pages and receiver; commands reach it over its socket, and where there is none with the certificate it has."""
    cert, key = make_certificate(tmp_path)
    folder = tmp_path / "data"
    words = ["up", "--port", "0", "--no-browser", "--tls-cert", str(cert), "--tls-key", str(key)]
    command = [sys.executable, "-m", "goldrank", *words, "--directory", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hub:
        try:
            assert hub.stdout is not None
            url = urlsplit(hub.stdout.readline().split()[1])
            assert (url.scheme, url.hostname) == ("https", "127.0.0.1")
            trusting = ssl.create_default_context(cafile=str(cert))
            tls = http.client.HTTPSConnection("127.0.0.1", url.port, context=trusting, timeout=60)
            tls.request("GET", "/")
            assert tls.getresponse().read().startswith(b"<!")
            tls.request("POST", "/v1/traces", otlp("Secret?"), {"Content-Type": PROTOBUF})
            assert tls.getresponse().status == 200
            tls.close()
            plain = http.client.HTTPConnection("127.0.0.1", url.port, timeout=60)
            plain.request("GET", "/")
            with pytest.raises((OSError, http.client.HTTPException)):
                plain.getresponse()
            plain.close()
            info = read_hub_info(folder)
            assert info is not None
            assert call_hub(folder, "ping", b"{}") is not None
            write_hub_info(info.model_copy(update={"socket": None}))
            assert call_hub(folder, "ping", b"{}") is not None
            other = make_certificate(folder)[0]
            write_hub_info(info.model_copy(update={"socket": None, "certificate": str(other)}))
            with pytest.raises(StoreError, match="CERTIFICATE_VERIFY_FAILED"):
                call_hub(folder, "ping", b"{}")
        finally:
            hub.send_signal(signal.SIGTERM)
    assert hub.returncode == 0


def test_other_codings_are_refused(otlp: Any, hub: Any):
    """What cannot be undone is not stored."""
    assert post(hub, otlp("Is it live?"), Content_Encoding="br") == 415


def test_garbage_is_refused_before_it_is_acknowledged(otlp: Any, hub: Any):
    """A frame that nobody can read would stop the ingester: it never gets that far."""
    assert post(hub, b"\xff\xfe garbage \x00") == 400
    assert post(hub, b"not gzip", Content_Encoding="gzip") == 400
    assert post(hub, gzip.compress(otlp("Is it live?"))[:-9], Content_Encoding="gzip") == 400


def test_an_empty_export_is_fine(hub: Any):
    """An exporter may send nothing."""
    assert post(hub, b"") == 200


def test_bodies_have_a_limit_announced_or_not(hub: Any):
    """Too large is 413 by the header, while streaming, and after inflating."""
    assert post(hub, b"", Content_Length=str(64 * 1024 * 1024)) == 413
    bomb = gzip.compress(b"\x00" * (70 * 1024 * 1024))
    assert len(bomb) < 100_000
    assert post(hub, bomb, Content_Encoding="gzip") == 413
    address = urlsplit(hub.info.url)
    with closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/traces")
        connection.putheader("Content-Type", PROTOBUF)
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        for size in (*[1024 * 1024] * 32, 1):  # one byte more than is taken, and then it waits
            connection.send(b"%x\r\n%b\r\n" % (size, b"\x00" * size))
        assert connection.getresponse().status == 413
    assert post(hub, b"") == 200  # it goes on taking what is small enough


def test_texts_that_are_not_utf8_are_taken(otlp: Any, hub: Any):
    """Half an emoji in one attribute costs nobody the batch."""
    body = otlp("half").replace(b"half", b"ha\xedf")
    assert post(hub, body) == 200


def test_the_host_header_is_checked(otlp: Any, hub: Any):
    """A web page whose name points to 127.0.0.1 reads nothing: pages, status, telemetry and websocket refuse."""
    evil = {"Host": "evil.example", "Content-Type": PROTOBUF}
    assert call(hub, "GET", "/", headers=evil)[0] == 403
    assert call(hub, "GET", "/api/status", headers=evil)[0] == 403
    assert call(hub, "POST", "/v1/traces", otlp("Is it live?"), evil)[0] == 403
    handshake = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert call(hub, "GET", "/_stcore/stream", headers={"Host": "evil.example"} | handshake)[0] == 403
    assert call(hub, "GET", "/_stcore/health", headers={"Host": "localhost:1"})[0] == 200


def test_no_cors_header_is_sent(hub: Any):
    """No other site may read answers."""
    status, _, headers = call(hub, "GET", "/api/status", headers={"Origin": "http://evil.example"})
    assert status == 200
    assert "access-control-allow-origin" not in {name.lower() for name in headers}
    assert call(hub, "OPTIONS", "/v1/traces", headers={"Origin": "http://evil.example"})[0] == 405


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/complaints", "/actions/find_requests"])
def test_what_is_only_posted_is_no_page(hub: Any, path: str):
    """Opened in a browser it says so, instead of showing the dashboard."""
    status, text, headers = call(hub, "GET", path)
    assert (status, headers["allow"]) == (405, "POST")
    assert "takes POST" in text


def test_the_list_has_its_name_for_an_address(hub: Any):
    """Every page is called in the address as in the menu; the first one's own address is the bare one."""
    status, _, headers = call(hub, "GET", "/requests?verdict=demoted")
    assert (status, headers["location"]) == (307, "./?verdict=demoted")


def test_what_is_sent_elsewhere_is_told_where_to(hub: Any):
    """An exporter whose endpoint lacks its path, or that sends metrics; the pages answer to nobody who posts."""
    for path, said in (("/", "has /v1/traces at its end"), ("/v1/metrics", "OTEL_METRICS_EXPORTER=none")):
        status, text, _ = call(hub, "POST", path, b"{}", {"Content-Type": "application/json"})
        assert (status, said in text) == (404, True), text


def test_actions_over_tcp_need_the_token(hub: Any):
    """Another user of the machine reaches the port, but has no token."""
    assert call(hub, "POST", "/actions/find_requests", b"{}")[0] == 401
    wrong = {"Authorization": "Bearer nonsense"}
    assert call(hub, "POST", "/actions/find_requests", b"{}", wrong)[0] == 401
    right = {"Authorization": f"Bearer {hub.info.token}"}
    status, text, _ = call(hub, "POST", "/actions/find_requests", b"{}", right)
    assert status == 200
    assert "rows" in json.loads(text)


def test_an_action_that_fails_says_why(hub: Any):
    """The command line reads the same sentence that the page shows."""
    right = {"Authorization": f"Bearer {hub.info.token}"}
    status, text, _ = call(hub, "POST", "/actions/nonsense", b"{}", right)
    assert status == 400
    assert "There is no action 'nonsense'" in json.loads(text)["error"]["message"]


def test_status_answers_on_loopback(hub: Any):
    """A script can ask how things are."""
    state = json.loads(call(hub, "GET", "/api/status")[1])
    assert state["spool"] == str(hub.directory / "spool")
    assert state["hub"]["pid"] == hub.process.pid


def test_nobody_else_can_read_what_opens_the_hub(hub: Any):
    """hub.json, the socket and the store belong to their owner alone."""
    for name in ("hub.json", "hub.sock", "hub.lock", "store.duckdb"):
        assert stat.S_IMODE((hub.directory / name).stat().st_mode) & 0o077 == 0, name


def test_the_unix_socket_serves_actions_without_a_token(hub: Any):
    """The file's mode is the guard."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(30)
    connection.connect(os.path.relpath(hub.info.socket))
    connection.sendall(b"POST /actions/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    answer = b"".join(iter(lambda: connection.recv(65536), b""))
    connection.close()
    assert answer.startswith(b"HTTP/1.1 200")
    assert str(hub.process.pid).encode() in answer


def test_a_second_hub_is_refused_in_one_sentence(hub: Any, start_hub: Any):
    """Who holds the folder, since when and where: exit code 3, no traceback."""
    second = start_hub(hub.directory)
    assert second.process.wait(90) == 3
    error = second.process.stderr.read()
    assert f"PID {hub.process.pid}" in error
    assert hub.info.url in error
    assert "since" in error
    assert len(error.strip().splitlines()) == 1


def test_a_taken_port_is_refused_with_a_remedy(hub: Any, start_hub: Any, tmp_path: Path):
    """The sentence names the port and the way out."""
    port = str(urlsplit(hub.info.url).port)
    other = start_hub(tmp_path / "other", port)
    assert other.process.wait(90) == 3
    error = other.process.stderr.read()
    assert f"Port {port} of 127.0.0.1" in error
    assert "--port 0" in error
    assert "Traceback" not in error


def test_a_broken_store_is_refused_in_one_sentence(start_hub: Any, tmp_path: Path):
    """A file that is no store: a sentence and exit code 3."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "store.duckdb").write_bytes(b"this is no database" * 1000)
    hub = start_hub(folder)
    assert hub.process.wait(90) == 3
    error = hub.process.stderr.read()
    assert "Traceback" not in error
    assert "store.duckdb" in error


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_it_ends_cleanly_and_keeps_what_it_acknowledged(otlp: Any, start_hub: Any, number: int):
    """After the signal: exit code 0, the lifespan has ended, nothing acknowledged is left out."""
    hub = start_hub().wait_until_up()
    assert post(hub, otlp("Kept?")) == 200
    assert hub.stop(number) == 0
    assert not (hub.directory / "hub.json").exists()
    assert not (hub.directory / "hub.sock").exists()
    from goldrank.store import RequestFilter
    from goldrank.store.duckdb import open_store

    with open_store(hub.directory / "store.duckdb") as store:
        assert [row.question for row in store.requests.page(RequestFilter(), limit=5).rows] == ["Kept?"]
    assert "Traceback" not in hub.process.stderr.read()


def test_a_client_that_never_finishes_does_not_hold_it(start_hub: Any):
    """A body that never ends is cut off some seconds after the signal."""
    hub = start_hub().wait_until_up()
    address = urlsplit(hub.info.url)
    hung = socket.create_connection((address.hostname, address.port))
    hung.sendall(
        b"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n"
        b"Content-Length: 1000\r\n\r\nabc"
    )
    assert hub.stop() == 0
    hung.close()


def test_a_spool_that_cannot_be_written_is_said_with_503(otlp: Any, start_hub: Any, tmp_path: Path):
    """The exporter is told to come again, and nothing is acknowledged."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "spool").write_text("in the way of the folder")
    hub = start_hub(folder).wait_until_up()
    status, text, headers = call(hub, "POST", "/v1/traces", otlp("Is it live?"), {"Content-Type": PROTOBUF})
    assert status == 503
    assert headers["retry-after"] == "30"
    assert "not taken" in text


def test_many_at_once_are_all_kept(otlp: Any, start_hub: Any):
    """Posts that come together share their fsync; each is acknowledged on its own, and all are stored."""
    hub = start_hub().wait_until_up()
    statuses: list[int] = []

    def send(number: int) -> None:
        body = otlp(f"question {number}")
        statuses.append(post(hub, body))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(1, 41)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 40
    wait_for(lambda: json.loads(call_hub(hub.directory, "find_requests", b"{}") or b"{}")["matching"] == 40)


def test_a_store_held_by_another_program_names_it_and_one_remedy(start_hub: Callable[..., Any], tmp_path: Path):
    """Somebody looks into the file with DuckDB: the hub does not start, and says who holds it and what to do."""
    folder = tmp_path / "data"
    folder.mkdir()
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    store = str(folder / "store.duckdb")
    with subprocess.Popen(
        [sys.executable, "-c", code, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        hub = start_hub(folder)
        _, said = hub.process.communicate(timeout=60)
        holder.communicate("")
    assert hub.process.returncode == 3
    assert f"{store} is held by python" in said
    assert f"(PID {holder.pid}). Close that program and try again" in said
    assert "Traceback" not in said
