"""The prompt: instructions, the passages that fit, the conversation, the question."""

from __future__ import annotations

from collections.abc import Sequence

from .hits import Hit
from .rewriting import Turn

INSTRUCTIONS = (
    "You answer questions of customers of Quillmoor. Use only the sources. "
    "Name the source of every statement with its mark, for example [S1]. "
    "If the sources do not answer the question, say so."
)


def choose(hits: Sequence[Hit], *, takes: int, budget: int) -> list[Hit]:
    """At most `takes` passages, best first, that together have at most `budget` characters.

    One that does not fit any more is skipped, and the next is tried: nothing is ever sent in part.
    """
    chosen: list[Hit] = []
    for hit in hits:
        if len(chosen) < takes and sum(len(other.text) for other in chosen) + len(hit.text) <= budget:
            chosen.append(hit)
    return chosen


def build_prompt(question: str, hits: Sequence[Hit], history: Sequence[Turn]) -> str:
    """The text for the model. Passages carry the marks [S1], [S2], ... in their order."""
    sources = "\n\n".join(f"[S{n}] {hit.text}" for n, hit in enumerate(hits, 1)) or "(no sources)"
    turns = "".join(f"{turn['role']}: {turn['content']}\n" for turn in history)
    talk = f"\n\nConversation so far:\n{turns.rstrip()}" if turns else ""
    return f"{INSTRUCTIONS}\n\nSources:\n\n{sources}{talk}\n\nQuestion: {question}"
