"""Search over every chunk seen and over the manifests: id, document, pasted sentence, words."""

from __future__ import annotations

import re
from typing import NamedTuple

import duckdb

from ..chunks import ChunkPage, ChunkQuery
from .columns import registered
from .described import describe
from .row import number, rows_of
from .texts import texts_of
from .words import stem, word_hash, words

_LOOKED_AT = 200
"""How many of the best matches by words are compared with the sentence letter by letter."""
_MOST_VARIANTS = 24
"""How many words of the vocabulary may stand for a word that no passage has."""

_STOP_WORDS = frozenset(
    words(
        """a an and are as at be been but by can could did do does for from had has have how i if in is it its me my no
        not of on or our please should so than that the their them then there they this to was we were what when where
        which who why will with would you your"""
    )
)
"""Left out where other words remain: a question typed as it was asked still finds its passage."""

_SCORED = """
with found as (
    select t.term, w.passage_key, sum(w.tf) as tf
    from passage_words w join terms t on w.h = t.h group by all
),
rarity as (select term, count(*) as n from found group by term),
size as (select count(*) as total, greatest(avg(words), 1) as mean from passages),
scored as (
    select f.passage_key, count(*) as matched,
        sum(ln(1 + (s.total - r.n + 0.5) / (r.n + 0.5)) * f.tf * 2.2
            / (f.tf + 1.2 * (0.25 + 0.75 * p.words / s.mean))) as score
    from found f join rarity r on r.term = f.term join passages p on p.passage_key = f.passage_key, size s
    group by f.passage_key
),
best as (
    select c.name_key, max(s.matched) as matched, max(s.score) as score
    from scored s join passages p on p.passage_key = s.passage_key join chunks c on c.chunk_key = p.chunk_key
    where SCOPE group by c.name_key
)
select name_key, matched, count(*) over () as any_word, count(*) filter (where matched = ?) over () as all_words
from best order by matched = ? desc, score desc, name_key limit ?
"""


class Scope(NamedTuple):
    """Which chunks `c` are searched, as a condition and its values."""

    sql: str
    values: list[object]


class _Term(NamedTuple):
    term: int
    h: int


class _Found(NamedTuple):
    """Chunks by their `name_key`."""

    keys: list[int]
    """Best first, at least as many as were asked for."""
    matching: int


class _Scored(NamedTuple):
    name_key: int
    matched: int
    """How many words of the query it holds."""
    any_word: int
    all_words: int


def search(cursor: duckdb.DuckDBPyConnection, query: ChunkQuery) -> ChunkPage:
    """A page of the chunks that match, best first; without a text, all of them by app and id."""
    scope = _scope(query)
    searched = number(cursor, f"select count(distinct c.name_key) from chunks c where {scope.sql}", scope.values)
    text = query.text.strip()
    wanted = query.offset + query.limit
    found = _by_text(cursor, text, scope, wanted) if text else _Found(_all(cursor, scope, wanted), searched)
    page = found.keys[query.offset : wanted]
    return ChunkPage(rows=describe(cursor, page), matching=found.matching, searched=searched)


def _scope(query: ChunkQuery) -> Scope:
    conditions, values = ["true"], list[object]()
    if query.app:
        conditions.append("c.app = ?")
        values.append(query.app)
    if query.request_id:
        conditions.append(
            "c.chunk_key in (select v.chunk_key from hit_rows h join requests r on r.rid = h.rid "
            "join chunk_versions v on v.version_key = h.version_key where r.request_id = ?)"
        )
        values.append(query.request_id)
    return Scope(" and ".join(conditions), values)


def _all(cursor: duckdb.DuckDBPyConnection, scope: Scope, wanted: int) -> list[int]:
    rows = rows_of(
        cursor,
        f"select c.name_key from chunks c where {scope.sql} "
        "group by c.name_key order by min(c.app), min(c.chunk_id), c.name_key limit ?",
        [*scope.values, wanted],
    )
    return [key for (key,) in rows]


def _by_text(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope, wanted: int) -> _Found:
    """Exact ids, then exact documents, then the sentence, then the words."""
    first = [*_with_id(cursor, text, scope), *_of_document(cursor, text, scope)]
    by_words = _by_words(cursor, text, scope, wanted)
    keys = list(dict.fromkeys([*first, *by_words.keys]))
    doubled = len(first) + len(by_words.keys) - len(keys)
    return _Found(keys, len(first) + by_words.matching - doubled)


