"""From what a person typed or pasted to the request that is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..model import IdForm, IdMention, NotFound, RecordedRequest, UsageError, find_ids, short_id
from ..model.external_id import may_be_external_id, trace_id_of
from ..store import Store

_ONLY_DIGITS = re.compile(r"[0-9]{8,31}")
_SHORT_HEX = re.compile(r"[0-9a-f]{1,7}", re.IGNORECASE)


class Lookup(NamedTuple):
    """What a text means."""

    request_ids: tuple[str, ...]
    """Newest first."""
    mentions: tuple[IdMention, ...]
    message: str
    """Empty when it is exactly one request, and the id names it or a span of it."""


def look_up(store: Store, text: str) -> Lookup:
    """The requests that the ids in `text` mean.

    The most certain form that the text holds decides: where a whole id is written and unknown, a chance hit of a
    shorter number beside it is not taken for the request.
    """
    mentions = _mentions(text)
    if not mentions:
        return _by_external_id(store, text) or Lookup((), (), _no_id(text))
    whole = tuple(mention for mention in mentions if mention.form is not IdForm.PREFIX)
    for form in IdForm:
        ids = _resolve(store, tuple(mention for mention in whole or mentions if mention.form is form))
        if len(ids) == 1:
            return Lookup(ids, mentions, _by_trace_alone(store, ids[0], (one for one in whole if one.form is form)))
        if ids:
            return Lookup(ids, mentions, f"{len(ids)} requests fit {_spoken(mentions)}: choose one.")
    return _by_external_id(store, text) or Lookup((), mentions, _unknown(store, whole or mentions))


def _by_external_id(store: Store, text: str) -> Lookup | None:
    """The requests whose own log gave them this id; the text is nothing else. None where there is none."""
    word = text.strip()
    if not may_be_external_id(word):
        return None
    mention = IdMention(form=IdForm.TRACE, trace_id=trace_id_of(word))
    ids = store.requests.resolve(mention)
    if not ids:
        return None
    return Lookup(ids, (mention,), "" if len(ids) == 1 else f"{len(ids)} requests have the id {word}: choose one.")


def _by_trace_alone(store: Store, request_id: str, mentions: Iterable[IdMention]) -> str:
    """That only the trace led to the request, because nothing is known of the span beside it; empty otherwise."""
    for mention in mentions:
        if mention.trace_id is None or mention.span_id is None or request_id == written(mention):
            continue
        if request_id not in store.requests.resolve(IdMention(form=IdForm.SPAN, span_id=mention.span_id)):
            return (
                f"No span {mention.span_id} is stored in trace {mention.trace_id}; this is the request of that trace."
            )
    return ""


def written(mention: IdMention) -> str:
    """An id in its normal form."""
    if mention.form is IdForm.REQUEST:
        return f"{mention.trace_id}-{mention.span_id}"
    if mention.form is IdForm.TRACEPARENT:
        return f"traceparent {mention.trace_id}-{mention.span_id}"
    return mention.trace_id or mention.span_id or mention.prefix or ""


def one_request_id(store: Store, text: str) -> str:
    """The id of the one request that `text` means; NotFound or UsageError with what to do otherwise."""
    found = look_up(store, text)
    if len(found.request_ids) == 1:
        return found.request_ids[0]
    if not found.request_ids:
        raise NotFound(found.message)
    raise UsageError(f"{found.message} They are: {', '.join(found.request_ids)}.")


def required_request(store: Store, request_id: str, *, texts: bool = True) -> RecordedRequest:
    """The request with exactly this id, or the one that it means in another form."""
    recorded = store.requests.get(request_id, texts=texts)
    if recorded is None:
        recorded = store.requests.get(one_request_id(store, request_id), texts=texts)
    if recorded is None:
        raise NotFound(f"Request {short_id(request_id)} went away while it was looked up: search again.")
    return recorded


def _mentions(text: str) -> tuple[IdMention, ...]:
    mentions = find_ids(text)
    stripped = text.strip()
    if not mentions and _ONLY_DIGITS.fullmatch(stripped):
        # Inside a ticket a run of digits is an invoice number; alone in the search box it is meant as an id.
        return (IdMention(form=IdForm.PREFIX, prefix=stripped),)
    return mentions


def _resolve(store: Store, mentions: tuple[IdMention, ...]) -> tuple[str, ...]:
    ids: dict[str, None] = {}
    for mention in mentions:
        ids.update(dict.fromkeys(store.requests.resolve(mention)))
    return tuple(ids)


def _no_id(text: str) -> str:
    if not text.strip():
        return "Nothing to look up: paste a request id, or a ticket that contains one."
    if _SHORT_HEX.fullmatch(text.strip()):
        return f"{text.strip()!r} is too short: at least the first 8 digits of a request id are needed."
    return (
        "There is no request id in this text. It is 32 and 16 hex digits with a dash between; "
        "the first 8 digits are enough."
    )


def _unknown(store: Store, mentions: tuple[IdMention, ...]) -> str:
    lines = [f"No request with the id {_spoken(mentions)} is in {store.path}."]
    unsampled = _not_sampled(store)
    if unsampled:
        lines.append(f"Apps chose not to record {unsampled:,} requests (not sampled); this may be one of them.")
    lines.append("It may also have gone to another spool, or not be read in yet: `goldrank status` says both.")
    return " ".join(lines)


def _not_sampled(store: Store) -> int:
    """How many requests the apps' samplers left out, as far as writers reported it."""
    drops = store.intake.counts().get("drops", {})
    return sum(reasons.get("not sampled", 0) for reasons in drops.values())


def _spoken(mentions: tuple[IdMention, ...]) -> str:
    return " or ".join(written(mention) for mention in mentions[:3])
