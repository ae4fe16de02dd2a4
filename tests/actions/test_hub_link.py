"""The folder's lock, `hub.json`, and a command that reaches the hub, or takes its place."""

from __future__ import annotations

import json
import os
import socketserver
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from goldrank.actions import (
    FindRequests,
    HubInfo,
    Ping,
    Resolve,
    ShowRequest,
    find_requests,
    hub_client,
    hub_lock,
    local,
    open_workspace,
    perform,
    ping,
    read_hub_info,
    remove_hub_info,
    resolve,
    run_action,
    show,
    write_hub_info,
)
from goldrank.actions.hub_link import read_holder
from goldrank.model import NotFound, StoreError, StoreLocked

TOKEN = "a-token"

HOLD = """
import sys
from pathlib import Path
from goldrank.actions import hub_lock
with hub_lock(Path(sys.argv[1]), what=sys.argv[2]) as lock:
    if len(sys.argv) > 3:
        lock.say_address(sys.argv[3])
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(folder, *arguments):
    """The folder's lock in another process, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


class _Handler(BaseHTTPRequestHandler):
    """POST /actions/<name>, as the hub serves it."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = self.path.removeprefix("/actions/")
        self.server.seen.append((name, self.headers.get("Authorization"), json.loads(body)))
        status, answer = self.server.answer(name, body)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        """Nothing on stderr."""

    def address_string(self):
        return "test"


class _UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


@contextmanager
def serving(folder, answer, *, unix=True):
    """A hub that answers with `answer(name, body)`, and its `hub.json`."""
    tcp = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    tcp.daemon_threads = True
    servers = [tcp]
    folder.mkdir(exist_ok=True)
    if unix:
        servers.append(_UnixServer(str(folder / "hub.sock"), _Handler))
    for server in servers:
        server.answer, server.seen = answer, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
    write_hub_info(
        HubInfo(
            pid=os.getpid(),
            url=f"http://127.0.0.1:{tcp.server_address[1]}",
            socket=str(folder / "hub.sock") if unix else None,
            token=TOKEN,
            since_ns=1,
            directory=str(folder),
        )
    )
    try:
        yield servers[-1]
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def test_the_lock_says_who_holds_the_folder(tmp_path):
    """A second hub reads a sentence with process, time and address, and what to do."""
    with (
        held_elsewhere(tmp_path, "hub", "http://127.0.0.1:8501") as process,
        pytest.raises(StoreLocked) as error,
        hub_lock(tmp_path),
    ):
        pass

    assert f"A hub is running on {tmp_path} (PID {process.pid}, since " in str(error.value)
    assert f"UTC, http://127.0.0.1:8501). Look there, or stop it first: kill {process.pid}" in str(error.value)


def test_the_lock_is_free_when_its_holder_was_killed(tmp_path):
    """What a killed hub leaves in the folder keeps nobody out."""
    with held_elsewhere(tmp_path, "hub") as process:
        process.kill()
        process.wait(timeout=30)

    with hub_lock(tmp_path) as lock:
        assert read_holder(tmp_path).pid == lock.holder.pid == os.getpid()
    assert read_holder(tmp_path) is None


def test_hub_json_is_for_its_owner_only_and_whole(tmp_path):
    """The token in it opens everything; a half-written file is never seen."""
    info = HubInfo(pid=7, url="http://127.0.0.1:1", token=TOKEN, since_ns=3, directory=str(tmp_path))

    write_hub_info(info)

    path = tmp_path / "hub.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_hub_info(tmp_path) == info
    assert [one.name for one in tmp_path.iterdir()] == ["hub.json"]
    remove_hub_info(tmp_path, pid=8)
    assert path.exists()
    remove_hub_info(tmp_path, pid=7)
    assert read_hub_info(tmp_path) is None


@pytest.mark.parametrize("unix", [True, False])
def test_a_command_asks_the_hub(tmp_path, desk, unix):
    """Over the unix socket, or over HTTP with the token, the answer is the one that the hub's store gives."""
    request_id = desk.record()

    def answer(name, body):
        return 200, run_action(desk.workspace, name, body)

    with serving(tmp_path / "hub", answer, unix=unix) as server:
        page = perform(tmp_path / "hub", find_requests, FindRequests(limit=5), who="ben")

    assert [row.request_id for row in page.rows] == [request_id]
    ((name, authorization, body),) = server.seen
    assert (name, authorization, body["who"], body["limit"]) == ("find_requests", f"Bearer {TOKEN}", "ben", 5)


