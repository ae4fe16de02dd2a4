"""What is done about a failure: eval cases as files, and their identity.

from goldrank.evals import CaseDefaults, read_cases, write_cases

found = read_cases(Path("golden.jsonl").read_text("utf-8"), CaseDefaults(eval_set="support"))
print(write_cases(one.case for one in found.cases), found.bad)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .identity import make_case_id
    from .jsonl import ReadCase, ReadCases, UnreadLine, read_cases, write_case, write_cases
    from .line import CaseDefaults, parse_case

_HOMES: Final = {
    "identity": ("make_case_id",),
    "jsonl": ("ReadCase", "ReadCases", "UnreadLine", "read_cases", "write_case", "write_cases"),
    "line": ("CaseDefaults", "parse_case"),
}
"""Module -> what is taken from it, when first asked for."""

__all__ = [
    "CaseDefaults",
    "ReadCase",
    "ReadCases",
    "UnreadLine",
    "make_case_id",
    "parse_case",
    "read_cases",
    "write_case",
    "write_cases",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
