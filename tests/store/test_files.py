"""The file itself: who holds it, what is broken, copies, and queries that only read."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest
from goldrank.model import EvalCase, StoreError, StoreLocked, UsageError
from goldrank.store import RequestFilter, open_store
from goldrank.store.duckdb.schema import MIGRATIONS

HOLD = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
connection.execute("create table if not exists held(i int)")
print("held", flush=True)
sys.stdin.read()
"""
CRASH = """
import os, sys
from pathlib import Path
from goldrank.model import Complaint
from goldrank.store import open_store
store = open_store(Path(sys.argv[1]))
for number in range(50):
    store.complaints.save(Complaint(complaint_id=f"T-{number}", text="x" * 1000, at_ns=number))
print("saved", flush=True)
os._exit(9)
"""
OPENS = """
import sys
from pathlib import Path
from goldrank.model import StoreError
from goldrank.store import open_store
try:
    with open_store(Path(sys.argv[1]), read_only="read" in sys.argv) as store:
        print("opened", store.complaints.count())
except StoreError as error:
    print(type(error).__name__, error)
"""


def run(program, *arguments):
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.strip()


def test_a_held_file_names_the_holder(path):
    """The message names the process and one thing to do."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreLocked, match=rf"held by python\S* \(PID {holder.pid}\)\. Close that program"):
            open_store(path)
        with pytest.raises(StoreLocked, match=rf"PID {holder.pid}"):
            open_store(path, read_only=True)
        (path.parent / "hub.json").write_text(f'{{"pid": {holder.pid}, "url": "http://127.0.0.1:8501"}}')
        with pytest.raises(StoreLocked, match=r"held by the goldrank hub .* at http://127\.0\.0\.1:8501"):
            open_store(path)
        (path.parent / "hub.json").write_text("not json")
        with pytest.raises(StoreLocked, match=rf"PID {holder.pid}"):
            open_store(path)
        holder.stdin.close()


def test_one_process_opens_it_once(path):
    """A second store of the same file in one process is told so, and the first goes on."""
    with open_store(path) as store:
        with pytest.raises(StoreLocked, match="in this process"):
            open_store(path)
        assert store.complaints.count() == 0
    with open_store(path) as again:
        assert again.complaints.count() == 0


def test_a_killed_writer_loses_nothing_it_saved(path):
    """What was saved before a kill -9 is there when the file is opened again."""
    assert run(CRASH, path) == "saved"
    with open_store(path) as store:
        assert store.complaints.count() == 50


@pytest.mark.parametrize("damage", ["garbage", pytest.param("middle", marks=pytest.mark.slow)])
def test_a_damaged_log_is_named_and_left_alone(path, damage):
    """Neither the file nor its log is touched; the message says what to do. Following it opens the store."""
    run(CRASH, path)
    log = path.with_name(path.name + ".wal")
    whole = log.read_bytes()
    broken = b"garbage" * 100 if damage == "garbage" else whole[:4000] + b"\xff" * 64 + whole[4064:]
    log.write_bytes(broken)
    before = path.read_bytes()
    for mode in ("read", "write"):
        said = run(OPENS, path, mode)
        assert said.startswith("StoreError")
        assert str(log) in said
        assert "damaged" in said
        assert "Nothing was changed" in said
    assert (path.read_bytes(), log.read_bytes()) == (before, broken)
    log.rename(str(log) + ".damaged")
    with open_store(path) as store:
        assert store.complaints.count() <= 50


@pytest.mark.parametrize("content", [b"", b"hello" * 1000])
def test_a_file_that_is_no_store(path, content):
    """It is named and left alone."""
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a DuckDB file"):
        open_store(path)
    assert path.read_bytes() == content


def test_a_duckdb_file_of_somebody_else(path):
    """Tables that are not ours are not touched."""
    with duckdb.connect(path) as connection:
        connection.execute("create table theirs(i int)")
    with pytest.raises(StoreError, match="no store of goldrank"):
        open_store(path)
    with duckdb.connect(path) as connection:
        assert connection.execute("select table_name from duckdb_tables()").fetchall() == [("theirs",)]


def test_a_newer_store_is_refused(path):
    """A goldrank that does not know the schema changes nothing."""
    open_store(path).close()
    with duckdb.connect(path) as connection:
        connection.execute("insert into schema_version values (999, 'future', '2030-01-01', 'because', 0)")
    with pytest.raises(StoreError, match=f"version 999; this goldrank knows versions up to {MIGRATIONS.newest}"):
        open_store(path)


def test_reading_only(path, make):
    """A read-only store reads, and says so when something would be written; a missing one is not made."""
    with pytest.raises(StoreError, match="no store at"):
        open_store(path, read_only=True)
    assert not path.exists()
    made = make.request(1)
    with open_store(path) as store:
        store.intake.commit(make.batch(made))
    with open_store(path, read_only=True) as store:
        assert store.requests.get(made.request_id) == made.recorded
        with pytest.raises(StoreError, match="read-only"):
            store.labels.save((make.label(made.request_id),))


def test_a_folder_in_the_way(path):
    """A place that cannot be opened is named."""
    path.mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(path)


def test_only_the_owner_reads_the_file(path):
    """It holds what users asked."""
    open_store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_closed_store_says_so(path):
    """Closing twice is harmless; reading afterwards is an error with a sentence."""
    store = open_store(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.complaints.count()


def test_a_snapshot_opens_in_another_process(store, path, make, tmp_path):
    """While this store goes on being written, the copy opens elsewhere and holds what was there."""
    made = make.request(1)
    store.intake.commit(make.batch(made))
    copy = tmp_path / "copies" / "copy.duckdb"
    store.snapshot(copy)
    store.intake.commit(make.batch(make.request(2)))
    program = (
        "import sys, duckdb; print(duckdb.connect(sys.argv[1], read_only=True)"
        ".execute('select request_id from requests').fetchall())"
    )
    assert run(program, copy) == f"[('{made.request_id}',)]"
    assert run(OPENS, path).startswith("StoreLocked"), "the copy must not have dropped the lock"
    store.snapshot(copy)
    assert [file.name for file in copy.parent.iterdir()] == ["copy.duckdb"]
    with open_store(copy, read_only=True) as copied:
        assert copied.requests.page(RequestFilter(), limit=1).stored == 2


def test_a_snapshot_that_cannot_be_written(store, path, tmp_path):
    """The store itself, a folder, or a place below a file is refused, and nothing is left behind."""
    with pytest.raises(UsageError, match="the store itself"):
        store.snapshot(path)
    with pytest.raises(UsageError, match="a folder"):
        store.snapshot(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="could not be written"):
        store.snapshot(tmp_path / "file" / "copy.duckdb")


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) as n from requests",
        "with a as (select 1) select * from a",
        "from requests select count(*)",
        "describe requests",
        "show tables",
        "explain select 1",
        "values (1)",
        "select 1;",
    ],
)
def test_queries_that_read(store, sql):
    """Every form of reading is possible."""
    table = store.query(sql, limit=100)
    assert table.columns
    assert table.rows


@pytest.mark.parametrize(
    "sql",
    [
        "delete from requests",
        "insert into ingested values ('a', 1)",
        "drop table requests",
        "create table t(i int)",
        "create temp table t(i int)",
        "with x as (insert into ingested values ('a', 1) returning *) select * from x",
        "explain analyze insert into ingested values ('a', 1)",
        "from query('drop table requests')",
        "select 1; drop table requests",
        "select 1; select 2",
        "",
        "-- nothing",
        "copy requests to '/tmp/goldrank-must-not-exist.csv'",
        "select * from read_csv('/etc/passwd')",
        "from '/etc/passwd'",
        "select * from glob('/*')",
        "select * from read_text('/etc/passwd')",
        "attach '/tmp/goldrank-must-not-exist.duckdb'",
        "set enable_external_access = true",
        "pragma threads = 1",
        "install httpfs",
        "load httpfs",
        "checkpoint",
        "commit",
        "export database '/tmp/goldrank-must-not-exist'",
        "selekt 1",
        "select nothing from requests",
        "select 1/",
    ],
)
def test_queries_that_do_anything_else_are_refused(store, sql):
    """Whatever it tries, nothing changes, no file is read, and the store goes on."""
    before = store.query("select count(*) from duckdb_tables()", limit=1).rows
    with pytest.raises(UsageError):
        store.query(sql, limit=5)
    assert store.query("select count(*) from duckdb_tables()", limit=1).rows == before
    assert store.query("select count(*) from ingested", limit=1).rows == ((0,),)


def test_a_query_stops_at_its_limit(store):
    """Rows up to the limit, and whether there are more."""
    assert store.query("select * from range(5)", limit=5).more is False
    table = store.query("select * from range(6) order by 1", limit=5)
    assert (len(table.rows), table.more) == (5, True)
    assert store.query("select 1 where false", limit=5).rows == ()


@pytest.mark.slow
def test_many_sessions_read_while_two_promote(store, make):
    """Eight sessions read a hundred times each while two promote: no wrong answer, no error, one case a question."""
    made = [
        make.request(
            number, question=f"question {number}", chunks=tuple((f"t{number}-c{i}", None) for i in range(number + 1))
        )
        for number in range(60)
    ]
    store.intake.commit(make.batch(*made))

    def session(place):
        wrong = 0
        for turn in range(100):
            number = (place * 7 + turn) % 60
            found = store.requests.get(made[number].request_id)
            wrong += len(found.stages[0].hits) != number + 1
        return wrong

    def promote(user):
        won = 0
        for number in range(60):
            case = EvalCase(
                case_id=f"{user}-{number}",
                case_key=f"key-{number}",
                eval_set="main",
                question=f"question {number}",
                labels=(),
            )
            won += store.cases.save(case, expected_revision=None)
        return won

    with ThreadPoolExecutor(10) as sessions:
        promoted = [sessions.submit(promote, user) for user in ("a", "b")]
        wrong = [sessions.submit(session, place) for place in range(8)]
        assert [one.result() for one in wrong] == [0] * 8
        assert sum(one.result() for one in promoted) == 60
    assert store.query("select count(*) from cases", limit=1).rows == ((60,),)


def test_several_calls_read_one_state(store, make):
    """What another thread stores meanwhile is seen afterwards; what this one writes inside is stored all the same."""

    def count() -> int:
        return store.requests.page(RequestFilter(), limit=10).matching

    store.intake.commit(make.batch(make.request(1)))
    with store.reading():
        assert count() == 1
        writer = threading.Thread(target=store.intake.commit, args=(make.batch(make.request(2)),))
        writer.start()
        writer.join()
        with store.reading():
            assert count() == 1
        store.intake.commit(make.batch(make.request(3)))
        assert count() == 1
    assert count() == 3


def test_writers_wait_for_each_other(store, make):
    """Whoever holds the lock reads and writes undisturbed; it may be taken again by the same thread."""
    entered = threading.Event()
    with store.writing(), store.writing():
        other = threading.Thread(target=lambda: (store.labels.save((make.label("r"),)), entered.set()))
        other.start()
        assert store.labels.of("r") == ()
        store.labels.save((make.label("r", "mine"),))
        assert not entered.is_set()
    other.join()
    assert entered.is_set()
    assert len(store.labels.of("r")) == 2


def test_importing_the_store_loads_no_duckdb():
    """The protocols are there before DuckDB is."""
    program = "import sys, goldrank.store; print('duckdb' in sys.modules, 'pyarrow' in sys.modules)"
    assert run(program) == "False False"
