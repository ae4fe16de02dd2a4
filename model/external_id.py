"""Ids that others gave to a request, as the trace id under which goldrank keeps it: the same id, the same trace."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_HEX: Final = re.compile(r"(?:tr-)?([0-9a-f]{32})", re.IGNORECASE)
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_LONGEST: Final = 200


def trace_id_of(external_id: str) -> str:
    """32 hex digits: those of the id itself where it is a trace id or a UUID, else made from its text."""
    text = external_id.strip()
    match = _HEX.fullmatch(text)
    if match is not None:
        return match[1].lower()
    if _UUID.fullmatch(text):
        return text.replace("-", "").lower()
    return hashlib.blake2b(b"goldrank external id\0" + text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def may_be_external_id(text: str) -> bool:
    """Whether a text can be the id that a log gave to a request: one word of moderate length."""
    return bool(text) and len(text) <= _LONGEST and len(text.split()) == 1