def test_an_error_of_the_hub_is_raised_as_the_same_error(tmp_path, desk):
    """What was refused there is refused here, in the same words."""
    with (
        serving(tmp_path / "hub", lambda name, body: (200, run_action(desk.workspace, name, body))),
        pytest.raises(NotFound, match="is too short"),
    ):
        perform(tmp_path / "hub", show, ShowRequest(request="7f3a"))


def test_a_hub_that_fails_is_named(tmp_path):
    """An answer that is none is a trouble with the hub, not with the question."""
    words = rf"hub \(PID {os.getpid()}\) answered 500 to ping: Internal"
    with (
        serving(tmp_path / "hub", lambda _name, _body: (500, b"Internal Server Error")),
        pytest.raises(StoreError, match=words),
    ):
        perform(tmp_path / "hub", ping, Ping())


def test_a_busy_hub_is_waited_for_as_long_as_it_lives(tmp_path, monkeypatch):
    """Work that takes longer than the limit of silence is no reason to give up while the hub answers a ping."""
    monkeypatch.setattr(hub_client, "SILENT_S", 0.05)
    pinged = threading.Event()

    def answer(name, _body):
        if name == "ping":
            pinged.set()
            return 200, b'{"pid": 1, "version": "1"}'
        assert pinged.wait(timeout=30)
        return 200, b'{"request_ids": [], "mentions": [], "message": "late"}'

    with serving(tmp_path / "hub", answer):
        assert perform(tmp_path / "hub", resolve, Resolve(text="x")).message == "late"


def test_a_silent_hub_is_named_with_one_remedy(tmp_path, monkeypatch):
    """A hub that accepts and says nothing does not hold a command for ever."""
    monkeypatch.setattr(hub_client, "SILENT_S", 0.05)
    over = threading.Event()

    def answer(_name, _body):
        over.wait(timeout=30)
        return 200, b"{}"

    with serving(tmp_path / "hub", answer):
        with pytest.raises(StoreLocked, match=rf"does not answer for 0 s. Stop it and try again: kill {os.getpid()}"):
            perform(tmp_path / "hub", resolve, Resolve(text="x"))
        over.set()


def test_what_a_killed_hub_left_behind_is_passed_over(tmp_path):
    """hub.json of a hub that is gone: the command works on the store itself."""
    with serving(tmp_path / "hub", lambda _name, _body: (200, b"{}")):
        pass
    (tmp_path / "hub" / "spool").mkdir()

    assert perform(tmp_path / "hub", find_requests, FindRequests()).stored == 0


def test_a_folder_where_nothing_is_is_not_made(tmp_path):
    """A command in the wrong folder says so instead of leaving an empty store there."""
    with pytest.raises(NotFound, match="no app has recorded there"):
        perform(tmp_path / "wrong", find_requests, FindRequests())

    assert not (tmp_path / "wrong").exists()
    assert perform(tmp_path / "right", find_requests, FindRequests(), create=True).rows == ()


def test_a_command_waits_for_another_command(tmp_path):
    """Two commands at once: the second has its turn as soon as the first is done."""
    answers = []
    with held_elsewhere(tmp_path, "command") as process:
        thread = threading.Thread(
            target=lambda: answers.append(perform(tmp_path, find_requests, FindRequests(), create=True))
        )
        thread.start()
        assert answers == []
        assert process.poll() is None
    thread.join(timeout=60)

    assert len(answers) == 1


def test_a_command_that_waits_too_long_says_for_whom(tmp_path, monkeypatch):
    """The holder is named, whether it is a command or a hub that does not answer."""
    monkeypatch.setattr(local, "_PATIENCE_S", 0.1)
    monkeypatch.setattr(local, "_LEAVING_S", 0.1)
    for arguments, words in (
        (("command",), "Another goldrank command works"),
        (("hub", "http://x"), "A hub is running"),
    ):
        with held_elsewhere(tmp_path, *arguments), pytest.raises(StoreLocked, match=words):
            perform(tmp_path, find_requests, FindRequests(), create=True)


def test_a_store_that_another_program_holds_is_said_at_once(tmp_path):
    """A DuckDB shell on the file is named with its process and one remedy, without a traceback or a long wait."""
    with open_workspace(tmp_path):
        pass
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    shell = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "store.duckdb")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert shell.stdout.readline() == "held\n"
    try:
        with pytest.raises(StoreLocked, match=rf"held by python.* \(PID {shell.pid}\)"):
            perform(tmp_path, find_requests, FindRequests())
    finally:
        shell.stdin.close()
        shell.wait(timeout=30)
        shell.stdout.close()
