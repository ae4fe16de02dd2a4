"""goldrank: where was the right passage of an answer lost? This is what an app imports to be recorded.

import goldrank

goldrank.init(app="support-bot")          # the spool is ./.goldrank; or init(endpoint="http://collector:4318")

@goldrank.retrieve
def search(query: str, top_k: int = 20) -> list[dict]: ...

@goldrank.request                         # the entry point: one call, one request
def answer(question: str) -> str: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .model.late_names import late_names

if TYPE_CHECKING:
    from .tracing import (
        OpenStage,
        Settings,
        ThreadPoolExecutor,
        assemble,
        carry,
        complaint,
        continue_request,
        corpus,
        current_stage,
        embed,
        feedback,
        filter,  # noqa: A004 - the glossary's word, used as goldrank.filter
        flush,
        fuse,
        generate,
        guard,
        headers,
        init,
        instrument,
        note,
        other,
        replay_app,
        request,
        request_id,
        rerank,
        retrieve,
        rewrite,
        settings,
        shutdown,
        stage,
        tool,
        uninstrument,
    )

__version__ = "0.1.0"

_HOMES: Final = {
    "tracing": (
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
    ),
}
"""Loaded when the first of them is asked for: the command line records nothing and needs no OpenTelemetry."""

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
