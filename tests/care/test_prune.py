"""Old requests go with the bytes that they had, and those that somebody worked on stay, whoever is killed meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest
from goldrank.model import StoreError, short_id
from goldrank.store import RequestFilter, open_store
from goldrank.store.duckdb import rewriting

CUT = "2026-10-15T00:00:00+00:00"
"""Between requests of day 14 and day 15 before the tests' now."""


@pytest.fixture(scope="module")
def twenty(make_home, parts, tmp_path_factory):
    """The folder of twenty requests, one a day, each with words and passages of its own."""
    home = make_home(tmp_path_factory.mktemp("twenty") / "data")
    home.write(
        *(
            parts.trace(one, f"Question {one} about planted{one}", day=one, chunks=("shared", f"own{one}"))
            for one in range(20)
        )
    )
    assert home("ingest").code == 0
    return home.folder


@pytest.fixture
def filled(home, twenty):
    """A copy of those twenty requests."""
    shutil.copytree(twenty, home.folder)
    return home


def stored(home) -> set[str]:
    """Ids of all requests."""
    rows = home("sql", "select request_id from requests", "--json").json["rows"]
    return {request_id for (request_id,) in rows}


def test_old_requests_go_and_nothing_of_them_stays(filled, parts):
    """No row, no word, no text of them is in any column afterwards; the others are found as before."""
    assert "planted17" in filled.dump()
    assert "own17" in filled.dump()

    done = filled("prune", "--older-than", CUT, "--json")

    assert done.code == 0
    assert done.json["requests"] == 5
    assert done.json["rows"]["requests"] == 5
    assert done.json["rows"]["spans"] == 15
    assert done.json["rows"]["hits"] == 10
    assert stored(filled) == {parts.request_id(one) for one in range(15)}
    dumped = filled.dump()
    for gone in range(15, 20):
        assert f"planted{gone}" not in dumped
        assert f"own{gone}" not in dumped
        assert parts.trace_id(gone) not in dumped
    assert filled("requests", "planted14").out.count("planted14") == 1
    assert filled("requests", "planted17").code == 1
    shown = filled("show", parts.request_id(3), "--gold", "c-own3")
    assert shown.code == 0
    assert "own3" in shown.out


def test_a_dry_run_says_it_and_changes_nothing(filled):
    """It counts what would go, the room that is needed meanwhile, and leaves the file as it was."""
    before = filled.dump()

    done = filled("prune", "--older-than", CUT, "--dry-run")

    assert done.code == 0
    assert "5 requests from before" in done.out
    assert "would go" in done.out
    assert "must be free" in done.out
    assert filled.dump() == before


@pytest.mark.parametrize("older", ["2999-01-01", "yesterday"])
def test_a_time_that_is_none_is_refused(filled, older):
    """Everything would go, or nobody knows what."""
    assert filled("prune", "--older-than", older).code == 2


def test_what_somebody_worked_on_stays(filled, parts):
    """Labelled, promoted and complained about: each is named with why it stays."""
    labelled, promoted, complained = (parts.request_id(one) for one in (15, 16, 17))
    assert filled("label", labelled, "--gold", "c-own15").code == 0
    assert filled("label", promoted, "--gold", "c-own16").code == 0
    assert filled("promote", promoted, "--set", "kept").code == 0
    assert filled("label", promoted, "--remove", "c-own16").code == 0
    filled.write(parts.complaint("T-1", f"Wrong answer in {complained}"))
    assert filled("ingest").code == 0

    done = filled("prune", "--older-than", CUT, "--json").json

    assert done["requests"] == 2
    assert done["kept"] == {"labelled": 2, "complained about": 1}
    assert stored(filled) == {parts.request_id(one) for one in range(18)}
    assert "own15" in filled("show", labelled, "--full").out
    assert filled("complaints", "show", "T-1").code == 0


def test_a_replay_and_its_original_stay_or_go_together(home, parts):
    """A comparison needs both: an old original stays while its replay is young, and both go when both are old."""
    first, second, third = (parts.request_id(one) for one in (1, 2, 3))
    home.write(
        parts.trace(1, "Original whose replay is young", day=30),
        parts.trace(2, "Original whose replay is old too", day=30),
        parts.trace(3, "Original that is labelled", day=30),
        parts.trace(4, "Replay of 1", day=1, replay_of=first),
        parts.trace(5, "Replay of 2", day=29, replay_of=second),
        parts.trace(6, "Replay of 3", day=29, replay_of=third),
        parts.trace(7, "Replay of 6", day=28, replay_of=parts.request_id(6)),
    )
    home("ingest")
    assert home("label", third, "--gold", "c-first").code == 0

    done = home("prune", "--older-than", CUT, "--json").json

    assert stored(home) == {parts.request_id(one) for one in (1, 3, 4, 6, 7)}
    assert done["kept"] == {"labelled": 1, "replays and originals of those that stay": 3}


