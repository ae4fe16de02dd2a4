"""Text that a person typed and that is stored."""

from __future__ import annotations

from typing import overload


@overload
def redacted(text: str) -> str: ...
@overload
def redacted(text: None) -> None: ...
def redacted(text: str | None) -> str | None:
    """The text with what the built-in redaction hides hidden."""
    return text
