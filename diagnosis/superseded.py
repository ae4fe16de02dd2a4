"""Chunks of versions that are no longer valid: because their metadata says so, or another version is newer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..model import Certainty, Request
from .chunks import SeenChunk

_SAYS_SO = ("superseded", "superseded_by", "superseded_at", "superseded_on", "replaced_by")
_ENDS = ("valid_until", "valid_to", "expires", "expires_at", "expiry_date")
_STATUS = ("status", "state", "lifecycle")
_GONE = frozenset({"archived", "deprecated", "expired", "obsolete", "outdated", "retired", "superseded", "withdrawn"})
_CURRENT = ("is_current", "is_latest", "current", "latest")
_FAMILY = ("family", "document_family", "doc_family", "canonical_id", "series")
_VERSION = ("version", "doc_version", "document_version")
_NO = frozenset({"", "0", "false", "no", "none", "null"})
_ORDERED = re.compile(r"v?(\d+(?:[.-]\d+)*)", re.IGNORECASE)


class Superseded(NamedTuple):
    """Why a chunk counts as superseded."""

    why: str
    """ "superseded_by: refunds-v5", "version 3, and refunds has version 4"."""
    certainty: Certainty
    """Recorded where metadata says so, derived where versions were compared."""
    by: str | None = None
    """The document or chunk that metadata names as its successor."""


def superseded_chunks(
    chunks: Iterable[SeenChunk], request: Request, manifest: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Superseded]:
    """Chunk id -> why it is superseded. Dates count by the request's `as_of`, else by its start."""
    seen = list(chunks)
    now = _now(request)
    found: dict[str, Superseded] = {}
    for chunk in seen:
        if not chunk.metadata:
            continue
        why = _says_so(chunk.metadata, now)
        if why is not None:
            found[chunk.chunk_id] = Superseded(why, Certainty.RECORDED, _successor(chunk.metadata))
    for chunk_id, why in _older_versions(seen, manifest or {}).items():
        found.setdefault(chunk_id, Superseded(why, Certainty.DERIVED))
    return found


def _successor(metadata: Mapping[str, Any]) -> str | None:
    named = next((metadata[key] for key in ("superseded_by", "replaced_by") if metadata.get(key)), None)
    return str(named) if isinstance(named, str | int) else None


def _now(request: Request) -> datetime:
    return _date(request.as_of) or datetime.fromtimestamp(request.start_ns // 1_000_000_000, tz=UTC)


def _date(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _says_so(metadata: Mapping[str, Any], now: datetime) -> str | None:
    for key in _SAYS_SO:
        value = metadata.get(key)
        if value is not None and str(value).strip().casefold() not in _NO and not _is_later(value, now):
            return key if value is True else f"{key}: {value}"
    for key in _ENDS:
        end = _date(metadata.get(key))
        if end is not None and end <= now:
            return f"{key}: {metadata[key]}"
    for key in _STATUS:
        if str(metadata.get(key, "")).strip().casefold() in _GONE:
            return f"{key}: {metadata[key]}"
    for key in _CURRENT:
        if metadata.get(key) is False:
            return f"{key}: false"
    return None


def _is_later(value: object, now: datetime) -> bool:
    """Whether it is a date that the request had not reached yet."""
    moment = _date(value)
    return moment is not None and moment > now


class _Version(NamedTuple):
    family: str
    order: tuple[int, ...]
    said: str


def _older_versions(seen: list[SeenChunk], manifest: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Chunks whose document family has a higher version, in the lists or in the manifest."""
    versions = {chunk.chunk_id: _version(chunk.metadata, chunk.doc_id) for chunk in seen if chunk.metadata}
    families = {one.family for one in versions.values() if one is not None}
    if not families:
        return {}
    others = (_version(metadata, metadata.get("doc_id")) for metadata in manifest.values())
    newest: dict[str, _Version] = {}
    for one in (*versions.values(), *others):
        if one is not None and one.family in families:
            best = newest.get(one.family)
            newest[one.family] = one if best is None or one.order > best.order else best
    return {
        chunk_id: f"version {own.said}, and {own.family} has version {newest[own.family].said}"
        for chunk_id, own in versions.items()
        if own is not None and own.order < newest[own.family].order
    }


def _version(metadata: Mapping[str, Any], doc_id: object) -> _Version | None:
    """The version and the family that it belongs to.

    The family is named by metadata, or is the document; where the document's own id ends with the version
    ("refunds-v4", "policy-2024"), what stands before it.
    """
    value = next((metadata[key] for key in _VERSION if metadata.get(key) is not None), None)
    match = _ORDERED.fullmatch(str(value).strip()) if value is not None and not isinstance(value, bool) else None
    if match is None:
        return None
    order = tuple(int(part) for part in re.split(r"[.-]", match[1]))
    named = next((metadata[key] for key in _FAMILY if isinstance(metadata.get(key), str)), None)
    if named is None and isinstance(doc_id, str):
        ending = re.fullmatch(rf"(.+?)[-_.@ /]?v?{re.escape(match[1])}", doc_id, re.IGNORECASE)
        named = ending[1] if ending else doc_id
    return _Version(named, order, str(value)) if named else None