def test_feedback_goes_with_its_request(filled, parts):
    """Also what came for a request that never came and is as old."""
    filled.write(parts.feedback(3, "praise for three"), parts.feedback(18, "praise for eighteen"))
    filled("ingest")

    filled("prune", "--older-than", CUT)

    assert "praise for three" in filled.dump()
    assert "praise for eighteen" not in filled.dump()


def test_late_spans_of_a_pruned_request_bring_nothing_back(filled, parts):
    """Neither its root nor its children make half a request of it; Status counts them with the reason."""
    filled("prune", "--older-than", CUT)
    filled.write(parts.trace(17, "late", only="root"), parts.trace(18, "late", only="children"))

    assert filled("ingest").code == 0

    assert stored(filled) == {parts.request_id(one) for one in range(15)}
    assert "late" not in filled.dump()
    assert "bot: 3 spans not recorded (of a pruned request)" in filled("status").out


def test_of_a_shared_trace_only_the_old_request_goes(home, parts):
    """A trace with two requests loses the old one alone, and late spans of that one stay out."""
    old, young = (parts.trace(one, f"in one trace {one}", day=day) for one, day in ((1, 30), (2, 1)))
    moved = young.replace(bytes.fromhex(parts.trace_id(2)), bytes.fromhex(parts.trace_id(1)))
    home.write(old, _with_right_checksum(moved))
    home("ingest")
    assert len(stored(home)) == 2

    home("prune", "--older-than", CUT)
    home.write(parts.trace(1, "late", only="children"))
    home("ingest")

    assert stored(home) == {f"{parts.trace_id(1)}-{parts.request_id(2)[-16:]}"}
    assert "late" not in home.dump()


def _with_right_checksum(frame: bytes) -> bytes:
    from goldrank.tracing.spool import encode

    return encode(frame[8], frame[9:])


def test_the_unread_spool_is_left_alone(filled, parts):
    """What waits there is read later, whatever its age."""
    filled.write(parts.trace(90, "waits in the spool", day=40))

    filled("prune", "--older-than", CUT)

    assert filled("ingest").code == 0
    assert parts.request_id(90) in stored(filled)


def test_the_disk_has_its_room_back(home, parts):
    """A store of many requests shrinks by about their share."""
    home.write(*(parts.trace(one, f"{one} " + os.urandom(6000).hex(), day=one % 20) for one in range(400)))
    home("ingest")
    before = home.store.stat().st_size

    done = home("prune", "--older-than", "2026-10-28T00:00:00+00:00", "--json").json

    assert done["requests"] == 360
    assert home.store.stat().st_size < before / 2
    assert done["bytes_after"] == home.store.stat().st_size


def test_without_room_on_the_disk_it_is_refused_with_the_numbers(filled, monkeypatch):
    """Before anything is changed."""
    before = filled.dump()
    usage = rewriting.shutil.disk_usage(filled.folder)
    monkeypatch.setattr(rewriting.shutil, "disk_usage", lambda _: usage._replace(free=3_000_000))

    done = filled("prune", "--older-than", CUT)

    assert done.code == 3
    assert "MB free; the disk has 3 MB. Nothing was changed" in done.err
    monkeypatch.undo()
    assert filled.dump() == before


@pytest.mark.slow
def test_readers_and_writers_go_on_while_the_file_is_replaced(filled, parts):
    """Threads that read all the time never see an error or a half; a writer's label is there afterwards."""
    problems: list[str] = []
    seen: set[int] = set()
    stop = threading.Event()
    with open_store(filled.store) as store:

        def read() -> None:
            while not stop.wait(0.002):  # a reader that never pauses takes all of the interpreter from the test
                try:
                    seen.add(store.requests.page(RequestFilter(), limit=50).matching)
                except StoreError as error:
                    problems.append(str(error))

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for days in (16, 12):
            store.erasures.prune(parts.now_ns - days * parts.day_ns, now_ns=parts.now_ns)
        stop.set()
        for reader in readers:
            reader.join()
        assert store.requests.page(RequestFilter(), limit=50).matching == 13
    assert problems == []
    assert seen <= {20, 17, 13}


def test_a_reader_that_does_not_end_stops_it(filled, parts):
    """It gives up with a sentence, the old file stays, and what was erased is gone from it all the same."""
    with open_store(filled.store) as store:
        database = store.erasures._database
        entered, leave = threading.Event(), threading.Event()

        def stay() -> None:
            with database.reading():
                entered.set()
                leave.wait()

        reader = threading.Thread(target=stay)
        reader.start()
        entered.wait()
        try:
            with pytest.raises(StoreError, match="has been reading the store"):
                database.replace(filled.store.with_name("nothing"), wait_s=0.05)
        finally:
            leave.set()
            reader.join()
        assert store.requests.page(RequestFilter(), limit=1).matching == 20


