"""The decorators: `@goldrank.retrieve` or `@goldrank.retrieve(index="docs")`, on any function or method.

Where an option is left out, parameters of the usual names are taken (`names`, and docs/recording.md). Before
`init`, and without it, a decorated function is called as if it were not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Unpack, overload

from ..model.errors import UsageError
from ..model.stage_words import StageKind
from . import options as opt
from .driving import record
from .plan import Options, Plan
from .rows import check_columns

F = TypeVar("F", bound=Callable[..., Any])


def _decorate(kind: StageKind | None, function: Any, given: Mapping[str, Any], known: type) -> Any:
    allowed = sorted(getattr(known, "__optional_keys__", ()))
    for option in given:
        if option not in allowed:
            raise TypeError(f"goldrank.{kind or 'request'} has no option {option!r}; it has {', '.join(allowed)}.")
    if isinstance(given.get("hits"), dict):
        check_columns(given["hits"], f"goldrank.{kind}")
    chosen = Options({option: source for option, source in given.items() if source is not None})

    def wrap(function: Any) -> Any:
        if isinstance(function, staticmethod | classmethod):
            return type(function)(wrap(function.__func__))
        if not callable(function):
            raise UsageError(
                f"goldrank.{kind or 'request'} decorates a function; it was given a {type(function).__name__}. "
                'Options have names: name="bm25", query="q".'
            )
        plan = Plan(function, kind, chosen)
        recorded = record(function, plan)
        recorded.__goldrank__ = plan  # type: ignore[attr-defined] # a replay reads how it is called
        return recorded

    return wrap if function is None else wrap(function)


@overload
def request(function: F, /) -> F: ...
@overload
def request(**options: Unpack[opt.RequestOptions]) -> Callable[[F], F]: ...
def request(function: Any = None, /, **options: Any) -> Any:
    """The entry point: one call is one request, up to its answer. Inside another request it is a stage of that."""
    return _decorate(None, function, options, opt.RequestOptions)


@overload
def rewrite(function: F, /) -> F: ...
@overload
def rewrite(**options: Unpack[opt.RewriteOptions]) -> Callable[[F], F]: ...
def rewrite(function: Any = None, /, **options: Any) -> Any:
    """Question to query: returns one text, or a list of them."""
    return _decorate(StageKind.REWRITE, function, options, opt.RewriteOptions)


@overload
def embed(function: F, /) -> F: ...
@overload
def embed(**options: Unpack[opt.EmbedOptions]) -> Callable[[F], F]: ...
def embed(function: Any = None, /, **options: Any) -> Any:
    """Text to vector. The vector is not recorded."""
    return _decorate(StageKind.EMBED, function, options, opt.EmbedOptions)


@overload
def retrieve(function: F, /) -> F: ...
@overload
def retrieve(**options: Unpack[opt.RetrieveOptions]) -> Callable[[F], F]: ...
def retrieve(function: Any = None, /, **options: Any) -> Any:
    """A search: returns a ranked list."""
    return _decorate(StageKind.RETRIEVE, function, options, opt.RetrieveOptions)


@overload
def fuse(function: F, /) -> F: ...
@overload
def fuse(**options: Unpack[opt.FuseOptions]) -> Callable[[F], F]: ...
def fuse(function: Any = None, /, **options: Any) -> Any:
    """Several lists into one."""
    return _decorate(StageKind.FUSE, function, options, opt.FuseOptions)


@overload
def filter(function: F, /) -> F: ...  # noqa: A001 - the glossary's word, used as goldrank.filter
@overload
def filter(**options: Unpack[opt.FilterOptions]) -> Callable[[F], F]: ...  # noqa: A001
def filter(function: Any = None, /, **options: Any) -> Any:  # noqa: A001
    """Takes hits out of a list: groups, dates, duplicates, a threshold."""
    return _decorate(StageKind.FILTER, function, options, opt.FilterOptions)


@overload
def rerank(function: F, /) -> F: ...
@overload
def rerank(**options: Unpack[opt.RerankOptions]) -> Callable[[F], F]: ...
def rerank(function: Any = None, /, **options: Any) -> Any:
    """A list in a new order. Return all candidates with their scores and cut later: what-ifs are exact only then."""
    return _decorate(StageKind.RERANK, function, options, opt.RerankOptions)


@overload
def assemble(function: F, /) -> F: ...
@overload
def assemble(**options: Unpack[opt.AssembleOptions]) -> Callable[[F], F]: ...
def assemble(function: Any = None, /, **options: Any) -> Any:
    """Builds the context or the prompt: returns a text, a list, or both as a tuple."""
    return _decorate(StageKind.ASSEMBLE, function, options, opt.AssembleOptions)


@overload
def generate(function: F, /) -> F: ...
@overload
def generate(**options: Unpack[opt.GenerateOptions]) -> Callable[[F], F]: ...
def generate(function: Any = None, /, **options: Any) -> Any:
    """Calls the model: its prompt is among the parameters, its answer in the result."""
    return _decorate(StageKind.GENERATE, function, options, opt.GenerateOptions)


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(**options: Unpack[opt.ToolOptions]) -> Callable[[F], F]: ...
def tool(function: Any = None, /, **options: Any) -> Any:
    """A tool that an agent calls."""
    return _decorate(StageKind.TOOL, function, options, opt.ToolOptions)


@overload
def guard(function: F, /) -> F: ...
@overload
def guard(**options: Unpack[opt.GuardOptions]) -> Callable[[F], F]: ...
def guard(function: Any = None, /, **options: Any) -> Any:
    """A check of a question or an answer."""
    return _decorate(StageKind.GUARD, function, options, opt.GuardOptions)


@overload
def other(function: F, /) -> F: ...
@overload
def other(**options: Unpack[opt.OtherOptions]) -> Callable[[F], F]: ...
def other(function: Any = None, /, **options: Any) -> Any:
    """Any other step that is worth seeing."""
    return _decorate(StageKind.OTHER, function, options, opt.OtherOptions)
