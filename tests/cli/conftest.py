"""A data folder with the shipped samples, and a way to run commands on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from goldrank.sample_traces import Sample, load_samples
from shell import Shell


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
