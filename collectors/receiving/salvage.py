"""The readable items of an export request that as a whole cannot be read.

One span whose attributes are nested deeper than protobuf reads, or whose bytes are damaged, makes the parser refuse
the whole message. The outer layers are read with the items left as bytes, and each item is tried on its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from ...model import BadInput
from ..lenient import repair_payload
from .signals import TRACES, Signal

MOST: Final = 20_000
"""Items that are tried one by one; a message with more is refused as a whole: to try one takes some 50 us."""
_SHOWN: Final = 3
_DAMAGED: Final = "damaged, or nested deeper than protobuf reads"
_Field = descriptor_pb2.FieldDescriptorProto


class Salvaged(NamedTuple):
    """What was readable."""

    payload: bytes
    items: int
    rejected: int
    why: str


def items_one_by_one(signal: Signal, payload: bytes) -> Salvaged | None:
    """The readable items of a protobuf message. None: its outer layers cannot be read, or there are too many."""
    message: Any = opened(signal)()
    try:
        message.ParseFromString(payload)
    except DecodeError:
        return None
    outer, inner, items = signal.groups
    groups = getattr(message, outer)
    if sum(len(getattr(scope, items)) for group in groups for scope in getattr(group, inner)) > MOST:
        return None
    there = taken = 0
    for group in groups:
        for scope in getattr(group, inner):
            there += len(getattr(scope, items))
            kept = _readable_items(signal, group.resource, scope.scope, getattr(scope, items))
            taken += len(kept)
            if not kept:
                scope.ClearField("scope")
            del getattr(scope, items)[:]
            getattr(scope, items).extend(kept)
        if not any(getattr(scope, items) for scope in getattr(group, inner)):
            group.ClearField("resource")
    whys = Counter({_DAMAGED: there - taken})
    return _salvaged(message.SerializeToString(), taken, whys)


def _readable_items(signal: Signal, resource: bytes, scope: bytes, items: Iterable[bytes]) -> list[bytes]:
    """None of them where what stands around them cannot be read: it says whose they are."""
    if not _readable(signal, resource, scope, ()):
        return []
    return [item for item in items if _readable(signal, resource, scope, (item,))]


def _salvaged(payload: bytes, taken: int, whys: Counter[str]) -> Salvaged:
    rejected = whys.total()
    named = [f"{count:,}: {why}" for why, count in whys.most_common(_SHOWN) if count]
    more = f"; and {len(whys) - _SHOWN} other reasons" if len(whys) > _SHOWN else ""
    return Salvaged(payload, taken, rejected, f"{'; '.join(named)}{more}" if rejected else "")


def _readable(signal: Signal, resource: bytes, scope: bytes, items: Iterable[bytes]) -> bool:
    """Whether the ingester reads a message of these parts."""
    message: Any = opened(signal)()
    group = getattr(message, signal.groups[0]).add(resource=resource)
    getattr(group, signal.groups[1]).add(**{"scope": scope, signal.groups[2]: items})
    payload = message.SerializeToString()
    try:
        signal.request().ParseFromString(payload)
    except DecodeError:
        if signal is not TRACES:
            return False
        try:
            repair_payload(payload)
        except (BadInput, DecodeError, ValueError):
            return False
    return True


@cache
def opened(signal: Signal) -> type[Message]:
    """The export request with resource, scope and items left as bytes; the wire format is the same."""
    pool = descriptor_pool.DescriptorPool()
    for module in signal.modules:
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for message in file.message_type:
            for field in message.field:
                if field.name in {"resource", "scope", signal.groups[2]} and field.type == _Field.TYPE_MESSAGE:
                    field.type = _Field.TYPE_BYTES
                    field.ClearField("type_name")
                elif field.type == _Field.TYPE_STRING:
                    field.type = _Field.TYPE_BYTES
                    field.ClearField("default_value")
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(signal.request.DESCRIPTOR.full_name))


def json_items_one_by_one(signal: Signal, text: str) -> Salvaged | None:
    """The readable items of a JSON document. None: it is no JSON, has no groups, or too many items."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = list(_json_items(signal, document))
    if not found or len(found) > MOST:
        return None
    whys: Counter[str] = Counter()
    message: Any = signal.request()
    taken = 0
    for one in found:
        try:
            message.MergeFromString(signal.from_json(json.dumps(one)))
        except (BadInput, DecodeError, ValueError, RecursionError) as error:
            whys[_reason(error)] += 1
        else:
            taken += 1
    return _salvaged(message.SerializeToString(), taken, whys)


def _json_items(signal: Signal, document: Any) -> Iterable[dict[str, Any]]:  # noqa: ANN401 - parsed JSON
    """One document for each item, with what stands around it."""
    outer, inner, items = (_either(*names) for names in zip(signal.json_groups, signal.groups, strict=True))
    for group in outer(document):
        for scope in inner(group):
            for item in items(scope):
                kept = {name: value for name, value in scope.items() if name not in _names(signal)}
                around = {name: value for name, value in group.items() if name not in _names(signal)}
                alone = {**kept, signal.json_groups[2]: [item]}
                yield {signal.json_groups[0]: [{**around, signal.json_groups[1]: [alone]}]}


def _names(signal: Signal) -> frozenset[str]:
    return frozenset((*signal.groups, *signal.json_groups))


def _either(*names: str) -> Callable[[Any], list[Any]]:
    """The list that an object holds under one of its names; empty where there is none."""

    def read(value: Any) -> list[Any]:  # noqa: ANN401 - parsed JSON
        found = next((value[name] for name in names if name in value), None) if isinstance(value, dict) else None
        return found if isinstance(found, list) else []

    return read


def _reason(error: Exception) -> str:
    """What the conversion says, without the size of the document."""
    text = str(error)
    return text.partition("are none: ")[2] or text or type(error).__name__
