"""What is sent to an address at which nothing is taken: a sentence that says where it is taken, and a count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from .receiver import Receiver
from .refusal import NotTaken, Reason
from .responses import http_refusal
from .signals import SIGNALS, Form

METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_UNKNOWN: Final = {
    "/v1/metrics": "Metrics are not taken here, only traces and logs: OTEL_METRICS_EXPORTER=none stops them.",
    "/v1development/profiles": "Profiles are not taken here, only traces and logs.",
}


def elsewhere_route(receiver: Receiver, path: str, routes: Sequence[Route], methods: Sequence[str] = METHODS) -> Route:
    """Answers below `path` whatever none of `routes` takes; it stands behind them. What was posted is counted."""
    known = {route.path: sorted(route.methods or ()) for route in routes}
    taken = ", ".join(one for one in known if one.startswith("/v1/"))

    async def refuse(request: Request) -> Response:
        allowed = known.get(request.url.path)
        if allowed is not None:
            return other_method(request.url.path, allowed)
        asked = request.url.path
        said = _UNKNOWN.get(asked) or f"Nothing is taken at {asked[:200]}, only at {taken}."
        if asked == "/" or asked.endswith(("/v1/traces", "/v1/logs")):
            said += (
                " OTEL_EXPORTER_OTLP_ENDPOINT is the address without a path; OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has "
                f"{SIGNALS[0].path} at its end."
            )
        if request.method == "POST":
            receiver.tally.refuse(Reason.NO_PATH)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        return http_refusal(NotTaken(Reason.NO_PATH, said), next((one for one in Form if one.value == kind), None))

    return Route(path, refuse, methods=list(methods))


def other_method(path: str, allowed: list[str]) -> Response:
    """The answer to a method that a known path does not take."""
    text = f"{path} takes {' and '.join(one for one in allowed if one != 'HEAD')}.\n"
    return PlainTextResponse(text, status_code=405, headers={"Allow": ", ".join(allowed)})
