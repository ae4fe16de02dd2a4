"""Steps: merge what is recorded twice, one span inside the other or one beside the other. Rule 7a."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Completeness, StageKind
from ..dialects.facts import fill_docs
from .kinds import rescored
from .step import LISTED, Step, listed_inside, same_docs

_NAMELESS: Final = ("store", "genai")
"""Writers whose names of steps say less than those of others."""


def merge_twins(steps: Sequence[Step]) -> list[Step]:
    """Rule 7a for two instrumentations of one process, each with spans of its own beside the other's: what both
    recorded of one step is one stage. They are of two scopes, do the same at the same time, and are called the same.

    A call of a store's client beside the retriever that made it is the same stage where both hold the same list. The
    first to begin stays.
    """
    if len({step.span.scope for step in steps if step.kind is not None}) < 2:
        return list(steps)
    kept: list[Step] = []
    for step in steps:
        twin = next((other for other in kept if _are_twins(other, step)), None) if step.kind is not None else None
        if twin is None:
            kept.append(step)
            continue
        first, second = (step, twin) if twin.facts.writer in _NAMELESS else (twin, step)
        if first is step:
            kept[kept.index(twin)] = step
        _absorb(first, second)
        _take_children(first, second)
    return kept


def _are_twins(one: Step, two: Step) -> bool:
    if one.kind is not two.kind or one.span.scope == two.span.scope or one in two.above() or two in one.above():
        return False
    if max(one.span.start_ns, two.span.start_ns) >= min(one.end_ns, two.end_ns):
        return False
    if one.query is not None and two.query is not None and one.query != two.query:
        return False
    if one.kind in LISTED:
        return _list_the_same(one, two)
    if one.kind in (StageKind.GENERATE, StageKind.ASSEMBLE):
        return one.text is not None and one.text == two.text
    if one.kind is StageKind.EMBED:
        return one.query is not None and one.query == two.query
    return one.name == two.name


def _list_the_same(one: Step, two: Step) -> bool:
    writers = (one.facts.writer, two.facts.writer)
    same = bool(one.docs and two.docs) and same_docs(one.docs or (), two.docs or ())
    if "store" in writers:
        return same
    if one.name != two.name:  # GenAI's conventions do not name the class of a retriever
        return same and one.query == two.query is not None and "genai" in writers
    return same or one.docs is None or two.docs is None or not (one.docs or two.docs)


def _take_children(outer: Step, other: Step) -> None:
    """Hangs what stands inside the one below the other."""
    if other.parent is not None:
        other.parent.children.remove(other)
    for child in other.children:
        child.parent = outer
    outer.children = sorted((*outer.children, *other.children), key=lambda step: step.order)


def merge_nested(steps: list[Step]) -> list[Step]:
    """Rule 7a: a step inside one of the same kind, with the same query and the same list, is the same stage.

    The outer one stays, with what only the inner one says: texts, ids, scores, the query, a prompt. What stands inside
    the inner one then stands inside the outer one. Model calls and embeddings that wrap each other likewise. Inner
    ones first: a pile of three becomes one.
    """
    kept = list(steps)
    for step in sorted(steps, key=_depth, reverse=True):
        outer = _around(step)
        if outer is not None and _is_same(outer, step):
            _absorb(outer, step)
            _dissolve(step)
            kept.remove(step)
    return kept


def _depth(step: Step) -> tuple[int, tuple[int, str, str]]:
    return sum(1 for _ in step.above()), step.order


def _around(step: Step) -> Step | None:
    """The nearest step around this one that has a kind; what only holds others is passed over."""
    if step.kind is None:
        return None
    return next((above for above in step.above() if above.kind is not None), None)


def _is_same(outer: Step, inner: Step) -> bool:
    if outer.kind in LISTED and inner.kind in LISTED:
        return _is_same_list(outer, inner)
    if outer.kind is not inner.kind:
        return False
    if outer.kind is StageKind.GENERATE:
        alone = sum(one.kind is StageKind.GENERATE for one in outer.below()) == 1
        return alone and (outer.text is None or inner.text is None or outer.text == inner.text)
    if outer.kind is StageKind.ASSEMBLE:
        return outer.text is not None and outer.text == inner.text
    if outer.kind is StageKind.EMBED:
        return outer.query is None or inner.query is None or outer.query == inner.query
    return outer.kind is StageKind.TOOL and outer.name == inner.name


def _is_same_list(outer: Step, inner: Step) -> bool:
    if outer.query is not None and inner.query is not None and outer.query != inner.query:
        return False
    if inner.docs is None and inner.facts.writer == "store" and outer.kind is StageKind.RETRIEVE:
        return _is_only_list(outer, inner)  # the client of the store below a retriever, hits not recorded
    if outer.kind is not inner.kind:
        return False
    if outer.docs is None or inner.docs is None:
        return outer.name == inner.name and listed_inside(outer) == [inner]
    if _is_cut(outer) or _is_cut(inner):
        count = min(len(outer.docs), len(inner.docs))
        return outer.name == inner.name and same_docs(outer.docs[:count], inner.docs[:count])
    if not same_docs(outer.docs, inner.docs):
        return False
    # One leg of several may have found just what all of them did: it stays a leg.
    return outer.name == inner.name or (len(listed_inside(outer)) < 2 and not rescored(outer.docs, inner.docs))


def _is_cut(step: Step) -> bool:
    """Whether its list was cut off: what is left is the beginning of it."""
    return step.documents is not None and step.documents.completeness is Completeness.TRUNCATED


def _is_only_list(outer: Step, inner: Step) -> bool:
    return all(one is inner or one.kind not in LISTED for one in outer.below())


def _absorb(outer: Step, inner: Step) -> None:
    """Gives the outer step what only the inner one says."""
    outer.query = outer.query or inner.query
    outer.prompt = outer.prompt or inner.prompt
    outer.text = outer.text or inner.text
    outer.given = outer.given or inner.given
    outer.notes = inner.notes | outer.notes
    if outer.docs is None or (_is_cut(outer) and inner.docs is not None and not _is_cut(inner)):
        outer.documents = inner.documents or outer.documents
    elif outer.documents is not None and outer.docs and inner.docs and len(outer.docs) == len(inner.docs):
        outer.documents = outer.documents._replace(docs=fill_docs(outer.docs, inner.docs))
    fields = ("top_k", "searched", "model", "embedding_model", "filters")
    gaps = {name: getattr(inner.facts, name) for name in fields if getattr(outer.facts, name) is None}
    outer.facts = outer.facts._replace(**gaps)


def _dissolve(step: Step) -> None:
    """Hangs what stands inside a step below the one around it."""
    if step.parent is not None:
        step.parent.children.remove(step)
        step.parent.children += step.children
        for child in step.children:
            child.parent = step.parent
