"""Leaks: chunks that this user must not see, standing in a list of the request.

Forbidden by a label: in any list. By groups or tenant: in any list too, unless a filter of the request took the chunk
out and it stands in no list after it; then the access control did its work.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model import CameFrom, Leak, Request, StageKind
from .chunks import SeenChunk
from .gold_case import Evidence
from .matching import Matcher

_GROUP_KEYS = ("groups", "allowed_groups", "access_groups", "user_groups", "visible_to", "acl")
_TENANT_KEYS = ("tenant", "tenant_id")
_EVERYONE = frozenset({"*", "all", "any", "anyone", "everyone", "public"})


def find_leaks(evidence: Evidence, chunks: Mapping[str, SeenChunk], forbidden: Sequence[Matcher]) -> tuple[Leak, ...]:
    """Every leak, those in the context first, then in the order in which the lists show them."""
    leaks = []
    for chunk_id, chunk in chunks.items():
        labelled = any(matcher.of_chunk(chunk_id) is not None for matcher in forbidden)
        reason = "labelled forbidden" if labelled else _shut_out(chunk.metadata, evidence.request)
        if reason is not None and (labelled or not _was_filtered(evidence, chunk_id)):
            leaks.append(_leak(evidence, chunk_id, reason))
    return tuple(sorted(leaks, key=lambda leak: leak.in_context is not True))


def _leak(evidence: Evidence, chunk_id: str, reason: str) -> Leak:
    stages = tuple(
        CameFrom(stage_id=stage_id, rank=ranked.by_id[chunk_id].rank)
        for stage_id, ranked in evidence.lists.items()
        if chunk_id in ranked.by_id
    )
    context = evidence.reading.context
    present: bool | None = any(chunk_id == entry.chunk_id for entry in context.entries)
    if not present and (not context.known or chunk_id in evidence.reading.cannot_tell or _may_be(evidence, chunk_id)):
        present = None
    return Leak(chunk_id=chunk_id, reason=reason, stages=stages, in_context=present)


def _may_be(evidence: Evidence, chunk_id: str) -> bool:
    """Whether a copy of its text was sent that may be it: it got as far as the lists that the context came from."""
    sent = any(chunk_id in entry.ambiguous_with for entry in evidence.reading.context.entries)
    last = (evidence.lists[one] for one in evidence.feeds.stage_ids if one in evidence.lists)
    return sent and any(chunk_id in ranked.by_id for ranked in last)


def _shut_out(metadata: Mapping[str, Any], request: Request) -> str | None:
    """Why the chunk's metadata keeps this user out, or None."""
    if not metadata:
        return None
    tenant = next((metadata[key] for key in _TENANT_KEYS if metadata.get(key) is not None), None)
    if tenant is not None and request.tenant is not None and str(tenant) != request.tenant:
        return f"of tenant {tenant}, the user is of {request.tenant}"
    if request.groups is None:
        return None
    for key in _GROUP_KEYS:
        allowed = _names(metadata.get(key))
        if allowed and not allowed & (_EVERYONE | _own_names(request)):
            own = ", ".join(sorted(request.groups)) or "in none"
            return f"its groups ({', '.join(sorted(allowed))}) exclude the user's ({own})"
    return None


def _own_names(request: Request) -> set[str]:
    """The user's groups, and the user, who may be named in an access list."""
    groups = set(request.groups or ())
    names = groups | {f"group:{one}" for one in groups}
    return names | {request.user, f"user:{request.user}"} if request.user is not None else names


def _names(value: object) -> set[str]:
    """The groups that metadata names: a list, a text with commas or JSON, or a mapping that holds one of these."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "{")):
            try:
                return _names(json.loads(text))
            except ValueError:
                return {text}
        return {part.strip() for part in text.split(",") if part.strip()}
    if isinstance(value, Mapping):
        inner = (value.get(key) for key in ("groups", "read", "allow", "users"))
        return set().union(*(_names(one) for one in inner))
    if isinstance(value, Iterable):
        return {str(one) for one in value if isinstance(one, str | int) and str(one)}
    return set()


def _was_filtered(evidence: Evidence, chunk_id: str) -> bool:
    """Whether every list that has the chunk went through a filter that took it out, and the prompt does not hold it."""
    if any(chunk_id == entry.chunk_id for entry in evidence.reading.context.entries):
        return False
    having = [stage_id for stage_id, ranked in evidence.lists.items() if chunk_id in ranked.by_id]
    filters = [
        stage_id
        for stage_id, ranked in evidence.lists.items()
        if ranked.stage.kind is StageKind.FILTER and chunk_id not in ranked.by_id
    ]
    return all(any(one in evidence.graph.after(stage_id) for one in filters) for stage_id in having)
