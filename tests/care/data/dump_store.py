"""Writes a closed store as SQL that makes it again: how the files beside this one were made, with the goldrank of then.

    python dump_store.py .goldrank/store.duckdb > schema_1.sql

`schema_1.sql` was made by the first goldrank whose store had schema version 1: three requests were recorded, one of
them labelled by two people, promoted and complained about. Never edit it; add another file for another version.
"""

from __future__ import annotations

import sys

import duckdb


def literal(value: object) -> str:
    """A value as SQL."""
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return "unhex('" + value.hex() + "')"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def main(path: str) -> None:
    """Tables, rows in their order, then views."""
    with duckdb.connect(path, read_only=True) as connection:
        tables = connection.execute("select table_name, sql from duckdb_tables() order by table_name").fetchall()
        views = connection.execute("select sql from duckdb_views() where not internal order by view_oid").fetchall()
        for table, sql in tables:
            sys.stdout.write(f"{sql}\n")
            for row in connection.execute(f"select * from {table} order by rowid").fetchall():
                sys.stdout.write(f"insert into {table} values ({', '.join(map(literal, row))});\n")
        for (sql,) in views:
            sys.stdout.write(f"{sql}\n")


if __name__ == "__main__":
    main(sys.argv[1])
