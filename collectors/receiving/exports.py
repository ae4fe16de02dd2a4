"""An export request as it came to the bytes for the spool, known to be readable there.

What is acknowledged must never stop the ingester, so everything is parsed before. Where one span among many cannot
be read, the others are taken, and the sender is told how many were rejected and why.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from ...model import BadInput
from ..lenient import repair_payload
from ..otlp_logs import is_kept
from ..repair import repair_json, repair_utf8
from .refusal import NotTaken, Reason
from .salvage import items_one_by_one, json_items_one_by_one
from .signals import LOGS, TRACES, Form, Signal


class Export(NamedTuple):
    """What of an export request is taken."""

    payload: bytes
    """Protobuf, for the spool; empty where there is nothing to store."""
    items: int
    """Spans or log records in it."""
    rejected: int = 0
    why: str = ""
    """Why some were rejected, for the sender; empty where none was."""
    ignored: int = 0
    """Log records that are not about a model call: acknowledged, and not stored."""


def read_export(signal: Signal, body: bytes, form: Form) -> Export:
    """What can be taken of a body whose compression is undone. NotTaken where it is no export request at all."""
    export = _from_json(signal, body) if form is Form.JSON else _from_protobuf(signal, body)
    return _only_kept(export) if signal is LOGS else export


def _from_protobuf(signal: Signal, payload: bytes) -> Export:
    message: Any = signal.request()
    try:
        message.ParseFromString(payload)
    except DecodeError:
        return _repairable(signal, payload)
    if payload and not getattr(message, signal.groups[0]):
        raise _unreadable(signal, payload)
    return Export(payload, count_items(signal, message))


def _repairable(signal: Signal, payload: bytes) -> Export:
    """What strict parsing refuses may still be read leniently: texts that are not UTF-8 are repaired later."""
    if signal is TRACES:
        try:
            message = signal.request()
            message.ParseFromString(repair_payload(payload).payload)
            return Export(payload, count_items(signal, message))
        except (BadInput, DecodeError, ValueError):
            pass  # some span is damaged, or nested deeper than protobuf reads: the others may be whole
    found = items_one_by_one(signal, payload)
    if found is None or not found.items:
        raise _unreadable(signal, payload)
    return Export(found.payload, found.items, found.rejected, found.why)


def _unreadable(signal: Signal, payload: bytes) -> NotTaken:
    name = signal.request.DESCRIPTOR.name
    return NotTaken(Reason.NOT_READABLE, f"The body ({len(payload):,} bytes) is no OTLP {name}.")


def _from_json(signal: Signal, body: bytes) -> Export:
    if not body.strip():
        return Export(b"", 0)
    text = repair_json(repair_utf8(body))
    try:
        payload = signal.from_json(text)
    except BadInput as error:
        found = json_items_one_by_one(signal, text)
        if found is None or not found.items:
            raise NotTaken(Reason.NOT_READABLE, str(error)) from None
        return Export(found.payload, found.items, found.rejected, found.why)
    if not payload and text.strip(" \t\r\n{}"):
        outer = signal.json_groups[0]
        if f'"{outer}"' not in text and f'"{signal.groups[0]}"' not in text:
            raise NotTaken(Reason.NOT_READABLE, f"The body is JSON without `{outer}`; an OTLP export request has it.")
    message: Any = signal.request()
    message.ParseFromString(payload)
    return Export(payload, count_items(signal, message))


def _only_kept(export: Export) -> Export:
    """Apps may send all their logs here: the records that are not about a model call are not stored."""
    message: Any = LOGS.request()
    message.ParseFromString(export.payload)
    ignored = 0
    for group in message.resource_logs:
        for scope in group.scope_logs:
            kept = [record for record in scope.log_records if is_kept(record)]
            ignored += len(scope.log_records) - len(kept)
            if len(kept) < len(scope.log_records):
                copies = [type(record).FromString(record.SerializeToString()) for record in kept]
                del scope.log_records[:]
                scope.log_records.extend(copies)
    if not ignored:
        return export
    items = export.items - ignored
    return export._replace(payload=message.SerializeToString() if items else b"", items=items, ignored=ignored)


def count_items(signal: Signal, message: Message) -> int:
    """How many spans or log records there are."""
    outer, inner, items = signal.groups
    return sum(len(getattr(scope, items)) for group in getattr(message, outer) for scope in getattr(group, inner))
