"""Whatever an app does inside a replay has a defined outcome, and the next replay works (real processes)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from goldrank.evals.replay import Replayer
from goldrank.model.replay import Override, PlaceRan, ReplayStatus

DONE, FAILED, CRASHED = ReplayStatus.DONE, ReplayStatus.FAILED, ReplayStatus.CRASHED
TIMED_OUT, REFUSED = ReplayStatus.TIMED_OUT, ReplayStatus.REFUSED


def has_ended(pid: int) -> bool:
    """Whether a process is gone (or a zombie that nobody has waited for yet)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def wait_until(condition, seconds=60.0):
    """Waits for a condition, and fails without it."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


# ---- what an app may do, in one warm worker ---------------------------------------------------------


def test_an_answer_with_what_was_printed(shared, ask):
    """Both streams, in their order; the request is linked."""
    outcome = shared.run(ask("print"))
    assert (outcome.status, outcome.answer) == (DONE, "printed")
    assert outcome.output == "said\nwrong\n"
    assert outcome.request_id is not None


def test_a_worker_that_is_warm_keeps_globals_and_says_so(shared, ask):
    """Caches of an earlier replay may have helped."""
    first, second = shared.run(ask("count")), shared.run(ask("count"))
    assert first.answer is not None
    assert second.answer == str(int(first.answer) + 1)
    assert second.warm


def test_an_exception_is_a_failure(shared, ask):
    """With its traceback, and the process goes on."""
    pid = shared.run(ask("pid")).answer
    outcome = shared.run(ask("raise"))
    assert outcome.status is FAILED
    assert "userapp.py" in outcome.detail
    assert outcome.detail.rstrip().endswith("ValueError: no index")
    assert shared.run(ask("pid")).answer == pid


def test_a_flood_of_output_is_capped(shared, ask):
    """200 MB are read and counted; the first and the last of it are kept."""
    outcome = shared.run(ask("flood"))
    assert outcome.answer == "flooded"
    assert outcome.output.startswith("first line\n")
    assert outcome.output.endswith("last line\n")
    assert outcome.output_dropped == 200_000_000 + len("first line\nlast line\n") - 2_000_000
    assert len(outcome.output) < 2_001_000


def test_a_huge_answer_is_cut(shared, ask):
    """To a million characters, and it is said."""
    outcome = shared.run(ask("huge"))
    assert outcome.answer is not None
    assert len(outcome.answer) == 1_000_000
    assert "50,000,000 characters" in outcome.detail


def test_output_below_python_is_captured(shared, ask):
    """Raw writes, child processes, invalid UTF-8."""
    assert shared.run(ask("raw")).output == "raw to fd 1\nfrom a shell\ninvalid \ufffd\ufffd\n"


def test_lone_surrogates_travel_as_replacement_characters(shared, ask):
    """They are in no JSON."""
    assert shared.run(ask("surrogate")).answer == "a\ufffdb"


def test_a_child_that_the_app_forks_and_lets_return_does_not_answer(shared, ask):
    """One replay has one outcome."""
    assert shared.run(ask("fork")).answer in {"from the parent", "from the child"}
    assert shared.run(ask("ok")).answer == "fine"


def test_the_store_is_never_opened(shared, ask):
    """Recording goes to the spool of the data folder, and standard input is empty."""
    assert shared.run(ask("duckdb")).answer == "False"
    assert shared.run(ask("stdin")).answer == "''"


def test_overrides_and_stages_come_back(shared, ask):
    """As in the app's own process."""
    outcome = shared.run(ask("search", overrides=(Override(target="search", parameter="top_k", value=5),)))
    assert [(stage.name, stage.ran, stage.note) for stage in outcome.stages] == [
        ("search", PlaceRan.LIVE, "top_k: 2 -> 5")
    ]


# ---- what ends a worker -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "status", "said"),
    [
        ("exit", FAILED, "The app called exit(3)."),
        ("os._exit", CRASHED, "exit code 7"),
        ("segfault", CRASHED, "SIGSEGV"),
        ("kill", CRASHED, "SIGKILL"),
        ("close", CRASHED, "exit code 1"),
        ("write everywhere", CRASHED, ""),
    ],
)
def test_what_ends_a_worker_is_told_and_the_next_one_answers(shared, ask, question, status, said):
    """A new process runs the next replay."""
    before = shared.run(ask("pid")).answer
    outcome = shared.run(ask(question))
    assert outcome.status is status
    assert said in outcome.detail
    after = shared.run(ask("pid"))
    assert after.status is DONE
    assert after.answer != before
    assert not after.warm


def test_a_crash_shows_the_stack(shared, ask):
    """What faulthandler printed."""
    outcome = shared.run(ask("segfault"))
    assert "Fatal Python error: Segmentation fault" in outcome.detail
    assert "userapp.py" in outcome.detail


