"""A function that does what a replay says instead of, before or after the app's own one; of the same sort."""

from __future__ import annotations

import inspect
import types
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, Final, NamedTuple

RUNS: Final[Any] = object()
"""No value is given instead: the app's function runs."""


class Dress(NamedTuple):
    """What is different about one call."""

    begin: Callable[[], None]
    """Called inside the open stage before anything else."""
    instead: Any = RUNS
    """Returned instead of running."""
    after: Callable[[Any], Any] | None = None
    """From what the function returned to what the caller is given. Streams are not looked into."""


def dressed(function: Callable[..., Any], dress: Dress) -> Callable[..., Any]:
    """`function` for one call."""
    if _is(inspect.isasyncgenfunction, function):
        return _async_generator(function, dress)
    if _is(inspect.isgeneratorfunction, function):
        return _generator(function, dress)
    if _is(inspect.iscoroutinefunction, function):
        return _async(function, dress)
    return _plain(function, dress)


def is_stream(function: Callable[..., Any]) -> bool:
    """Whether it gives its result bit by bit."""
    return _is(inspect.isasyncgenfunction, function) or _is(inspect.isgeneratorfunction, function)


def _is(test: Callable[[Any], bool], function: Callable[..., Any]) -> bool:
    return test(function) or (not inspect.isroutine(function) and test(type(function).__call__))


def _plain(function: Callable[..., Any], dress: Dress) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        dress.begin()
        if dress.instead is not RUNS:
            return dress.instead
        result = function(*args, **kwargs)
        if dress.after is None or isinstance(result, types.GeneratorType | types.AsyncGeneratorType):
            return result
        return _awaited(result, dress.after) if inspect.iscoroutine(result) else dress.after(result)

    return run


async def _awaited(result: Any, after: Callable[[Any], Any]) -> Any:
    return after(await result)


def _async(function: Callable[..., Any], dress: Dress) -> Callable[..., Any]:
    async def run(*args: Any, **kwargs: Any) -> Any:
        dress.begin()
        if dress.instead is not RUNS:
            return dress.instead
        result = await function(*args, **kwargs)
        return result if dress.after is None else dress.after(result)

    return run


def _items(instead: Any) -> list[Any]:
    """What a stream gives that stands for a whole value: its elements, or a text in one piece."""
    return list(instead) if isinstance(instead, list | tuple) else [instead]


def _generator(function: Callable[..., Any], dress: Dress) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        dress.begin()
        if dress.instead is RUNS:
            return (yield from function(*args, **kwargs))
        yield from _items(dress.instead)
        return None

    return run


def _async_generator(function: Callable[..., Any], dress: Dress) -> Callable[..., Any]:
    async def run(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        dress.begin()
        items = function(*args, **kwargs) if dress.instead is RUNS else None
        if items is None:
            for item in _items(dress.instead):
                yield item
            return
        try:
            async for item in items:
                yield item
        finally:
            await items.aclose()

    return run
