"""Search over every chunk seen and over the manifests: id, document, pasted sentence, words."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ..chunks import ChunkPage, ChunkQuery
from .columns import registered
from .described import ChunkName, describe
from .row import first_row
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
named as (
    select c.app, c.chunk_id, p.text_key, s.matched, s.score,
        coalesce(c.index_name, max(c.index_name) over (partition by c.app, c.chunk_id)) as index_name
    from scored s join passages p on p.passage_key = s.passage_key join chunks c on c.chunk_key = p.chunk_key
    where SCOPE
),
best as (
    select app, index_name, chunk_id, max(matched) as matched, max(score) as score,
        list(distinct text_key) filter (where text_key is not null) as text_keys
    from named group by all
)
select app, index_name, chunk_id, matched, text_keys, count(*) over () as any_word,
    count(*) filter (where matched = ?) over () as all_words
from best order by matched = ? desc, score desc, chunk_id, app limit ?
"""


class Scope(NamedTuple):
    """Which chunks `c` are searched, as a condition and its values."""

    sql: str
    values: list[object]


class _Term(NamedTuple):
    term: int
    h: int


class _Found(NamedTuple):
    names: list[ChunkName]
    """Best first, as many as were asked for."""
    matching: int


def search(cursor: duckdb.DuckDBPyConnection, query: ChunkQuery) -> ChunkPage:
    """A page of the chunks that match, best first; without a text, all of them by document and id."""
    scope = _scope(query)
    searched = _count(cursor, scope)
    text = query.text.strip()
    found = _by_text(cursor, text, scope, query.offset + query.limit) if text else _all(cursor, scope, query)
    page = found.names[query.offset : query.offset + query.limit]
    return ChunkPage(rows=describe(cursor, page), matching=found.matching, searched=searched)


def _scope(query: ChunkQuery) -> Scope:
    conditions, values = ["true"], list[object]()
    if query.app:
        conditions.append("c.app = ?")
        values.append(query.app)
    if query.request_id:
        conditions.append(
            "c.chunk_key in (select h.chunk_key from hits h join requests r on r.rid = h.rid where r.request_id = ?)"
        )
        values.append(query.request_id)
    return Scope(" and ".join(conditions), values)