@pytest.mark.parametrize("question", ["hang", "hang in C", "deaf"])
def test_what_hangs_is_ended(shared, ask, question):
    """Python, C with the lock held, signals ignored: the group is killed, and it is told where it was."""
    pid = shared.run(ask("pid")).answer
    outcome = shared.run(ask(question), timeout_s=1)
    assert outcome.status is TIMED_OUT
    assert outcome.detail.startswith("No answer within 1 s.")
    assert "userapp.py" in outcome.detail
    assert pid is not None
    wait_until(lambda: has_ended(int(pid)))
    assert shared.run(ask("ok")).answer == "fine"


def test_a_thread_left_behind_keeps_nothing_back(make_replayer, ask):
    """The answer comes at once, and closing ends the thread's process."""
    replayer = make_replayer()
    pid = replayer.run(ask("pid")).answer
    assert replayer.run(ask("thread")).answer == "left a thread"
    assert replayer.run(ask("ok")).answer == "fine"
    replayer.close()
    assert pid is not None
    wait_until(lambda: has_ended(int(pid)))


def test_a_process_left_behind_is_killed_with_the_group(make_replayer, ask):
    """It holds stdout open: the answer does not wait for it."""
    replayer = make_replayer()
    outcome = replayer.run(ask("process"))
    assert outcome.status is DONE
    assert outcome.answer is not None
    replayer.close()
    wait_until(lambda: has_ended(int(outcome.answer)))


def test_memory_can_be_limited(make_replayer, ask):
    """An error of the app, and the worker goes on; without the limit nothing is limited."""
    replayer = make_replayer(memory_mb=2048)
    outcome = replayer.run(ask("allocate"))
    assert outcome.status is FAILED
    assert "MemoryError" in outcome.detail
    assert replayer.run(ask("ok")).answer == "fine"


# ---- when a warm worker is replaced -----------------------------------------------------------------


def test_a_changed_module_of_the_app_is_imported_anew(tmp_path, make_replayer, ask):
    """What was edited is what runs; modules of other places do not count."""
    (tmp_path / "helper.py").write_text("WORD = 'old'\n", "utf-8")
    (tmp_path / "edited.py").write_text("import helper\n\ndef answer(question):\n    return helper.WORD\n", "utf-8")
    replayer = make_replayer("edited:answer", cwd=tmp_path, directory=tmp_path)
    assert replayer.run(ask("x")).answer == "old"
    assert replayer.run(ask("x")).warm
    (tmp_path / "helper.py").write_text("WORD = 'new and longer'\n", "utf-8")
    outcome = replayer.run(ask("x"))
    assert (outcome.answer, outcome.warm) == ("new and longer", False)


def test_it_is_replaced_after_its_calls_and_after_a_quarter_of_an_hour(make_replayer, ask, monkeypatch):
    """Counted and measured where it stands."""
    from goldrank.evals.replay import process

    replayer = make_replayer()
    assert not replayer.run(ask("ok")).warm
    worker = replayer._worker
    worker.calls = process.MAX_CALLS
    assert worker.why_not_again() == "it ran 200 replays"
    assert not replayer.run(ask("ok")).warm
    replayer._worker.idle_since -= process.MAX_IDLE_S + 1
    assert replayer._worker.why_not_again() == "it was idle for 15 minutes"
    assert not replayer.run(ask("ok")).warm
    assert worker.why_not_again()


def test_a_replayer_that_is_not_warm_takes_a_fresh_process_each_time(make_replayer, ask):
    """Nothing of one replay is in the next."""
    replayer = make_replayer(warm=False)
    assert [replayer.run(ask("count")).answer for _ in range(2)] == ["1", "1"]


