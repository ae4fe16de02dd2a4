"""Forked children: none hangs, none keeps its parent's segment alive, each writes its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Child = Callable[..., "subprocess.CompletedProcess[str]"]

FORK = """
def fork(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            sys.stdout.flush()
        sys.exit(0)
    return pid
"""


def test_children_forked_amid_the_parents_writing_write_too(child: Child, spool: Path, stored: Any) -> None:
    """Sixty forks while the writer thread and another thread are at work: all end, every request is there once."""
    code = (
        FORK
        + """
processor, ask = recording(SPOOL, queue_size=100_000)
stop = threading.Event()
asked = [0]
def busy():
    while not stop.is_set():
        ask(asked[0])
        asked[0] += 1
thread = threading.Thread(target=busy)
thread.start()
pids = []
for k in range(60):
    pids.append(fork(lambda: [ask(1_000_000 + 10 * k + n) for n in range(3)]))
    time.sleep(0)
codes = [os.waitpid(pid, 0)[1] for pid in pids]
stop.set()
thread.join()
assert codes == [0] * 60, codes
print(asked[0])
"""
    )
    done = child(code, spool)
    assert done.returncode == 0, done.stderr
    numbers = sorted(stored(spool).numbers)
    of_children = [1_000_000 + 10 * k + n for k in range(60) for n in range(3)]
    assert numbers == [*range(int(done.stdout)), *of_children]


def test_a_child_writes_nothing_of_what_its_parent_had_queued(child: Child, spool: Path, stored: Any) -> None:
    """The parent's spans and counts are the parent's; a child that records nothing leaves no file."""
    code = (
        FORK
        + """
processor, ask = recording(SPOOL)
processor._gate.acquire()          # nothing can be written yet
ask(1)
processor.count("not sampled", 4)
os.waitpid(fork(lambda: None), 0)
assert not os.path.exists(SPOOL)
processor._gate.release()
"""
    )
    done = child(code, spool)
    assert done.returncode == 0, done.stderr
    assert stored(spool).numbers == [1]
    assert stored(spool).drops == {"not sampled": 4}


def test_a_living_child_does_not_keep_its_parents_segment_alive(child: Child, spool: Path) -> None:
    """The parent's segment is dead as soon as the parent is, though its child sleeps on."""
    code = (
        FORK
        + """
processor, ask = recording(SPOOL)
ask(1)
processor.flush()
def alive():
    from goldrank.tracing.spool import list_segments
    (segment,) = list_segments(Path(SPOOL))
    return segment.alive
gone, looked = os.pipe(), os.pipe()
def child():
    os.close(gone[1])
    print("while the parent lives:", alive(), flush=True)
    os.write(looked[1], b".")
    os.read(gone[0], 1)            # until the parent is going: its files are closed one after the other
    deadline = time.monotonic() + 20
    while alive() and time.monotonic() < deadline:
        os.sched_yield()
    print("afterwards:", alive(), flush=True)
fork(child)
os.read(looked[0], 1)
os._exit(0)
"""
    )
    assert child(code, spool).stdout == "while the parent lives: True\nafterwards: False\n"


def test_a_program_started_by_the_app_does_not_inherit_the_segment(child: Child, spool: Path) -> None:
    """Descriptors are closed on exec, even where the app closes none."""
    code = """
    import subprocess
    processor, ask = recording(SPOOL)
    ask(1)
    processor.flush()
    print(subprocess.run(["ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, text=True).stdout)
    """
    done = child(code, spool)
    assert "/proc" in done.stdout
    assert ".seg" not in done.stdout


def test_a_grandchild_writes_its_own_segment(child: Child, spool: Path, stored: Any) -> None:
    """Fork inside a fork: three processes, three segments, all dead at the end."""
    code = (
        FORK
        + """
processor, ask = recording(SPOOL)
def second():
    ask(3)
def first():
    ask(2)
    pid = fork(second)
    assert os.waitpid(pid, 0)[1] == 0
ask(1)
pid = fork(first)
sys.exit(os.waitpid(pid, 0)[1])
"""
    )
    done = child(code, spool)
    assert done.returncode == 0, done.stderr
    assert sorted(stored(spool).numbers) == [1, 2, 3]
    assert len(list(spool.iterdir())) == 3


def test_a_child_forked_by_a_thread_may_start_its_own_writer(child: Child, spool: Path, stored: Any) -> None:
    """The thread that forked is the child's main thread."""
    code = (
        FORK
        + """
processor, ask = recording(SPOOL)
ask(1)
codes = []
def work():
    def inside():
        ask(2)
        assert processor.flush()
        os._exit(0)
    codes.append(os.waitpid(fork(inside), 0)[1])
thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.exit(codes[0])
"""
    )
    done = child(code, spool)
    assert done.returncode == 0, done.stderr
    assert sorted(stored(spool).numbers) == [1, 2]
