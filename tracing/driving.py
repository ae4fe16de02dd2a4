"""Running a recorded function of any sort: plain, async, generator, async generator. The caller notices nothing.

A generator's span ends with its last item, its close or its error, from whatever task or thread that comes.
OpenTelemetry's context is active only while its body runs: one that stayed attached over a `yield` would leak
into the reader, and could not be detached when another task closes the stream.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from ..model.stage_words import Outcome
from .context import current_context, enter, leave
from .guest import swallow
from .open_stage import OpenStage
from .opening import begin
from .plan import Plan
from .recorder import SWITCH
from .results import ResultReader, reader_for
from .streams import Stream

_TO_COME: Final = frozenset({types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType})


def record(function: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    """`function` with every call recorded as `plan` says, of the same sort (`inspect` agrees)."""
    if _is(inspect.isasyncgenfunction, function):
        return _record_async_generator(function, plan)
    if _is(inspect.isgeneratorfunction, function):
        return _record_generator(function, plan)
    if _is(inspect.iscoroutinefunction, function):
        return _record_async(function, plan)
    return _record_plain(function, plan)


def _is(test: Callable[[Any], bool], function: Callable[..., Any]) -> bool:
    """Whether it is one, or an object whose call is one."""
    return test(function) or (not inspect.isroutine(function) and test(type(function).__call__))


def open_call(plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OpenStage | None:
    """The stage of one call, with its arguments read; None where nothing is recorded."""
    stage = begin(plan.sort, plan.name)
    if stage is not None and stage.recording:
        try:
            plan.read_arguments(stage, args, kwargs)
        except Exception as error:  # noqa: BLE001 - the app goes on; this much of the recording is missing
            swallow("reading arguments", error)
    return stage


def close_call(stage: OpenStage, plan: Plan, reader: ResultReader, result: Any) -> Any:
    """Ends the stage with what the function returned; gives that back.

    Where that is a generator or coroutine, the work is still to come: then it is given back inside another one,
    and the stage ends with it.
    """
    if type(result) in _TO_COME:
        return _watched(stage, _wrap(stage, plan, reader, result))
    if stage.recording:
        try:
            reader(stage, result, plan.options)
        except Exception as error:  # noqa: BLE001 - as above
            swallow("reading a result", error)
    stage.end()
    return result


def _wrap(stage: OpenStage, plan: Plan, reader: ResultReader, result: Any) -> Any:
    if isinstance(result, types.GeneratorType):
        return drive(stage, plan, result)
    if isinstance(result, types.AsyncGeneratorType):
        return adrive(stage, plan, result)
    return _await(stage, plan, reader, result)


def _watched(stage: OpenStage, wrapped: Any) -> Any:
    """One that nobody ever starts to read ends its stage when it is thrown away."""
    weakref.finalize(wrapped, stage.end, Outcome.CLOSED_EARLY)
    return wrapped


def _record_plain(function: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    reader = reader_for(plan)

    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        run = function
        if SWITCH.replays is not None:
            run, args, kwargs = SWITCH.replays.call(plan, function, args, kwargs)
        if SWITCH.recorder is None or (stage := open_call(plan, args, kwargs)) is None:
            return run(*args, **kwargs)
        context = stage.context
        entered = enter(context)
        try:
            result = run(*args, **kwargs)
        except BaseException as error:
            leave(entered, context)
            stage.end_with(error)
            raise
        leave(entered, context)
        return close_call(stage, plan, reader, result)

    return recorded


def _record_async(function: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    reader = reader_for(plan)

    @functools.wraps(function)
    async def recorded(*args: Any, **kwargs: Any) -> Any:
        run = function
        if SWITCH.replays is not None:
            run, args, kwargs = SWITCH.replays.call(plan, function, args, kwargs)
        if SWITCH.recorder is None or (stage := open_call(plan, args, kwargs)) is None:
            return await run(*args, **kwargs)
        context = stage.context
        entered = enter(context)
        try:
            result = await run(*args, **kwargs)
        except BaseException as error:
            leave(entered, context)
            _end_coroutine(stage, error)
            raise
        leave(entered, context)
        return close_call(stage, plan, reader, result)

    return recorded


async def _await(stage: OpenStage, plan: Plan, reader: ResultReader, coroutine: Coroutine[Any, Any, Any]) -> Any:
    context = stage.context
    entered = enter(context)
    try:
        result = await coroutine
    except BaseException as error:
        leave(entered, context)
        _end_coroutine(stage, error)
        raise
    leave(entered, context)
    return close_call(stage, plan, reader, result)


def _end_coroutine(stage: OpenStage, error: BaseException) -> None:
    """A coroutine that is closed (its loop ends, it is thrown away) was cancelled: it has no stream to close."""
    if isinstance(error, GeneratorExit):
        stage.end(Outcome.CANCELLED)
    else:
        stage.end_with(error)


class _Body:
    """Keeps a stage's context active while the body of a generator runs, and what the body made of it between."""

    __slots__ = ("_context", "_entered", "_inside")

    def __init__(self, stage: OpenStage) -> None:
        self._context = stage.context
        self._inside = stage.context

    def __enter__(self) -> None:
        self._inside = self._context
        self._entered = enter(self._inside)

    def __exit__(self, *_: object) -> None:
        self._context = current_context()
        leave(self._entered, self._inside)