# ---- targets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("userapp:answer_async", "from a coroutine"),
        ("userapp:stream", "two parts"),
        ("userapp:make()", "fine by a factory"),
    ],
)
def test_every_sort_of_target(make_replayer, ask, target, answer):
    """Coroutines run, streams are read to their end, factories are called once."""
    outcome = make_replayer(target, warm=False).run(ask("ok"))
    assert (outcome.status, outcome.answer) == (DONE, answer)
    assert outcome.request_id is not None


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("userap:answer", "There is no module userap"),
        ("userapp:anwser", "userapp has no anwser. Is it answer"),
        ("userapp:NUMBER", "userapp:NUMBER cannot be called: it is of the type int."),
        ("userapp:needs_client", "needs client, and nothing was recorded for it"),
        ("broken:answer", "needs the module surely_not_installed"),
        ("leaves:answer", "SystemExit"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(folder, make_replayer, ask, target, said):
    """And nothing of the app has run."""
    (folder / "broken.py").write_text("import surely_not_installed\n", "utf-8")
    (folder / "leaves.py").write_text("print('bye')\nraise SystemExit(2)\n", "utf-8")
    outcome = make_replayer(target, warm=False).run(ask("ok"))
    assert outcome.status is REFUSED
    assert said in outcome.detail


def test_an_import_that_hangs_is_refused(folder, make_replayer, ask):
    """Within its own time limit."""
    (folder / "slow.py").write_text("import time\ntime.sleep(3600)\n", "utf-8")
    outcome = make_replayer("slow:answer", start_timeout_s=6).run(ask("ok"))
    assert outcome.status is REFUSED
    assert "was not imported within 6 s" in outcome.detail
    assert "slow.py" in outcome.detail


def test_an_undecorated_function_is_a_request_of_its_own(folder, make_replayer, ask):
    """By the usual names of its parameters; the answer is read as ever."""
    (folder / "bare.py").write_text("def ask(q, uid=0):\n    return {'answer': q.upper()}\n", "utf-8")
    outcome = make_replayer("bare:ask", warm=False).run(ask("hi"))
    assert outcome.answer == "HI"
    assert outcome.request_id is not None


def test_the_apps_init_counts_but_not_its_folder(folder, make_replayer, ask):
    """What is recorded belongs to the hub that asked."""
    app = "import goldrank\ngoldrank.init(app='mine', directory='/nowhere', endpoint='http://127.0.0.1:9')\n"
    body = "def answer(question):\n    now = goldrank.settings()\n    return f'{now.app} {now.spool} {now.endpoint}.'\n"
    (folder / "inits.py").write_text(app + body, "utf-8")
    outcome = make_replayer("inits:answer", app="other", warm=False).run(ask("x"))
    assert outcome.answer == f"mine {folder / 'data' / 'spool'} ."


def test_without_an_init_of_its_own_the_recorded_app_counts(folder, make_replayer, ask):
    """So that the new request stands beside the old one."""
    said = "f'{now.app} {now.environment}'"
    body = f"import goldrank\ndef answer(question):\n    now = goldrank.settings()\n    return {said}\n"
    (folder / "no_init.py").write_text(body, "utf-8")
    replayer = make_replayer("no_init:answer", app="support-bot", environment="production", warm=False)
    assert replayer.run(ask("x")).answer == "support-bot production"


def test_the_spool_has_the_request_before_the_answer_is_there(make_replayer, ask, tmp_path):
    """Who reads the spool after `run` finds it."""
    outcome = make_replayer(directory=tmp_path / "data", warm=False).run(ask("search"))
    written = b"".join(path.read_bytes() for path in (tmp_path / "data" / "spool").iterdir())
    assert outcome.request_id is not None
    assert outcome.request_id.encode() in written
    assert b"goldrank.replay.of" in written


# ---- when the parent goes ---------------------------------------------------------------------------

PARENT = """
import sys
from pathlib import Path
from goldrank.evals.replay import Replayer
from goldrank.model.replay import RecordedCall, ReplayPlan
def plan(question):
    return ReplayPlan(replay_of="r", call=RecordedCall(question=question))
replayer = Replayer("userapp:answer", directory=Path("data"), timeout_s=30)
print(replayer.run(plan("pid")).answer, flush=True)
replayer.run(plan(sys.argv[1]), timeout_s=5)
sys.stdin.read()
"""


@pytest.mark.parametrize("question", ["ok", "hang", pytest.param("hang in C", marks=pytest.mark.slow)])
def test_a_worker_ends_with_its_parent(folder, question):
    """Killed with -9 the parent cleans nothing up: an idle worker and a hung one end by themselves.

    One that hangs in C with the lock held cannot notice; it ends when the time of its call is long over.
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, question], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        wait_until(lambda: question == "ok" or (folder / f"hangs-{pid}").exists())
        assert not has_ended(pid)
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.communicate()
    wait_until(lambda: has_ended(pid))


def test_a_worker_deaf_in_c_ends_by_its_share_of_cpu(shared, ask):
    """Nobody may be left to kill it: the kernel does."""
    assert shared.run(ask("ok")).status is DONE
    pid = shared._worker._process.pid
    limits = Path(f"/proc/{pid}/limits").read_text("utf-8")
    soft = next(line for line in limits.splitlines() if line.startswith("Max cpu time")).split()[3]
    assert soft.isdigit()


def test_threads_that_start_workers_may_end(make_replayer, ask):
    """Streamlit's script threads are short."""
    import threading

    replayer: Replayer = make_replayer()
    answers: list[str | None] = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: answers.append(replayer.run(ask("pid")).answer))
        thread.start()
        thread.join()
    assert answers[0] == answers[1] is not None


def test_a_child_that_the_app_waits_for_ends(shared, ask):
    """Forked in the middle, it comes back from the call as well; what watches over the call is not in it."""
    outcome = shared.run(ask("fork and wait"), timeout_s=20)
    assert (outcome.status, outcome.answer) == (DONE, "from the parent")


def test_the_command_line_is_empty(shared, ask):
    """What the worker was started with is no argument of the app."""
    assert shared.run(ask("arguments")).answer == "[]"


def test_a_process_in_a_session_of_its_own_is_killed_too(make_replayer, ask):
    """It has left the group: it is known by what it inherited."""
    replayer = make_replayer()
    pid = int(replayer.run(ask("daemon")).answer)
    assert not has_ended(pid)
    replayer.close()
    wait_until(lambda: has_ended(pid))


def test_what_hangs_is_shown_without_threads_of_ours(shared, ask):
    """Whoever reads it looks for the line of the app."""
    detail = shared.run(ask("hang"), timeout_s=1).detail
    assert "userapp.py" in detail
    assert "frames.py" not in detail
