"""How an app records its requests: decorators, flow, texts, and the way to the spool.

import goldrank

goldrank.init(app="support-bot")

@goldrank.request
def answer(question: str) -> str: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .block import current_stage, stage
    from .decorators import (
        assemble,
        embed,
        filter,  # noqa: A004 - the glossary's word, used as goldrank.filter
        fuse,
        generate,
        guard,
        other,
        request,
        rerank,
        retrieve,
        rewrite,
        tool,
    )
    from .instrumenting import instrument, uninstrument
    from .joining import continue_request, headers
    from .open_stage import OpenStage
    from .replay_entrance import replay_app
    from .settings import Settings
    from .switching import flush, init, settings, shutdown
    from .telling import complaint, corpus, feedback, note, request_id
    from .threads import ThreadPoolExecutor, carry

_HOMES: Final = {
    "block": ("current_stage", "stage"),
    "decorators": (
        "assemble",
        "embed",
        "filter",
        "fuse",
        "generate",
        "guard",
        "other",
        "request",
        "rerank",
        "retrieve",
        "rewrite",
        "tool",
    ),
    "instrumenting": ("instrument", "uninstrument"),
    "joining": ("continue_request", "headers"),
    "open_stage": ("OpenStage",),
    "replay_entrance": ("replay_app",),
    "settings": ("Settings",),
    "switching": ("flush", "init", "settings", "shutdown"),
    "telling": ("complaint", "corpus", "feedback", "note", "request_id"),
    "threads": ("ThreadPoolExecutor", "carry"),
}
"""Loaded when the first of them is asked for: few apps need threads, headers or complaints of ours."""

__all__ = [
    "OpenStage",
    "Settings",
    "ThreadPoolExecutor",
    "assemble",
    "carry",
    "complaint",
    "continue_request",
    "corpus",
    "current_stage",
    "embed",
    "feedback",
    "filter",
    "flush",
    "fuse",
    "generate",
    "guard",
    "headers",
    "init",
    "instrument",
    "note",
    "other",
    "replay_app",
    "request",
    "request_id",
    "rerank",
    "retrieve",
    "rewrite",
    "settings",
    "shutdown",
    "stage",
    "tool",
    "uninstrument",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
