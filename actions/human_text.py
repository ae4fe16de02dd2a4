"""Text that a person typed and that is stored: redacted like everything else.

What is hidden is said by GOLDRANK_REDACT in the environment of the process that stores: the hub, or a command where no
hub runs. "email,phone,card,iban" hides all four kinds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from ..collectors.redaction import redact_text
from ..model import UsageError
from ..model.redaction import BUILT_INS, Redaction
from .workspace import Workspace

VARIABLE: Final = "GOLDRANK_REDACT"


def redactor(workspace: Workspace) -> Callable[[str], str]:
    """A function that hides in a text what this workspace hides, and what was forgotten; a function of it that fails
    hides the whole text.
    """
    functions = _functions(workspace)
    if (sieve := workspace.store.erasures.sieve()).masks:
        functions = (*functions, sieve.mask)
    return lambda text: redact_text(text, functions)


def redact_values(value: Any, redact: Callable[[str], str]) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """A JSON value with every text in it redacted; names of fields stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return [redact_values(one, redact) for one in value]
    if isinstance(value, dict):
        return {key: redact_values(one, redact) for key, one in value.items()}
    return value


def hides_anything(workspace: Workspace) -> bool:
    """Whether `redactor` changes any text at all."""
    return bool(_functions(workspace)) or workspace.store.erasures.sieve().masks


def redaction_names(workspace: Workspace) -> tuple[str, ...]:
    """What this workspace hides, in the order in which it is applied: "email", or the name of a function."""
    names = {function: name for name, function in BUILT_INS.items()}
    return tuple(names.get(one, getattr(one, "__name__", "a function")) for one in _functions(workspace))


def _functions(workspace: Workspace) -> tuple[Redaction, ...]:
    return _from_environment() if workspace.redact is None else workspace.redact


def _from_environment() -> tuple[Redaction, ...]:
    """UsageError for a name that nobody knows: text that should be hidden must not be stored because of a slip."""
    names = [name.strip() for name in os.environ.get(VARIABLE, "").split(",")]
    unknown = [name for name in names if name and name not in BUILT_INS]
    if unknown:
        raise UsageError(
            f"{VARIABLE} names {unknown[0]!r}; it knows {', '.join(BUILT_INS)}, with commas between. "
            "Nothing is stored until that is right."
        )
    return tuple(BUILT_INS[name] for name in names if name)
