"""One text, or every text inside a value, after the functions that hide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.redaction import HIDDEN_TEXT, Redaction


def redact_text(text: str, functions: Sequence[Redaction]) -> str:
    """`text` after every function in order; HIDDEN_TEXT where one fails or gives no text."""
    for function in functions:
        try:
            text = function(text)
        except Exception:  # noqa: BLE001 - the user's own function, and the text must not leak by its error
            return HIDDEN_TEXT
        if not isinstance(text, str):
            return HIDDEN_TEXT
    return text


def redact_value(value: Any, functions: Sequence[Redaction]) -> Any:  # noqa: ANN401 - whatever an attribute holds
    """A value with every text in it redacted; names of fields stay."""
    if isinstance(value, str):
        return redact_text(value, functions)
    if isinstance(value, list):
        return [redact_value(item, functions) for item in value]
    if isinstance(value, dict):
        return {key: redact_value(item, functions) for key, item in value.items()}
    return value
