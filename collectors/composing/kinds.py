"""Steps: name what has no kind of its own; recognise fuse and rerank. Rules 7b, 7c, 8, 11."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...model import Completeness, ScoreKind, StageKind
from ..dialects.documents import documents_in
from ..dialects.facts import Doc, DocList
from ..dialects.json_text import load
from ..dialects.lists import list_from
from ..dialects.talk import query_in
from ..dialects.work import given_lists
from .step import LISTED, Step, doc_keys, listed_inside, same_docs

RERANKS: Final = re.compile(r"re-?rank|ranker|compress|post_?process", re.IGNORECASE)
_RANKS: Final = re.compile(r"re-?rank|ranker", re.IGNORECASE)
JOINS: Final = re.compile(r"joiner|(?<![a-z])fus(e|ion)|(?<![a-z])rrf(?![a-z])|ensemble|merger", re.IGNORECASE)
SEARCHES: Final = re.compile(r"retriev|search|lookup|knowledge|\bkb\b", re.IGNORECASE)
_NAMED_ANYHOW: Final = (None, StageKind.TOOL, StageKind.RETRIEVE)
_METHOD: Final = re.compile(r"\.?_?a?postprocess_nodes\Z|\.?_?a?process_nodes\Z")


def name_kinds(steps: list[Step]) -> None:
    """Rule 8: what has no kind, is called a reranker (or a joiner), and holds lists both in and out, is one.

    A joiner takes several lists; a step that only drops documents and keeps the order is a filter. Writers that have no
    word for a reranker call it a tool or a retriever: one that returns nothing but what it was given is none.
    """
    for step in steps:
        if step.kind not in _NAMED_ANYHOW or step.facts.made_value is None:
            continue
        reranks, joins = RERANKS.search(step.name) is not None, JOINS.search(step.name) is not None
        if not (reranks or joins):
            continue
        made, given = list_from(step.facts.made_value, texts=False), given_lists(step.facts.given_value)
        if made is None or (made.docs is None and made.completeness is Completeness.COMPLETE):
            continue
        if step.kind is not None and not _of_given(made, given):
            continue
        if joins and len(given) > 1:
            step.kind, step.documents, step.given = StageKind.FUSE, made, given
        elif made.completeness is Completeness.REDACTED and _RANKS.search(step.name):  # both lists are hidden
            step.kind, step.documents = StageKind.RERANK, made
        elif reranks and given:
            _make_ranker(step, made, given)
            step.name = _METHOD.sub("", step.name) or step.name


def name_kinds_by_lists(steps: list[Step]) -> None:
    """Rule 8, of a step with any name: given one list, and giving back only documents of that one, in another order or
    fewer of them, it reranks or filters. Both lists must be whole; of steps inside each other it is the inner one."""
    for step in reversed(steps):
        if step.kind is not None or step.parent is None or step.facts.made_value is None or listed_inside(step):
            continue
        given = given_lists(step.facts.given_value)
        if len(given) != 1 or not given[0].docs:
            continue
        made = list_from(step.facts.made_value, texts=False)
        if made is None or not made.docs or made.completeness is not Completeness.COMPLETE:
            continue
        kept, before = doc_keys(made.docs), doc_keys(given[0].docs)
        if kept == before or len(kept) > len(before) or not _of_given(made, given):
            continue
        _make_ranker(step, made, given)


def _make_ranker(step: Step, made: DocList, given: tuple[DocList, ...]) -> None:
    """A reranker with its lists and its query; a filter, where it only dropped documents."""
    step.kind = StageKind.FILTER if _only_drops(step, made, given) else StageKind.RERANK
    step.documents, step.given = made, given
    step.query = step.query or query_in(_without_lists(step.facts.given_value))


def _of_given(made: DocList, given: Sequence[DocList]) -> bool:
    """Whether a list holds only documents of the lists that were given."""
    before = {key for listed in given for key in doc_keys(listed.docs or ())}
    return bool(made.docs) and before.issuperset(doc_keys(made.docs or ())) and None not in before


def _only_drops(step: Step, made: DocList, given: Sequence[DocList]) -> bool:
    """Whether a post-processor took some away and changed nothing else; what is called a reranker is one."""
    if _RANKS.search(step.name) or len(given) != 1 or not made.docs or not given[0].docs:
        return False
    kept, before = doc_keys(made.docs), doc_keys(given[0].docs)
    if None in kept or len(kept) >= len(before):
        return False
    return _in_order(kept, before) and not rescored(made.docs, given[0].docs)


def _without_lists(given: object) -> object:
    """The arguments that are no documents: a query is looked for among those, also where all stand in one of them."""
    value = load(given)
    if not isinstance(value, dict):
        return None
    kept: dict[str, object] = {}
    for key, item in value.items():
        if _holds_lists(item):
            kept[key] = _without_lists(item)
        elif documents_in(item) is None:
            kept[key] = item
    return kept


def _holds_lists(value: object) -> bool:
    loaded = load(value)
    if not isinstance(loaded, dict):
        return False
    return any(isinstance(inner := load(item), list) and documents_in(inner) for item in loaded.values())


def open_tools(steps: list[Step]) -> None:
    """Rule 11: a tool whose result is a list of documents is a retriever; one around a retriever leaves the list to it.

    One that is called a search is a retriever where it failed, and where it gave something else what it found is not
    known. A tool that was asked for no text and returned none is an ordinary one.
    """
    for step in steps:
        if step.kind is not StageKind.TOOL:
            continue
        if any(one.kind in LISTED for one in step.below()):
            continue
        docs = documents_in(step.facts.made_value)
        if docs or (docs is not None and SEARCHES.search(step.name)):
            step.kind, step.documents = StageKind.RETRIEVE, list_from(step.facts.made_value, texts=False)
        elif step.has_failed and SEARCHES.search(step.name):
            step.kind = StageKind.RETRIEVE
        elif step.query is None and not SEARCHES.search(step.name):
            step.kind = StageKind.OTHER


def recognise_fuse_and_rerank(steps: list[Step]) -> None:
    """Rule 7b: a retriever around two or more is a fusion. Rule 7c: one around exactly one, with the same query and
    only documents of that one, reranks it where the order or the scores differ, else it filters. Other queries inside
    are the legs of a fusion (7d). One around a search and what reranked it only holds them: its list is the last one's.
    Inner ones first."""
    for step in reversed(steps):
        if step.kind is not StageKind.RETRIEVE:
            continue
        inside = listed_inside(step)
        if len(inside) > 1:
            last = inside[-1]
            ends = last.kind is not StageKind.RETRIEVE and step.docs is not None and last.docs is not None
            only_holds = ends and same_docs(step.docs or (), last.docs or ())
            step.kind = None if only_holds else StageKind.FUSE
        elif len(inside) == 1:
            step.kind = _kind_around(step, inside[0]) or step.kind


def _kind_around(step: Step, inner: Step) -> StageKind | None:
    if step.docs is None or not inner.docs or not _same_query(step, inner):
        return None
    outer, given = doc_keys(step.docs), doc_keys(inner.docs)
    if None in outer or not set(outer) <= set(given):
        return None
    if _RANKS.search(step.name) or rescored(step.docs, inner.docs) or not _in_order(outer, given):
        return StageKind.RERANK
    if RERANKS.search(step.name) and outer == given[: len(outer)]:  # it compresses: the first ones, by whatever measure
        return StageKind.RERANK
    return StageKind.FILTER if len(outer) < len(given) else None


def _in_order(some: Sequence[str | None], given: Sequence[str | None]) -> bool:
    """Whether a list is another one from which only some were taken; one that came twice may be taken once."""
    rest = iter(given)
    return all(any(key == other for other in rest) for key in some)


def _same_query(step: Step, inner: Step) -> bool:
    return step.query is None or inner.query is None or step.query == inner.query


def rescored(outer: tuple[Doc, ...], inner: tuple[Doc, ...]) -> bool:
    """Whether the outer list has scores of its own: of a reranker, or other numbers for the same documents."""
    reranked = any(doc.score_kind == ScoreKind.RERANK.value for doc in outer)
    if reranked and not any(doc.score_kind == ScoreKind.RERANK.value for doc in inner):
        return True
    before: dict[str | None, set[float]] = {}
    for doc in inner:
        if doc.score is not None:
            before.setdefault(doc.chunk_id, set()).add(doc.score)
    return any(doc.score is not None and doc.score not in before.get(doc.chunk_id, {doc.score}) for doc in outer)


def keeps_its_list(step: Step) -> bool:
    """Whether a tool is called a search, came back, and nothing says what it found."""
    found = step.kind is StageKind.TOOL and not step.has_failed and SEARCHES.search(step.name) is not None
    return found and not listed_inside(step) and documents_in(step.facts.made_value) is None


def list_or_unknown(step: Step) -> DocList:
    """The list of a step that makes one; where none was sent, why."""
    if step.documents is not None:
        return step.documents
    return DocList(
        None, completeness=Completeness.NOT_RECORDED, reason=step.facts.hint or "its documents were not sent"
    )
