"""The tables of what was erased."""

from __future__ import annotations

from typing import Final

ERASURE: Final = """
create table tombstones(
    kind varchar not null, digest ubigint not null, head ubigint not null, words integer not null,
    cause varchar not null, at_ns bigint not null
);
-- One row. The secret makes the hashes above: nobody can compare them with those of another store. `rewrite_due`: rows
-- were erased, and the file still has to be written anew without them.
create table erasure_state(secret blob not null, rewrite_due boolean not null);
"""
