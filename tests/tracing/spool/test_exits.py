"""However a process ends: its last requests are stored, and its exit code is what it would have been."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Child = Callable[..., "subprocess.CompletedProcess[str]"]

TEN_REQUESTS = """
processor, ask = recording(SPOOL, durability=sys.argv[3] if len(sys.argv) > 3 else "batch")
for n in range(10):
    ask(n)
way = sys.argv[2]
if way == "sys.exit":
    sys.exit(3)
if way == "exception":
    raise RuntimeError("the app's own failure")
if way == "interrupt":
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(30)
if way == "sigterm":
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)
if way == "os._exit":
    os._exit(0)
if way == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("return", 0),
        ("sys.exit", 3),
        ("exception", 1),
        ("interrupt", -signal.SIGINT),
        ("sigterm", -signal.SIGTERM),
    ],
)
def test_an_end_that_can_be_noticed_loses_nothing(child: Child, spool: Path, stored: Any, way: str, code: int) -> None:
    """Ten requests and at once the end: all ten are stored, the exit code is the app's."""
    done = child(TEN_REQUESTS, spool, way)
    assert done.returncode == code, done.stderr
    assert stored(spool).numbers == list(range(10))
    assert ("the app's own failure" in done.stderr) == (way == "exception")


@pytest.mark.parametrize(("way", "code"), [("os._exit", 0), ("kill", -signal.SIGKILL)])
def test_an_end_that_cannot_be_noticed_leaves_a_spool_that_reads(
    child: Child, spool: Path, stored: Any, way: str, code: int
) -> None:
    """What was written before is stored, without gaps; nothing is damaged."""
    done = child(TEN_REQUESTS, spool, way)
    assert done.returncode == code
    found = stored(spool)
    assert found.numbers == list(range(len(found.numbers)))
    assert "corrupt" not in found.states


@pytest.mark.parametrize("way", ["os._exit", "kill"])
def test_with_durability_request_even_that_end_loses_nothing(child: Child, spool: Path, stored: Any, way: str) -> None:
    """Each request was written before its call returned."""
    child(TEN_REQUESTS, spool, way, "request")
    assert stored(spool).numbers == list(range(10))


def test_a_handler_of_the_app_stays_the_only_one(child: Child, spool: Path, stored: Any) -> None:
    """An app with its own SIGTERM handler keeps it, and its exit code."""
    code = """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
    processor, ask = recording(SPOOL)
    ask(1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)
    """
    done = child(code, spool)
    assert done.returncode == 7, done.stderr
    assert stored(spool).numbers == [1]


def test_an_app_that_replaces_our_handler_and_calls_it_decides_how_it_ends(
    child: Child, spool: Path, stored: Any
) -> None:
    """Handlers that call the one before them: ours writes and returns, later requests are written at once."""
    code = """
    processor, ask = recording(SPOOL)
    before = signal.getsignal(signal.SIGTERM)
    def graceful(signum, frame):
        before(signum, frame)
        ask(2)
        os._exit(9)
    signal.signal(signal.SIGTERM, graceful)
    ask(1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)
    """
    done = child(code, spool)
    assert done.returncode == 9, done.stderr
    assert stored(spool).numbers == [1, 2]


def test_a_signal_amid_requests_stores_every_request_that_ended(child: Child, spool: Path, stored: Any) -> None:
    """SIGTERM arrives at any line of ours; what ended before it is stored, and nothing hangs."""
    code = """
    processor, ask = recording(SPOOL, durability=sys.argv[2])
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    timer.start()
    n = 0
    while True:
        ask(n)
        n += 1
        os.write(1, b".")
    """
    for durability in ("batch", "request"):
        done = child(code, spool / durability, durability)
        assert done.returncode == -signal.SIGTERM, done.stderr
        found = stored(spool / durability)
        assert len(found.numbers) + found.drops.get("queue full", 0) in (len(done.stdout), len(done.stdout) + 1)


