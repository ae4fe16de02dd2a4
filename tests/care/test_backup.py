"""What people made by hand goes out into a file and comes back, whole, once, and without overwriting anything."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest
from goldrank.model.batch import BatchOutcome, BatchResult, ReplayBatch
from goldrank.model.saved_filter import SavedFilter
from goldrank.model.triage import Triage, TriageState
from goldrank.store import open_store


@pytest.fixture
def worked(home, parts):
    """Two requests with all that people can make of them."""
    home.write(parts.trace(1, "First question"), parts.trace(2, "Second question"))
    home.write(parts.complaint("T-1", "wrong answer", request_id=parts.request_id(1)))
    assert home("ingest").code == 0
    assert home("label", parts.request_id(1), "--gold", "c-first", "--who", "anna").code == 0
    assert home("label", parts.request_id(1), "--gold", "c-first", "--grade", "3").code == 0
    assert home("label", parts.request_id(2), "--gold", "c-second").code == 0
    assert home("label", parts.request_id(2), "--remove", "c-second").code == 0
    assert home("promote", parts.request_id(1), "--set", "golden").code == 0
    assert home("complaints", "note", "T-1", "looked at it").code == 0
    with open_store(home.store) as store:
        store.saved_filters.save(SavedFilter(name="mine", params="words=x", who="anna", at_ns=1))
        store.triages.save(
            Triage(request_id=parts.request_id(2), state=TriageState.LATER, who="anna", at_ns=2, assigned_to="ben")
        )
        batch = ReplayBatch(
            batch_id="b-1", target="app:x", source="all", request_ids=(parts.request_id(1),), who="anna", at_ns=3
        )
        store.batches.save(batch)
        store.batches.add(
            BatchResult(
                batch_id="b-1",
                request_id=parts.request_id(1),
                outcome=BatchOutcome.FIXED,
                then_verdict="demoted",
                at_ns=4,
            )
        )
    return home


def handmade(home) -> list[str]:
    """All rows of the tables that a backup is about, without their places."""
    kinds = ("labels", "cases", "complaints", "triages", "saved_filters", "replay_batches", "replay_results")
    return sorted(
        line.partition(": (")[0] + line.partition(", ")[2]
        for line in home.dump().splitlines()
        if line.partition(":")[0] in kinds
    )


def backed_up(home, name: str = "made.zip"):
    """A backup of the folder."""
    target = home.folder.parent / name
    done = home("backup", str(target), "--overwrite", "--json")
    assert done.code == 0, done.err
    return target


def test_it_holds_every_kind_and_says_so(worked):
    """Counts in the answer, and readable lines with checksums in the file."""
    done = worked("backup", str(worked.folder.parent / "one.zip"), "--json").json

    assert done["counts"] == {
        "labels": 2,
        "cases": 1,
        "complaints": 1,
        "triages": 1,
        "saved_filters": 1,
        "batches": 1,
        "batch_results": 1,
    }
    with zipfile.ZipFile(done["path"]) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["format"] == "goldrank backup"
        assert manifest["files"]["labels.jsonl"]["lines"] == 2
        lines = [json.loads(line) for line in archive.read("labels.jsonl").splitlines()]
    assert [len(line["revisions"]) for line in lines] == [2, 2]
    assert lines[0]["revisions"][0]["target"]["chunk_id"] == "c-first"


def test_into_an_empty_store_everything_comes_back(worked, make_home, tmp_path):
    """Row for row, histories included; the second time nothing changes."""
    target = backed_up(worked)
    empty = make_home(tmp_path / "empty")

    done = empty("restore", str(target), "--json")

    assert done.code == 0, done.err
    assert (done.json["added"], done.json["unchanged"]) == (8, 0)
    assert done.json["waiting"] == 1
    assert handmade(empty) == handmade(worked)
    again = empty("restore", str(target), "--json").json
    assert (again["added"], again["continued"], again["unchanged"]) == (0, 0, 8)
    assert handmade(empty) == handmade(worked)


def test_labels_wait_for_their_request(worked, make_home, tmp_path, parts):
    """They count as soon as the request comes."""
    empty = make_home(tmp_path / "empty")
    empty("restore", str(backed_up(worked)))

    empty.write(parts.trace(1, "First question"))
    empty("ingest")

    listed = empty("requests", "--labelled", "--json").json
    assert [row["request_id"] for row in listed["rows"]] == [parts.request_id(1)]
    assert empty("restore", str(backed_up(worked)), "--json").json["waiting"] == 0
    assert "c-first" in empty("show", parts.request_id(1)).out


def test_newer_revisions_are_appended_and_older_ones_change_nothing(worked, make_home, tmp_path, parts):
    """A backup that goes on where the store ends is taken; one that ends earlier is not."""
    early = backed_up(worked, "early.zip")
    copy = make_home(tmp_path / "copy")
    shutil.copytree(worked.folder, copy.folder)
    worked("label", parts.request_id(1), "--gold", "c-first", "--grade", "4")
    late = backed_up(worked, "late.zip")

    done = copy("restore", str(late), "--json").json
    assert (done["continued"], done["added"], done["conflicts"]) == (1, 0, [])
    assert handmade(copy) == handmade(worked)

    assert copy("restore", str(early), "--json").json["continued"] == 0
    assert handmade(copy) == handmade(worked)


def test_a_conflict_is_said_and_nothing_is_overwritten(worked, make_home, tmp_path, parts):
    """Two people graded differently since: the store's stays, unless the backup is to count."""
    other = make_home(tmp_path / "other")
    shutil.copytree(worked.folder, other.folder)
    worked("label", parts.request_id(1), "--gold", "c-first", "--grade", "4")
    other("label", parts.request_id(1), "--gold", "c-first", "--grade", "2")
    target, before = backed_up(worked), handmade(other)

    done = other("restore", str(target))

    assert done.code == 1
    assert "labels: " in done.err
    assert "was left as it is" in done.err
    assert handmade(other) == before
    replaced = other("restore", str(target), "--replace", "--json")
    assert replaced.code == 0
    assert replaced.json["replaced"] == 1
    assert handmade(other) == handmade(worked)


