"""A forgotten text masked in every table: in columns, inside JSON, in packed spans, in texts kept once or in parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

from ...model import EvalCase, Message, make_case_key, text_hash
from ...model.sieve import Sieve, words_of
from .encoding import dumps, loads, loads_optional
from .numbers import Dictionaries, digest_of
from .rows import Description
from .spans import SPAN_COLUMNS, SpanBatch, SpanKey, received
from .texts import TextBatch, stored_texts, text_digest

_AT_ONCE: Final = 2000
_TOKENS: Final = 4
_FOLDED_FROM_OTHERS: Final = re.compile("st?|k|f[fil]+")
"""Letters that case-folding also makes of "ß" and the long s, of the Kelvin sign, and of ligatures."""
_APART: Final = frozenset({"texts", "spans"})
_DERIVED: Final = frozenset({"passages", "passage_words", "words", "vocabulary", "schema_version", "tombstones"})
"""Tables that are made anew afterwards, or hold no text."""
STRUCTURE: Final = frozenset(
    {
        *("trace_id", "span_id", "parent_span_id", "request_id", "stage_id", "label_id", "case_id", "complaint_id"),
        *("feedback_id", "batch_id", "replay_of", "prompt_stage", "segment", "saved_as", "reason", "scope", "links"),
        *("app", "environment", "app_version", "index_name", "version", "index_version", "embedding_model", "model"),
        *("kind", "outcome", "score_kinds", "text_state", "completeness", "flow_source", "judgement", "level", "state"),
        *("verdict", "certainty", "source", "closed", "id_source", "matched_by", "question_source", "technique"),
        *("shape", "clock_note", "case_key", "text_hash", "eval_set", "missing", "inputs", "gold_path", "cause"),
    }
)
"""Columns whose values are ids and words of goldrank itself. Every other text is looked at, also in new tables."""


class _Wanted(NamedTuple):
    """How rows that may hold the text are found quickly."""

    tokens: tuple[str, ...]
    """The longest pieces of its words that are written in one way only; none: every row is looked at."""

    def where(self, columns: Sequence[str]) -> str:
        """A condition: some column holds all of the words."""
        if not self.tokens:
            return "true"
        every = " and ".join(["contains(lower({0}), ?)"] * len(self.tokens))
        return "(" + " or ".join(f"({every.format(column)})" for column in columns) + ")"

    def values(self, columns: Sequence[str]) -> list[object]:
        """The parameters of `where`."""
        return [*self.tokens] * len(columns)

    @property
    def a_part(self) -> _Wanted:
        """Finds what may hold only a part of the text."""
        return _Wanted(self.tokens[:1])


def mask_store(
    cursor: duckdb.DuckDBPyConnection, text: str, sieve: Sieve, dictionaries: Dictionaries
) -> dict[str, int]:
    """Masks `text`, which `sieve` knows, in every table; how many rows of each were changed."""
    wanted = _Wanted(_tokens(text))
    masked = {"spans": _mask_spans(cursor, wanted, sieve, dictionaries), "texts": _mask_texts(cursor, wanted, sieve)}
    for table, columns in _text_columns(cursor).items():
        masked[table] = _mask_table(cursor, table, columns, wanted, sieve)
    return {table: count for table, count in masked.items() if count}


def _tokens(text: str) -> tuple[str, ...]:
    """Plain letters, which JSON never escapes, cut where case-folding makes them of others: "strasse" is "straße"."""
    plain = [word.text for word in words_of(text) if word.text.isascii()]
    pieces = {piece for word in plain for piece in _FOLDED_FROM_OTHERS.split(word) if len(piece) > 1}
    return tuple(sorted(pieces, key=lambda piece: (-len(piece), piece))[:_TOKENS])


def _text_columns(cursor: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    rows = cursor.execute(
        "select table_name, column_name from duckdb_columns() where data_type = 'VARCHAR' and not internal "
        "and table_name in (select table_name from duckdb_tables() where not temporary) order by all"
    ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        if table not in _APART | _DERIVED and column not in STRUCTURE:
            found.setdefault(table, []).append(column)
    return found


def _mask_table(
    cursor: duckdb.DuckDBPyConnection, table: str, columns: list[str], wanted: _Wanted, sieve: Sieve
) -> int:
    """Masks these columns, and what is made of them: digests and keys."""
    made_of = _MADE_OF.get(table)
    beside = made_of.beside if made_of else ()
    rows = cursor.execute(
        f"select rowid, {', '.join((*columns, *beside))} from {table} where {wanted.where(columns)}",
        wanted.values(columns),
    ).fetchall()
    changed: list[dict[str, Any]] = []
    for row in rows:
        before = dict(zip(("rowid", *columns, *beside), row, strict=True))
        after = before | {name: sieve.mask(before[name]) for name in columns if before[name] is not None}
        if after != before:
            changed.append(after | made_of.make(after) if made_of else after)
    _update(cursor, table, changed)
    return len(changed)


class _MadeOf(NamedTuple):
    """Columns that follow from others."""

    beside: tuple[str, ...]
    """Columns needed to make them, beside those that are masked."""
    make: Callable[[dict[str, Any]], dict[str, Any]]
    """Row after masking -> the columns that follow."""


def _of_request(row: dict[str, Any]) -> dict[str, Any]:
    if row["question"] is None:
        return {}
    history = tuple(Message(role=role, text=text) for role, text in loads_optional(row["history"]) or ())
    key = make_case_key(
        app=row["app"],
        question=row["question"],
        history=history,
        tenant=row["tenant"],
        groups=tuple(loads_optional(row["groups"]) or ()),
    )
    return {"case_key": key}


def _of_case(row: dict[str, Any]) -> dict[str, Any]:
    case = EvalCase.model_validate(loads(row["body"]))
    key = make_case_key(
        app=case.app, question=case.question, history=case.history, tenant=case.tenant, groups=case.groups
    )
    body = case.model_dump() | {"case_key": key}
    for label in body["labels"]:
        _rehash(label["target"])
    return {"case_key": key, "body": dumps(body)}


def _of_label(row: dict[str, Any]) -> dict[str, Any]:
    body = loads(row["body"])
    _rehash(body["target"])
    return {"body": dumps(body)}


def _rehash(target: dict[str, Any]) -> None:
    """The hash of a labelled passage is that of its text as it stands now."""
    if target.get("text") is not None and target.get("text_hash") is not None:
        target["text_hash"] = text_hash(target["text"])


_MADE_OF: Final = {
    "requests": _MadeOf(("app", "case_key"), _of_request),
    "cases": _MadeOf(("case_key",), _of_case),
    "labels": _MadeOf((), _of_label),
    "metas": _MadeOf(
        ("id_source", "index_name", "digest"),
        lambda row: {"digest": digest_of(*Description(**{name: row[name] for name in Description._fields}))},
    ),
    "chunks": _MadeOf(
        ("app", "index_name", "digest"),
        lambda row: {"digest": digest_of(row["app"], row["index_name"], row["chunk_id"])},
    ),
    "resources": _MadeOf(("digest",), lambda row: {"digest": digest_of(row["body"])}),
}


def _mask_spans(cursor: duckdb.DuckDBPyConnection, wanted: _Wanted, sieve: Sieve, dictionaries: Dictionaries) -> int:
    """Spans are unpacked, masked and packed again: an attribute may be JSON in pieces."""
    columns = ("s.name", "s.status_message", "s.attributes", "s.events")
    keys = cursor.execute(
        f"select s.trace_id, s.span_id, s.rid from spans s where {wanted.where(columns)}", wanted.values(columns)
    ).fetchall()
    changed = 0
    for some in _slices(keys):
        owners = {SpanKey(trace_id, span_id): rid for trace_id, span_id, rid in some}
        rows = cursor.execute(
            f"select {SPAN_COLUMNS} from spans s join resources r on r.resource_key = s.resource_key "
            "where (s.trace_id, s.span_id) in (select (unnest(?::varchar[]), unnest(?::varchar[])))",
            [[key.trace_id for key in owners], [key.span_id for key in owners]],
        ).fetchall()
        before = received(cursor, rows)
        masked = [after for one in before if (after := sieve.mask_span(one)) is not one]
        if not masked:
            continue
        texts = TextBatch(dictionaries.texts)
        batch = SpanBatch(masked, texts, dictionaries)
        batch.name()
        texts.settle(cursor)
        batch.insert(cursor, {key: owners[key] for key in batch.keys}, batch.keys)
        changed += len(masked)
    return changed


class _InParts(NamedTuple):
    key: int
    text_hash: str | None
    parts: list[Any]
    whole: str


def _mask_texts(cursor: duckdb.DuckDBPyConnection, wanted: _Wanted, sieve: Sieve) -> int:
    """Texts keep their numbers; their hashes and digests are those of the masked text."""
    in_parts = _texts_in_parts(cursor, wanted)
    rows = cursor.execute(
        f"select rowid, text_hash, text from texts where text is not null and {wanted.where(('text',))}",
        wanted.values(("text",)),
    ).fetchall()
    changed = [_text_row(rowid, masked, hashed) for rowid, hashed, text in rows if (masked := sieve.mask(text)) != text]
    _update(cursor, "texts", changed)
    return len(changed) + _mask_in_parts(cursor, in_parts, sieve)


def _texts_in_parts(cursor: duckdb.DuckDBPyConnection, wanted: _Wanted) -> list[_InParts]:
    """Texts in parts that may hold it, in a literal or in a text that they name, as they are before."""
    wanted = wanted.a_part
    rows = cursor.execute(
        f"select text_key, text_hash, parts from texts t where parts is not null and ({wanted.where(('t.parts',))} "
        "or exists (select 1 from (select unnest(json_extract(t.parts, '$[*]')) as part) "
        "where json_type(part) in ('UBIGINT', 'BIGINT') and part::bigint in ("
        f"select text_key from texts where text is not null and {wanted.where(('text',))})))",
        [*wanted.values(("t.parts",)), *wanted.values(("text",))],
    ).fetchall()
    wholes = stored_texts(cursor, [key for key, _, _ in rows])
    return [_InParts(key, hashed, loads(parts), wholes[key].text or "") for key, hashed, parts in rows]


def _mask_in_parts(cursor: duckdb.DuckDBPyConnection, in_parts: list[_InParts], sieve: Sieve) -> int:
    """After the texts that they name were masked. One that stands across two parts is kept as a whole from now on."""
    changed = []
    for one in in_parts:
        whole = sieve.mask(one.whole)
        if whole == one.whole:
            continue
        parts = [sieve.mask(part) if isinstance(part, str) else part for part in one.parts]
        named = stored_texts(cursor, [part for part in parts if isinstance(part, int)])
        joined = "".join(part if isinstance(part, str) else named[part].text or "" for part in parts)
        row = _text_row(one.key, whole, one.text_hash)
        if joined == whole:
            row |= {"text": None, "parts": dumps(parts)}
        changed.append(row)
    keys = [row["rowid"] for row in changed]
    found = dict(
        cursor.execute(
            "select text_key, rowid from texts where text_key in (select unnest(?::bigint[]))", [keys]
        ).fetchall()
    )
    _update(cursor, "texts", [row | {"rowid": found[row["rowid"]]} for row in changed])
    return len(changed)


def _text_row(rowid: int, text: str, hashed: str | None) -> dict[str, Any]:
    named = None if hashed is None else text_hash(text)
    return {"rowid": rowid, "text": text, "parts": None, "text_hash": named, "digest": text_digest(text, named)}


def _update(cursor: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]]) -> None:
    """Writes the columns of these rows, all of the same names, by their rowid."""
    if not rows:
        return
    names = [name for name in rows[0] if name != "rowid"]
    kinds = {"rowid": pa.int64(), "digest": pa.binary()}
    columns = {name: pa.array([row[name] for row in rows], kinds.get(name, pa.string())) for name in rows[0]}
    cursor.register("masked_rows", pa.table(columns))
    sets = ", ".join(f"{name} = m.{name}" for name in names)
    cursor.execute(f"update {table} set {sets} from masked_rows m where {table}.rowid = m.rowid")
    cursor.unregister("masked_rows")


def _slices(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _AT_ONCE):
        yield rows[start : start + _AT_ONCE]
