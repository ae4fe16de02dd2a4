"""How many tokens a model call took in and gave out, in the keys of every writer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .json_text import load
from .values import as_count

_TAKEN: Final = (
    *("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "llm.usage.prompt_tokens",
)
_GIVEN: Final = (
    *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "llm.usage.completion_tokens",
)
_TOGETHER: Final = ("langfuse.observation.usage_details", "mlflow.chat.tokenUsage")
"""Objects that hold both."""
_TAKEN_INSIDE: Final = ("input", "input_tokens", "prompt_tokens")
_GIVEN_INSIDE: Final = ("output", "output_tokens", "completion_tokens")


def tokens_of(attributes: Mapping[str, Any]) -> str | None:
    """Both numbers in words, "120 in, 30 out"; None where neither is known."""
    taken, given = _first(_TAKEN, attributes), _first(_GIVEN, attributes)
    if taken is None and given is None:
        both = next((found for key in _TOGETHER if isinstance(found := load(attributes.get(key)), dict)), {})
        taken, given = _first(_TAKEN_INSIDE, both), _first(_GIVEN_INSIDE, both)
    words = [f"{number:,} {way}" for number, way in ((taken, "in"), (given, "out")) if number is not None]
    return ", ".join(words) or None


def _first(keys: tuple[str, ...], place: Mapping[str, Any]) -> int | None:
    return next((number for key in keys if key in place and (number := as_count(place[key])) is not None), None)