def _with_id(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope) -> list[int]:
    """The id as typed first, then those that differ in case."""
    rows = rows_of(
        cursor,
        f"select c.name_key from chunks c where lower(c.chunk_id) = lower(?) and {scope.sql} "
        "group by c.name_key order by min(c.chunk_id <> ?), min(c.chunk_id), min(c.app), c.name_key",
        [text, *scope.values, text],
    )
    return [key for (key,) in rows]


def _of_document(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope) -> list[int]:
    """The chunks of a document, by id with numbers in their order."""
    rows = rows_of(
        cursor,
        "select c.name_key, min(c.app), min(c.chunk_id) from passages p join chunks c on c.chunk_key = p.chunk_key "
        f"where lower(p.doc_id) = lower(?) and {scope.sql} group by c.name_key",
        [text, *scope.values],
    )
    return [key for key, _, _ in sorted(rows, key=lambda row: (row[1], natural(row[2]), row[0]))]


def _by_words(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope, wanted: int) -> _Found:
    """Chunks that hold the sentence, then those that hold all words; where none does, those that hold any."""
    terms = terms_of(cursor, text)
    if not terms:
        return _Found([], 0)
    count = terms[-1].term + 1
    with registered(cursor, "terms", terms):
        rows = [
            _Scored(*row)
            for row in rows_of(
                cursor, _SCORED.replace("SCOPE", scope.sql), [*scope.values, count, count, max(wanted, _LOOKED_AT)]
            )
        ]
    if not rows:
        return _Found([], 0)
    holding = _holding(cursor, text, [row.name_key for row in rows[:_LOOKED_AT]])
    if rows[0].all_words == 0 and not holding:
        return _Found([row.name_key for row in rows], rows[0].any_word)
    chosen = [row for row in rows if row.matched == count or row.name_key in holding]
    beside = sum(1 for row in chosen if row.matched != count)
    keys = [row.name_key for row in chosen]
    return _Found(sorted(keys, key=lambda key: key not in holding), rows[0].all_words + beside)


def terms_of(cursor: duckdb.DuckDBPyConnection, text: str) -> list[_Term]:
    """The words of a query, numbered from 0 without gaps; a word may be looked for in several forms."""
    typed = list(dict.fromkeys(words(text)))
    telling = [word for word in typed if word not in _STOP_WORDS] or typed
    roots = list(dict.fromkeys(stem(word[:64]) for word in telling))
    known = {
        h
        for (h,) in rows_of(
            cursor,
            "select distinct h from passage_words where h in (select unnest(?::uinteger[]))",
            [[word_hash(root) for root in roots]],
        )
    }
    terms: list[_Term] = []
    for place, root in enumerate(roots):
        variants = [word_hash(root)] if word_hash(root) in known else _variants(cursor, root)
        terms.extend(_Term(place, h) for h in variants)
    return terms


def _variants(cursor: duckdb.DuckDBPyConnection, root: str) -> list[int]:
    """Words that a person may mean by one that no passage has: with the same beginning, else one slip away."""
    if len(root) >= 4:
        longer = rows_of(
            cursor,
            "select distinct v.h from vocabulary v where starts_with(v.word, ?) "
            "and v.h in (select h from passage_words) order by v.h limit ?",
            [root[: max(4, len(root) - 2)], _MOST_VARIANTS],
        )
        if not longer and len(root) >= 5:
            longer = rows_of(
                cursor,
                "select distinct v.h from vocabulary v where damerau_levenshtein(v.word, ?) = 1 "
                "and v.h in (select h from passage_words) order by v.h limit ?",
                [root, _MOST_VARIANTS],
            )
        if longer:
            return [h for (h,) in longer]
    return [word_hash(root)]


def flat(text: str) -> str:
    """`text` for comparing pasted sentences: lower case, white space collapsed."""
    return " ".join(text.casefold().split())


def _holding(cursor: duckdb.DuckDBPyConnection, text: str, name_keys: list[int]) -> set[int]:
    """Which of these chunks hold `text` as it stands, apart from case and white space. One word is no sentence."""
    sentence = flat(text)
    if " " not in sentence and sentence.isascii():
        return set()
    rows = rows_of(
        cursor,
        "select distinct c.name_key, p.text_key from passages p join chunks c on c.chunk_key = p.chunk_key "
        "where c.name_key in (select unnest(?::bigint[])) and p.text_key is not null",
        [name_keys],
    )
    texts = texts_of(cursor, {text_key for _, text_key in rows})
    return {key for key, text_key in rows if sentence in flat(texts.get(text_key, ""))}


def natural(chunk_id: str) -> list[tuple[int, int, str]]:
    """For sorting ids as people count: "page#10" behind "page#9"."""
    parts = re.split("([0-9]+)", chunk_id)
    return [(0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts)]
