"""What decorated calls ask while a replay is active: run, run with something changed, or return what was recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...model import wire
from ...model.replay import Pin, PlaceRan
from ...model.stage_words import StageKind
from ..context import open_stage
from ..guest import swallow
from ..plan import Plan
from ..recorder import SWITCH
from ..sorts import LIST_KINDS
from .active import Ran, Replay, current, running
from .changing import Call, change
from .dressing import RUNS, Dress, dressed, is_stream
from .injecting import inject_argument, inject_result, remember_neighbour, see_prompt
from .listing import is_list
from .rebuild import rebuild_pin
from .refusals import NotRebuildable

Changed = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

BLOCK_RUNS: Final = "a `with goldrank.stage(...)` block cannot be pinned: its body runs"


class Hook:
    """What `SWITCH.replays` is while any replay of this process is active."""

    def call(self, plan: Plan, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Changed:
        """What is called instead of `function(*args, **kwargs)`; the same where this call is in no replay."""
        try:
            return on_call(plan, function, (args, kwargs))
        except Exception as error:  # noqa: BLE001 - in a live server a replay must not break other requests
            swallow("replaying a call", error)
            return function, args, kwargs

    def block(self, kind: StageKind, name: str, values: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Notes a `with goldrank.stage(...)` block."""
        replay = current()
        if replay is None:
            _look_for_strays(kind, name)
            return
        ran = replay.begin(kind, name)
        if replay.names(kind, name):
            ran.ran = PlaceRan.UNMATCHED
            ran.notes.append(BLOCK_RUNS)
        for place, _ in replay.overrides_for(kind, name):
            replay.reasons.setdefault(place, f"{name}: what a `with goldrank.stage(...)` block does cannot be changed")


def on_call(plan: Plan, function: Callable[..., Any], call: Call) -> Changed:
    """One decorated call while some replay is active."""
    replay = current()
    kind = plan.kind or StageKind.OTHER
    if replay is None:
        _look_for_strays(kind, plan.name)
        return function, *call
    if plan.kind is None and _begins_request():
        return dressed(function, Dress(lambda: _mark_request(replay))), *call
    return _stage(replay, plan, kind, function, call)


def _begins_request() -> bool:
    outer = open_stage()
    return outer is None or outer.request is None or outer.request.closed


def _look_for_strays(kind: StageKind, name: str) -> None:
    """A stage outside of every request may be one of a replay's, in a thread that was not given its context."""
    if open_stage() is None:
        for replay in running():
            if replay.names(kind, name):
                replay.stray(kind, name)


def _mark_request(replay: Replay) -> None:
    stage = open_stage()
    if stage is None or not stage.is_root or stage.request is None:
        return
    with replay.lock:
        if replay.request_id is None:
            replay.request_id = stage.request.id
            replay.recorded = stage.recording
    stage.put(wire.REPLAY_OF, replay.plan.replay_of)
    if replay.plan.batch is not None:
        stage.put(wire.REPLAY_BATCH, replay.plan.batch)
    asked = [override.words for override in replay.plan.overrides]
    if replay.plan.injection is not None:
        asked.append(f"{replay.plan.injection.chunk_id} put into the context at {replay.plan.injection.position}")
    if asked:
        stage.put(wire.REPLAY_OVERRIDES, json.dumps(asked, ensure_ascii=False))


def _stage(replay: Replay, plan: Plan, kind: StageKind, function: Callable[..., Any], call: Call) -> Changed:
    ran = replay.begin(kind, plan.name)
    is_lost = _begins_request()
    if replay.names(kind, plan.name):
        pinned = _pinned(replay, ran, plan, query_of(plan, call))
        if pinned is not RUNS:
            return dressed(function, Dress(lambda: _mark(replay, pinned=True), pinned)), *call
    call, instead = change(replay, ran, plan, function, call)
    after = None
    if replay.plan.injection is not None:
        call, after = _inject(replay, ran, plan, function, call)
    if instead is RUNS and after is None and not is_lost:
        return function, *call
    return dressed(function, Dress(lambda: _mark(replay, pinned=False), instead, after)), *call


