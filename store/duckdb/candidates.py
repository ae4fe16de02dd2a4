"""Requests that a ticket may be about: by its words, its user and session, and its times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb

from ...model.ticket import FoundRequest
from ..complaints import CandidateQuery, FoundCandidates, KnownNames, ShownRequest
from .columns import registered
from .row import number, rows_of
from .words import word_hash, words

_MOST_POSTINGS = 150_000
"""Occurrences of words that are weighed for one ticket: the rarest words first."""
_MOST_TERMS = 40
_FEWEST_TERMS = 4
"""So many of the rarest are used however often they occur."""
_LOOKED_AT = 4000
"""Requests with the heaviest words that are folded by question."""
_OF_A_QUESTION = 3
"""Requests of one question that its words alone bring in: the newest. User and time bring in others."""
_BESIDE = 200
"""Requests that a user, a session or a time brings in, each."""
_QUESTION_LENGTH = 1000
_ANSWER_LENGTH = 3000
_SHORTEST_TYPO = 4
_MOST_TYPOS = 8
"""Unknown words that are looked for with a slip of the pen: each takes a look through the vocabulary."""

_TYPOS = """
select w.term, v.h from unknown w join vocabulary v
    on abs(strlen(v.word) - strlen(w.word)) <= 1
    and (left(v.word, 1) = left(w.word, 1) or right(v.word, 2) = right(w.word, 2))
    and damerau_levenshtein(v.word, w.word) = 1
order by all
"""

_SCORED = f"""
with postings as materialized (
    select w.rid, t.term, sum(w.tf) as tf
    from words w join (select term, h::uinteger as h from terms) t on w.h = t.h group by all
),
frequency as (select term, count(*) as n from postings group by term),
cumulated as (
    select term, n, sum(n) over (order by n, term) as so_far, row_number() over (order by n, term) as place
    from frequency
),
weighted as (
    select term, ln(1 + greatest(s.total - n + 0.5, 0) / (n + 0.5)) as weight
    from cumulated, (select count(*) as total from requests) s
    where place <= {_MOST_TERMS} and (so_far <= {_MOST_POSTINGS} or place <= {_FEWEST_TERMS})
),
scored as materialized (
    select p.rid, sum(w.weight * p.tf * 2.2 / (p.tf + 1.2)) as score
    from postings p join weighted w on w.term = p.term group by p.rid
)
"""
"""BM25 without lengths: questions and answers of one app are alike in length, and comparing decides."""

_BY_WORDS = f"""
    select rid, score from (
        select rid, score, max(score) over (partition by question) as best,
            row_number() over (partition by question order by score desc, start_ns desc) as place
        from (
            select s.rid, s.score, r.start_ns, coalesce(r.case_key, r.request_id) as question
            from scored s join requests r on r.rid = s.rid where ALLOWED
            order by s.score desc, r.start_ns desc limit {_LOOKED_AT}
        )
    ) where place <= {_OF_A_QUESTION} order by best desc, place, rid limit ?
"""
_BY_NAME = f"""
    select r.rid, coalesce(s.score, 0) from requests r left join scored s on s.rid = r.rid
    where r.COLUMN in (select unnest(?::varchar[])) and ALLOWED
    order by s.score desc nulls last, r.start_ns desc limit {_BESIDE}
