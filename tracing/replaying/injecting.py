"""A chunk put into the context: an object like its neighbours, at a place of the list that goes into the prompt."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...model.replay import Injection
from .. import names
from ..lists import find_list
from ..messages import messages_of
from ..plan import Plan
from ..recognisers import field_plan, metadata_plan
from ..values import fields_of, is_a, is_number
from .active import Ran, Replay
from .changing import Call
from .listing import FEWEST_SPACES, as_hit, is_list, list_argument


def inject_argument(replay: Replay, ran: Ran, plan: Plan, call: Call, name: str | None = None) -> Call:
    """The call with the chunk in its list; the reason is kept where it cannot be."""
    injection = replay.plan.injection
    if injection is None:
        return call
    bound = plan.arguments.bind(*call)
    name = name or list_argument(plan, bound)
    if name is None:
        replay.not_injected = f"no list of hits is recognised among the arguments of {ran.name}"
        return call
    value, said = put_into(replay, bound[name], injection)
    if value is None:
        replay.not_injected = f"{ran.name}: {said}"
        return call
    replay.injected.append(f"{said} of {ran.name}")
    ran.notes.append(f"{injection.chunk_id} was put {said}")
    return plan.arguments.with_value(*call, name, value)


def inject_result(replay: Replay, ran: Ran, result: Any) -> Any:
    """What a list stage returned, with the chunk in it."""
    injection = replay.plan.injection
    if injection is None or not is_list(result):
        replay.not_injected = f"{ran.name} gave no plain list that the chunk could be put into"
        return result
    value, said = put_into(replay, result, injection)
    if value is None:
        replay.not_injected = f"{ran.name}: {said}"
        return result
    replay.injected.append(f"{said} of what {ran.name} gave")
    ran.notes.append(f"{injection.chunk_id} was put {said}")
    return value


def remember_neighbour(replay: Replay, result: Any) -> None:
    """Keeps a hit that a stage gave: the chunk is made like it where its own list is empty."""
    elements = find_list(result) if not is_a(result, str) else None
    if elements and as_hit(elements[0]) is not None:
        replay.neighbour = elements[0]


def put_into(replay: Replay, found: Any, injection: Injection) -> tuple[Any, str]:
    """A list of the same type with the chunk in it, and where it stands; (None, reason) where it cannot be made."""
    kept = list(found)
    there = next((at for at, element in enumerate(kept) if _is_same(element, injection)), None)
    place = min(injection.position, len(kept) + (there is None)) - 1
    if there is not None:
        element = kept.pop(there)
        said = f"at {place + 1} of {len(kept) + 1} (it was there at {there + 1})"
    else:
        neighbour = kept[min(place, len(kept) - 1)] if kept else replay.neighbour
        if neighbour is None:
            return None, "its list is empty, and no stage gave a hit whose type the chunk could have"
        try:
            element = like(neighbour, injection)
        except (TypeError, ValueError, AttributeError) as error:
            kind = f"{type(neighbour).__module__}.{type(neighbour).__qualname__}"
            return None, f"no other object like its neighbour ({kind}) can be made: {error}"
        said = f"at {place + 1} of {len(kept) + 1}"
    kept.insert(place, element)
    return (tuple(kept) if is_a(found, tuple) else kept), said


def _is_same(element: Any, injection: Injection) -> bool:
    hit = as_hit(element)
    if hit is None:
        return is_a(element, str) and element == injection.text
    return hit.chunk_id == injection.chunk_id or (hit.text is not None and hit.text == injection.text)


def like(neighbour: Any, injection: Injection) -> Any:
    """An element of the neighbour's make that holds the chunk. Its score is the neighbour's: it has none of its own."""
    if is_a(neighbour, str):
        return injection.text if "\n" in neighbour or neighbour.count(" ") >= FEWEST_SPACES else injection.chunk_id
    if is_list(neighbour):
        parts = [part if is_number(part) else _part_like(part, injection) for part in neighbour]
        return tuple(parts) if is_a(neighbour, tuple) else parts
    fields = fields_of(neighbour)
    if not fields:
        raise TypeError("it has no fields")
    return _with_fields(neighbour, _filled(fields, injection))


def _part_like(part: Any, injection: Injection) -> Any:
    if is_a(part, dict) and not {*names.TEXTS, *names.ID_FIELDS} & set(part):
        return _metadata_like(part, injection)
    return like(part, injection)


def _filled(fields: Mapping[str, Any], injection: Injection) -> dict[str, Any]:
    plan = field_plan(tuple(fields), "assemble")
    filled: dict[str, Any] = {}
    for name, value in fields.items():
        if name in plan.inners and fields_of(value) and not is_a(value, str):
            filled[name] = like(value, injection)
        elif name in plan.texts[:1]:
            filled[name] = injection.text
        elif name in plan.ids[:1]:
            filled[name] = _as(type(value), injection.chunk_id)
        elif name in plan.documents[:1]:
            filled[name] = injection.doc_id if value is None or is_a(value, str) else value
        elif name in plan.metadatas and is_a(value, dict):
            filled[name] = _metadata_like(value, injection)
        elif name in names.SCORES or name in names.NOT_METADATA:
            filled[name] = None if name in {"embedding", "vector", "embeddings"} else value
        else:
            filled[name] = injection.metadata.get(name, _empty(value))
    return filled


def _as(kind: type, chunk_id: str) -> Any:
    """The id in the neighbour's type; as text where it is no number."""
    return int(chunk_id) if kind is int and chunk_id.lstrip("-").isdigit() else chunk_id


def _metadata_like(neighbour: Mapping[str, Any], injection: Injection) -> dict[str, Any]:
    """The chunk's metadata; keys that only the neighbour has are there and empty, so that a prompt can be built."""
    plan = metadata_plan(tuple(neighbour))
    made = {name: _empty(value) for name, value in neighbour.items()}
    for names_, value in ((plan.ids[:1], injection.chunk_id), (plan.documents[:1], injection.doc_id)):
        for name in names_:
            made[name] = value or made[name]
    for name in plan.texts[:1]:
        made[name] = injection.text
    return {**made, **injection.metadata}


def _empty(value: Any) -> Any:
    """Nothing, of the type of `value`; numbers and switches stay, since no number is none."""
    if is_a(value, str):
        return ""
    if is_a(value, list | tuple | dict | set):
        return type(value)()
    return value


def _with_fields(neighbour: Any, filled: dict[str, Any]) -> Any:
    if is_a(neighbour, dict):
        return type(neighbour)(filled)
    if hasattr(type(neighbour), "_fields"):
        return neighbour._replace(**filled)
    made = copy.copy(neighbour)
    for name, value in filled.items():
        object.__setattr__(made, name, value)
    return made


def see_prompt(replay: Replay, ran: Ran, plan: Plan, call: Call) -> None:
    """Notes whether the injected text is in what a generate stage was given."""
    injection = replay.plan.injection
    if injection is None or not replay.injected:
        return
    said = "\n".join(text for value in plan.arguments.bind(*call).values() for text in _texts_in(value))
    inside = injection.text in said or " ".join(injection.text.split()) in " ".join(said.split())
    replay.in_prompt = bool(replay.in_prompt) or inside
    ran.notes.append("the injected text is in its prompt" if inside else "the injected text is not in its prompt")


def _texts_in(value: Any) -> list[str]:
    if is_a(value, str):
        return [value]
    if not is_list(value):
        return []
    messages = messages_of(value)
    if messages is not None:
        return [text for _, text in messages]
    return [hit.text for element in value if (hit := as_hit(element)) is not None and hit.text is not None]
