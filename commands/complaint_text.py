"""One complaint as lines, and arguments that its commands share."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence

from ..actions import ComplaintChanged, ComplaintRow
from ..model import UsageError, short_id
from .arguments import read_file, read_stdin
from .command import OK, Call
from .times import local_time

_UNITS = ((86_400, "days"), (3600, "hours"), (60, "minutes"))


def add_complaint_id(parser: ArgumentParser) -> None:
    """Which complaint."""
    parser.add_argument("ticket", metavar="TICKET", help="its id, or the beginning of it")


def add_json(parser: ArgumentParser) -> None:
    """For programs."""
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def ticket_text(words: Sequence[str], file: str | None) -> str:
    """The text that was typed, or the one of a file or of stdin."""
    if file and words:
        raise UsageError("Give the text, or --file: not both.")
    if file:
        return read_file(file)
    if not words:
        raise UsageError("Give the text, --file FILE, or - for stdin.")
    return read_stdin("the text") if list(words) == ["-"] else " ".join(words)


def changed(call: Call, done: ComplaintChanged, what: str) -> int:
    """Says what became of the complaint."""
    if call.arguments.json:
        call.terminal.json(done)
        return OK
    complaint_id = done.row.complaint.complaint_id
    call.terminal.line(f"{complaint_id}: {what}" if done.changed else f"{complaint_id}: it was so already")
    for line in complaint_lines(done.row):
        call.terminal.line(f"  {line}")
    return OK


def complaint_lines(row: ComplaintRow) -> Iterator[str]:
    """What is known of a complaint, without its text."""
    complaint = row.complaint
    facts = {
        "ticket": f"{complaint.complaint_id}, {complaint.source.value}, {local_time(complaint.at_ns)}",
        "state": row.state.value.replace("_", " "),
        "user": complaint.who,
        "session": complaint.session,
        "owner": complaint.owner,
        "request": _request(row),
        "question": row.question,
        "verdict": _verdict(row),
        "closed": _closing(row),
    }
    for name, value in facts.items():
        if value:
            yield f"{name:<10}{value}"
    for note in complaint.notes:
        yield f"{'note':<10}{note.text} ({note.who}, {local_time(note.at_ns)})"


def _request(row: ComplaintRow) -> str | None:
    complaint = row.complaint
    if complaint.request_id is None:
        return f"none; {complaint.linked_by} took the link away" if complaint.linked_by else None
    by = f", linked by {complaint.linked_by}" if complaint.linked_by else ""
    here = "" if row.request_id else ", which has not come yet"
    return f"{short_id(complaint.request_id)}{by}{here}"


def _verdict(row: ComplaintRow) -> str | None:
    if not row.verdict:
        return None
    after = "" if row.verdict_after_s is None else f", {_amount(row.verdict_after_s)} after the complaint"
    return f"{row.verdict.replace('_', ' ')}{after}"


def _closing(row: ComplaintRow) -> str | None:
    closing = row.complaint.closing
    if closing is None:
        return None
    why = [
        f"case {closing.case_id}" if closing.case_id else "",
        f"replay {short_id(closing.replay_id)}" if closing.replay_id else "",
        closing.reason or "",
    ]
    return f"{'; '.join(one for one in why if one)} ({closing.who}, {local_time(closing.at_ns)})"


def _amount(seconds: float) -> str:
    """ "3 hours", "40 minutes", "less than a minute"."""
    for size, name in _UNITS:
        if seconds >= size:
            count = round(seconds / size)
            return f"{count:,} {name if count != 1 else name[:-1]}"
    return "less than a minute"
