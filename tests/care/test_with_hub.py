"""A running hub does all of it: pages and the ingester go on, and its connection is exchanged under them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

USER = "ann-4711"


@pytest.fixture
def at_hub(home, parts):
    """A data folder with a hub at work on it."""
    home.write(*(parts.trace(one, f"Question {one} planted{one}", day=one) for one in range(10)))
    home.write(parts.trace(50, "Question of ann plantedann", user=USER))
    command = [sys.executable, "-m", "goldrank", "up", "--port", "0", "--no-browser", "--directory", str(home.folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as hub:
        try:
            assert hub.stdout.readline().startswith("goldrank: http://127.0.0.1:")
            assert home("ingest").code == 0
            yield home
        finally:
            hub.send_signal(signal.SIGTERM)
            hub.wait(timeout=60)


def count(home) -> int:
    """How many requests the hub has."""
    return home("sql", "select count(*) from requests", "--json").json["rows"][0][0]


@pytest.mark.timeout(400)
@pytest.mark.slow
def test_prune_forget_backup_and_restore_go_through_the_hub(at_hub, parts, tmp_path):
    """One after the other, with telemetry in between: the hub keeps its file, and nobody else opens it."""
    target = tmp_path / "made.zip"
    assert at_hub("label", parts.request_id(3), "--gold", "c-first").code == 0
    assert at_hub("backup", str(target), "--json").json["counts"]["labels"] == 1

    done = at_hub("prune", "--older-than", "2026-10-24", "--json")
    assert done.code == 0, done.err
    assert done.json["requests"] == 4
    at_hub.write(parts.trace(60, "Came while it ran"), parts.trace(9, "late", only="children"))
    assert at_hub("ingest").code == 0
    assert count(at_hub) == 8

    done = at_hub("forget", "--user", USER, "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["requests_gone"] == 1
    assert count(at_hub) == 7
    assert at_hub("requests", "plantedann").code == 1
    masked = at_hub("forget", "--text", "Came while it ran", "--yes", "--json")
    assert masked.code == 0, masked.err
    assert masked.json["masked"]["requests"] == 1

    assert at_hub("label", parts.request_id(3), "--remove", "c-first").code == 0
    restored = at_hub("restore", str(target), "--json")
    assert restored.code == 0, restored.err
    assert restored.json["unchanged"] == 1
    assert at_hub("restore", str(tmp_path / "nothing.zip")).code == 1
    assert at_hub("status").code == 0
    assert "plantedann" not in "".join(name for name in at_hub.holding("plantedann"))
    assert at_hub.holding("plantedann") == []
