"""What a sentence about a fix asks a replay to do: a query in quotes, a search by name, and the rank that they give."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from pipelines import SEARCHES
from seen import NotExpressible

_QUOTED = re.compile(r"(?<!\w)(['\"])(?P<query>.+?)\1(?!\w)")
"""A query in quotes; an apostrophe inside a word is none."""
_RANK = re.compile(r"\brank (\d+)")
_SEARCH = re.compile(rf"\b(?:by (?P<by>{'|'.join(SEARCHES)})|(?P<puts>{'|'.join(SEARCHES)}) (?:puts|ranks|gives))\b")
"""The search that gives the rank: "by dense search", "bm25 puts it at rank 1"."""


class Fix(NamedTuple):
    """A replay that helps."""

    overrides: tuple[str, ...]
    rank: int
    """Of a gold in one of the lists, then."""


def fix_in(sentence: str) -> Fix:
    """ "…: 'reset router' alone gives rank 1". NotExpressible where no replay or no rank is named."""
    quoted, search, rank = _QUOTED.search(sentence), _SEARCH.search(sentence), _RANK.search(sentence)
    overrides = []
    if quoted is not None:
        overrides.append(f"retrieve.query={json.dumps(quoted['query'])}")
    if search is not None:
        overrides.append(f"retrieve.search={SEARCHES[search['by'] or search['puts']]}")
    if not overrides or rank is None:
        raise NotExpressible(f"no replay is named by {sentence!r}: a query or a search, and the rank that it gives")
    return Fix(tuple(overrides), int(rank.group(1)))
