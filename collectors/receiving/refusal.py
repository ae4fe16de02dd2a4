"""Why something was not taken: one word for counting, a sentence for the sender, and a status for each protocol."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from ...tracing.spool import DISK_FULL, NOT_WRITABLE, SPOOL_FULL, TOO_LARGE

RETRY_AFTER_S: Final = 30
"""A spool that cannot be written is tried again after so long."""


class Reason(StrEnum):
    """Why a request was refused, as Status counts it."""

    NO_TOKEN = "no token"  # noqa: S105 - a word for counting
    NO_PATH = "no such address"
    """Sent to a path where nothing is taken."""
    CONTENT_TYPE = "content type"
    CODING = "content coding"
    NOT_READABLE = "not readable"
    TOO_LARGE = TOO_LARGE
    CUT_OFF = "cut off"
    """The client went away before its body was complete."""
    TOO_SLOW = "too slow"
    """The body came so slowly that it was not waited for."""
    TOO_FAST = "over the rate"
    BUSY = "too much at once"
    SPOOL_FULL = SPOOL_FULL
    DISK_FULL = DISK_FULL
    NOT_WRITABLE = NOT_WRITABLE
    FAILED = "internal error"


class Codes(NamedTuple):
    """How a reason is said."""

    http: int
    rpc: int
    """A google.rpc.Code: the status of gRPC, and the `code` of the Status body of OTLP/HTTP."""


CODES: Final[Mapping[Reason, Codes]] = {
    Reason.NO_TOKEN: Codes(401, 16),
    Reason.NO_PATH: Codes(404, 12),
    Reason.CONTENT_TYPE: Codes(415, 3),
    Reason.CODING: Codes(415, 3),
    Reason.NOT_READABLE: Codes(400, 3),
    Reason.TOO_LARGE: Codes(413, 3),
    Reason.CUT_OFF: Codes(400, 1),
    Reason.TOO_SLOW: Codes(408, 4),
    Reason.TOO_FAST: Codes(429, 8),
    Reason.BUSY: Codes(503, 8),
    Reason.SPOOL_FULL: Codes(503, 8),
    Reason.DISK_FULL: Codes(503, 8),
    Reason.NOT_WRITABLE: Codes(503, 14),
    Reason.FAILED: Codes(500, 13),
}


class NotTaken(Exception):
    """Ends the handling of a request. Nothing of it was stored."""

    def __init__(self, reason: Reason, text: str, *, retry_s: int | None = None) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.retry_s = retry_s
        """Seconds after which it is worth sending the same again. None: it never is."""

    @property
    def codes(self) -> Codes:
        """The status for each protocol."""
        return CODES[self.reason]


def refused_by_spool(why: str, what: str) -> NotTaken:
    """The answer where the spool gave a reason. `what` names what was not taken: "the spans"."""
    reason = Reason(why)
    if reason is Reason.TOO_LARGE:
        return NotTaken(reason, f"This is more than the spool takes at once; {what} were not taken. Send less at once.")
    return NotTaken(
        reason,
        f"The spool cannot be written ({why}); {what} were not taken. Send them again later.",
        retry_s=RETRY_AFTER_S,
    )
