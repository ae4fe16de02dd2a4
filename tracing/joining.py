"""One request over several processes: headers that say which request it is, and going on with it elsewhere.

# here                                          # in the other service
httpx.post(url, headers=goldrank.headers())     with goldrank.continue_request(request.headers):
                                                    return search(query)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from .context import current_context, enter, leave, open_stage, with_stage
from .guest import Guard
from .open_request import OpenRequest
from .open_stage import OpenStage
from .recorder import SWITCH
from .sorts import REQUEST

REQUEST_HEADER: Final = "x-goldrank-request"
PARENT_HEADER: Final = "x-goldrank-parent"

_REQUEST: Final = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}")
_PARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")

_READING: Final = Guard("reading headers")


def headers() -> dict[str, str]:
    """Headers to send along to a service that continues this request; empty outside of any.

    They have names of their own, so that they stand beside the `traceparent` of an app's own instrumentation.
    """
    stage = open_stage() if SWITCH.recorder is not None else None
    if stage is None or stage.request is None:
        return {}
    span = stage.span.get_span_context()
    parent = f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
    return {REQUEST_HEADER: stage.request.id, PARENT_HEADER: parent}


@contextmanager
def continue_request(headers: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> Iterator[None]:
    """Inside, stages belong to the request that `headers` (any mapping, or pairs as ASGI has them) names.

    Where they name none, nothing changes.
    """
    stage = None
    with _READING:
        stage = _continued(headers)
    if stage is None:
        yield
        return
    context = stage.context
    entered = enter(context)
    try:
        yield
    finally:
        leave(entered, context)
        if stage.request is not None:
            stage.request.close()


def _continued(headers: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> OpenStage | None:
    recorder = SWITCH.recorder
    named = _named(headers)
    request_id, parent = named.get(REQUEST_HEADER, ""), _PARENT.fullmatch(named.get(PARENT_HEADER, ""))
    if recorder is None or parent is None or not _REQUEST.fullmatch(request_id):
        return None
    trace_id, span_id, flags = (int(part, 16) for part in parent.groups())
    span = NonRecordingSpan(SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags)))
    request = OpenRequest(request_id, os.urandom(4).hex())
    stage = OpenStage(recorder, REQUEST, "", span, request=request, is_root=True)
    stage.context = with_stage(current_context(), stage, beside=recorder.beside)
    return stage


def _named(headers: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> dict[str, str]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""