KILLED = """
import os, sys
from pathlib import Path
from goldrank.store import open_store
from goldrank.store.duckdb import database, rewriting, unreferenced
place = sys.argv[2]
def dies(*_):
    os.kill(os.getpid(), 9)
def before(module, name):
    setattr(module, name, dies)
def after(module, name):
    real = getattr(module, name)
    def call(*given, **more):
        real(*given, **more)
        dies()
    setattr(module, name, call)
store = open_store(Path(sys.argv[1]))
{
    "inside the change": lambda: before(unreferenced, "rebuild_search"),
    "between change and copy": lambda: before(rewriting, "_fill"),
    "inside the copy": lambda: after(rewriting, "_copy"),
    "before the exchange": lambda: before(database.Database, "replace"),
    "inside the exchange": lambda: before(database.Path, "replace"),
    "after the exchange": lambda: after(database, "_sync_folder"),
}[place]()
store.erasures.prune(int(sys.argv[3]), now_ns=int(sys.argv[4]))
"""


@pytest.mark.parametrize(
    ("place", "left"),
    [
        ("inside the change", 20),
        pytest.param("between change and copy", 15, marks=pytest.mark.slow),
        pytest.param("inside the copy", 15, marks=pytest.mark.slow),
        pytest.param("before the exchange", 15, marks=pytest.mark.slow),
        ("inside the exchange", 15),
        pytest.param("after the exchange", 15, marks=pytest.mark.slow),
    ],
)
def test_killed_at_any_moment_the_store_is_whole(filled, parts, place, left, monkeypatch):
    """All requests or all that stay, and never a file beside it; the next opening finishes what was begun."""
    cut = parts.now_ns - 14 * parts.day_ns - parts.day_ns // 2
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(filled.store), place, str(cut), str(parts.now_ns)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr

    with open_store(filled.store) as store:
        assert store.requests.page(RequestFilter(), limit=50).matching == left
        assert not store.erasures.finish(), "opening it has finished it"

    assert sorted(path.name for path in filled.folder.glob("store.duckdb*")) == ["store.duckdb"]
    if left == 15:
        assert "planted17" not in filled.dump()
    assert filled("prune", "--older-than", CUT).code == 0
    assert len(stored(filled)) == 15


def test_a_copy_that_differs_is_not_taken(filled, parts, monkeypatch):
    """The rows of both files are compared before one takes the place of the other."""
    real = rewriting.insert_table

    def loses_a_row(cursor, table, rows):
        real(cursor, table, rows.slice(1) if table == "hit_rows" else rows)

    monkeypatch.setattr(rewriting, "insert_table", loses_a_row)
    with open_store(filled.store) as store, pytest.raises(StoreError, match="The copy of hit_rows holds"):
        store.erasures.prune(parts.now_ns - 15 * parts.day_ns, now_ns=parts.now_ns)
    monkeypatch.undo()

    with duckdb.connect(filled.store, read_only=True) as connection:
        assert connection.execute("select count(*) from hits").fetchall() == [(32,)]
    assert not filled.store.with_name("store.duckdb.new").exists()


def test_pruned_requests_are_remembered_for_a_month(filled, parts):
    """After that an old file may be imported again, and the store does not grow for ever."""
    with open_store(filled.store) as store:
        store.erasures.prune(parts.now_ns - 15 * parts.day_ns, now_ns=parts.now_ns)
        assert store.erasures.sieve().request_gone(parts.request_id(17))
        store.erasures.prune(parts.now_ns - 15 * parts.day_ns, now_ns=parts.now_ns + 31 * parts.day_ns)
        assert not store.erasures.sieve().request_gone(parts.request_id(17))


def test_the_ingester_goes_on_with_what_is_left(filled, parts):
    """Texts and chunks that went are stored anew when they come again: no number of a row that is gone is used."""
    filled("prune", "--older-than", CUT)
    filled.write(parts.trace(95, "own17 comes again", chunks=("own17", "shared")))
    filled("ingest")

    shown = filled("show", parts.request_id(95), "--gold", "c-own17", "--full")
    assert shown.code == 0, shown.err
    assert short_id(parts.request_id(95)) in filled("requests", "comes").out
    assert filled("reindex").code == 0


def test_the_secret_stays_the_same(filled):
    """Or no tombstone would be known any more after the file was written anew."""
    with duckdb.connect(filled.store, read_only=True) as connection:
        before = connection.execute("select secret from erasure_state").fetchall()
    filled("prune", "--older-than", CUT)
    with duckdb.connect(filled.store, read_only=True) as connection:
        assert connection.execute("select secret, rewrite_due from erasure_state").fetchall() == [(*before[0], False)]
    assert isinstance(filled.store, Path)
