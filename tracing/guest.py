"""Guest manners: what goes wrong inside the shim is said once, counted, and never reaches the app.

with Guard("reading hits"):
    ...   # an Exception in here is logged once per kind and counted; under GOLDRANK_STRICT=1 it is raised
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from types import TracebackType
from typing import Final

from ..model.errors import UsageError

LOGGER: Final = logging.getLogger("goldrank")
INTERNAL_ERROR: Final = "internal error"

_said: set[str] = set()
"""Without a lock: a signal handler or a forked child would wait for it for ever. Two lines at worst."""


def strict() -> bool:
    """Whether internal errors are raised (GOLDRANK_STRICT=1, for goldrank's own tests)."""
    return os.environ.get("GOLDRANK_STRICT") == "1"


def say_once(kind: str, message: str, *, level: int = logging.WARNING, traceback: bool = False) -> None:
    """Logs `message` unless something of the same kind was logged before in this process."""
    if kind in _said:
        return
    _said.add(kind)
    LOGGER.log(level, message, exc_info=traceback)


def forget_what_was_said() -> None:
    """Lets every kind of trouble be logged once more, after a new `init`."""
    _said.clear()


class _Counter:
    """Where internal errors are counted: the recorder's processor, once there is one."""

    count: Callable[[str, int], None] | None = None


COUNTER: Final = _Counter()


def trouble(what: str, error: Exception) -> None:
    """Says and counts one internal error. The message names type and place, never a value of the app."""
    say_once(
        f"internal error: {what}",
        f"goldrank: {what} failed ({type(error).__name__} at {_place(error)}). "
        "The app is not affected; that part of the recording is missing. More of this kind is only counted.",
    )
    if COUNTER.count is not None:
        COUNTER.count(INTERNAL_ERROR, 1)


def _place(error: Exception) -> str:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return "an unknown place"
    return f"{os.path.basename(traceback.tb_frame.f_code.co_filename)}:{traceback.tb_lineno}"  # noqa: PTH119 - cheap


def swallow(what: str, error: Exception) -> None:
    """Deals with an internal error as `Guard` does, for an `except` clause where calls are hot."""
    if isinstance(error, UsageError):
        raise error
    trouble(what, error)
    if strict():
        raise error


class Guard:
    """Keeps an internal error away from the app.

    BaseExceptions (Ctrl-C) pass: they are the app's. So does UsageError: the app's developer is told at the start.
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        if kind is None or not isinstance(error, Exception) or isinstance(error, UsageError):
            return False
        trouble(self._what, error)
        return not strict()
