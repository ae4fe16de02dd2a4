"""Model calls of other writers inside a generate stage of goldrank's own: the prompt that the decorator did not see.

The stage speaks for what is in it: answer, outcome, times are its own. Where it says no prompt and no model, the one
call inside it does, or of several the last one that gave the stage's own answer; which of others counted nobody knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...model import Span, Stage, StageKind, wire
from ..dialects.facts import Facts
from ..tree import SpanKey, Tree, span_key

FROM_INSIDE: Final = "the model call inside it"
_ANSWERS: Final = frozenset({StageKind.GENERATE, StageKind.REWRITE})


def fill_from_calls(stages: Mapping[SpanKey, Stage], spans: Sequence[Span], tree: Tree) -> dict[SpanKey, Stage]:
    """Those of our own stages that a model call inside them says more of, by span."""
    open_ones = {key for key, stage in stages.items() if stage.kind in _ANSWERS and not (stage.prompt and stage.model)}
    if not open_ones:
        return {}
    calls: dict[SpanKey, list[tuple[Span, Facts]]] = defaultdict(list)
    for span in spans:
        around = _own_stage(span_key(span), tree) if wire.KIND not in span.attributes else None
        facts = tree.facts_of(span_key(span)) if around in open_ones else None
        if around is not None and facts is not None and facts.kind is StageKind.GENERATE:
            calls[around].append((span, facts))
    filled = {key: _filled(stages[key], _the_one(stages[key], found, tree)) for key, found in calls.items()}
    return {key: stage for key, stage in filled.items() if stage is not stages[key]}


def _own_stage(key: SpanKey, tree: Tree) -> SpanKey | None:
    """The nearest span of ours around a span."""
    above = tree.parents.get(key)
    while above is not None and wire.KIND not in tree.spans[above].attributes:
        above = tree.parents.get(above)
    return above


def _the_one(stage: Stage, calls: Sequence[tuple[Span, Facts]], tree: Tree) -> Facts | None:
    """The call that made the stage's text: the only one, calls around each other counted once, else by its answer."""
    around = {tree.parents.get(span_key(span)) for span, _ in calls}
    inner = [(span, facts) for span, facts in calls if span_key(span) not in around]
    if len(inner) == 1:
        return max((facts for _, facts in calls), key=lambda facts: (facts.prompt is not None, facts.model is not None))
    same = [one for one in inner if stage.text and one[1].text == stage.text]
    return max(same, key=lambda one: (one[0].end_ns, one[0].span_id))[1] if same else None


def _filled(stage: Stage, facts: Facts | None) -> Stage:
    update: dict[str, Any] = {}
    if facts is not None and not stage.prompt and facts.prompt:
        update |= {"prompt": facts.prompt, "notes": {**stage.notes, "prompt": FROM_INSIDE}}
    if facts is not None and not stage.model and facts.model:
        update["model"] = facts.model
    return stage.model_copy(update=update) if update else stage