"""
_BY_TIME = f"""
    select rid, score from (
        select r.rid, coalesce(s.score, 0) as score,
            row_number() over (order by s.score desc nulls last, abs(r.start_ns - ?)) as by_words,
            row_number() over (order by abs(r.start_ns - ?)) as by_time
        from requests r left join scored s on s.rid = r.rid where r.start_ns between ? and ? and ALLOWED
    ) where by_words <= {_BESIDE} or by_time <= {_BESIDE // 2}
"""
_BY_ID = """
    select r.rid, coalesce(s.score, 0) from requests r left join scored s on s.rid = r.rid
    where r.request_id in (select unnest(?::varchar[])) and ALLOWED
"""

_CHOSEN = f"""
, chosen as (select rid, max(score) as score from (SOURCES) found(rid, score) group by rid)
select r.request_id, left(coalesce(r.question, ''), {_QUESTION_LENGTH}), ANSWER, r.user_id, r.session, r.app,
    r.environment, r.start_ns, c.score, r.rid
from chosen c join requests r on r.rid = c.rid
order by r.start_ns desc, r.request_id
"""


class _Term(NamedTuple):
    """A form of a word of the ticket; forms of one word share the number."""

    term: int
    h: int


class _Unknown(NamedTuple):
    term: int
    word: str


class _Sql(NamedTuple):
    """A piece of a statement with the values to bind, in order."""

    text: str
    values: list[Any]


def known_names(cursor: duckdb.DuckDBPyConnection, names: tuple[str, ...]) -> KnownNames:
    """Which of the names are users or sessions of requests; case does not matter."""
    lower = sorted({name.lower() for name in names if name})
    if not lower:
        return KnownNames()
    found: list[tuple[str, ...]] = []
    for column in ("user_id", "session"):
        # The column is one of the two above.
        rows = rows_of(
            cursor,
            f"select distinct {column} from requests where lower({column}) in (select unnest(?::varchar[])) "
            "order by all",
            [lower],
        )
        found.append(tuple(name for (name,) in rows))
    return KnownNames(users=found[0], sessions=found[1])


def candidates(cursor: duckdb.DuckDBPyConnection, query: CandidateQuery) -> FoundCandidates:
    """The requests that anything of the ticket speaks for, newest first."""
    allowed = _allowed(query)
    sources = list(_sources(query, allowed))
    answer = f"left(coalesce(r.answer, ''), {_ANSWER_LENGTH})" if query.answers else "''"
    chosen = _CHOSEN.replace("SOURCES", " union all ".join(f"({one.text})" for one in sources)).replace(
        "ANSWER", answer
    )
    with registered(cursor, "terms", _terms(cursor, query.words) or [_Term(0, 0)]):
        rows = rows_of(cursor, _SCORED + chosen, [value for one in sources for value in one.values])
    searched = number(cursor, f"select count(*) from requests r where {allowed.text}", allowed.values)
    return FoundCandidates(rows=tuple(FoundRequest(*row) for row in rows), searched=searched)


def shown(cursor: duckdb.DuckDBPyConnection, keys: tuple[int, ...], *, length: int) -> dict[int, ShownRequest]:
    """The beginnings of answers, and verdicts. By number: texts are unpacked only where these requests stand."""
    rows = rows_of(
        cursor,
        "select r.rid, left(coalesce(r.answer, ''), ?), coalesce(d.verdict, '') from requests r "
        "left join diagnoses d on d.rid = r.rid where r.rid in (select unnest(?::bigint[]))",
        [length, list(keys)],
    )
    return {key: ShownRequest(answer, verdict) for key, answer, verdict in rows}


def _allowed(query: CandidateQuery) -> _Sql:
    conditions, values = ["r.start_ns <= ?", "r.replay_of is null"], list[Any]([query.before_ns])
    for column, value in (("app", query.app), ("environment", query.environment)):
        if value:
            conditions.append(f"r.{column} = ?")
            values.append(value)
    return _Sql(" and ".join(conditions), values)


def _sources(query: CandidateQuery, allowed: _Sql) -> Iterator[_Sql]:
    """What brings requests in."""
    yield _Sql(_BY_WORDS.replace("ALLOWED", allowed.text), [*allowed.values, query.limit])
    for column, names in (("user_id", query.users), ("session", query.sessions)):
        if names:
            text = _BY_NAME.replace("COLUMN", column).replace("ALLOWED", allowed.text)
            yield _Sql(text, [list(names), *allowed.values])
    for window in query.windows:
        middle = window.at_ns or (window.begin_ns + window.end_ns) // 2
        begin, end = window.begin_ns - 2 * window.slack_ns, window.end_ns + 2 * window.slack_ns
        yield _Sql(_BY_TIME.replace("ALLOWED", allowed.text), [middle, middle, begin, end, *allowed.values])
    if query.request_ids:
        yield _Sql(_BY_ID.replace("ALLOWED", allowed.text), [list(query.request_ids), *allowed.values])


def _terms(cursor: duckdb.DuckDBPyConnection, said: tuple[str, ...]) -> list[_Term]:
    """The words that are looked for, each in its forms; a word that nobody ever used, in those one slip away."""
    single = list(dict.fromkeys(one for word in said for one in words(word)))
    forms = [_Term(term, h) for term, word in enumerate(single) for h in sorted(_forms(word))]
    known = {
        h
        for (h,) in rows_of(
            cursor,
            "select distinct h from vocabulary where h in (select unnest(?::uinteger[]))",
            [[form.h for form in forms]],
        )
    }
    used = [form for form in forms if form.h in known]
    found = {form.term for form in used}
    unknown = [
        _Unknown(term, word)
        for term, word in enumerate(single)
        if term not in found and len(word) >= _SHORTEST_TYPO and word.isalpha()
    ]
    return [*used, *_typos(cursor, unknown[:_MOST_TYPOS])]


def _forms(word: str) -> set[int]:
    """The word, and its usual other number: "widgets" asks for "widget" too."""
    forms = {word}
    if word.isascii() and word.isalpha() and len(word) > 3:
        forms.add(word + "s")
        if word.endswith("s") and not word.endswith("ss"):
            forms.add(word[:-1])
        if word.endswith("ies"):
            forms.add(word[:-3] + "y")
        elif word.endswith("y"):
            forms.add(word[:-1] + "ies")
    return {word_hash(form) for form in forms}


def _typos(cursor: duckdb.DuckDBPyConnection, unknown: list[_Unknown]) -> list[_Term]:
    """Words one slip away from those that nobody used."""
    if not unknown:
        return []
    with registered(cursor, "unknown", unknown):
        rows = rows_of(cursor, _TYPOS)
    return [_Term(term, h) for term, h in rows]
