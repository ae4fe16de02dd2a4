"""What must be said of lists that cannot be recovered: the exact state, ranks missing at the top, depth."""

from __future__ import annotations

from typing import NamedTuple

from goldrank.model import Completeness


class State(NamedTuple):
    """Of the one list of a recording that is not whole."""

    completeness: Completeness
    missing_top: int = 0
    length: int | None = None
    """None: not known."""
    listed: bool = False
    """Some hits are known."""


STATES: dict[str, State | None] = {
    "chroma_tl_k200": State(Completeness.TOP_MISSING, 43, 171, listed=True),
    "dspy_gen": State(Completeness.PARTLY_READABLE, length=3, listed=True),
    "genutil_event": State(Completeness.NOT_RECORDED),
    "lc_gen_noids": State(Completeness.PARTLY_READABLE, length=4, listed=True),
    "lc_oi_hidden": State(Completeness.REDACTED, length=4),
    "lc_oi_k90": State(Completeness.TOP_MISSING, 27, 90, listed=True),
    "lc_tl_hidden": State(Completeness.NOT_RECORDED),
    "lc_tl_trunc80": State(Completeness.TRUNCATED),
    "lc_tl_truncated": State(Completeness.TRUNCATED, listed=True),
    "qdrant_tl_query": State(Completeness.NOT_RECORDED),
    # The list that was sent is whole; those inside it, or after it, have no span at all.
    "lc_gen_hybrid": State(Completeness.COMPLETE, length=3, listed=True),
    "li_gen_rerank": State(Completeness.COMPLETE, length=4, listed=True),
    "li_tl_stream": State(Completeness.COMPLETE, length=4, listed=True),
    # Nothing was sent.
    "li_tl_error": None,
}
