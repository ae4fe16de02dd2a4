"""Replays in an app that runs elsewhere and serves `goldrank.replay_app`."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from typing import Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from ...model.replay import ReplayOutcome, ReplayPlan, ReplayStatus

MAX_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of an outcome; a longer one is no outcome."""
_OK: Final = 200
_NEVER: Final = frozenset({401, 403, 404, 405})
"""Answers that another plan would get as well."""


def run_remote(url: str, plan: ReplayPlan, *, token: str, timeout_s: float) -> ReplayOutcome:
    """Sends the plan and waits for its outcome. Whatever goes wrong is told in the outcome. Follows no redirect."""
    started = time.monotonic()
    try:
        outcome = _ask(url, plan, token, timeout_s)
    except TimeoutError:
        detail = f"{url} did not answer within {timeout_s:g} s. What it runs may still be running there."
        outcome = _no_answer(plan, ReplayStatus.TIMED_OUT, detail)
    except (OSError, http.client.HTTPException) as error:
        detail = f"{url} cannot be reached ({error or type(error).__name__}). Does the app run, and serve replay_app?"
        outcome = _no_answer(plan, ReplayStatus.REFUSED, detail, unreachable=True)
    return outcome.model_copy(update={"seconds": time.monotonic() - started, "replay_of": plan.replay_of})


def _ask(url: str, plan: ReplayPlan, token: str, timeout_s: float) -> ReplayOutcome:
    deadline = time.monotonic() + timeout_s
    address = urlsplit(url)
    host, port = address.hostname or "", address.port
    if address.scheme == "https":
        context = ssl.create_default_context()
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, port, timeout=timeout_s, context=context
        )
    else:
        connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        path = (address.path or "/") + (f"?{address.query}" if address.query else "")
        headers: dict[str, str | bytes] = {
            "Authorization": f"Bearer {token}".encode(),
            "Content-Type": "application/json",
        }
        connection.request("POST", path, plan.model_dump_json().encode(), headers)
        line = connection.sock
        response = connection.getresponse()
        body = _read(response, line, deadline)
    finally:
        connection.close()
    if response.status != _OK:
        said = f"{url} answered {response.status}: {_said(body)}"
        if response.status in {401, 403}:
            said += " The token is that of its replay_app: --token, or GOLDRANK_REPLAY_TOKEN."
        return _no_answer(plan, ReplayStatus.REFUSED, said, unreachable=response.status in _NEVER)
    try:
        return ReplayOutcome.model_validate_json(body[: MAX_ANSWER + 1])
    except ValidationError:
        return _no_answer(plan, ReplayStatus.REFUSED, f"{url} answered something that is no outcome: {_said(body)}")


def _read(response: http.client.HTTPResponse, line: socket.socket, deadline: float) -> bytes:
    """The answer, at most one byte more than is allowed. TimeoutError where it is not there at the deadline: a socket's
    own limit begins anew with every byte."""
    body = bytearray()
    while len(body) <= MAX_ANSWER:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = response.read1(MAX_ANSWER + 1 - len(body))
        if not part:
            break
        body += part
    return bytes(body)


def _said(body: bytes) -> str:
    """What the other side says, in few words."""
    text = body[:2_000].decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        return text[:300]
    return str(found.get("error", text))[:300] if isinstance(found, dict) else text[:300]


def _no_answer(plan: ReplayPlan, status: ReplayStatus, detail: str, *, unreachable: bool = False) -> ReplayOutcome:
    return ReplayOutcome(status=status, replay_of=plan.replay_of, detail=detail, unreachable=unreachable)
