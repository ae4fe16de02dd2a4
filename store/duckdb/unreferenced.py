"""Texts, chunks and what else nothing names any more is deleted, and search is made anew."""

from __future__ import annotations

from typing import Final

import duckdb

from .numbers import Dictionaries
from .search_tables import rebuild_search

_NUMBERS_OF_SPANS: Final = r"""
select unnest(regexp_extract_all({column}, '\[(\d+),"[a-z]"\]', 1))::bigint from spans
where contains({column}, '\u0000parts')
union all
select try_cast(unnest(string_split(
    array_to_string(regexp_extract_all({column}, '\{{"n":\[([\d,]+)\],"s":', 1), ','), ',')) as bigint)
from spans where contains({column}, '\u0000cards')
"""
"""Numbers inside packed attributes, see `packing`. What only looks like one keeps a text: that does no harm."""

_VERSIONS: Final = "delete from chunk_versions where version_key not in (select version_key from hit_rows)"
_TEXTS: Final = (
    "create or replace temp table kept_texts as select distinct text_key from ("
    "select text_key from chunk_versions union all select text_key from stages "
    "union all select unnest(regexp_extract_all(prompt, ',(\\d+)\\]', 1))::bigint from stages where prompt is not null "
    "union all select text_key from corpus_chunks union all select searchable_key from corpus_chunks "
    f"union all {_NUMBERS_OF_SPANS.format(column='attributes')} "
    f"union all {_NUMBERS_OF_SPANS.format(column='events')}) where text_key is not null"
)
_PARTS: Final = """
insert into kept_texts
select distinct part::bigint from (
    select unnest(json_extract(parts, '$[*]')) as part from texts
    where parts is not null and text_key in (select text_key from kept_texts)
) where json_type(part) in ('UBIGINT', 'BIGINT') and part::bigint not in (select text_key from kept_texts)
"""
"""A text in parts names others; a card may name one that was kept in parts for another's sake."""

_CHUNKS: Final = """
create or replace temp table kept_chunks as
with named as (select chunk_key from chunk_versions union select chunk_key from corpus_chunks)
select chunk_key from named union select c.name_key from chunks c where c.chunk_key in (select chunk_key from named)
"""
_NAMED_METAS: Final = "select meta_key from chunk_versions union select meta_key from corpus_chunks"
_DELETES: Final = (
    "delete from texts where text_key not in (select text_key from kept_texts)",
    "delete from chunks where chunk_key not in (select chunk_key from kept_chunks)",
    f"delete from metas where meta_key not in ({_NAMED_METAS})",
    "delete from resources where resource_key not in (select resource_key from spans)",
    "drop table kept_texts",
    "drop table kept_chunks",
)


def delete_unreferenced(cursor: duckdb.DuckDBPyConnection, dictionaries: Dictionaries) -> None:
    """After rows were deleted: what only they named goes too. The words by which things are found are made anew."""
    for sql in (_VERSIONS, _TEXTS, _PARTS, _PARTS, _CHUNKS, *_DELETES):
        cursor.execute(sql)
    dictionaries.forget()
    rebuild_search(cursor, dictionaries)
