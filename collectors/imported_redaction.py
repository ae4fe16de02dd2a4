"""Redaction of spans that an import made: texts inside of JSON are hidden, ids and scores beside them stay.

A function that hides telephone numbers would else find some in the digits of a score, and leave no JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson

from ..model import wire
from ..model.redaction import Redaction
from .redacted_text import redact_text, redact_value

_AS_IT_IS: Final = frozenset(
    {wire.KIND, wire.NAME, wire.REQUEST_ID, wire.OUTCOME, wire.IMPORTED, wire.CONTEXT, wire.INPUTS, wire.INDEX}
    | {wire.INDEX_VERSION, wire.EMBEDDING_MODEL, wire.MODEL, wire.GROUPS}
)
_JSON: Final = frozenset({wire.HISTORY, wire.QUERIES, wire.FILTERS, wire.SETTINGS, wire.PROMPT})
_TEXTS_OF_HITS: Final = (wire.HIT_TEXT, wire.HIT_METADATA)


def redact_imported(attributes: Mapping[str, Any], functions: Sequence[Redaction]) -> dict[str, Any]:
    """The attributes with what people wrote hidden."""
    found: dict[str, Any] = {}
    for key, value in attributes.items():
        if key in _AS_IT_IS:
            found[key] = value
        elif key == wire.HITS:
            found[key] = _inside(value, functions, _redact_hits)
        elif key in _JSON:
            found[key] = _inside(value, functions, redact_value)
        else:
            found[key] = redact_value(value, functions)
    return found


def _inside(value: Any, functions: Sequence[Redaction], redact: Callable[[Any, Sequence[Redaction]], Any]) -> Any:  # noqa: ANN401
    """A JSON text with its content redacted; as a whole where it is none."""
    if not isinstance(value, str):
        return redact_value(value, functions)
    try:
        content = orjson.loads(value)
    except orjson.JSONDecodeError:
        return redact_text(value, functions)
    return orjson.dumps(redact(content, functions)).decode()


def _redact_hits(content: Any, functions: Sequence[Redaction]) -> Any:  # noqa: ANN401 - a parsed HITS attribute
    if not isinstance(content, dict):
        return redact_value(content, functions)
    for place in (content.get(wire.HITS_COLUMNS), *(content.get(wire.HITS_LIST) or ())):
        for key in _TEXTS_OF_HITS if isinstance(place, dict) else ():
            if key in place:
                place[key] = redact_value(place[key], functions)
    return content
