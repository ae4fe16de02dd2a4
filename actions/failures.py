"""Errors on their way from the hub to a command: as JSON, and back as the same class with the same words."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from ..model import BadInput, GoldrankError, NotFound, Refused, StoreError, StoreLocked, UsageError

_KINDS: dict[str, type[GoldrankError]] = {
    kind.__name__: kind for kind in (GoldrankError, UsageError, NotFound, Refused, StoreError, StoreLocked, BadInput)
}


class Failure(BaseModel):
    """What went wrong."""

    model_config = ConfigDict(frozen=True)

    kind: str
    """Name of a class of `model.errors`."""
    message: str


class Failed(BaseModel):
    """The answer of an action that failed: `{"error": {"kind": ..., "message": ...}}`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error: Failure


def failure_of(error: GoldrankError) -> Failed:
    """The error as an answer; a class that is not in the tree goes as its nearest parent in it."""
    kind = next(one.__name__ for one in type(error).__mro__ if one.__name__ in _KINDS)
    return Failed(error=Failure(kind=kind, message=str(error)))


def error_of(failed: Failed) -> GoldrankError:
    """The error that the answer stands for; a kind from a newer hub becomes a GoldrankError."""
    return _KINDS.get(failed.error.kind, GoldrankError)(failed.error.message)


def usage_error(error: ValidationError, what: str) -> UsageError:
    """A question that does not fit its model, said in one line a field."""
    lines = [
        f"{'.'.join(str(part) for part in one['loc']) or what}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)
    ]
    return UsageError(f"{what} was asked wrongly: {'; '.join(lines)}.")
