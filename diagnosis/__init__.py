"""What happened to a request, as pure functions: flow, context, gold path, verdict.

from goldrank.diagnosis import examine

diagnosis = examine(recorded, labels, facts)
print(diagnosis.headline.sentence)
"""

from __future__ import annotations

from .examine import examine
from .gold_path import gold_path_text
from .questions import ShortAnswer, ThreeQuestions, three_questions

__all__ = ["ShortAnswer", "ThreeQuestions", "examine", "gold_path_text", "three_questions"]
