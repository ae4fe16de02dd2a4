"""A data folder with the shipped samples, and a way to run commands on it."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from goldrank.cli import main
from goldrank.commands import Terminal
from goldrank.sample_traces import Sample, load_samples


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Shell:
    """Runs commands in this process on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, screen: bool = False) -> Done:
        """One command; usage errors of argparse become their exit code."""
        streams = (Screen(), Screen()) if screen else (io.StringIO(), io.StringIO())
        terminal = Terminal(*streams)
        try:
            code = main([*arguments, "--directory", str(self.folder)], terminal)
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        return Done(code, streams[0].getvalue(), streams[1].getvalue())


@pytest.fixture(scope="session")
def samples() -> dict[str, Sample]:
    """The shipped samples by name."""
    return {sample.name: sample for sample in load_samples()}


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which `goldrank demo` was run; nobody changes it."""
    folder = tmp_path_factory.mktemp("demo") / ".goldrank"
    assert Shell(folder)("demo").code == 0
    return folder


@pytest.fixture
def shell(demo_folder: Path, tmp_path: Path) -> Shell:
    """A shell on a copy of the samples."""
    folder = tmp_path / "data"
    shutil.copytree(demo_folder, folder)
    return Shell(folder)


@pytest.fixture
def make_shell():
    """A shell on a given folder."""
    return Shell


@pytest.fixture
def empty_shell(tmp_path: Path) -> Shell:
    """A shell on a folder that does not exist yet."""
    return Shell(tmp_path / "nothing")
