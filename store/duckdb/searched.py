"""Which corpora a request searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import duckdb

from ...model import RecordedRequest, StageKind
from .corpora import COMPLETE
from .known import rid_of
from .row import first_row, number, rows_of


class Corpus(NamedTuple):
    """A complete manifest."""

    corpus_key: int
    environment: str
    index_name: str
    version: str


class Searched(NamedTuple):
    """The corpora of a request, one for each index that it searched and whose manifest is known."""

    app: str
    corpora: tuple[Corpus, ...]
    unknown: frozenset[str]
    """Indexes that it searched in a version without a complete manifest."""

    def of_index(self, index: str | None) -> Searched:
        """Only this index, where it is one of them; a label of no index or of another one looks into all."""
        if index is None or index not in {corpus.index_name for corpus in self.corpora} | self.unknown:
            return self
        return Searched(
            self.app,
            tuple(corpus for corpus in self.corpora if corpus.index_name == index),
            self.unknown & {index},
        )

    @property
    def known(self) -> bool:
        """Whether everything that was searched is known."""
        return bool(self.corpora) and not self.unknown


def searched_corpora(cursor: duckdb.DuckDBPyConnection, request_id: str) -> Searched:
    """The manifest of each index version that the request's retrieve stages name.

    Where a stage names no version, the newest of its index; where no stage names an index, the newest of every
    index of the app. A manifest of the request's environment comes before one that names none.
    """
    rid = rid_of(cursor, request_id)
    row = None if rid is None else first_row(cursor, "select app, environment from requests where rid = ?", [rid])
    if row is None:
        return Searched("", (), frozenset())
    app, environment = row
    corpora = _corpora(cursor, app, environment)
    if not corpora:
        return Searched(app, (), frozenset())
    named = rows_of(
        cursor, "select index_name, index_version from stages where rid = ? and kind = 'retrieve' order by place", [rid]
    )
    return _searched(app, corpora, named)


def corpora_of(cursor: duckdb.DuckDBPyConnection, recorded: RecordedRequest) -> Searched:
    """The same for a request that was read already."""
    request = recorded.request
    named = [(stage.index, stage.index_version) for stage in recorded.stages if stage.kind is StageKind.RETRIEVE]
    return _searched(request.app, _corpora(cursor, request.app, request.environment), named)


def _searched(app: str, corpora: list[Corpus], named: Sequence[tuple[str | None, str | None]]) -> Searched:
    """Of these manifests, best first, those of the indexes and versions that stages name."""
    indexes = dict.fromkeys(corpus.index_name for corpus in corpora)
    found: dict[int, Corpus] = {}
    unknown = set()
    for index, version in [one for one in named if one != (None, None)] or [(index, None) for index in indexes]:
        matching = [
            corpus
            for corpus in corpora
            if (index is None or corpus.index_name == index) and (version is None or corpus.version == version)
        ]
        if matching:
            found[matching[0].corpus_key] = matching[0]
        elif corpora:
            unknown.add(index or "")
    return Searched(app, tuple(found.values()), frozenset(unknown))


def newest_corpora(cursor: duckdb.DuckDBPyConnection, app: str, environment: str) -> Searched:
    """The newest complete manifest of every index of the app, as a request of today would search it."""
    newest: dict[str, Corpus] = {}
    for corpus in _corpora(cursor, app, environment):
        newest.setdefault(corpus.index_name, corpus)
    return Searched(app, tuple(newest.values()), frozenset())


def _corpora(cursor: duckdb.DuckDBPyConnection, app: str, environment: str) -> list[Corpus]:
    """Complete manifests of the app, the fitting environment first, then the newest."""
    if not number(cursor, "select count(*) from corpora where app = ?", [app]):
        return []
    rows = rows_of(
        cursor,
        f"select v.corpus_key, v.environment, v.index_name, v.version from {COMPLETE} v "
        "where v.app = ? and v.complete and v.environment in (?, '') "
        "order by v.environment = ? desc, v.loaded_ns desc, v.corpus_key desc",
        [app, environment, environment],
    )
    return [Corpus(*row) for row in rows]
