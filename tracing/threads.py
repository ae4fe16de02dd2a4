"""Taking the open request along into threads: `carry(fn)`, and an executor that does it by itself."""

from __future__ import annotations

import concurrent.futures
import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .context import current_context, enter, leave
from .recorder import SWITCH

P = ParamSpec("P")
R = TypeVar("R")


def carry(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which will run inside the request and stage that are open here, whatever thread calls it.

    Works for async functions too. Only OpenTelemetry's context is carried, no other context variable.
    """
    if SWITCH.recorder is None:
        return function
    context = current_context()
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def carried_async(*args: Any, **kwargs: Any) -> Any:
            entered = enter(context)
            try:
                return await function(*args, **kwargs)
            finally:
                leave(entered, context)

        return carried_async  # type: ignore[return-value] # a coroutine function, as `function` is

    @functools.wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> R:
        entered = enter(context)
        try:
            return function(*args, **kwargs)
        finally:
            leave(entered, context)

    return carried


class ThreadPoolExecutor(concurrent.futures.ThreadPoolExecutor):
    """`concurrent.futures.ThreadPoolExecutor` whose work runs inside the request it was submitted in."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> concurrent.futures.Future[R]:
        """Schedules `fn`; `map` goes through here too."""
        return super().submit(carry(fn), *args, **kwargs)
