"""Chunk ids that a person may have meant: named to help, never taken for the one that was typed."""

from __future__ import annotations

import difflib
import unicodedata

from ..model import RecordedRequest
from ..store import ChunkQuery, Store

_AT_MOST = 3


def near_misses(store: Store, recorded: RecordedRequest, chunk_id: str) -> str:
    """`; close to it: a, b` for ids that look like `chunk_id`, or the empty text."""
    from ..diagnosis.near_misses import near_miss  # a command that a hub answers needs none of it

    listed = {hit.chunk_id for stage in recorded.stages for hit in stage.hits or ()}
    page = store.chunks.search(ChunkQuery(text=chunk_id, app=recorded.request.app, limit=20))
    known = sorted(listed | {chunk.chunk_id for chunk in page.rows})
    plain = _plain(chunk_id)
    same = [other for other in known if _plain(other) == plain or near_miss(chunk_id, other) is not None]
    close = same or difflib.get_close_matches(chunk_id, known, n=_AT_MOST, cutoff=0.75)
    return f"; close to it: {', '.join(close[:_AT_MOST])}" if close else ""


def _plain(chunk_id: str) -> str:
    """The id without what people mistype: case, outer spaces, Unicode form, dashes, leading zeros."""
    return unicodedata.normalize("NFC", chunk_id).strip().casefold().replace("-", "").lstrip("0")
