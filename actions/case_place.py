"""Where a case belongs in its set: is its question there already, and under which id?"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from ..evals import make_case_id
from ..model import EvalCase
from ..store import Store


class Placed(NamedTuple):
    """A case with an id that is its own, and what the set holds in its place."""

    case: EvalCase
    existing: EvalCase | None


def place_case(store: Store, case: EvalCase, *, id_decides: bool = False) -> Placed:
    """The case of the set with this key; an archived one only where no other has the key.

    `id_decides`: where the set does not hold the question, a case of it with this id is the same case with another
    question, as when somebody edited an export. Otherwise an id that is taken is replaced by a free one.
    """
    current = store.cases.by_key(case.case_key, eval_set=case.eval_set)
    if current:
        return Placed(case, current[0])
    other = store.cases.get(case.case_id)
    if other is None:
        return Placed(case, None)
    if other.eval_set == case.eval_set and (id_decides or other.case_key == case.case_key):
        return Placed(case, other)
    ids = (make_case_id(case.eval_set, f"{case.case_key}-{number}") for number in count(2))
    free = next(one for one in ids if store.cases.get(one) is None)
    return Placed(case.model_copy(update={"case_id": free}), None)