def _record_generator(function: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        run = function
        if SWITCH.replays is not None:
            run, args, kwargs = SWITCH.replays.call(plan, function, args, kwargs)
        if SWITCH.recorder is None or (stage := open_call(plan, args, kwargs)) is None:
            return (yield from run(*args, **kwargs))
        return (yield from drive(stage, plan, run(*args, **kwargs)))

    return recorded


def drive(stage: OpenStage, plan: Plan, generator: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """`generator`, with `stage` open while it runs and ended with it."""
    body, stream = _Body(stage), Stream(stage, plan)
    resume: Callable[[], Any] = generator.__next__
    while True:
        try:
            with body:
                item = resume()
        except StopIteration as stop:
            _end_stream(stage, stream)
            return stop.value
        except BaseException as error:
            _end_stream(stage, stream, error)
            raise
        stream.add(item)
        try:
            sent = yield item
        except GeneratorExit:
            try:
                with body:
                    generator.close()
            except BaseException as error:
                _end_stream(stage, stream, error)
                raise
            _end_stream(stage, stream, closed=True)
            raise
        except BaseException as error:  # noqa: BLE001 - thrown in by the reader: it is the body's
            resume = functools.partial(generator.throw, error)
        else:
            resume = generator.__next__ if sent is None else functools.partial(generator.send, sent)


def _record_async_generator(function: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    def open_body(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Opened:
        run = function
        if SWITCH.replays is not None:
            run, args, kwargs = SWITCH.replays.call(plan, function, args, kwargs)
        stage = None if SWITCH.recorder is None else open_call(plan, args, kwargs)
        return stage, run(*args, **kwargs)

    return functools.wraps(function)(_async_driver(open_body, plan))


def adrive(stage: OpenStage, plan: Plan, generator: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
    """`generator`, with `stage` open while it runs and ended with it."""
    driven: AsyncGenerator[Any, Any] = _async_driver(lambda _args, _kwargs: (stage, generator), plan)()
    return driven


_Opened = tuple[OpenStage | None, AsyncGenerator[Any, Any]]


def _async_driver(
    open_body: Callable[[tuple[Any, ...], dict[str, Any]], _Opened], plan: Plan
) -> Callable[..., AsyncGenerator[Any, Any]]:
    """An async generator function that drives the one `open_body` gives: `async for` has no `yield from`."""

    async def recorded(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        stage, generator = open_body(args, kwargs)
        body: AbstractContextManager[Any] = nullcontext() if stage is None else _Body(stage)
        stream = None if stage is None else Stream(stage, plan)
        resume: Callable[[], Any] = generator.__anext__
        while True:
            try:
                with body:
                    item = await resume()
            except StopAsyncIteration:
                _end_stream(stage, stream)
                return
            except BaseException as error:
                _end_stream(stage, stream, error)
                raise
            if stream is not None:
                stream.add(item)
            try:
                sent = yield item
            except GeneratorExit:
                try:
                    with body:
                        await generator.aclose()
                except BaseException as error:
                    _end_stream(stage, stream, error)
                    raise
                _end_stream(stage, stream, closed=True)
                raise
            except BaseException as error:  # noqa: BLE001 - thrown in by the reader: it is the body's
                resume = functools.partial(generator.athrow, error)
            else:
                resume = generator.__anext__ if sent is None else functools.partial(generator.asend, sent)

    return recorded


def _end_stream(
    stage: OpenStage | None, stream: Stream | None, error: BaseException | None = None, *, closed: bool = False
) -> None:
    if stage is None or stream is None:
        return
    stream.put()
    if error is not None:
        stage.end_with(error)
    else:
        stage.end(Outcome.CLOSED_EARLY if closed else Outcome.OK)
