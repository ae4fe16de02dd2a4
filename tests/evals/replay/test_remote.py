"""`goldrank.replay_app` in a real server, asked over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import goldrank
import pytest
from goldrank.evals.replay import Replayer, parse_override, parse_target
from goldrank.model import UsageError
from goldrank.model.replay import ReplayStatus

SERVER = """
import asyncio, socket, time
import goldrank, uvicorn

goldrank.init(app="live", directory="data")

@goldrank.retrieve
async def search(query, top_k=2):
    await asyncio.sleep(0)
    return [f"c{n}" for n in range(top_k)]

@goldrank.request
async def answer(question):
    if question == "fail":
        raise ValueError("no index")
    if question == "exit":
        raise SystemExit(3)
    if question == "slow":
        await asyncio.sleep(3600)
    return " ".join(await search(question))

door = goldrank.replay_app(token="secret", app=answer)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(door, log_level="critical")).run(sockets=[listener])
"""


class Server(NamedTuple):
    """A running app."""

    port: int
    directory: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/replay"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """uvicorn with the app."""
    folder = tmp_path_factory.mktemp("server")
    process = subprocess.Popen([sys.executable, "-c", SERVER], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(int(process.stdout.readline()), folder / "data")
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def remote(server: Server) -> Replayer:
    """The client."""
    return Replayer(server.url, directory=server.directory, token="secret", timeout_s=60)


def test_a_running_app_answers(server, remote, ask):
    """With overrides, and the request in its own spool before the answer is there."""
    outcome = remote.run(ask("hi", overrides=(parse_override("retrieve.top_k=4"),)))
    assert (outcome.status, outcome.answer) == (ReplayStatus.DONE, "c0 c1 c2 c3")
    assert outcome.request_id is not None
    written = b"".join(path.read_bytes() for path in (server.directory / "spool").iterdir())
    assert outcome.request_id.encode() in written
    assert b"goldrank.replay.of" in written


@pytest.mark.parametrize("question", ["fail", "exit"])
def test_an_error_is_told_and_the_server_goes_on(remote, ask, question):
    """Also exit()."""
    assert remote.run(ask(question)).status is ReplayStatus.FAILED
    assert remote.run(ask("hi")).answer == "c0 c1"


def test_a_call_that_takes_too_long_is_given_up(remote, ask):
    """It cannot be ended from here, and that is said."""
    outcome = remote.run(ask("slow"), timeout_s=1)
    assert outcome.status is ReplayStatus.TIMED_OUT
    assert "may still be running there" in outcome.detail


def test_a_wrong_token_is_refused(server, ask):
    """With what to do."""
    outcome = Replayer(server.url, directory=server.directory, token="wrong").run(ask("hi"))
    assert outcome.status is ReplayStatus.REFUSED
    assert "401" in outcome.detail
    assert "GOLDRANK_REPLAY_TOKEN" in outcome.detail


def test_nobody_there(ask, tmp_path):
    """A closed port."""
    outcome = Replayer("http://127.0.0.1:9/", directory=tmp_path, token="secret").run(ask("hi"))
    assert outcome.status is ReplayStatus.REFUSED
    assert "cannot be reached" in outcome.detail


@pytest.mark.parametrize(
    ("method", "headers", "body", "status"),
    [
        ("POST", {}, b"{}", 401),
        ("POST", {"Authorization": "Bearer secre"}, b"{}", 401),
        ("POST", {"Authorization": "secret"}, b"{}", 401),
        ("GET", {"Authorization": "Bearer secret"}, None, 405),
        ("POST", {"Authorization": "Bearer secret"}, b"{}", 422),
        ("POST", {"Authorization": "Bearer secret"}, b"\xff\x00", 422),
        ("POST", {"Authorization": "Bearer secret", "Content-Length": "99999999999"}, None, 413),
        ("POST", {"Content-Length": "99999999999"}, None, 401),
    ],
)
def test_what_is_no_plan_is_not_taken(server, method, headers, body, status):
    """Each with its status, and without saying what was sent."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, "/replay", body, headers)
    response = connection.getresponse()
    said = json.loads(response.read())
    connection.close()
    assert response.status == status
    assert set(said) == {"error"}
    assert "secre" not in said["error"]


@pytest.mark.parametrize("token", ["", "  "])
def test_without_a_token_there_is_no_door(token):
    """Whoever reaches it could run the app."""
    with pytest.raises(UsageError, match="needs a token"):
        goldrank.replay_app(token=token, app=lambda question: question)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "app",
        "app.py:answer",
        "./app:answer",
        "app:answer(1)",
        "http://",
        "http://u:p@host/",
        "ftp://host/",
        "http://h:99999/",
        "http://h:x/",
        "http://[::1",
        "http://h/a b",
        "http://h/é",
    ],
)
def test_what_is_no_target_is_refused(text):
    """With what is expected."""
    with pytest.raises(UsageError, match="A target is module:object"):
        parse_target(text)


class Slow(http.server.BaseHTTPRequestHandler):
    """A server that has not understood: it sends one byte now and then, for ever."""

    ended = threading.Event()

    def do_POST(self) -> None:
        """Begins an answer and never ends it."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.ended.wait(0.05):
                self.wfile.write(b" ")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_an_answer_that_drips_is_given_up(ask, tmp_path):
    """The time limit is that of the whole answer, not of each of its bytes."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        outcome = Replayer(url, directory=tmp_path, token="secret", timeout_s=0.5).run(ask("hi"))
    finally:
        Slow.ended.set()
        server.shutdown()
        server.server_close()
    assert outcome.status is ReplayStatus.TIMED_OUT


def test_a_token_is_taken_as_it_was_copied(server, ask):
    """A line break behind it is none of it; one inside it cannot be sent, and is not repeated in the message."""
    given = {"directory": server.directory, "timeout_s": 60}
    assert Replayer(server.url, token="secret\n", **given).run(ask("hi")).status is ReplayStatus.DONE
    with pytest.raises(UsageError, match="line break") as refused:
        Replayer(server.url, token="sec\nret", **given)
    assert "sec\nret" not in str(refused.value)


def test_an_app_that_cannot_be_asked_is_told_from_one_that_refuses(server, ask, tmp_path):
    """A batch stops at the former: every request would fare the same."""
    wrong = Replayer(server.url, directory=server.directory, token="wrong").run(ask("hi"))
    nobody = Replayer("http://127.0.0.1:9/", directory=tmp_path, token="secret").run(ask("hi"))
    failing = Replayer(server.url, directory=server.directory, token="secret").run(ask("fail"))
    assert (wrong.unreachable, nobody.unreachable, failing.unreachable) == (True, True, False)
