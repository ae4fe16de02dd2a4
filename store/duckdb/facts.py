"""What the corpus says about labels, seen from the index version that the request searched."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ...model import SEEN_ENOUGH, LabelFacts, LabelTarget, Level, text_hash
from .columns import registered
from .row import first_row, rows_of
from .search import flat, terms_of
from .searched import Searched, searched_corpora
from .texts import texts_of
from .words import stems

_MOST_SIMILAR = 5
_LEAST_SHARED = 0.2
"""Share of words two texts must have in common to be called similar."""
_LOOKED_AT = 50

_HELD = """
select c.chunk_id, m.doc_id, t.text_hash, k.text_key
from corpus_chunks k join chunks c on c.chunk_key = k.chunk_key join metas m on m.meta_key = k.meta_key
left join (select text_key, text_hash from texts) t on t.text_key = k.text_key
where k.corpus_key in (select unnest(?::bigint[])) and %s
order by c.chunk_id
"""
_LISTED_CHUNK = """
select rid from hit_rows where version_key in (
    select v.version_key from chunk_versions v join chunks c on c.chunk_key = v.chunk_key
    where c.app = ? and c.chunk_id = ?
) limit ?
"""
_LISTED_DOCUMENT = """
select h.rid from hit_rows h join requests r on r.rid = h.rid and r.app = ?
where h.version_key in (
    select v.version_key from chunk_versions v join metas m on m.meta_key = v.meta_key where m.doc_id = ?
) limit ?
"""
_SHARING_WORDS = f"""
with found as (
    select p.text_key, count(distinct t.term) as matched from passage_words w join terms t on w.h = t.h
    join passages p on p.passage_key = w.passage_key
    where p.text_key in (select text_key from corpus_chunks where corpus_key in (select unnest(?::bigint[])))
    group by all
)
select text_key from found order by matched desc, text_key limit {_LOOKED_AT}
"""


class _Held(NamedTuple):
    """A chunk of the corpus."""

    chunk_id: str
    doc_id: str | None
    text_hash: str | None
    text_key: int | None


class _Corpus:
    """The chunks of the corpora that matter for one label."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, searched: Searched) -> None:
        self._cursor = cursor
        self._keys = [corpus.corpus_key for corpus in searched.corpora]

    def with_id(self, chunk_id: str) -> list[_Held]:
        return self._held("c.chunk_id = ?", chunk_id)

    def of_document(self, doc_id: str) -> list[_Held]:
        return self._held("m.doc_id = ?", doc_id)

    def with_hash(self, digest: str) -> list[_Held]:
        return self._held("t.text_hash = ?", digest)

    def texts(self, held: list[_Held]) -> dict[int, str]:
        return texts_of(self._cursor, {chunk.text_key for chunk in held if chunk.text_key is not None})

    def sharing_words(self, text: str) -> list[_Held]:
        """Chunks that share the most words with `text`."""
        terms = terms_of(self._cursor, text) if self._keys else []
        if not terms:
            return []
        with registered(self._cursor, "terms", terms):
            keys = [key for (key,) in rows_of(self._cursor, _SHARING_WORDS, [self._keys])]
        return self._held("k.text_key in (select unnest(?::bigint[]))", keys)

    def _held(self, condition: str, value: object) -> list[_Held]:
        if not self._keys:
            return []
        return [_Held(*row) for row in rows_of(self._cursor, _HELD % condition, [self._keys, value])]


def facts_of(
    cursor: duckdb.DuckDBPyConnection, request_id: str, targets: tuple[LabelTarget, ...]
) -> tuple[LabelFacts, ...]:
    """One for each target, in their order."""
    if not targets:
        return ()
    return facts_in(cursor, searched_corpora(cursor, request_id), targets)


def facts_in(
    cursor: duckdb.DuckDBPyConnection, searched: Searched, targets: tuple[LabelTarget, ...]
) -> tuple[LabelFacts, ...]:
    """One for each target, in their order, seen from these corpora."""
    if not targets:
        return ()
    known = _requests_of(cursor, searched.app)
    found = (_facts(cursor, searched, target) for target in targets)
    return tuple(
        one.model_copy(
            update={
                "requests_known": known,
                "seen_in": _seen_in(cursor, searched.app, target) if one.present is None else None,
            }
        )
        for target, one in zip(targets, found, strict=True)
    )


