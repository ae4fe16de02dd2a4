"""Chunks of a corpus manifest as people write them: JSON objects with the usual names of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from ..model import BadInput, CorpusChunk

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "chunk_id": ("chunk_id", "id", "_id"),
    "doc_id": ("doc_id", "document_id", "doc", "source"),
    "text": ("text", "page_content", "content"),
    "searchable_text": ("searchable_text",),
    "section_path": ("section_path", "section"),
    "parent_id": ("parent_id", "parent"),
    "previous_id": ("previous_id", "previous", "prev_id"),
    "next_id": ("next_id", "next"),
    "metadata": ("metadata", "meta"),
}
"""Field of a chunk -> names that it may have, the first one that is there wins."""


def read_chunk(value: object) -> CorpusChunk:
    """A chunk from parsed JSON; other fields go into its metadata. BadInput names the field that is wrong."""
    if not isinstance(value, dict):
        raise BadInput(f"a JSON {_json_type(value)} was found, an object was expected.")
    fields: dict[str, Any] = {}
    for field, names in FIELDS.items():
        given = next((value[name] for name in names if value.get(name) is not None), None)
        if given is not None:
            fields[field] = given if field == "metadata" else _text(given, field)
    if not fields.get("chunk_id"):
        raise BadInput("it has no chunk id: `chunk_id`, `id` or `_id` was expected.")
    used = {name for names in FIELDS.values() for name in names}
    rest = {name: one for name, one in value.items() if name not in used}
    metadata = fields.get("metadata", {})
    if not isinstance(metadata, dict):
        raise BadInput(f"`metadata` is a JSON {_json_type(metadata)}, an object was expected.")
    try:
        return CorpusChunk(**{**fields, "metadata": {**rest, **metadata}})
    except ValidationError as error:
        raise BadInput(f"it is no chunk: {error.errors(include_url=False)[0]['msg']}.") from error


def _text(value: object, field: str) -> str:
    """Ids compare as text, so a number is one."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise BadInput(f"`{field}` holds a JSON {_json_type(value)}, a text was expected.")


def _json_type(value: object) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "number")
