"""JSON bodies of declared models: one object or a list of them, and mistakes by the path of the field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from ...model import BadInput
from ..repair import repair_json, repair_text
from ..ticket_time import ticket_time

MOST: Final = 1000
"""Things in one body."""
_SHOWN: Final = 5
"""Mistakes that are named in one answer."""

_WORDS: Final = {
    "missing": "the field is missing",
    "extra_forbidden": "there is no such field",
    "model_type": "a JSON object was expected",
}
"""For a person who posts; what pydantic says of other mistakes names no class of ours."""

Read = TypeVar("Read")


def parse_body(body: bytes) -> Any:  # noqa: ANN401 - whatever was posted
    """The JSON value of a body. BadInput where it is none."""
    try:
        return json.loads(repair_json(repair_text(body.decode("utf-8"))))
    except UnicodeDecodeError as error:
        raise BadInput(f"The body is not UTF-8: byte {error.start + 1:,}.") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        raise BadInput(f"The body is no JSON: {error}.") from error


def read_each(body: bytes, what: str, read: Callable[[Any], Read]) -> tuple[Read, ...]:
    """What `read` makes of the body, or of each member of its list, in their order; all of them or BadInput.

    `read` may raise ValidationError or BadInput "field: reason"; each is named by its path: "[3].text: ...".
    """
    value = parse_body(body)
    values = value if isinstance(value, list) else [value]
    if not values:
        raise BadInput(f"The list is empty: at least one {what} was expected.")
    if len(values) > MOST:
        raise BadInput(f"The list holds {len(values):,} of them; at most {MOST:,} {what}s are taken at once.")
    found: list[Read] = []
    wrong: list[str] = []
    for place, one in enumerate(values):
        path = f"[{place}]" if isinstance(value, list) else ""
        try:
            found.append(read(one))
        except ValidationError as error:
            wrong.extend(mistakes(error, path))
        except BadInput as error:
            wrong.append(f"{path}{'.' if path else ''}{error}")
    refuse(wrong)
    return tuple(found)


def refuse(wrong: list[str]) -> None:
    """BadInput that names the first mistakes and counts the others; nothing where there are none."""
    if wrong:
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise BadInput(f"Nothing was stored. {'; '.join(wrong[:_SHOWN])}{more}.")


def mistakes(error: ValidationError, path: str, *, depth: int = 1) -> list[str]:
    """ "[3].text: Field required", each once: a value of several possible types is reported once a type.

    `depth` is how many parts of pydantic's own path are named behind `path`.
    """
    found: dict[str, None] = {}
    for one in error.errors(include_url=False, include_input=False):
        name = path
        for part in one["loc"][:depth]:
            name += f"[{part}]" if isinstance(part, int) else f"{'.' if name else ''}{part}"
        found[f"{name or 'the body'}: {_WORDS.get(one['type'], one['msg'])}"] = None
    return list(found)


def time_of(at: str | float | None, now_ns: int) -> int:
    """Nanoseconds of a time as it was posted, ISO 8601 or an epoch number; `now_ns` for none. BadInput "at: ..."."""
    try:
        return now_ns if at is None else ticket_time(at, zone="UTC", now_ns=now_ns)
    except BadInput as error:
        raise BadInput(f"at: {str(error).rstrip('.')}") from error
