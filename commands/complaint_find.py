"""`goldrank complaints find`: the requests that a ticket may be about, each with its reasons."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from ..actions import Candidate, Candidates, FindCandidates, find_candidates
from ..model import NotFound, find_ids, short_id
from ..model.ticket import TicketReading
from .arguments import positive
from .command import NOTHING, OK, Call, Command
from .complaint_text import add_json, ticket_text
from .times import local_time, parse_time, zone_name
from .zone import local_zone

_WORDS = 12
_TEXT = 200


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "text", nargs="*", metavar="TICKET|TEXT", help="a stored ticket's id, or what was said; - for stdin"
    )
    parser.add_argument("--file", metavar="FILE", help="reads what was said from a file")
    parser.add_argument("--user", default="", metavar="USER", help="the user who complained")
    parser.add_argument("--session", default="", metavar="SESSION", help="the conversation it is about")
    parser.add_argument("--at", metavar="TIME", help="when it was written: 2026-11-30T09:12, or 2h for ago")
    parser.add_argument("--app", default="", help="only requests of this app")
    parser.add_argument("--environment", default="", help="only requests of this environment")
    parser.add_argument(
        "--without", action="append", default=[], metavar="WORDS", help="what was misunderstood, as it is shown"
    )
    parser.add_argument("--limit", type=positive, default=5, metavar="N", help="at most so many questions (default 5)")
    add_json(parser)


def _run(call: Call) -> int:
    found = _found(call)
    if call.arguments.json:
        call.terminal.json(found)
        return OK if found.candidates else NOTHING
    for line in _understood(found.reading):
        call.terminal.line(line)
    for place, candidate in enumerate(found.candidates, start=1):
        call.terminal.line()
        for line in _candidate(place, candidate, found):
            call.terminal.line(line)
    call.terminal.line()
    zone = zone_name(found.reading.opened_ns)
    call.terminal.line(
        f"{len(found.candidates)} of {found.questions:,} questions in {found.searched:,} requests · times in {zone}"
    )
    if not found.candidates:
        call.terminal.note("Nothing speaks for any request: `goldrank requests WORDS` looks for words.")
    return OK if found.candidates else NOTHING


def _asked(arguments: Namespace, complaint_id: str = "") -> FindCandidates:
    return FindCandidates(
        complaint_id=complaint_id,
        text="" if complaint_id else ticket_text(arguments.text, arguments.file),
        opened_ns=parse_time(arguments.at, now_ns=time.time_ns()) if arguments.at else None,
        zone=local_zone(),
        who=arguments.user,
        session=arguments.session,
        app=arguments.app,
        environment=arguments.environment,
        without=tuple(arguments.without),
        limit=min(arguments.limit, 50),
    )


def _found(call: Call) -> Candidates:
    """A word alone is the id of a complaint; where there is none of that id, a request's in some form."""
    text = call.arguments.text
    word = text[0] if len(text) == 1 and text != ["-"] and not call.arguments.file else ""
    if len(word.split()) != 1:
        return call.perform(find_candidates, _asked(call.arguments))
    try:
        return call.perform(find_candidates, _asked(call.arguments, complaint_id=word))
    except NotFound:
        if not find_ids(word):
            raise
    return call.perform(find_candidates, _asked(call.arguments))


def _understood(reading: TicketReading) -> Iterator[str]:
    for user in reading.users:
        yield f"{'user':<10}{user.name}"
    for session in reading.sessions:
        yield f"{'session':<10}{session.name}"
    for window in reading.windows:
        yield f"{'time':<10}{window.words}: {local_time(window.begin_ns)} to {local_time(window.end_ns)}"
    for quote in reading.quotes:
        yield f"{'quote':<10}{quote.text[:_TEXT]}"
    more = " …" if len(reading.words) > _WORDS else ""
    yield f"{'words':<10}{', '.join(reading.words[:_WORDS])}{more}"


def _candidate(place: int, candidate: Candidate, found: Candidates) -> Iterator[str]:
    exactly = "named by the ticket" if candidate.request_id in found.exact else candidate.likelihood
    verdict = candidate.verdict.replace("_", " ")
    facts = [short_id(candidate.request_id), local_time(candidate.start_ns), candidate.user or "", verdict]
    yield f"{place}. {exactly}: {candidate.question or 'question not recorded'}"
    yield f"   {' · '.join(one for one in facts if one)}"
    if candidate.answer:
        yield f"   {' '.join(candidate.answer.split())[:_TEXT]}"
    if candidate.reasons:
        yield f"   {' · '.join(candidate.reasons)}"
    if candidate.asked > 1:
        others = ", ".join(f"{short_id(one.request_id)} {local_time(one.start_ns)}" for one in candidate.others)
        yield f"   asked {candidate.asked:,} times{f'; also {others}' if others else ''}"


FIND = Command(
    "find",
    "find the request that a ticket is about",
    (
        "goldrank complaints find T-1042",
        'goldrank complaints find "yesterday around 5pm it told me 14 days" --user u-17',
        "goldrank complaints find - < ticket.txt",
    ),
    _add_arguments,
    _run,
    "Nothing is linked: `goldrank complaints link` does that.",
)
