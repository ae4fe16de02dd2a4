"""Undoing the compression of a body, up to a limit that holds while it is undone."""

from __future__ import annotations

import zlib
from typing import Final

from .refusal import NotTaken, Reason

TAKEN: Final = ("gzip", "deflate")
"""Content codings that are undone, beside none."""
_GZIP: Final = 31
_ZLIB: Final = 15
_RAW: Final = -15


def check_coding(header: str) -> str:
    """The coding that a Content-Encoding header names: "" for none. NotTaken where it cannot be undone."""
    coding = header.strip().lower()
    if coding in {"", "identity"}:
        return ""
    if coding in TAKEN:
        return coding
    raise NotTaken(Reason.CODING, f"Content-Encoding is {coding[:100]!r}; what is taken is {', '.join(TAKEN)} or none.")


def inflated(body: bytes, coding: str, limit: int) -> bytes:
    """The bytes of a compressed body; NotTaken where they are more than `limit`, or the body is damaged."""
    if coding == "gzip":
        return _inflate(body, _GZIP, coding, limit)
    # HTTP's deflate is zlib's form; some senders leave its header out.
    framed = len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    return _inflate(body, _ZLIB if framed else _RAW, coding, limit)


def _inflate(body: bytes, wbits: int, coding: str, limit: int) -> bytes:
    """All members of a gzip body, one after the other."""
    parts: list[bytes] = []
    size = 0
    rest = body
    while rest or not parts:
        inflater = zlib.decompressobj(wbits=wbits)
        try:
            part = inflater.decompress(rest, limit - size + 1)
        except zlib.error:
            raise NotTaken(Reason.NOT_READABLE, f"Content-Encoding says {coding}, and the body is none.") from None
        size += len(part)
        if size > limit:
            raise NotTaken(Reason.TOO_LARGE, f"The body inflates to more than {limit:,} bytes. Send smaller batches.")
        if not inflater.eof:
            raise NotTaken(Reason.NOT_READABLE, f"The {coding} body ends in the middle.")
        parts.append(part)
        rest = inflater.unused_data
        if wbits != _GZIP and rest:
            raise NotTaken(Reason.NOT_READABLE, f"Bytes follow the end of the {coding} body.")
    return parts[0] if len(parts) == 1 else b"".join(parts)
