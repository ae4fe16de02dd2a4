"""Which argument of a stage is the list of hits that it works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .. import names
from ..context import open_stage
from ..plan import Plan
from ..recognisers import RawHit, read_hit, reading_of
from ..values import is_a

_USUAL_NAMES: Final = frozenset(
    {*names.LISTS, *names.CONTEXT, "passages", "candidates", "ranked", "retrieved", "found"}
)
FEWEST_SPACES: Final = 3
"""In a text, rather than a name or an id."""


def list_argument(plan: Plan, bound: Mapping[str, Any]) -> str | None:
    """The parameter that holds the hits; None where none is recognised.

    In turn: what `inputs=` names; a list that an earlier stage of this request gave; a list of hits; a list of texts;
    an empty list under a usual name.
    """
    named = plan.inputs
    for name in (named,) if isinstance(named, str) else named if isinstance(named, list | tuple) else ():
        if isinstance(name, str) and is_list(bound.get(name)):
            return name
    lists = {name: value for name, value in bound.items() if is_list(value) and not plan.arguments.is_rest(name)}
    for test in (_is_known, _holds_hits, _holds_texts):
        for name, value in lists.items():
            if value and test(value):
                return name
    return next((name for name, value in lists.items() if not value and name in _USUAL_NAMES), None)


def is_list(value: Any) -> bool:
    """Whether it is a list or a tuple, and no named one."""
    return is_a(value, list | tuple) and not hasattr(type(value), "_fields")


def _is_known(value: Any) -> bool:
    stage = open_stage()
    if stage is None or stage.request is None:
        return False
    with stage.request.lock:
        return bool(stage.request.flow.inputs_of((value,), works_on_lists=True))


def as_hit(element: Any) -> RawHit | None:
    """The element as it would be recorded."""
    return read_hit(element, reading_of("assemble", ""))


def _holds_hits(value: Any) -> bool:
    first = value[0]
    if is_a(first, str) or (is_list(first) and not any(is_a(part, int | float) for part in first)):
        return False
    hit = as_hit(first)
    return hit is not None and (hit.text is not None or hit.score is not None)


def _holds_texts(value: Any) -> bool:
    return all(is_a(item, str) and ("\n" in item or item.count(" ") >= FEWEST_SPACES) for item in value)
