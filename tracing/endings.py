"""How a stage or request ends, in words: outcome, error text, and the standard keys beside ours.

| what the function does                          | outcome      |
|-------------------------------------------------|--------------|
| returns, or its stream is read to the end       | ok           |
| raises, SystemExit included                     | error        |
| its task is cancelled; Ctrl-C                   | cancelled    |
| its stream is closed or dropped before its end  | closed_early |
| the process ends first                          | incomplete: nothing was sent; the ingester says so |
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Mapping
from typing import Any, Final

from ..model import wire
from ..model.stage import Outcome, StageKind
from .texts import TextRules

MAX_ERROR_CHARS: Final = 2_000

_CANCELLED: Final = (asyncio.CancelledError, concurrent.futures.CancelledError, KeyboardInterrupt)


def outcome_of(error: BaseException) -> Outcome:
    """What it means that `error` left the function."""
    if isinstance(error, _CANCELLED) or (type(error).__module__.partition(".")[0] == "trio" and _is_trio_cancel(error)):
        return Outcome.CANCELLED
    if isinstance(error, GeneratorExit):
        return Outcome.CLOSED_EARLY
    return Outcome.ERROR


def _is_trio_cancel(error: BaseException) -> bool:
    return type(error).__name__ == "Cancelled"


def describe(error: BaseException, rules: TextRules) -> str:
    """ "TypeName: message", redacted, at most 2,000 characters; the type alone where texts are not captured."""
    name = type(error).__name__
    if not rules.capture:
        return name
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the app's own __str__; the type says enough
        return name
    message = rules.apply(message[: 4 * MAX_ERROR_CHARS]).text
    return (f"{name}: {message}" if message else name)[:MAX_ERROR_CHARS]


_OPERATIONS: Final[Mapping[StageKind, str]] = {
    StageKind.RETRIEVE: "retrieval",
    StageKind.GENERATE: "chat",
    StageKind.EMBED: "embeddings",
    StageKind.TOOL: "execute_tool",
}
_STANDARD: Final = (
    (wire.TOP_K, "gen_ai.retrieval.top_k", frozenset({StageKind.RETRIEVE})),
    (wire.QUERY, "gen_ai.retrieval.query.text", frozenset({StageKind.RETRIEVE})),
    (wire.INDEX, "gen_ai.data_source.id", frozenset({StageKind.RETRIEVE})),
    (wire.MODEL, "gen_ai.request.model", frozenset({StageKind.GENERATE})),
    (wire.EMBEDDING_MODEL, "gen_ai.request.model", frozenset({StageKind.EMBED})),
)


def standard_keys(kind: StageKind, is_root: bool, attributes: Mapping[str, Any]) -> dict[str, Any]:  # noqa: FBT001
    """OpenTelemetry's own names for what our attributes say, so that other tools can read the span."""
    if is_root or kind not in _OPERATIONS:
        return {}
    found: dict[str, Any] = {"gen_ai.operation.name": _OPERATIONS[kind]}
    for ours, theirs, kinds in _STANDARD:
        if kind in kinds and ours in attributes:
            found[theirs] = attributes[ours]
    return found
