"""The store on DuckDB: one file, opened for writing by one process.

from goldrank.store.duckdb import open_store

with open_store(Path(".goldrank/store.duckdb")) as store:
    print(store.query("select count(*) from requests", limit=1).rows)
"""

from __future__ import annotations

from .store import DuckStore, open_store

__all__ = ["DuckStore", "open_store"]