def _facts(cursor: duckdb.DuckDBPyConnection, searched: Searched, target: LabelTarget) -> LabelFacts:
    """What the corpus says, without how often it was seen."""
    here = searched.of_index(target.index)
    corpus = _Corpus(cursor, here)
    if target.level is Level.DOCUMENT:
        return _result(here, present=bool(target.doc_id is not None and corpus.of_document(target.doc_id)))
    by_id = corpus.with_id(target.chunk_id) if target.chunk_id is not None else []
    digest = target.text_hash or (text_hash(target.text) if target.text is not None else None)
    same_text = _same_text(corpus, target, by_id, digest)
    relinked = () if same_text else _relinked(corpus, target, by_id, digest)
    return _result(
        here,
        present=bool(by_id or relinked),
        same_text=same_text,
        relinked=relinked,
        similar=() if same_text or relinked else _similar(corpus, target, by_id),
    )


def _result(
    here: Searched,
    *,
    present: bool,
    same_text: bool | None = None,
    relinked: tuple[str, ...] = (),
    similar: tuple[str, ...] = (),
) -> LabelFacts:
    """What is found is known; what is not found is absent only where everything searched is known."""
    return LabelFacts(
        corpus_known=here.known or present,
        present=True if present else (False if here.known else None),
        same_text=same_text,
        relinked=relinked,
        similar=similar,
    )


def _same_text(corpus: _Corpus, target: LabelTarget, by_id: list[_Held], digest: str | None) -> bool | None:
    """Whether the labelled id holds the labelled text, or still the quoted sentence of it."""
    if not by_id or (digest is None and target.quote is None):
        return None
    if digest is not None and any(held.text_hash == digest for held in by_id):
        return True
    if target.quote is not None and any(flat(target.quote) in flat(text) for text in corpus.texts(by_id).values()):
        return True
    if all(held.text_key is None for held in by_id):
        return None
    return False


def _relinked(corpus: _Corpus, target: LabelTarget, by_id: list[_Held], digest: str | None) -> tuple[str, ...]:
    """Other ids that hold the labelled text; where a sentence is quoted, those of the document that hold it."""
    found = corpus.with_hash(digest) if digest is not None else []
    if not found and target.quote is not None:
        doc_id = _document(target, by_id)
        candidates = corpus.of_document(doc_id) if doc_id is not None else []
        if not candidates and target.chunk_id is None:
            candidates = corpus.sharing_words(target.quote)
        texts = corpus.texts(candidates)
        quote = flat(target.quote)
        found = [held for held in candidates if held.text_key is not None and quote in flat(texts[held.text_key])]
    return tuple(dict.fromkeys(held.chunk_id for held in found if held.chunk_id != target.chunk_id))


def _similar(corpus: _Corpus, target: LabelTarget, by_id: list[_Held]) -> tuple[str, ...]:
    """Ids that a person may mean, nearest text first: of the same document, else of the whole index version."""
    wanted = target.text or target.quote
    doc_id = _document(target, by_id)
    candidates = corpus.of_document(doc_id) if doc_id is not None else []
    is_same_document = bool(candidates)
    if not candidates and wanted is not None:
        candidates = corpus.sharing_words(wanted)
    texts = corpus.texts(candidates)
    shares = [
        (_shared(wanted, texts.get(held.text_key) if held.text_key is not None else None), held.chunk_id)
        for held in candidates
    ]
    near = [(share, chunk_id) for share, chunk_id in shares if is_same_document or share >= _LEAST_SHARED]
    return tuple(dict.fromkeys(chunk_id for _, chunk_id in sorted(near, key=lambda pair: (-pair[0], pair[1]))))[
        :_MOST_SIMILAR
    ]


def _document(target: LabelTarget, by_id: list[_Held]) -> str | None:
    return target.doc_id or next((held.doc_id for held in by_id if held.doc_id is not None), None)


def _shared(one: str | None, other: str | None) -> float:
    """Share of distinct words that two texts have in common, 0 to 1; 0 where one is not known."""
    if one is None or other is None:
        return 0.0
    first, second = set(stems(one)), set(stems(other))
    return len(first & second) / len(first | second) if first | second else 0.0


def _requests_of(cursor: duckdb.DuckDBPyConnection, app: str) -> int:
    row = first_row(cursor, "select count(*) from requests where app = ?", [app])
    return 0 if row is None else int(row[0])


def _seen_in(cursor: duckdb.DuckDBPyConnection, app: str, target: LabelTarget) -> int:
    """In how many requests of the app the chunk or document stood in any list, up to `SEEN_ENOUGH`.

    To count them all reads the lists of all requests; a limit ends the reading early.
    """
    if target.level is Level.DOCUMENT:
        sql, name = _LISTED_DOCUMENT, target.doc_id
    elif target.chunk_id is not None:
        sql, name = _LISTED_CHUNK, target.chunk_id
    else:
        return 0
    hits = 2 * SEEN_ENOUGH  # a chunk stands in some lists of a request
    while True:
        rows = rows_of(cursor, sql, [app, name, hits])
        requests = len(set(rows))
        if requests >= SEEN_ENOUGH or len(rows) < hits:
            return min(requests, SEEN_ENOUGH)
        hits *= 4
