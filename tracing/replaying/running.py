"""One replay, from its plan to its outcome, inside the app's process."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ...model.replay import ReplayOutcome, ReplayPlan, ReplayStatus
from ...model.stage_words import StageKind
from ..driving import record
from ..messages import text_of
from ..plan import PLANS, Options, Plan
from ..recorder import SWITCH
from ..results import mapped
from ..switching import flush
from ..texts import valid_text
from .active import Replay, active
from .calling import Bound, bind
from .calls import Hook, rebuild_for
from .refusals import CannotReplay, NotRebuildable

MAX_DETAIL: Final = 20_000
"""Characters of `ReplayOutcome.detail`."""
MAX_ANSWER: Final = 1_000_000
"""Characters of an answer that is handed over."""
MAX_STAGES: Final = 2_000
"""Calls of stages that are handed over."""
_OURS: Final = str(Path(__file__).resolve().parents[2])
_FLUSH_S: Final = 10.0

_HOOK: Final = Hook()


class Run:
    """One replay that is being made: what both ways of running it (waiting, awaiting) share."""

    def __init__(self, target: Callable[..., Any], asked: ReplayPlan, *, script: ModuleType | None, warm: bool) -> None:
        self.asked = asked
        self.replay = Replay(asked, script=script)
        self.plan = plan_of(target)
        self.function = entry(target)
        self.warm = warm
        self.started = time.monotonic()
        self.left = False
        """The app called exit()."""
        self._bound: Bound | None = None

    def prepare(self) -> Bound:
        """Binds the call and looks whether the pins can be made. CannotReplay: nothing has run."""
        if SWITCH.recorder is None:
            raise CannotReplay("Nothing is recorded in this process: call goldrank.init(...) where the app starts.")
        self._bound = bind(self.function, self.plan, self.asked)
        self.replay.used.update(self._bound.used)
        self.replay.reasons.update(self._bound.reasons)
        check_pins(self.replay)
        return self._bound

    def refused(self, reason: str) -> ReplayOutcome:
        """Nothing was run."""
        return self._outcome(ReplayStatus.REFUSED, None, reason)

    def done(self, answer: str | None) -> ReplayOutcome:
        """The app answered."""
        strays = ", ".join(f"{kind.value} {name}" for kind, name in self.replay.strays)
        if strays:
            return self._outcome(
                ReplayStatus.REFUSED,
                answer,
                f"Pinned, but called in a thread that had lost the replay, so that they ran for real: {strays}. "
                "Start the thread with goldrank.carry or goldrank.ThreadPoolExecutor, or replay in a worker process.",
            )
        return self._outcome(ReplayStatus.DONE, answer, "")

    def failed(self, error: BaseException) -> ReplayOutcome:
        """The app raised `error`, or left."""
        if isinstance(error, SystemExit):
            self.left = True
            code = "" if error.code is None else repr(error.code)
            return self._outcome(ReplayStatus.FAILED, None, f"The app called exit({code}).\n{told(error)}")
        return self._outcome(ReplayStatus.FAILED, None, told(error))

    def answer_of(self, result: Any, items: list[Any] | None) -> str | None:
        """The answer's text, as the recording reads it."""
        mapping = None if self.plan is None else self.plan.options.answer

        def read(value: Any) -> Any:
            return text_of(value) if mapping is None else mapped(mapping, value)

        if items is None:
            text = read(result)
            return text if isinstance(text, str) else None
        texts = [text for item in items if isinstance(text := read(item), str)]
        return "".join(texts) if texts else None

    def _outcome(self, status: ReplayStatus, answer: str | None, detail: str) -> ReplayOutcome:
        replay = self.replay
        written = status is ReplayStatus.REFUSED or flush(_FLUSH_S)
        more = []
        if not written:
            more.append("Not everything that was recorded could be written within 10 s.")
        if status is not ReplayStatus.REFUSED and replay.request_id is None:
            more.append("Nothing was recorded: no function that is decorated with @goldrank.request was called.")
        elif not replay.recorded:
            more.append("The app's own sampler left the new request out; init(own_provider=True) records everything.")
        return ReplayOutcome(
            status=status,
            replay_of=self.asked.replay_of,
            request_id=replay.request_id if replay.recorded else None,
            answer=answer,
            detail=cut("\n".join([*([detail] if detail else []), *more])),
            stages=tuple(ran.done() for ran in replay.ran),
            unused=() if not replay.ran and status is ReplayStatus.REFUSED else tuple(self._unused()),
            seconds=time.monotonic() - self.started,
            warm=self.warm,
        )

    def _unused(self) -> Iterator[str]:
        replay = self.replay
        for place, override in enumerate(self.asked.overrides):
            if place not in replay.used:
                reason = replay.reasons.get(place, f"no stage of that kind or name ({override.target}) was called")
                yield f"{override.words}: {reason}"
        for pin in replay.left:
            query = "" if pin.query is None else f" with the query {pin.query!r:.200}"
            yield f"the recording of {pin.kind.value} {pin.name}{query}: no call took it"
        if self.asked.injection is not None:
            yield from self._injection_unused()
        yield from () if self._bound is None else self._bound.left_out

    def _injection_unused(self) -> Iterator[str]:
        replay = self.replay
        if not replay.injected:
            yield f"the injected chunk: {replay.not_injected or 'no stage that could take it was called'}"
        elif replay.in_prompt is False:
            yield "the injected chunk was put into the list, and its text is not in the prompt: what follows cut it off"
        elif replay.in_prompt is None:
            yield "the injected chunk was put into the list; no generate stage tells whether it reached the prompt"


def plan_of(target: Callable[..., Any]) -> Plan | None:
    """How a function that goldrank.request decorates is read; None for any other."""
    plan = getattr(target, "__goldrank__", None)
    return plan if isinstance(plan, Plan) else None


