"""Text that a person typed and that is stored: redacted like everything else."""

from __future__ import annotations

from collections.abc import Callable

from ..collectors.redaction import redact_text
from .workspace import Workspace


def redactor(workspace: Workspace) -> Callable[[str], str]:
    """A function that hides in a text what this workspace hides; a function of it that fails hides the whole text."""
    functions = workspace.redact
    if functions is None:
        from ..tracing.settings import resolve

        functions = resolve({}).redact
    return lambda text: redact_text(text, functions)
