"""What was pruned or forgotten does not come back: late spans, frames of the spool, files read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..model import Complaint, CorpusManifest, Drops, Feedback, Span, wire
from ..model.sieve import Cause, Kind, Sieve
from .redaction import redact_complaint, redact_feedback

if TYPE_CHECKING:  # an action that takes in a ticket composes no requests
    from .assembly import Assembled

REASONS = {Cause.PRUNED: "of a pruned request", Cause.FORGOTTEN: "forgotten"}
"""Why a span is not stored, as it is counted with the losses."""


class Sifted(NamedTuple):
    """Spans that may be stored, and how many others there were."""

    spans: list[Span]
    dropped: Counter[tuple[str, Cause]]
    """(app, why) -> spans."""


def sift_spans(spans: Iterable[Span], sieve: Sieve) -> Sifted:
    """Leaves out what belongs to something that is gone, and what hangs below it here; masks forgotten texts."""
    if not sieve:
        return Sifted(list(spans), Counter())
    kept: list[Span] = []
    dropped: Counter[tuple[str, Cause]] = Counter()
    left_out: dict[tuple[str, str], Cause] = {}
    for span in sorted(spans, key=lambda span: span.start_ns):
        request_id = span.attributes.get(wire.REQUEST_ID)
        cause = sieve.span_gone(span) or left_out.get((span.trace_id, span.parent_span_id or ""))
        if cause is None and isinstance(request_id, str):
            cause = sieve.why_gone(Kind.REQUEST, request_id)
        if cause is None:
            kept.append(sieve.mask_span(span))
            continue
        left_out[span.trace_id, span.span_id] = cause
        dropped[str(span.resource.get(wire.APP, "")), cause] += 1
    return Sifted(kept, dropped)


def sift_feedback(feedback: Feedback, sieve: Sieve) -> Feedback | None:
    """None for feedback about a request that is gone."""
    if sieve.request_gone(feedback.request_id):
        return None
    return redact_feedback(feedback, (sieve.mask,)) if sieve.masks else feedback


def sift_complaint(complaint: Complaint, sieve: Sieve) -> Complaint | None:
    """None for a complaint that was forgotten, with its request, or with its user. One about a pruned request stays."""
    request_id = complaint.request_id or ""
    named = (
        (Kind.COMPLAINT, complaint.complaint_id),
        (Kind.REQUEST, request_id),
        (Kind.TRACE, request_id.partition("-")[0]),
    )
    if any(sieve.why_gone(kind, name) is Cause.FORGOTTEN for kind, name in named):
        return None
    if sieve.user_gone(complaint.who, complaint.at_ns):
        return None
    return redact_complaint(complaint, (sieve.mask,)) if sieve.masks else complaint


def sift_corpus(manifest: CorpusManifest, sieve: Sieve) -> CorpusManifest:
    """The manifest with forgotten texts masked."""
    if not sieve.masks:
        return manifest
    chunks = tuple(type(chunk).model_validate(sieve.mask_value(chunk.model_dump())) for chunk in manifest.chunks)
    return manifest.model_copy(update={"chunks": chunks})


def losses(dropped: Counter[tuple[str, Cause]], at_ns: int) -> list[Drops]:
    """What was left out, as the losses of writers are counted."""
    return [
        Drops(app=app, pid=0, drops={REASONS[cause]: count}, at_ns=at_ns) for (app, cause), count in dropped.items()
    ]


class OfForgottenUsers(NamedTuple):
    """Requests that turned out to be a forgotten user's."""

    request_ids: tuple[str, ...] = ()
    spans: tuple[tuple[str, str], ...] = ()


def find_forgotten(assembled: Assembled, sieve: Sieve) -> OfForgottenUsers:
    """Requests of this batch whose user was forgotten after they began; with older ids that they took over."""
    if not sieve:
        return OfForgottenUsers()
    ids = {
        one.request.request_id for one in assembled.requests if sieve.user_gone(one.request.user, one.request.start_ns)
    }
    spans = tuple(key for one in sorted(ids) for key in assembled.members.get(one, ()))
    older = {old for old, new in assembled.renamed.items() if new in ids}
    return OfForgottenUsers(tuple(sorted(ids | older)), spans)


def without(assembled: Assembled, gone: OfForgottenUsers) -> Assembled:
    """The batch without these requests and their spans."""
    if not gone.request_ids:
        return assembled
    ids, spans = set(gone.request_ids), set(gone.spans)
    return assembled._replace(
        spans=tuple(span for span in assembled.spans if (span.trace_id, span.span_id) not in spans),
        stored=frozenset(key for key in assembled.stored if key not in spans),
        requests=tuple(one for one in assembled.requests if one.request.request_id not in ids),
        lists={one: lists for one, lists in assembled.lists.items() if one not in ids},
        members={one: keys for one, keys in assembled.members.items() if one not in ids},
        renamed={old: new for old, new in assembled.renamed.items() if new not in ids},
    )


__all__ = [
    "OfForgottenUsers",
    "Sifted",
    "find_forgotten",
    "losses",
    "sift_complaint",
    "sift_corpus",
    "sift_feedback",
    "sift_spans",
    "without",
]