def entry(target: Callable[..., Any]) -> Callable[..., Any]:
    """What is called: the target itself, recorded as a request where no function of the app is."""
    if plan_of(target) is not None or any(plan.kind is None for plan in PLANS):
        return target
    return record(target, Plan(target, None, Options({})))


def check_pins(replay: Replay) -> None:
    """CannotReplay where the value of a pin cannot be made for any function that would take it."""
    refused: dict[str, None] = {}
    for pin in replay.plan.pins:
        plans = [plan for plan in PLANS if (plan.kind or StageKind.OTHER) is pin.kind and plan.name == pin.name]
        reasons = [reason for plan in plans if (reason := _why_not(pin, plan, replay))]
        if plans and len(reasons) == len(plans):
            refused[f"{pin.kind.value} {pin.name} cannot be pinned: {reasons[0]}."] = None
    if refused:
        remedy = " A rebuild= of its decorator can make it from the recorded hits."
        raise CannotReplay("\n".join(refused) + remedy)


def _why_not(pin: Any, plan: Plan, replay: Replay) -> str:
    try:
        rebuild_for(pin, plan, replay)
    except NotRebuildable as error:
        return str(error)
    return ""


def run_replay(
    target: Callable[..., Any], asked: ReplayPlan, *, script: ModuleType | None = None, warm: bool = False
) -> tuple[ReplayOutcome, bool]:
    """Runs it in this thread, with the replay active in the whole process: for a worker, one at a time.

    Never raises for what the app does. The second value says whether the app called exit().
    """
    run = Run(target, asked, script=script, warm=warm)
    try:
        bound = run.prepare()
    except CannotReplay as error:
        return run.refused(str(error)), False
    with active(run.replay, _HOOK, everywhere=True):
        try:
            result = run.function(*bound.args, **bound.kwargs)
            if inspect.isawaitable(result) or isinstance(result, AsyncIterator):
                result, items = asyncio.run(_read_async(result))
            else:
                result, items = _read(result)
            answer = run.answer_of(result, items)
        except BaseException as error:  # noqa: BLE001 - also exit() and Ctrl-C of the app are an outcome
            return run.failed(error), run.left
        return run.done(answer), False


async def run_replay_here(target: Callable[..., Any], asked: ReplayPlan) -> ReplayOutcome:
    """Runs it inside a live server: the replay is active in this task's context alone. The app's errors are told."""
    run = Run(target, asked, script=None, warm=True)
    try:
        bound = run.prepare()
    except CannotReplay as error:
        return run.refused(str(error))
    with active(run.replay, _HOOK, everywhere=False):
        try:
            if inspect.iscoroutinefunction(inspect.unwrap(run.function)):
                result: Any = run.function(*bound.args, **bound.kwargs)
                result, items = await _read_async(result)
            else:
                result, items = await asyncio.to_thread(lambda: _read(run.function(*bound.args, **bound.kwargs)))
                if inspect.isawaitable(result) or isinstance(result, AsyncIterator):
                    result, items = await _read_async(result)
            answer = run.answer_of(result, items)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - of the app; the server goes on
            return await asyncio.to_thread(run.failed, error)
        return await asyncio.to_thread(run.done, answer)


def _read(result: Any) -> tuple[Any, list[Any] | None]:
    """A stream read to its end as its items; anything else as it is."""
    if inspect.isgenerator(result):
        return None, list(result)
    return result, None


async def _read_async(result: Any) -> tuple[Any, list[Any] | None]:
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterator):
        return None, [item async for item in result]
    return _read(result)


def told(error: BaseException) -> str:
    """The traceback without goldrank's own frames, cut to its first and last parts."""
    lines = traceback.TracebackException.from_exception(error)
    for one in _chain(lines):
        one.stack[:] = [frame for frame in one.stack if not frame.filename.startswith(_OURS) or _is_example(frame)]
    return cut("".join(lines.format()))


def _is_example(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith((f"{_OURS}/examples/", f"{_OURS}/tests/"))


def _chain(error: traceback.TracebackException | None) -> Iterator[traceback.TracebackException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def sendable(outcome: ReplayOutcome) -> bytes:
    """The outcome as JSON that can be read everywhere: a long answer is cut, lone surrogates are U+FFFD."""
    answer, stages = outcome.answer, outcome.stages
    different: dict[str, Any] = {}
    if answer is not None and len(answer) > MAX_ANSWER:
        answer = answer[:MAX_ANSWER]
        detail = f"The answer has {len(outcome.answer or ''):,} characters; the first {MAX_ANSWER:,} are here."
        different["detail"] = cut("\n".join(part for part in (outcome.detail, detail) if part))
    if len(stages) > MAX_STAGES:
        different["stages"] = stages[:MAX_STAGES]
        different["unused"] = (*outcome.unused, f"{len(stages) - MAX_STAGES:,} more calls of stages are left out here")
    outcome = outcome.model_copy(update={"answer": answer, **different})
    try:
        return outcome.model_dump_json().encode()
    except ValueError:  # lone surrogates
        return json.dumps(_valid(outcome.model_dump(mode="python"))).encode()


def _valid(value: Any) -> Any:
    if isinstance(value, str):
        return valid_text(str(value))
    if isinstance(value, dict):
        return {key: _valid(item) for key, item in value.items()}
    return [_valid(item) for item in value] if isinstance(value, list | tuple) else value


def cut(text: str) -> str:
    """At most MAX_DETAIL characters, of the beginning and the end."""
    if len(text) <= MAX_DETAIL:
        return text
    kept = MAX_DETAIL - 100
    return f"{text[: kept // 4]}\n… {len(text) - kept:,} characters left out …\n{text[-(kept - kept // 4) :]}"