def _pinned(replay: Replay, ran: Ran, plan: Plan, query: str | None) -> Any:
    """The recorded value, or RUNS with the reason in the stage's note."""
    pin = replay.take(ran.kind, ran.name, query)
    if isinstance(pin, Pin):
        try:
            rebuilt = rebuild_for(pin, plan, replay)
        except NotRebuildable as error:
            ran.ran = PlaceRan.UNMATCHED
            ran.notes.append(f"cannot be made again: {error}")
            return RUNS
        ran.ran = PlaceRan.PINNED
        ran.notes.extend(rebuilt.notes)
        for place, _ in replay.overrides_for(ran.kind, ran.name):
            replay.reasons.setdefault(place, f"{ran.name} is pinned and did not run")
        if replay.plan.injection is not None:
            remember_neighbour(replay, rebuilt.value)
            if ran.kind is StageKind.ASSEMBLE:
                replay.not_injected = f"{ran.name} is pinned and did not run"
            elif replay.plan.injection.stage == ran.name:
                return inject_result(replay, ran, rebuilt.value)
        return rebuilt.value
    ran.ran = PlaceRan.UNMATCHED
    ran.notes.append(pin)
    return RUNS


def rebuild_for(pin: Pin, plan: Plan, replay: Replay) -> Any:
    """The value of a pin for one decorated function (`rebuild.Rebuilt`)."""
    options = plan.options
    mapped = options.hits is not None
    try:
        return rebuild_pin(pin, own=options.rebuild, mapped=mapped, script=replay.script)
    except NotRebuildable:
        raise
    except Exception as error:
        what = "its rebuild=" if options.rebuild is not None else "making it"
        raise NotRebuildable(f"{what} failed with {type(error).__name__}: {error!s:.300}") from error


def _mark(replay: Replay, *, pinned: bool) -> None:
    """What the span of a stage says; one in a thread that lost the request is still a stage of the new one."""
    stage = open_stage()
    if stage is None:
        return
    if pinned:
        stage.put(wire.REPLAY_PINNED, pinned)
    if stage.request is None and replay.request_id is not None:
        stage.put(wire.REQUEST_ID, replay.request_id)


def _inject(
    replay: Replay, ran: Ran, plan: Plan, function: Callable[..., Any], call: Call
) -> tuple[Call, Callable[[Any], Any] | None]:
    """The call with the chunk in its arguments, and what is done to its result."""
    injection = replay.plan.injection
    if injection is None:
        return call, None
    into = injection.stage
    if ran.kind is StageKind.GENERATE:
        if into is None and not replay.injected and not replay.not_injected:
            call = _inject_context(replay, ran, plan, call)
        see_prompt(replay, ran, plan, call)
        return call, None
    if ran.kind is StageKind.ASSEMBLE and into is None:
        return inject_argument(replay, ran, plan, call), None
    if into is not None and ran.name == into:
        if is_stream(function):
            replay.not_injected = f"{ran.name} gives its list bit by bit"
            return call, None
        return call, lambda result: inject_result(replay, ran, result)
    if ran.kind in LIST_KINDS or ran.kind in {StageKind.OTHER, StageKind.TOOL}:
        return call, lambda result: _remembered(replay, result)
    return call, None


def _remembered(replay: Replay, result: Any) -> Any:
    remember_neighbour(replay, result)
    return result


def _inject_context(replay: Replay, ran: Ran, plan: Plan, call: Call) -> Call:
    """Without an assemble stage the context that generate is given takes the chunk."""
    reader = plan.reader_of("context")
    bound = plan.arguments.bind(*call)
    for name in () if reader is None else reader.parameters:
        if is_list(bound.get(name)):
            return inject_argument(replay, ran, plan, call, name)
    replay.not_injected = (
        f"no assemble stage ran, and {ran.name} is given no list as its context; name the list stage that takes it"
    )
    return call


def query_of(plan: Plan, call: Call) -> str | None:
    """The query text of a call, as it would be recorded; None where it has none."""
    reader = plan.reader_of("query")
    if reader is None:
        return None
    bound = plan.arguments.bind(*call)
    values = (
        [reader.function(bound)] if reader.function is not None else [bound.get(name) for name in reader.parameters]
    )
    for value in values:
        text = value if isinstance(value, str) else getattr(value, "__dict__", {}).get("query_str")
        if isinstance(text, str):
            recorder = SWITCH.recorder
            return text if recorder is None else recorder.rules.apply(text).text
    return None
