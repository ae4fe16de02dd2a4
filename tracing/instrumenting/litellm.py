"""What OpenInference's instrumentor does not see of LiteLLM's calls: arguments that are given by place, and rerankers.

`completion("gpt-4o", messages)` is recorded without model and prompt: here such arguments get their names. A function
that the app imported while it was recorded fails once the instrumentor is gone: here it goes on, and is not recorded.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import litellm

from ..guest import Guard
from .litellm_reranks import recorded, recorded_async
from .patches import Patches

_NAMING: Final = Guard("naming the arguments of a call of LiteLLM")
_patches: Final = Patches()


def fill(instrumentor: Any) -> None:
    """From now on the functions that `instrumentor` records take their arguments by place, too, and rerankers are
    recorded."""
    if _patches:
        return
    tracer = instrumentor._tracer  # noqa: SLF001 - it gives it out in no other way
    for name, plain in dict(instrumentor.original_litellm_funcs).items():
        wrap = _wrap_async if inspect.iscoroutinefunction(plain) else _wrap
        _patches.replace(litellm, name, functools.partial(wrap, plain))
    for name, record, wrap in (("rerank", recorded, _wrap), ("arerank", recorded_async, _wrap_async)):
        if name in vars(litellm):
            _patches.replace(litellm, name, functools.partial(_recorded, wrap, functools.partial(record, tracer)))


def let_go() -> None:
    """Puts everything back."""
    _patches.undo()


def _recorded(wrap: Callable[..., Any], record: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    named: Callable[..., Any] = wrap(plain, record(plain))
    return named


def _wrap(plain: Callable[..., Any], record: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _patches:
            return plain(*args, **kwargs)
        args, kwargs = _named(plain, args, kwargs)
        return record(*args, **kwargs)

    return call


def _wrap_async(plain: Callable[..., Any], record: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        if not _patches:
            return await plain(*args, **kwargs)
        args, kwargs = _named(plain, args, kwargs)
        return await record(*args, **kwargs)

    return call


def _named(
    plain: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments, all by name; as they came where one has no name, or a name comes twice."""
    if not args:
        return args, kwargs
    with _NAMING:
        names = _names(plain)
        given: Mapping[str, Any] = dict(zip(names, args, strict=False))
        if len(args) <= len(names) and not given.keys() & kwargs.keys():
            return (), {**given, **kwargs}
    return args, kwargs


def _names(plain: Callable[..., Any]) -> list[str]:
    """The parameters that can be given by place or by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [name for name, one in inspect.signature(plain).parameters.items() if one.kind is kind]
