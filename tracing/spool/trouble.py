"""Trouble in the host's process: one clear log line per kind, and nothing else that the app could notice."""

from __future__ import annotations

import logging
import os
from typing import Final

LOG: Final = logging.getLogger("goldrank")

_said: set[str] = set()


def warn_once(kind: str, message: str, *, traceback: bool = False) -> None:
    """Logs `message` as a warning, the first time that this process meets `kind` of trouble."""
    if kind not in _said:
        _said.add(kind)
        LOG.warning("goldrank: %s", message, exc_info=traceback)


def strict() -> bool:
    """Whether errors inside goldrank are raised (GOLDRANK_STRICT=1) instead of logged and counted."""
    return os.environ.get("GOLDRANK_STRICT") == "1"
