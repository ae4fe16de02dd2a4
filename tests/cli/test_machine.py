"""A full disk, a folder without rights: one line and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from goldrank.actions.folder import Folder
from goldrank.actions.hub_link import hub_lock, read_holder
from goldrank.cli import main


def full(*_: Any) -> int:
    """A disk without room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_keeps_nobody_from_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Who holds the folder is only said to others: what cannot be written there is no reason to stop."""
    monkeypatch.setattr(os, "pwrite", full)
    with hub_lock(tmp_path):
        assert read_holder(tmp_path) is None


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: Any):
    """A file stands there, say: what is wrong with it, and how to name another one."""
    (tmp_path / "file").write_text("x")
    for command in (["demo"], ["ingest"], ["up", "--port", "0", "--no-browser"]):
        code = main([*command, "--directory", str(tmp_path / "file" / "data")])
        said = capsys.readouterr().err
        assert code == (1 if command == ["ingest"] else 3)
        assert said.count("\n") == 1
        if code == 3:
            assert "file/data cannot be used as data folder: Not a directory. Name another one with" in said


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_what_the_machine_refuses_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, number: int
):
    """Wherever it comes up: exit code 3, with the file and the reason."""

    def refuse(_folder: Folder) -> None:
        raise OSError(number, os.strerror(number), "/data/x")

    monkeypatch.setattr(Folder, "make", refuse)
    assert main(["demo", "--directory", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert said == f"goldrank: /data/x cannot be used: {os.strerror(number)}.\n"


def test_a_hub_looks_for_room_before_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    """Nothing is half started: the sentence is all that it says."""
    monkeypatch.setattr(Folder, "check_room", full)
    assert main(["up", "--directory", str(tmp_path), "--port", "0", "--no-browser"]) == 3
    assert capsys.readouterr().err == f"goldrank: {tmp_path} cannot be used: No space left on device\n"
