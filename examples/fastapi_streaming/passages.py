"""What the app answers from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Passage:
    """One passage of the handbook."""

    id: str
    doc_id: str
    text: str
    score: float = 0.0

    def scored(self, score: float) -> Passage:
        """The same with a score."""
        return replace(self, score=score)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, in small letters."""
    return frozenset(re.findall(r"\w+", text.lower()))


PASSAGES = (
    Passage("refunds#1", "refunds", "Monthly plans are not refunded."),
    Passage("refunds#2", "refunds", "Annual plans can be returned within 30 days of the payment."),
    Passage("refunds#3", "refunds", "A refund arrives on the card within ten working days."),
    Passage("plans#1", "plans", "Plans are changed in the settings, at any time."),
    Passage("plans#2", "plans", "An annual plan costs ten times a monthly plan."),
    Passage("invoices#1", "invoices", "Invoices are sent by mail on the first of the month."),
)
