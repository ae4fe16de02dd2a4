"""Which data folder is meant, and how it is named to people."""

from pathlib import Path

import pytest
from goldrank.actions import Folder, data_directory


@pytest.mark.parametrize("written", ["data", "./data", "other/../data", "other/.././data/"])
def test_one_folder_has_one_name(written, tmp_path, monkeypatch):
    """However the folder was written, `status` and every message name it in the same way."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()

    assert str(data_directory(written)) == str(tmp_path / "data")
    assert str(Folder(Path(written)).spool) == str(tmp_path / "data" / "spool")


def test_two_dots_behind_a_link_lead_to_where_the_system_goes(tmp_path, monkeypatch):
    """`link/../data` is beside the folder that the link leads to, and not beside the link."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")

    assert data_directory("link/../data") == tmp_path / "far" / "data"
    assert data_directory("link") == tmp_path / "link"


def test_the_argument_comes_before_the_environment(tmp_path, monkeypatch):
    """The argument, else GOLDRANK_DIR, else `.goldrank` here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDRANK_DIR", "from-environment")

    assert data_directory("argument") == tmp_path / "argument"
    assert data_directory() == tmp_path / "from-environment"
    monkeypatch.delenv("GOLDRANK_DIR")
    assert data_directory() == tmp_path / ".goldrank"
