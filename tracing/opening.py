"""Opening a stage or request: its span, its place below what is open here, its request's id."""

from __future__ import annotations

import os
from typing import Final

from opentelemetry import context as otel
from opentelemetry.trace import Span

from ..model.request_id import make_request_id
from .context import current_context, open_stage, span_in, with_stage
from .guest import swallow
from .open_request import OpenRequest
from .open_stage import OpenStage
from .own_spans import OwnSpan, OwnTracer
from .providers import adopt
from .recorder import SWITCH, Recorder
from .sorts import OTHER, REQUEST, Sort

NOT_SAMPLED: Final = "not sampled"


def begin(sort: Sort, name: str) -> OpenStage | None:
    """The stage (or request) that starts here; None where nothing is recorded.

    A request inside a request is a stage `other` of it. One that is started by something left over from a
    request that has ended (a worker that its first request had started) is a new request in a new trace.
    """
    recorder = SWITCH.recorder
    if recorder is None:
        return None
    try:
        if SWITCH.waits_for_app and sort is REQUEST:
            adopt()
            recorder = SWITCH.recorder or recorder
        context = current_context()
        outer = open_stage(context)
        request = None if outer is None else outer.request
        if sort is REQUEST and (request is None or request.closed):
            stage = _begin_request(recorder, name, context if outer is None else otel.Context())
        else:
            span = _start_span(recorder, name, context, outer)
            stage = OpenStage(recorder, OTHER if sort is REQUEST else sort, name, span, request, outer)
        stage.context = with_stage(context, stage, beside=recorder.beside)
    except Exception as error:  # noqa: BLE001 - the app goes on without this recording
        swallow("opening a stage", error)
        return None
    return stage


def _start_span(recorder: Recorder, name: str, context: otel.Context, outer: OpenStage | None) -> Span:
    """Below the current span; beside the app's provider below the stage around it, as the current one is the app's."""
    tracer = recorder.tracer
    if type(tracer) is not OwnTracer:
        return tracer.start_span(name, context)
    return OwnSpan(name, tracer, span_in(context) if outer is None or not recorder.beside else outer.span)


def _begin_request(recorder: Recorder, name: str, parent: otel.Context) -> OpenStage:
    span = _start_span(recorder, name, parent, None)
    ids = span if type(span) is OwnSpan else span.get_span_context()
    request = OpenRequest(_request_id(ids.trace_id, ids.span_id), (ids.span_id & 0xFFFFFFFF).to_bytes(4).hex())
    stage = request.root = OpenStage(recorder, REQUEST, name, span, request, is_root=True)
    if not stage.recording:
        recorder.outlet.count(NOT_SAMPLED, 1)
    return stage


def _request_id(trace_id: int, span_id: int) -> str:
    """The request id of a request span; a random one where OpenTelemetry is switched off and gives none."""
    if trace_id and span_id:
        return make_request_id(trace_id, span_id)
    return make_request_id(int.from_bytes(os.urandom(16)), int.from_bytes(os.urandom(8)))


def _renew_lock() -> None:
    """In a forked child: another thread of the parent may have held the lock of the request that goes on here."""
    stage = open_stage()
    if stage is not None and stage.request is not None:
        stage.request.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
