"""Step: read the spans. Rules 1 (which dialect), 13 (log records), 23 (several queries in one call)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...model import Span, StageKind, wire
from ..dialects import genai
from ..dialects.facts import LOG_EVENT, Facts, fill
from ..tree import SpanKey, Tree, parent_key, span_key
from .step import Step, make_step


def read_steps(spans: Iterable[Span], tree: Tree) -> list[Step]:
    """The steps of these spans, each hung below the nearest one around it, by start.

    Rule 1: the dialect is chosen span by span (`dialects.others`). Rule 13: log records of a span say the same things
    as the span itself. What stands inside a stage that goldrank's own shim recorded is left to that stage.
    """
    logs: dict[SpanKey, list[Span]] = defaultdict(list)
    facts: dict[SpanKey, Facts] = {}
    members: dict[SpanKey, Span] = {}
    for span in spans:
        key = span_key(span)
        if LOG_EVENT in span.attributes:
            logs[parent_key(span)].append(span)
        elif not _is_ours(key, tree) and (found := tree.facts_of(key)) is not None:
            facts[key], members[key] = found, span
    for parent, records in logs.items():
        said = genai.read_logs(records)
        if said is not None and parent in tree.spans and not _is_ours(parent, tree):
            facts[parent] = fill(facts[parent], said) if parent in facts else said
            members[parent] = tree.spans[parent]
        elif said is not None and parent not in tree.spans:
            first = min(records, key=lambda record: (record.start_ns, record.span_id))
            facts[span_key(first)], members[span_key(first)] = said, first
    return _hang({key: make_step(key, members[key], facts[key]) for key in facts}, tree)


def _is_ours(key: SpanKey, tree: Tree) -> bool:
    """Whether a span is goldrank's own, or stands inside one of its stages."""
    step: SpanKey | None = key
    while step is not None:
        kind = tree.spans[step].attributes.get(wire.KIND)
        if kind is not None and (step == key or kind != "request"):
            return True
        step = tree.parents.get(step)
    return False


def _hang(steps: Mapping[SpanKey, Step], tree: Tree) -> list[Step]:
    for key, step in steps.items():
        above = tree.parents.get(key)
        while above is not None and above not in steps:
            above = tree.parents.get(above)
        step.parent = steps[above] if above is not None else None
    ordered = sorted(steps.values(), key=lambda step: step.order)
    for step in ordered:
        if step.parent is not None:
            step.parent.children.append(step)
    return ordered


def split_batches(steps: list[Step]) -> list[Step]:
    """Rule 23: a call with several queries becomes one stage a query; further ones have ids made of the span's."""
    found: list[Step] = []
    for step in steps:
        found.append(step)
        if step.facts.writer != "store batch" or step.kind is not StageKind.RETRIEVE:
            continue
        lists, step.given = step.given, ()
        step.documents, name = lists[0], step.name
        step.name = f"{name} (query 1)"
        for number, documents in enumerate(lists[1:], 2):
            made = hashlib.blake2b(f"{step.stage_id}:{number}".encode(), digest_size=8).hexdigest()
            other = make_step(step.key, step.span, step.facts)
            other.stage_id, other.name, other.given = made, f"{name} (query {number})", ()
            other.documents, other.parent = documents, step.parent
            if step.parent is not None:
                step.parent.children.append(other)
            found.append(other)
    return found
