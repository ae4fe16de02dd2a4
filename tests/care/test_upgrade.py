"""A store of the first release opens in every later goldrank, with every row, whoever is killed on the way."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from goldrank.store import open_store
from goldrank.store.duckdb.schema import MIGRATIONS

FIRST = Path(__file__).parent / "data" / "schema_1.sql"
REQUEST = "000000000000000000000000abcd0001-0000000000000011"


@pytest.fixture
def first_release(home):
    """A data folder as the first release left it."""
    home.folder.mkdir()
    with duckdb.connect(home.store) as connection:
        connection.execute(FIRST.read_text(encoding="utf-8"))
    return home


def rows(path: Path, columns: dict[str, list[str]]) -> dict[str, Counter[str]]:
    """Table -> its rows in these columns."""
    with duckdb.connect(path, read_only=True) as connection:
        return {
            table: Counter(map(repr, connection.execute(f"select {', '.join(names)} from {table}").fetchall()))
            for table, names in columns.items()
        }


def columns_of(path: Path) -> dict[str, list[str]]:
    """Table -> its columns, as they are now; without the record of versions."""
    with duckdb.connect(path, read_only=True) as connection:
        found: dict[str, list[str]] = {}
        for table, column in connection.execute(
            "select c.table_name, c.column_name from duckdb_columns() c join duckdb_tables() t using (table_name) "
            "where not c.internal and table_name <> 'schema_version' order by 1, c.column_index"
        ).fetchall():
            found.setdefault(table, []).append(f'"{column}"')
        return found


def version(path: Path) -> int:
    """The newest version recorded in the file."""
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute("select max(version) from schema_version").fetchall()[0][0]


def test_every_row_of_the_first_release_is_kept(first_release):
    """Opening brings the schema up to date and changes no value of any column that was there."""
    columns = columns_of(first_release.store)
    assert version(first_release.store) == 1
    before = rows(first_release.store, columns)
    assert sum(map(Counter.total, before.values())) > 200

    open_store(first_release.store).close()

    assert version(first_release.store) == MIGRATIONS.newest > 1
    assert rows(first_release.store, columns) == before


def test_what_was_made_then_is_shown_and_found_now(first_release):
    """Requests, the label of two people, the case, the ticket, and search."""
    assert "Is a refund for annual plans possible?" in first_release("requests", "refund").out
    shown = first_release("show", REQUEST)
    assert shown.code == 0, shown.err
    assert shown.out.startswith("It reached the prompt: rank 1 in bm25")
    assert "c-refunds" in first_release("label", REQUEST).out
    (case,) = first_release("cases", "list", "--json").json["rows"]
    assert (case["case"]["ticket"], case["case"]["author"]) == ("T-1042", "anna")
    assert "wrong" in first_release("complaints", "show", "T-1042").out
    assert "c-refunds" in first_release("label", REQUEST, "--find", "refunds is about").out
    with open_store(first_release.store) as store:
        assert [(one.revision, one.who) for one in store.labels.history(REQUEST)] == [(1, "anna"), (2, "ben")]


def test_reindex_backup_prune_and_new_telemetry_work_on_it(first_release, parts):
    """Everything derived is made anew, and what comes now joins what was there."""
    reindexed = first_release("reindex", "--json").json
    assert reindexed["composed"] == 3
    first_release.write(parts.trace(40, "A new question", chunks=("refunds", "new")))
    assert first_release("ingest").code == 0
    assert first_release("backup", str(first_release.folder / "b.zip"), "--json").json["counts"]["labels"] == 2
    done = first_release("prune", "--older-than", "2026-11-29", "--json").json
    assert done["requests"] + sum(done["kept"].values()) == 4
    assert first_release("show", REQUEST).code == 0


KILLED = """
import os, sys
from pathlib import Path
from goldrank.store import open_store
from goldrank.store.duckdb.schema import MIGRATIONS
place = int(sys.argv[2]) - 1
step = MIGRATIONS._steps[place]
def half(cursor):
    step.change(cursor)
    os.kill(os.getpid(), 9)
MIGRATIONS._steps[place] = step._replace(change=half)
open_store(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("step", [2, 4, MIGRATIONS.newest])
def test_killed_inside_a_step_the_version_before_it_is_left(first_release, step):
    """Nothing of the step is there; the next opening does it whole."""
    columns = columns_of(first_release.store)
    before = rows(first_release.store, columns)

    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(first_release.store), str(step)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr

    assert version_after_crash(first_release.store) == step - 1
    open_store(first_release.store).close()
    assert version(first_release.store) == MIGRATIONS.newest
    assert rows(first_release.store, columns) == before


def version_after_crash(path: Path) -> int:
    """The version, with what the log of a killed process holds."""
    with duckdb.connect(path) as connection:
        return connection.execute("select max(version) from schema_version").fetchall()[0][0]
