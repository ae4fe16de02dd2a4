"""Which verdicts can be reached from what is recorded: the needs of each row of the verdict table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ...model import StageKind, Verdict
from ...model.checkup import Lack, Standing, Told
from .lacking import Observed

_SEARCHED: Final = frozenset({Lack.SEARCH, Lack.LIST, Lack.RANKS})
_MOVED: Final = _SEARCHED | {Lack.FLOW, Lack.INNER}
_SENT: Final = frozenset({Lack.SEARCH, Lack.CONTEXT})

NEEDS: Final[Mapping[Verdict, frozenset[Lack]]] = {
    Verdict.NOT_IN_CORPUS: frozenset({Lack.CORPUS}),
    Verdict.NOT_RETRIEVED: _SEARCHED,
    Verdict.STAGE_FAILED: frozenset({Lack.SEARCH}),
    Verdict.FILTERED: _MOVED,
    Verdict.LOST_IN_FUSION: _MOVED,
    Verdict.DEMOTED: _MOVED,
    Verdict.REMOVED_BY_STAGE: _MOVED,
    Verdict.BELOW_CUT: _SEARCHED | {Lack.CONTEXT},
    Verdict.DROPPED_FROM_PROMPT: _SENT | {Lack.LIST},
    Verdict.DELIVERED: _SENT,
    Verdict.PARTLY_FOUND: _SENT,
    Verdict.IGNORED: _SENT | {Lack.ANSWER},
}
"""Verdict -> what must not be lacking in a request for it to be said without "unknown"."""

_STAGE_OF: Final[Mapping[Verdict, StageKind]] = {
    Verdict.FILTERED: StageKind.FILTER,
    Verdict.LOST_IN_FUSION: StageKind.FUSE,
    Verdict.DEMOTED: StageKind.RERANK,
}
"""Verdicts that only an app with such a stage can get."""

WORDS: Final[Mapping[Lack, str]] = {
    Lack.SEARCH: "no search is recorded",
    Lack.LIST: "a list is not recorded",
    Lack.RANKS: "a list is incomplete",
    Lack.INNER: "searches inside another one are not recorded",
    Lack.REQUEST: "the request's own span is missing",
    Lack.QUESTION: "the question is not recorded",
    Lack.CONTEXT: "what the prompt held is not recorded",
    Lack.ANSWER: "the answer is not recorded",
    Lack.FLOW: "which lists went into a stage is not recorded",
    Lack.TEXT: "no text of a chunk is recorded",
    Lack.ID: "chunks have no id of their own",
    Lack.CORPUS: "what the index holds is not known",
}


def told(observed: Sequence[Observed]) -> tuple[Told, ...]:
    """For each verdict in how many of the requests it can be reached, in the order of NEEDS."""
    return tuple(_told(verdict, needs, observed) for verdict, needs in NEEDS.items())


def _told(verdict: Verdict, needs: frozenset[Lack], observed: Sequence[Observed]) -> Told:
    kind = _STAGE_OF.get(verdict)
    where: Sequence[Observed] = [one for one in observed if kind is None or kind in one.kinds]
    if not where and kind is not None and not any(Lack.INNER in one.lacks for one in observed):
        why = f"no {kind.value} stage is recorded; if the app has one: @goldrank.{kind.value}"
        return Told(verdict=verdict, standing=Standing.ABSENT, requests=0, why=why)
    where = where or observed
    missing = Counter(lack for one in where for lack in sorted(one.lacks & needs))
    reached = sum(1 for one in where if not one.lacks & needs)
    standing = Standing.YES if reached == len(where) else Standing.PARTLY if reached else Standing.NO
    return Told(verdict=verdict, standing=standing, requests=reached, why=_why(missing, len(where)))


def _why(missing: Counter[Lack], of: int) -> str:
    parts = []
    for lack, count in missing.most_common():
        parts.append(WORDS[lack] if count == of else f"{WORDS[lack]} in {count:,} of {of:,}")
    return "; ".join(parts)
