"""An app as a user has it, in a folder of its own, and a Replayer that runs it in real worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from goldrank.evals.replay import Replayer
from goldrank.model.replay import RecordedCall, ReplayPlan

OF = "0" * 31 + "1-" + "0" * 15 + "1"

APP = """
import asyncio, ctypes, os, signal, subprocess, sys, threading, time
import goldrank

COUNT = [0]

@goldrank.retrieve
def search(query, top_k=2):
    return [{"id": f"c{n}", "text": f"passage {n}", "score": 1 / n} for n in range(1, top_k + 1)]

@goldrank.request
def answer(question):
    COUNT[0] += 1
    return ACTS[question]()

async def _async():
    await asyncio.sleep(0)
    return "from a coroutine"

def _stream():
    yield "two "
    yield "parts"

def _raise():
    raise ValueError("no index")

def _begin_to_hang():
    open(f"hangs-{os.getpid()}", "w").close()

def _hang():
    _begin_to_hang()
    time.sleep(3600)

def _hang_in_c():
    _begin_to_hang()
    ctypes.PyDLL(None).pause()

def _deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pass

def _flood():
    line = "x" * 99_999 + chr(10)
    print("first line")
    for _ in range(2_000):
        sys.stdout.write(line)
    print("last line")
    return "flooded"

def _raw():
    os.write(1, b"raw to fd 1" + bytes([10]))
    os.system("echo from a shell")
    os.write(2, b"invalid " + bytes([0xff, 0xfe, 10]))
    return "raw"

def _leave_thread():
    def talk():
        while True:
            time.sleep(0.05)
            print("still here", flush=True)
    threading.Thread(target=talk, daemon=False).start()
    return "left a thread"

def _leave_process():
    child = subprocess.Popen(["sleep", "3600"])
    return str(child.pid)

def _fork():
    if os.fork() == 0:
        return "from the child"
    return "from the parent"

def _fork_and_wait():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return "from the parent" if child else "from the child"

def _allocate():
    return str(len(bytearray(3 * 1024**3)))

def _file_pipe():
    for fd in range(3, 64):
        try:
            os.write(fd, b"not a frame" * 100)
        except OSError:
            pass
    return "wrote everywhere"

ACTS = {
    "ok": lambda: "fine",
    "count": lambda: str(COUNT[0]),
    "pid": lambda: str(os.getpid()),
    "print": lambda: print("said") or print("wrong", file=sys.stderr) or "printed",
    "raise": _raise,
    "exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(7),
    "segfault": lambda: ctypes.string_at(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": _hang,
    "hang in C": _hang_in_c,
    "deaf": _deaf,
    "flood": _flood,
    "raw": _raw,
    "huge": lambda: "y" * 50_000_000,
    "thread": _leave_thread,
    "process": _leave_process,
    "fork": _fork,
    "fork and wait": _fork_and_wait,
    "arguments": lambda: repr(sys.argv[1:]),
    "daemon": lambda: str(subprocess.Popen(["sleep", "3600"], start_new_session=True).pid),
    "allocate": _allocate,
    "close": lambda: os.closerange(3, 64) or "closed",
    "write everywhere": _file_pipe,
    "surrogate": lambda: "a" + chr(0xD800) + "b",
    "search": lambda: search("q")[0]["id"],
    "duckdb": lambda: str("duckdb" in sys.modules),
    "stdin": lambda: repr(sys.stdin.read()),
    "directory": lambda: str(goldrank.settings().spool),
}

@goldrank.request(name="answer")
async def answer_async(question):
    return await _async()

@goldrank.request(name="answer")
def stream(question):
    yield from _stream()

def make():
    client = object()
    return lambda question: f"{answer(question)} by a factory"

def needs_client(question, client):
    return "never"

NUMBER = 7
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the app is in."""
    there = tmp_path_factory.mktemp("app")
    (there / "userapp.py").write_text(APP, "utf-8")
    return there


@pytest.fixture(scope="module")
def make_replayer(folder: Path) -> Iterator[Callable[..., Replayer]]:
    """A Replayer for a target of the app; all are closed in the end."""
    made: list[Replayer] = []

    def make(target: str = "userapp:answer", **options: Any) -> Replayer:
        options.setdefault("directory", folder / "data")
        options.setdefault("cwd", folder)
        made.append(Replayer(target, **options))
        return made[-1]

    yield make
    for replayer in made:
        replayer.close()


@pytest.fixture(scope="module")
def shared(make_replayer: Callable[..., Replayer]) -> Replayer:
    """One that many tests ask, so that the app is imported once."""
    return make_replayer()


@pytest.fixture(scope="session")
def ask() -> Callable[..., ReplayPlan]:
    """A plan that asks one question."""

    def plan(question: str, **different: Any) -> ReplayPlan:
        return ReplayPlan(replay_of=OF, call=RecordedCall(question=question), **different)

    return plan
