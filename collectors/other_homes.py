"""Which request spans of other writers belong to, in traces without a request span of goldrank's own. Rules 21, 22.

1. A request has the topmost span of its trace for a root, or one that its writer calls so and whose parent did not
   come. Of several, those that hold something of a request (a search, a model call, a question) are a request each;
   the rest goes to the one in whose time it began.
2. A topmost span that nobody knows (a web server) around several steps that each hold a question is split at those.
3. A trace whose topmost span links to a span of another request belongs to that one, where that has a question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..model import Span
from .dialects import Role
from .dialects.talk import question_in
from .tree import SpanKey, Tree


def is_full(request_id: str) -> bool:
    """Whether it names a request span; a bare trace id names none."""
    return "-" in request_id


def own_id(key: SpanKey) -> str:
    """The request id of a span that is a request span."""
    return f"{key[0]}-{key[1]}"


def key_of(request_id: str) -> SpanKey:
    """The request span that a full request id names."""
    trace_id, _, span_id = request_id.partition("-")
    return trace_id, span_id


def choose(span: Span, among: list[str], tree: Tree) -> str:
    """The request in whose time the span began, else the earliest."""
    roots = {home: tree.spans[key_of(home)] for home in among if is_full(home)}
    during = [home for home, root in roots.items() if root.start_ns <= span.start_ns <= (root.end_ns or span.start_ns)]
    return min(during or list(roots) or among, key=lambda home: (roots[home].start_ns if home in roots else 0, home))


def place_others(trace_id: str, keys: Sequence[SpanKey], tree: Tree) -> dict[SpanKey, str]:
    """The request of each of these spans, all of one trace, parents first; the trace id while no top has come."""
    tops = [key for key in keys if tree.marks[key].role is Role.OTHER and _is_top(key, tree)]
    tops.sort(key=lambda key: (tree.spans[key].start_ns, key))
    if not tops:
        return dict.fromkeys(keys, trace_id)
    roots: dict[SpanKey, SpanKey] = {}
    for key in keys:
        roots[key] = roots.get(tree.parents.get(key, key), key)
    heads = tops
    if len(tops) > 1:
        telling = {roots[key] for key in keys if _tells(key, tree)}
        heads = [top for top in tops if top in telling] or tops[:1]
    homes = {head: head for head in heads}
    for head in heads:
        homes.update(_split(head, [key for key in keys if roots[key] == head], tree))
    return _spread(keys, homes, tree)


def _is_top(key: SpanKey, tree: Tree) -> bool:
    """Whether nothing is above a span; or only something that did not come, and its writer says that it is a root.

    A web server may send its spans elsewhere. Traceloop, once a search has failed, names a parent that never ends
    for everything that its process does from then on.
    """
    if tree.spans[key].parent_span_id is None:
        return True
    facts = None if key in tree.parents else tree.facts_of(key)
    return facts is not None and facts.app_root and question_in(facts.given_value).question is not None


def _tells(key: SpanKey, tree: Tree) -> bool:
    """Whether a span holds something of a request."""
    facts = tree.facts_of(key)
    if facts is None or facts.setup:
        return False
    return facts.kind is not None or question_in(facts.given_value).question is not None


def _split(head: SpanKey, keys: Iterable[SpanKey], tree: Tree) -> dict[SpanKey, SpanKey]:
    """The steps that are requests of their own below a topmost span that nobody knows; none where there is one only.

    Each with the step whose request it is: itself, or the one that another instrumentation recorded before it.
    """
    if tree.facts_of(head) is not None:
        return {}
    asking: dict[SpanKey, str] = {}
    for key in keys:
        facts = tree.facts_of(key)
        if (
            facts is None
            or facts.kind is not None
            or any(tree.facts_of(above) is not None for above in _above(key, tree))
        ):
            continue
        question = question_in(facts.given_value).question
        if question is not None:
            asking[key] = question
    heads: dict[SpanKey, SpanKey] = {}
    for key, question in asking.items():
        same = (one for one in heads if asking[one] == question and _is_of_another(tree.spans[one], tree.spans[key]))
        heads[key] = next(same, key)
    return heads if len(set(heads.values())) > 1 else {}


def _is_of_another(one: Span, two: Span) -> bool:
    """Whether two steps that were asked the same are one that two instrumentations recorded, each in its own spans."""
    beside = one.parent_span_id == two.parent_span_id and one.scope != two.scope
    return beside and max(one.start_ns, two.start_ns) < min(one.end_ns, two.end_ns)


def _above(key: SpanKey, tree: Tree) -> Iterable[SpanKey]:
    while key in tree.parents:
        key = tree.parents[key]
        yield key


def _spread(keys: Sequence[SpanKey], heads: dict[SpanKey, SpanKey], tree: Tree) -> dict[SpanKey, str]:
    """Each span to the nearest head that it stands in; a head that was split, and what stands in none, by time."""
    split = {head for head in heads if any(head in set(_above(other, tree)) for other in heads)}
    ends = [head for head in dict.fromkeys(heads.values()) if head not in split]
    homes: dict[SpanKey, str] = {}
    for key in keys:
        inside = next((one for one in (key, *_above(key, tree)) if one in heads), None)
        if inside is not None and inside not in split:
            homes[key] = own_id(heads[inside])
        else:
            homes[key] = choose(tree.spans[key], sorted(map(own_id, ends)), tree)
    return homes


def follow_links(keys: Iterable[SpanKey], homes: dict[SpanKey, str], tree: Tree) -> None:
    """Gives whole requests to the request that their root links to, where that one has a question (rule 21)."""
    members: dict[str, list[SpanKey]] = defaultdict(list)
    for key in sorted(keys):
        members[homes[key]].append(key)
    moved: dict[str, str] = {}
    for home in sorted(members):
        if not is_full(home):
            continue
        for link in tree.spans[key_of(home)].links:
            target = homes.get(link)
            if target is not None and target != home and _asks(target, tree):
                moved[home] = target
                break
    for home, first in moved.items():
        seen, end = {home}, first
        while end in moved and end not in seen:
            seen.add(end)
            end = moved[end]
        if end not in seen:
            homes.update(dict.fromkeys(members[home], end))


def _asks(home: str, tree: Tree) -> bool:
    if not is_full(home) or key_of(home) not in tree.spans:
        return False
    key = key_of(home)
    facts = tree.facts_of(key)
    if tree.marks[key].role is Role.REQUEST:
        return True
    return facts is not None and facts.kind is None and question_in(facts.given_value).question is not None