def test_requests_of_threads_that_outlive_the_main_thread_are_stored(child: Child, spool: Path, stored: Any) -> None:
    """A thread that ends its request after the exit hooks of threading ran."""
    code = """
    processor, ask = recording(SPOOL)
    def late():
        threading.main_thread().join()
        ask(2)
    threading.Thread(target=late).start()
    ask(1)
    """
    done = child(code, spool)
    assert done.returncode == 0, done.stderr
    assert stored(spool).numbers == [1, 2]


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_children_of_multiprocessing_store_their_requests(child: Child, spool: Path, stored: Any, method: str) -> None:
    """They run no atexit hooks; each child has a segment of its own."""
    code = """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    processor, ask = recording(SPOOL)
    def work(n):
        ask(n)
        return n
    if __name__ == "__main__":
        ask(0)
        context = multiprocessing.get_context(sys.argv[2])
        process = context.Process(target=work, args=(1,))
        process.start()
        process.join()
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            assert list(pool.map(work, range(2, 8))) == list(range(2, 8))
        sys.exit(process.exitcode)
    """
    done = child(code, spool, method)
    assert done.returncode == 0, done.stderr
    assert sorted(stored(spool).numbers) == list(range(8))


def test_a_terminated_child_of_multiprocessing_stores_its_requests(child: Child, spool: Path, stored: Any) -> None:
    """`Process.terminate` is SIGTERM; the exit code stays -15."""
    code = """
    import multiprocessing
    processor, ask = recording(SPOOL)
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    def work():
        for n in range(10):
            ask(n)
        ready.set()
        while True:  # a signal that comes just before a long sleep begins is handled when the sleep ends: Python's way
            time.sleep(0.05)
    process = context.Process(target=work)
    process.start()
    ready.wait(30)
    process.terminate()
    process.join()
    print(process.exitcode)
    """
    done = child(code, spool)
    assert done.stdout == "-15\n", done.stderr
    assert stored(spool).numbers == list(range(10))


def test_uvicorn_in_one_process_stores_the_last_request_and_ends_as_it_does(
    child: Child, spool: Path, stored: Any
) -> None:
    """uvicorn raises SIGTERM anew after its own shutdown, when our handler stands again."""
    pytest.importorskip("uvicorn")
    code = """
    import uvicorn
    processor, ask = recording(SPOOL)
    async def app(scope, receive, send):
        assert scope["type"] == "lifespan"
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                ask(2)
                await send({"type": "lifespan.shutdown.complete"})
                return
            ask(1)
            await send({"type": "lifespan.startup.complete"})
    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            os.kill(os.getpid(), signal.SIGTERM)
    Server(uvicorn.Config(app, port=0, log_level="critical")).run()
    """
    done = child(code, spool)
    assert done.returncode == -signal.SIGTERM, done.stderr
    assert stored(spool).numbers == [1, 2]


def test_installing_twice_changes_nothing(child: Child, spool: Path, stored: Any) -> None:
    """One flush at the end, one handler, no error."""
    code = """
    processor, ask = recording(SPOOL)
    handler = signal.getsignal(signal.SIGTERM)
    lifecycle.install(processor)
    assert signal.getsignal(signal.SIGTERM) is handler
    ask(1)
    """
    done = child(code, spool)
    assert (done.returncode, done.stderr) == (0, "")
    assert stored(spool).numbers == [1]


def test_started_outside_the_main_thread_no_handler_is_taken(child: Child, spool: Path, stored: Any) -> None:
    """Only the main thread may set handlers; everything else works."""
    code = """
    made = []
    thread = threading.Thread(target=lambda: made.append(recording(SPOOL)))
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    made[0][1](1)
    """
    done = child(code, spool)
    assert (done.returncode, done.stderr) == (0, "")
    assert stored(spool).numbers == [1]


def test_a_disk_that_cannot_be_written_changes_no_exit(child: Child, spool: Path, tmp_path: Path) -> None:
    """One line on stderr, and the code of the app."""
    (tmp_path / "file").touch()
    done = child(TEN_REQUESTS, tmp_path / "file" / "spool", "sys.exit")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "cannot be written (Not a directory)" in done.stderr


def test_a_limit_of_file_size_is_a_full_disk(child: Child, spool: Path, stored: Any) -> None:
    """RLIMIT_FSIZE: the app lives on, whole frames stay readable, the rest is lost and said."""
    code = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    processor, ask = recording(SPOOL)
    for n in range(50):
        ask(n)
        processor.flush()
    processor.put(4, b"x" * 50_000)
    print(processor.flush())
    """
    done = child(code, spool)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
    assert "cannot be written (File too large)" in done.stderr
    assert stored(spool).numbers == list(range(50))
    assert set(stored(spool).states) == {"end"}
