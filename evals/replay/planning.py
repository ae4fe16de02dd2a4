"""From a recorded request and what should be different to the plan of its replay. Pure: nothing is run here."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from ...model import Completeness, Outcome, RecordedRequest, Stage, StageKind, TextState, UsageError
from ...model.replay import OFF, Injection, Override, Pin, RecordedCall, ReplayPlan

_LISTS: Final = frozenset({StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK})
_CANDIDATES: Final = frozenset({StageKind.REWRITE, StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER})
_NEVER: Final = frozenset({StageKind.GENERATE, StageKind.GUARD, StageKind.EMBED})
_BEGINS: Final = r"[^\s=\"]+(?:\.[^\s.=\"]+=|=off(?!\S))"
_ONE: Final = re.compile(rf'(?=\S)(?>"(?:\\.|[^"\\])*"|.)+?(?=\s+{_BEGINS}|\s*\Z)', re.DOTALL)
"""An override up to where the next one begins; inside double quotes none does."""


class PinChoice(StrEnum):
    """Which recorded stages a replay returns instead of running."""

    NONE = "none"
    REWRITE = "rewrite"
    """The recorded rewrites with today's search: a model that words them anew each time is not asked."""
    CANDIDATES = "candidates"
    """The recorded candidates with today's reranker: rewrite, retrieve, fuse and filter stages before the rerank."""
    CONTEXT = "context"
    """The recorded context with today's model: everything up to the assemble stage, or up to generate without one."""


