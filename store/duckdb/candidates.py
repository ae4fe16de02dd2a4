"""Requests that a ticket may be about: by its words, its user and session, and its times."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import duckdb

from ...model.ticket import FoundRequest
from ..complaints import CandidateQuery, FoundCandidates, KnownNames
from .columns import registered
from .row import number
from .words import word_hash, words

_MOST_POSTINGS = 150_000
"""Rows of the words table that are read for one ticket: the rarest words first."""
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
"""

_SCORED = """
with postings as (
    select w.rid, t.term, max(t.weight) as weight, sum(w.tf) as tf
    from words w join terms t on w.h = t.h group by w.rid, t.term
),
scored as materialized (select rid, sum(weight * tf * 2.2 / (tf + 1.2)) as score from postings group by rid),
allowed as materialized (
    select r.rid, r.start_ns, r.user_id, r.session, coalesce(r.case_key, r.request_id) as question,
        coalesce(s.score, 0) as score
    from requests r left join scored s on s.rid = r.rid where ALLOWED
),
heaviest as (
    select rid, score, start_ns, question from allowed where score > 0 order by score desc, start_ns desc limit ?
),
of_question as (
    select rid, max(score) over (partition by question) as best,
        row_number() over (partition by question order by score desc, start_ns desc) as place
    from heaviest
),
chosen as (
    (select rid from of_question where place <= ? order by best desc, place, rid limit ?)
    union (select rid from allowed where lower(user_id) in (select unnest(?::varchar[]))
        order by score desc, start_ns desc limit ?)
    union (select rid from allowed where lower(session) in (select unnest(?::varchar[]))
        order by score desc, start_ns desc limit ?)
    union (select rid from (
        select a.rid, row_number() over (partition by t.place order by a.score > 0 desc, a.score desc,
            abs(a.start_ns - t.middle_ns)) as rank_by_words,
            row_number() over (partition by t.place order by abs(a.start_ns - t.middle_ns)) as rank_by_time
        from allowed a join times t on a.start_ns between t.begin_ns and t.end_ns
    ) where rank_by_words <= ? or rank_by_time <= ?)
    union (select rid from allowed order by start_ns desc limit ?)
)
select r.request_id, left(coalesce(r.question, ''), ?), left(coalesce(r.answer, ''), ?), r.user_id, r.session, r.app,
    r.environment, r.start_ns, a.score
from chosen c join allowed a on a.rid = c.rid join requests r on r.rid = c.rid
order by r.start_ns desc, r.request_id
"""


class _Term(NamedTuple):
    """A form of a word of the ticket; forms of one word share the number."""

    term: int
    h: int
    weight: float


class _Unknown(NamedTuple):
    term: int
    word: str


class _Time(NamedTuple):
    place: int
    begin_ns: int
    end_ns: int
    middle_ns: int


def known_names(cursor: duckdb.DuckDBPyConnection, names: tuple[str, ...]) -> KnownNames:
    """Which of the names are users or sessions of requests; case does not matter."""
    lower = sorted({name.lower() for name in names if name})
    if not lower:
        return KnownNames()
    found: list[tuple[str, ...]] = []
    for column in ("user_id", "session"):
        # The column is one of the two above.
        rows = cursor.execute(
            f"select distinct {column} from requests where lower({column}) in (select unnest(?::varchar[])) "
            "order by all",
            [lower],
        ).fetchall()
        found.append(tuple(name for (name,) in rows))
    return KnownNames(users=found[0], sessions=found[1])


def candidates(cursor: duckdb.DuckDBPyConnection, query: CandidateQuery) -> FoundCandidates:
    """The requests that anything of the ticket speaks for, newest first."""
    conditions, values = ["r.start_ns <= ?", "r.replay_of is null"], list[object]([query.before_ns])
    for column, value in (("app", query.app), ("environment", query.environment)):
        if value:
            conditions.append(f"r.{column} = ?")
            values.append(value)
    terms = _terms(cursor, query.words) or [_Term(0, 0, 0.0)]
    with registered(cursor, "terms", terms), registered(cursor, "times", _times(query)):
        rows = cursor.execute(
            _SCORED.replace("ALLOWED", " and ".join(conditions)),
            [
                *(*values, _LOOKED_AT, _OF_A_QUESTION, query.limit),
                *([one.lower() for one in query.users], _BESIDE, [one.lower() for one in query.sessions], _BESIDE),
                *(_BESIDE, _BESIDE // 2, query.newest, _QUESTION_LENGTH, _ANSWER_LENGTH),
            ],
        ).fetchall()
    searched = number(cursor, f"select count(*) from requests r where {' and '.join(conditions)}", values)
    return FoundCandidates(rows=tuple(FoundRequest(*row) for row in rows), searched=searched)


def _times(query: CandidateQuery) -> list[_Time]:
    """The windows with twice their slack. Without any, one that holds nothing: a table needs a row."""
    found = []
    for place, window in enumerate(query.windows):
        middle = window.at_ns or (window.begin_ns + window.end_ns) // 2
        beside = 2 * window.slack_ns
        found.append(_Time(place, window.begin_ns - beside, window.end_ns + beside, middle))
    return found or [_Time(0, 1, 0, 0)]


def _terms(cursor: duckdb.DuckDBPyConnection, said: tuple[str, ...]) -> list[_Term]:
    """The words that are looked for, weighted by how rare they are: the rarest, as many as may be read."""
    single = list(dict.fromkeys(one for word in said for one in words(word)))
    forms = [_Term(term, h, 0.0) for term, word in enumerate(single) for h in _forms(word)]
    counts = _counts(cursor, forms)
    unknown = [_Unknown(term, word) for term, word in enumerate(single) if not any(t.term == term for t in counts)]
    typos = _typos(cursor, [one for one in unknown if len(one.word) >= _SHORTEST_TYPO and one.word.isalpha()])
    counts |= _counts(cursor, typos)
    frequency: dict[int, int] = {}
    for term, count in counts.items():
        frequency[term.term] = frequency.get(term.term, 0) + count
    total = number(cursor, "select count(*) from requests")
    used = _affordable(frequency)
    return [
        term._replace(weight=log(1 + (total - frequency[term.term] + 0.5) / (frequency[term.term] + 0.5)))
        for term in counts
        if term.term in used and frequency[term.term] <= total
    ]


def _affordable(frequency: dict[int, int]) -> set[int]:
    used: set[int] = set()
    read = 0
    for term, count in sorted(frequency.items(), key=lambda item: (item[1], item[0]))[:_MOST_TERMS]:
        read += count
        if read > _MOST_POSTINGS and len(used) >= _FEWEST_TERMS:
            break
        used.add(term)
    return used


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


def _counts(cursor: duckdb.DuckDBPyConnection, forms: list[_Term]) -> dict[_Term, int]:
    """How many requests have each form; without those that none has."""
    if not forms:
        return {}
    with registered(cursor, "forms", forms):
        rows = cursor.execute(
            "select f.term, f.h, count(*) from words w join forms f on w.h = f.h group by all order by all"
        ).fetchall()
    return {_Term(term, h, 0.0): count for term, h, count in rows}


def _typos(cursor: duckdb.DuckDBPyConnection, unknown: list[_Unknown]) -> list[_Term]:
    """Words one slip away from those that no request has."""
    if not unknown:
        return []
    with registered(cursor, "unknown", unknown[:_MOST_TYPOS]):
        rows = cursor.execute(_TYPOS).fetchall()
    return [_Term(term, h, 0.0) for term, h in sorted(rows)]