def test_a_set_keeps_one_case_a_question(worked, make_home, tmp_path, parts):
    """The same question promoted in two stores: named, and with --replace the store's own is archived, not lost."""
    other = make_home(tmp_path / "other")
    other.write(parts.trace(3, "First question"))
    other("ingest")
    other("label", parts.request_id(3), "--gold", "c-second")
    other("promote", parts.request_id(3), "--set", "golden")
    mine = other("cases", "list", "--json").json["rows"][0]["case"]["case_id"]
    target = backed_up(worked)
    theirs = worked("cases", "list", "--json").json["rows"][0]["case"]["case_id"]
    if mine == theirs:  # ids of cases are made of set and key
        assert "cases: " in other("restore", str(target)).err
        return

    done = other("restore", str(target))
    assert done.code == 1
    assert "asks the same in that set" in done.err
    assert other("restore", str(target), "--replace").code == 0
    rows = other("cases", "list", "--json").json["rows"]
    assert [row["case"]["case_id"] for row in rows] == [theirs]
    assert mine in other("cases", "list", "--archived").out


def test_what_was_forgotten_does_not_come_back(worked, parts):
    """A backup made before holds it; the store knows better."""
    target = backed_up(worked)
    worked("forget", "--request", parts.request_id(1), "--yes")
    worked("forget", "--text", "looked at it", "--yes")

    done = worked("restore", str(target), "--json").json

    assert done["forgotten"] == 5
    assert parts.trace_id(1) not in "\n".join(handmade(worked))
    assert "looked at it" not in worked.dump()


@pytest.mark.parametrize("damage", ["truncated", "changed line", "missing file", "no zip", "newer", "not there"])
def test_a_damaged_backup_is_refused_as_a_whole(worked, make_home, tmp_path, damage):
    """With a sentence and exit code 1, before anything is stored."""
    good = backed_up(worked)
    bad = tmp_path / "bad.zip"
    if damage == "truncated":
        bad.write_bytes(good.read_bytes()[:-200])
    elif damage == "no zip":
        bad.write_bytes(b"hello")
    elif damage != "not there":
        with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
            for name in source.namelist():
                data = source.read(name)
                if name == "cases.jsonl" and damage == "missing file":
                    continue
                if name == "cases.jsonl" and damage == "changed line":
                    data = data.replace(b"First question", b"Other question")
                if name == "manifest.json" and damage == "newer":
                    data = data.replace(b'"version": 1', b'"version": 2')
                target.writestr(name, data)
    empty = make_home(tmp_path / "empty")

    done = empty("restore", str(bad))

    assert done.code == 1
    assert str(bad) in done.err
    assert "Traceback" not in done.err
    assert handmade(empty) == []


def test_a_backup_is_not_overwritten_by_mistake(worked):
    """Unless told; and only its owner reads it."""
    target = backed_up(worked)

    assert worked("backup", str(target)).code == 1
    assert worked("backup", str(target), "--overwrite").code == 0
    assert target.stat().st_mode & 0o777 == 0o600
    assert worked("backup", str(target.parent / "no" / "where.zip")).code == 2


def test_a_backup_does_not_bring_back_what_was_forgotten_of_a_shared_thing(home, parts, tmp_path):
    """A case and a batch of two requests, one of which was forgotten; a saved filter for a forgotten user."""
    home.write(*(parts.trace(one, "The same question", user=user) for one, user in ((1, "ann-4711"), (2, "bob"))))
    home("ingest")
    for one in (1, 2):
        home("label", parts.request_id(one), "--gold", "c-first")
        home("promote", parts.request_id(one), "--set", "kept", "--ticket", "T-planted")
    with open_store(home.store) as store:
        both = (parts.request_id(1), parts.request_id(2))
        store.batches.save(
            ReplayBatch(batch_id="b-1", target="app:x", source="all", request_ids=both, who="anna", at_ns=3)
        )
        store.saved_filters.save(SavedFilter(name="hers", params="user=ann-4711", who="anna", at_ns=1))
    home("backup", tmp_path / "made.zip")
    home("forget", "--user", "ann-4711", "--yes")
    before = home.dump()
    assert "T-planted" not in before

    for options in ((), ("--replace",)):
        done = home("restore", tmp_path / "made.zip", "--json", *options)

        assert done.code == 0, done.err
        after = home.dump()
        for gone in (parts.trace_id(1), "T-planted", "ann-4711"):
            assert gone not in after, gone
        assert done.json["replaced"] == 0
        assert done.json["forgotten"] == 2