class StageChoice(BaseModel):
    """One recorded stage, and whether a replay may return what it returned."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    kind: StageKind
    name: str
    pinned: bool = False
    asked: bool = False
    can_be_pinned: bool = True
    reason: str = ""
    """Why it cannot be pinned, or was not although it was asked for."""


class AsUser(BaseModel):
    """Who asks instead of the recorded user. Only what is set replaces what was recorded."""

    model_config = ConfigDict(frozen=True)

    user: str | None = None
    groups: tuple[str, ...] | None = None
    tenant: str | None = None


class Planned(BaseModel):
    """A plan, and what became of each recorded stage in it."""

    model_config = ConfigDict(frozen=True)

    plan: ReplayPlan
    stages: tuple[StageChoice, ...]
    """In the order recorded."""

    @property
    def refused(self) -> tuple[StageChoice, ...]:
        """Stages that were asked to be pinned and are not, each with its reason."""
        return tuple(stage for stage in self.stages if stage.asked and not stage.pinned)


def parse_override(text: str) -> Override:
    """ "retrieve.top_k=200", "rerank=off", 'request.groups=["staff"]': the value is JSON, else the text as it is.

    UsageError says what was expected.
    """
    left, equals, right = text.strip().partition("=")
    target, dot, parameter = left.strip().rpartition(".")
    right = right.strip()
    expected = "expected is stage.parameter=value (retrieve.top_k=200), or stage=off (rewrite=off)"
    if not equals:
        raise UsageError(f"{text!r} is no override; {expected}.")
    if not dot:
        if not parameter or right != "off":
            raise UsageError(f"{text!r} names no parameter; {expected}.")
        return Override(target=parameter, parameter=OFF, value=True)
    if not target or not parameter:
        raise UsageError(f"{text!r} names no stage or no parameter; {expected}.")
    try:
        return Override(target=target, parameter=parameter, value=json.loads(right))
    except ValueError:
        return Override(target=target, parameter=parameter, value=right)


def split_overrides(text: str) -> tuple[str, ...]:
    """Overrides in one line, in order: 'retrieve.query=reset router rerank=off' are two. A value may have spaces."""
    return tuple(found.group().strip() for found in _ONE.finditer(text.strip()))


def plan_replay(
    recorded: RecordedRequest,
    *,
    overrides: Sequence[Override] = (),
    pins: PinChoice | Collection[str] = PinChoice.NONE,
    injection: Injection | None = None,
    as_user: AsUser | None = None,
    batch: str | None = None,
) -> Planned:
    """The plan of a replay. `pins` is a PinChoice, or the ids of recorded stages.

    A stage that cannot be pinned runs live and is in `Planned.refused` with its reason. UsageError where no question
    was recorded, or an id in `pins` is no stage of the request.
    """
    call = recorded_call(recorded, as_user)
    asked = _asked(recorded, pins)
    choices = _choices(recorded, asked, injected=injection is not None)
    pinned = {choice.stage_id for choice in choices if choice.pinned}
    plan = ReplayPlan(
        replay_of=recorded.request.request_id,
        call=call,
        overrides=tuple(overrides),
        pins=tuple(make_pin(stage) for stage in recorded.stages if stage.stage_id in pinned),
        injection=None if injection is None else _placed(recorded, injection),
        batch=batch,
    )
    return Planned(plan=plan, stages=choices)


def stage_choices(recorded: RecordedRequest) -> tuple[StageChoice, ...]:
    """Every recorded stage, and whether it can be pinned."""
    return _choices(recorded, frozenset(), injected=False)


def recorded_call(recorded: RecordedRequest, as_user: AsUser | None = None) -> RecordedCall:
    """What the user asked. UsageError where no question was recorded."""
    request = recorded.request
    if request.question is None:
        raise UsageError(f"The question of {request.request_id} was not recorded, so that it cannot be asked again.")
    call = RecordedCall(
        question=request.question,
        history=request.history,
        user=request.user,
        session=request.session,
        tenant=request.tenant,
        groups=request.groups,
        as_of=request.as_of,
    )
    return call if as_user is None else call.model_copy(update=as_user.model_dump(exclude_none=True))


def make_pin(stage: Stage) -> Pin:
    """The recording of a stage as a pin."""
    return Pin(
        stage_id=stage.stage_id,
        kind=stage.kind,
        name=stage.name,
        query=stage.query,
        shape=stage.shape,
        hits=stage.hits,
        text=stage.text,
        texts=stage.queries or None,
    )


def why_not(stage: Stage) -> str:
    """Why what this stage returned cannot be returned again, as far as the recording tells; empty where it can.

    Whether its type can be made again is only known in the app's process, which refuses with the reason.
    """
    if stage.kind is StageKind.EMBED:
        return "vectors are not recorded"
    if stage.outcome is not Outcome.OK:
        return f"it did not end well then ({stage.outcome.value.replace('_', ' ')})"
    if stage.hits is None:
        if stage.completeness is Completeness.TRUNCATED:
            return "its text was cut when it was recorded"
        return "" if stage.text is not None or stage.queries else "what it returned was not recorded"
    if stage.completeness is not Completeness.COMPLETE:
        return f"its list is not complete ({stage.completeness.value.replace('_', ' ')})"
    for state, words in (
        (TextState.REDACTED, "hidden by redaction"),
        (TextState.CUT, "cut when it was recorded"),
        (TextState.NOT_RECEIVED, "never received"),
    ):
        hit = next((hit for hit in stage.hits if hit.text_state is state), None)
        if hit is not None:
            return f"the text of its hit at {hit.rank} was {words}"
    if stage.shape is None:
        return "what type it returned was not recorded"
    return ""


def _asked(recorded: RecordedRequest, pins: PinChoice | Collection[str]) -> frozenset[str]:
    if not isinstance(pins, PinChoice):
        known = {stage.stage_id for stage in recorded.stages}
        unknown = sorted(set(pins) - known)
        if unknown:
            raise UsageError(f"{unknown[0]} is no stage of {recorded.request.request_id}.")
        return frozenset(pins)
    if pins is PinChoice.NONE:
        return frozenset()
    if pins is PinChoice.REWRITE:
        return frozenset(_ids(stage for stage in recorded.stages if stage.kind is StageKind.REWRITE))
    if pins is PinChoice.CANDIDATES:
        end = _start_of_first(recorded, StageKind.RERANK)
        return frozenset(_ids(stage for stage in recorded.stages if stage.kind in _CANDIDATES and stage.start_ns < end))
    end = _start_of_last(recorded, StageKind.GENERATE)
    assembled = [stage for stage in recorded.stages if stage.kind is StageKind.ASSEMBLE and stage.start_ns < end]
    if assembled:
        end = assembled[-1].start_ns + 1
    return frozenset(_ids(stage for stage in recorded.stages if stage.kind not in _NEVER and stage.start_ns < end))


def _ids(stages: Iterable[Stage]) -> list[str]:
    return [stage.stage_id for stage in stages]


def _start_of_first(recorded: RecordedRequest, kind: StageKind) -> float:
    return min((stage.start_ns for stage in recorded.stages if stage.kind is kind), default=float("inf"))


def _start_of_last(recorded: RecordedRequest, kind: StageKind) -> float:
    return max((stage.start_ns for stage in recorded.stages if stage.kind is kind), default=float("inf"))


def _choices(recorded: RecordedRequest, asked: Collection[str], *, injected: bool) -> tuple[StageChoice, ...]:
    """A stage inside a pinned one is not pinned itself: it is not called."""
    parents = {stage.stage_id: stage.parent_id for stage in recorded.stages}
    reasons = {stage.stage_id: why_not(stage) for stage in recorded.stages}
    if injected:
        for stage in recorded.stages:
            if stage.kind is StageKind.ASSEMBLE and stage.stage_id in asked:
                reasons[stage.stage_id] = "the chunk is put into what it is given, so that it must run"
    pinned = {stage_id for stage_id in asked if not reasons[stage_id]}
    return tuple(_choice(stage, asked, pinned, reasons[stage.stage_id], parents) for stage in recorded.stages)


def _choice(
    stage: Stage, asked: Collection[str], pinned: Collection[str], reason: str, parents: dict[str, str | None]
) -> StageChoice:
    outer = parents.get(stage.stage_id)
    seen: set[str] = set()
    while outer is not None and outer not in pinned and outer not in seen:
        seen.add(outer)
        outer = parents.get(outer)
    inside = outer is not None and outer in pinned
    return StageChoice(
        stage_id=stage.stage_id,
        kind=stage.kind,
        name=stage.name,
        asked=stage.stage_id in asked and not inside,
        pinned=stage.stage_id in pinned and not inside,
        can_be_pinned=not reason,
        reason="the stage around it is pinned, so that it does not run" if inside else reason,
    )


def _placed(recorded: RecordedRequest, injection: Injection) -> Injection:
    """Where the chunk goes: the app finds an assemble stage or generate's context; else the last list takes it."""
    if injection.stage is not None:
        return injection
    end = _start_of_last(recorded, StageKind.GENERATE)
    before = [stage for stage in recorded.stages if stage.start_ns < end]
    if any(stage.kind is StageKind.ASSEMBLE for stage in before):
        return injection
    if any(stage.declared_context is not None for stage in recorded.stages):
        return injection
    lists = [stage for stage in before if stage.has_list and stage.kind in {*_LISTS, StageKind.OTHER, StageKind.TOOL}]
    return injection.model_copy(update={"stage": lists[-1].name}) if lists else injection
