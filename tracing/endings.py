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

import sys
from typing import Final

from ..model.stage_words import Outcome
from .texts import TextRules

MAX_ERROR_CHARS: Final = 2_000

_WITH_CANCEL: Final = ("asyncio", "concurrent.futures")
"""Modules with a CancelledError. One that is not loaded cannot have raised it, and asyncio is slow to load."""


def outcome_of(error: BaseException) -> Outcome:
    """What it means that `error` left the function."""
    loaded = [sys.modules[name] for name in _WITH_CANCEL if name in sys.modules]
    cancelled = (KeyboardInterrupt, *(module.CancelledError for module in loaded))
    if isinstance(error, cancelled) or (type(error).__module__.partition(".")[0] == "trio" and _is_trio_cancel(error)):
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
