"""Every command works while a hub runs, and then loads no store of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from goldrank.actions import read_hub_info
from goldrank.model import short_id

TRACER = """
import sys
import goldrank.cli
code = goldrank.cli.main(sys.argv[1:])
ours = ("actions.registry", "diagnosis.examine", "store.duckdb", "collectors.ingester")
heavy = ["duckdb", "pandas", "numpy", "pyarrow", "streamlit", "plotly", *(f"goldrank.{name}" for name in ours)]
loaded = [name for name in heavy if name in sys.modules]
print(f"exit {code}, loaded {loaded}", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def hub_folder(demo_folder, tmp_path_factory):
    """A copy of the samples, held by a hub."""
    import shutil

    folder = tmp_path_factory.mktemp("hub") / "data"
    shutil.copytree(demo_folder, folder)
    command = [sys.executable, "-m", "goldrank", "up", "--port", "0", "--no-browser", "--directory", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as hub:
        try:
            assert hub.stdout.readline().startswith("goldrank: http://127.0.0.1:")
            yield folder
        finally:
            hub.send_signal(signal.SIGTERM)
            hub.wait(timeout=60)


@pytest.fixture
def hub_shell(hub_folder: Path, make_shell):
    """Commands in this process, answered by the hub in the other one."""
    return make_shell(hub_folder)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own; stderr ends with its exit code and what it loaded."""
    return subprocess.run(
        [sys.executable, "-c", TRACER, *arguments, "--directory", str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_every_command_works_while_a_hub_runs(hub_folder, hub_shell, samples, tmp_path):
    """List, show, label, promote, cases, corpus, upkeep: the hub holds the store, and all of them answer."""
    assert read_hub_info(hub_folder) is not None
    sample = samples["demoted"]
    short, gold = short_id(sample.request_id), sample.gold[0].chunk_id
    cases, chunks = tmp_path / "cases.jsonl", tmp_path / "chunks.jsonl"
    cases.write_text('{"question": "q", "relevant_chunk_ids": ["a"]}\n', encoding="utf-8")
    chunks.write_text('{"id": "a", "text": "Alpha."}\n', encoding="utf-8")
    commands = [
        ("requests", "--limit", "2"),
        ("show", short, "--gold", gold),
        ("label", short, "--find", "charities"),
        ("label", short, "--gold", gold),
        ("promote", short),
        ("cases", "list"),
        ("cases", "export"),
        ("cases", "import", str(cases)),
        ("corpus", "add", str(chunks), "--app", "bot", "--index", "docs", "--version", "1"),
        ("corpus", "list"),
        ("ingest",),
        ("reindex",),
        ("status",),
        ("sql", "select count(*) from requests"),
        ("snapshot", str(tmp_path / "copy.duckdb")),
    ]

    for command in commands:
        done = hub_shell(*command)
        assert (done.code, done.err) == (0, ""), command
        assert done.out, command

    case_id = hub_shell("cases", "list", "--json").json["rows"][0]["case"]["case_id"]
    assert hub_shell("cases", "archive", case_id).code == 0
    assert hub_shell("complaints").code == 1
    assert (tmp_path / "copy.duckdb").exists()


@pytest.mark.parametrize(
    "command",
    [("requests",), ("cases", "export"), ("status",), ("ingest",), ("show", "@"), ("label", "@"), ("complaints",)],
)
def test_a_command_through_the_hub_loads_no_store(hub_folder, samples, command):
    """It answers at once because it imports no DuckDB and no pandas, no diagnosis and no list of all actions."""
    words = [samples["demoted"].request_id if word == "@" else word for word in command]

    assert run(hub_folder, *words).stderr.splitlines()[-1].endswith("loaded []")


def test_the_demo_goes_through_the_spool_of_a_running_hub(hub_folder, samples):
    """The hub reads what the demo records, and the demo waits for it."""
    done = run(hub_folder, "demo", "--json")

    assert "exit 0, loaded []" in done.stderr
    assert len(done.stdout.splitlines()) == len(samples)


def test_two_processes_that_promote_at_once_make_one_case(hub_folder, samples):
    """Whoever is second finds the case of the first."""
    sample = samples["below_cut"]
    run(hub_folder, "label", sample.request_id, "--gold", sample.gold[0].chunk_id)
    command = ("promote", sample.request_id, "--set", "together", "--json")
    done: list[str] = []
    threads = [
        threading.Thread(target=lambda: done.append(json.loads(run(hub_folder, *command).stdout)["outcome"]))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(done) == ["already in the set", "already in the set", "created"]
    listed = json.loads(run(hub_folder, "cases", "list", "--set", "together", "--json").stdout)
    assert [row["case"]["revision"] for row in listed["rows"]] == [1]


def test_a_second_hub_is_told_who_holds_the_folder(hub_folder):
    """One sentence with process and address, exit code 3, no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "goldrank", "up", "--port", "0", "--no-browser", "--directory", str(hub_folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 3
    assert f"A hub is running on {hub_folder} (PID {read_hub_info(hub_folder).pid}, since " in done.stderr
    assert "Traceback" not in done.stderr


def test_two_commands_at_once_without_a_hub_take_turns(shell, samples):
    """Both promote the same request on the store itself: one case, no lock error."""
    sample = samples["demoted"]
    shell("label", sample.request_id, "--gold", sample.gold[0].chunk_id)
    command = [sys.executable, "-m", "goldrank", "promote", sample.request_id, "--json", "--directory"]
    processes = [subprocess.Popen([*command, str(shell.folder)], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outcomes = [json.loads(process.communicate(timeout=120)[0])["outcome"] for process in processes]

    assert sorted(outcomes) == ["already in the set", "created"]
