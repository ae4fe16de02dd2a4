"""Canonical JSON lines of eval cases: one line a case, sorted, the same bytes for the same cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..model import BadInput, EvalCase, Level
from .fields import (
    DETAIL,
    DETAIL_FIELDS,
    FILTERS,
    FORMAT,
    GROUPS,
    HISTORY,
    ID_FIELDS,
    KNOWN,
    ORIGIN,
    PHRASES,
    QUESTION,
    TEXT_FIELDS,
    IdField,
)
from .line import CaseDefaults, parse_case

_SPLITS_A_LINE = re.compile("[\u0085\u2028\u2029\ud800-\udfff]")
"""Readers that split with str.splitlines() would make two lines of one; a lone surrogate cannot be written at all."""
_MUST_STAND = (QUESTION, GROUPS, PHRASES, *(field.name for field in ID_FIELDS))
"""Written even when empty: other readers of golden sets look for them."""


class ReadCase(NamedTuple):
    """A case as read, and where it stood."""

    line: int
    """1-based."""
    case: EvalCase


class UnreadLine(NamedTuple):
    """A line that holds no case, and why."""

    line: int
    """1-based."""
    reason: str


class ReadCases(NamedTuple):
    """What a file held, in its order."""

    cases: tuple[ReadCase, ...]
    bad: tuple[UnreadLine, ...]


def write_cases(cases: Iterable[EvalCase]) -> str:
    """The cases sorted by set, then id; keys sorted; every line ends with a line feed. No case: the empty text."""
    ordered = sorted(cases, key=lambda case: (case.eval_set, case.case_id))
    return "".join(f"{write_case(case)}\n" for case in ordered)


def write_case(case: EvalCase) -> str:
    """One case as one line, without a line end."""
    text = json.dumps(_as_line(case), ensure_ascii=False, sort_keys=True, allow_nan=False)
    return _SPLITS_A_LINE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def read_cases(text: str, defaults: CaseDefaults) -> ReadCases:
    """Every case of the text. A line that cannot be read is named with the reason, and the rest goes on.

    A byte order mark and blank lines are passed over. Lines end at a line feed and nowhere else.
    """
    cases: list[ReadCase] = []
    bad: list[UnreadLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            cases.append(ReadCase(number, parse_case(line, defaults)))
        except BadInput as error:
            bad.append(UnreadLine(number, str(error)))
    return ReadCases(tuple(cases), tuple(bad))


def _as_line(case: EvalCase) -> dict[str, Any]:
    whole = case.model_dump(mode="json", exclude_defaults=True)
    line = {name: whole[name] for name in (*TEXT_FIELDS, HISTORY, FILTERS, ORIGIN, PHRASES) if name in whole}
    line[GROUPS] = list(case.groups)
    line.update({field.name: _ids(case, field) for field in ID_FIELDS})
    line.update({name: line.get(name, []) for name in _MUST_STAND if name != QUESTION})
    line[QUESTION] = case.question
    detail = {name: whole[name] for name in DETAIL_FIELDS if name in whole}
    clashing = {name: value for name, value in case.extra.items() if name in KNOWN}
    if clashing:
        detail["extra"] = clashing
    line[DETAIL] = {"format": FORMAT, **detail}
    return {**{name: value for name, value in case.extra.items() if name not in KNOWN}, **line}


def _ids(case: EvalCase, field: IdField) -> list[str]:
    targets = [label.target for label in case.labels if label.judgement is field.judgement]
    ids = [one.doc_id if field.level is Level.DOCUMENT else one.chunk_id for one in targets if one.level is field.level]
    return list(dict.fromkeys(one for one in ids if one is not None))
