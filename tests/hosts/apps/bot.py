"""The recorded function that every host serves."""

from __future__ import annotations

import os

import goldrank

goldrank.init(app="hosted")


@goldrank.retrieve(index="docs")
def search(query: str) -> list[dict[str, str]]:
    """One passage."""
    return [{"id": f"passage of {query}", "text": "Annual plans can be returned for 30 days."}]


@goldrank.request
def answer(question: str) -> str:
    """The process that answered, and what it was asked."""
    search(question)
    return f"{os.getpid()} {question}"
