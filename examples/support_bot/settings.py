"""How the bot searches. The defaults are what runs in production; the rest are set-ups that people really use."""

from __future__ import annotations

from dataclasses import dataclass, fields

from .library import VERSION


@dataclass(frozen=True)
class Settings:
    """One set-up of the bot."""

    legs: tuple[str, ...] = ("bm25", "dense")
    """Which legs search. ("dense",) is search by meaning alone."""
    index_version: str = VERSION
    """Which build of the index is searched."""
    rewrite: bool = True
    """Make follow-up questions stand alone before searching."""
    leg_depth: int = 30
    """How many hits each leg returns."""
    fused: int = 60
    """How many chunks the fusion keeps."""
    dedupe: bool = False
    """Take out passages that say nearly the same as one that stands higher."""
    rerank: bool = True
    """Rerank. Without, the prompt is built from the fused list, which is faster."""
    candidates: int = 30
    """How many chunks the reranker is given."""
    reranked: int | None = None
    """How many the reranker returns; None: all it was given."""
    takes: int = 5
    """How many passages go into the prompt."""
    budget: int = 4000
    """How many characters of passages go into the prompt."""
    outage: str | None = None
    """A step that does not answer in time: "dense" or "rerank". To see what a failing part does."""

    def differences(self) -> str:
        """What is set otherwise than in production, as "rerank=False, takes=3"; empty for production itself."""
        mine = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return ", ".join(f"{name}={value!r}" for name, value, default in mine if value != default)


PRODUCTION = Settings()
