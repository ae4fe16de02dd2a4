"""Words that people type, as conditions."""

from __future__ import annotations


def every_word(text: str, *columns: str) -> tuple[list[str], list[str]]:
    """Conditions that every word of `text` stands in one of `columns`, in any case, and the values to bind."""
    conditions, values = [], []
    for word in text.split():
        conditions.append("(" + " or ".join(f"{column} ilike ? escape '\\'" for column in columns) + ")")
        values.extend([f"%{escaped(word)}%"] * len(columns))
    return conditions, values


def escaped(word: str) -> str:
    """`word` with the signs of LIKE taken as themselves."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
