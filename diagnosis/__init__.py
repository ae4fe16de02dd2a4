"""What happened to a request, as pure functions: flow, context, gold path, verdict.

from goldrank.diagnosis import examine

diagnosis = examine(recorded, labels, facts)
print(diagnosis.headline.sentence)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .examine import examine
    from .gold_path import gold_path_text
    from .questions import ShortAnswer, ThreeQuestions, three_questions

_HOMES: Final = {
    "examine": ("examine",),
    "gold_path": ("gold_path_text",),
    "questions": ("ShortAnswer", "ThreeQuestions", "three_questions"),
}
"""Module -> what is taken from it, when first asked for."""

__all__ = ["ShortAnswer", "ThreeQuestions", "examine", "gold_path_text", "three_questions"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