def _count(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> int:
    row = first_row(
        cursor,
        f"select count(distinct (c.app, c.chunk_id)) from chunks c where {scope.sql}",
        scope.values,
    )
    return 0 if row is None else int(row[0])


def _all(cursor: duckdb.DuckDBPyConnection, scope: Scope, query: ChunkQuery) -> _Found:
    rows = cursor.execute(
        "select app, max(index_name), chunk_id, count(*) over () from chunks c "
        f"where {scope.sql} group by app, chunk_id order by app, chunk_id limit ?",
        [*scope.values, query.offset + query.limit],
    ).fetchall()
    return _Found([ChunkName(*row[:3]) for row in rows], rows[0][3] if rows else 0)


def _by_text(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope, wanted: int) -> _Found:
    """Exact ids, then exact documents, then the sentence, then the words."""
    first = [*_with_id(cursor, text, scope), *_of_document(cursor, text, scope)]
    by_words = _by_words(cursor, text, scope, wanted)
    names = list(dict.fromkeys([*first, *by_words.names]))
    doubled = len(first) + len(by_words.names) - len(names)
    return _Found(names, len(first) + by_words.matching - doubled)


def _with_id(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope) -> list[ChunkName]:
    rows = cursor.execute(
        "select app, max(index_name), chunk_id from chunks c "
        f"where lower(chunk_id) = lower(?) and {scope.sql} group by app, chunk_id "
        "order by chunk_id <> ?, chunk_id, app",
        [text, *scope.values, text],
    ).fetchall()
    return [ChunkName(*row) for row in rows]


def _of_document(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope) -> list[ChunkName]:
    """The chunks of a document, by id with numbers in their order."""
    rows = cursor.execute(
        "select c.app, max(c.index_name), c.chunk_id from passages p join chunks c on c.chunk_key = p.chunk_key "
        f"where lower(p.doc_id) = lower(?) and {scope.sql} group by c.app, c.chunk_id",
        [text, *scope.values],
    ).fetchall()
    return sorted((ChunkName(*row) for row in rows), key=_natural)


def _by_words(cursor: duckdb.DuckDBPyConnection, text: str, scope: Scope, wanted: int) -> _Found:
    """Chunks that hold the sentence, then those that hold all words; where none does, those that hold any."""
    terms = terms_of(cursor, text)
    if not terms:
        return _Found([], 0)
    count = terms[-1].term + 1
    with registered(cursor, "terms", terms):
        rows = cursor.execute(
            _SCORED.replace("SCOPE", scope.sql), [*scope.values, count, count, max(wanted, _LOOKED_AT)]
        ).fetchall()
    if not rows:
        return _Found([], 0)
    holding = _holding(cursor, text, rows[:_LOOKED_AT])
    any_word, all_words = rows[0][5], rows[0][6]
    if all_words or holding:
        chosen = [row for row in rows if row[3] == count or ChunkName(*row[:3]) in holding]
        matching = all_words + sum(1 for row in chosen if row[3] != count)
    else:
        chosen, matching = rows, any_word
    names = [ChunkName(*row[:3]) for row in chosen]
    return _Found(sorted(names, key=lambda name: name not in holding), matching)


def terms_of(cursor: duckdb.DuckDBPyConnection, text: str) -> list[_Term]:
    """The words of a query, numbered from 0 without gaps; a word may be looked for in several forms."""
    typed = list(dict.fromkeys(words(text)))
    telling = [word for word in typed if word not in _STOP_WORDS] or typed
    roots = list(dict.fromkeys(stem(word[:64]) for word in telling))
    known = {
        h
        for (h,) in cursor.execute(
            "select distinct h from passage_words where h in (select unnest(?::uinteger[]))",
            [[word_hash(root) for root in roots]],
        ).fetchall()
    }
    terms: list[_Term] = []
    for place, root in enumerate(roots):
        variants = [word_hash(root)] if word_hash(root) in known else _variants(cursor, root)
        terms.extend(_Term(place, h) for h in variants)
    return terms


def _variants(cursor: duckdb.DuckDBPyConnection, root: str) -> list[int]:
    """Words that a person may mean by one that no passage has: with the same beginning, else one slip away."""
    if len(root) >= 4:
        longer = cursor.execute(
            "select distinct v.h from vocabulary v where starts_with(v.word, ?) "
            "and v.h in (select h from passage_words) order by v.h limit ?",
            [root[: max(4, len(root) - 2)], _MOST_VARIANTS],
        ).fetchall()
        if not longer and len(root) >= 5:
            longer = cursor.execute(
                "select distinct v.h from vocabulary v where damerau_levenshtein(v.word, ?) = 1 "
                "and v.h in (select h from passage_words) order by v.h limit ?",
                [root, _MOST_VARIANTS],
            ).fetchall()
        if longer:
            return [h for (h,) in longer]
    return [word_hash(root)]


def flat(text: str) -> str:
    """`text` for comparing pasted sentences: lower case, white space collapsed."""
    return " ".join(text.casefold().split())


def _holding(
    cursor: duckdb.DuckDBPyConnection,
    text: str,
    rows: list[tuple[str, str | None, str, int, list[int] | None, int, int]],
) -> set[ChunkName]:
    """Which of these chunks hold `text` as it stands, apart from case and white space. One word is no sentence."""
    sentence = flat(text)
    if " " not in sentence and sentence.isascii():
        return set()
    texts = texts_of(cursor, {key for row in rows for key in row[4] or ()})
    holding = {key for key, held in texts.items() if sentence in flat(held)}
    return {ChunkName(*row[:3]) for row in rows if holding.intersection(row[4] or ())}


def _natural(name: ChunkName) -> tuple[str, tuple[tuple[int, int | str], ...]]:
    """For sorting ids: "page#10" behind "page#9"."""
    parts: list[tuple[int, int | str]] = []
    digits = ""
    for letter in name.chunk_id + "\x00":
        if letter.isascii() and letter.isdigit():
            digits += letter
            continue
        if digits:
            parts.append((0, int(digits)))
            digits = ""
        parts.append((1, letter))
    return name.app, tuple(parts)
