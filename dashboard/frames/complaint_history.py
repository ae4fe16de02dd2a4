"""What became of a complaint, told from its revisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from itertools import pairwise

from ...model import Complaint, short_id
from ...model.complaint import Closing, ComplaintSource
from .. import marks, times
from ..text import cell

_CAME = {
    ComplaintSource.TICKET: "Came in as a ticket",
    ComplaintSource.FEEDBACK: "Opened by thumbs down",
    ComplaintSource.APP: "Posted by an app or a help desk",
}


def history(revisions: Sequence[Complaint], zone: tzinfo) -> tuple[str, ...]:
    """One line a change, oldest first; notes are not repeated, they stand by themselves."""
    if not revisions:
        return ()
    first = revisions[0]
    lines = [f"{times.minute(first.at_ns, zone)} · {_CAME[first.source]}"]
    if first.request_id:
        lines.append(_linked(first))
    if first.owner:
        lines.append(f"Assigned to {cell(first.owner, 60)}")
    for before, after in pairwise(revisions):
        lines += _changes(before, after, zone)
    return tuple(lines)


def _changes(before: Complaint, after: Complaint, zone: tzinfo) -> list[str]:
    lines = []
    if after.text != before.text:
        lines.append("The ticket came again with another text")
    if after.request_id != before.request_id:
        by = f" by {cell(after.linked_by, 60)}" if after.linked_by else ""
        lines.append(_linked(after) if after.request_id else f"Unlinked{by}")
    if after.owner != before.owner:
        lines.append(f"Assigned to {cell(after.owner, 60)}" if after.owner else "Assigned to nobody")
    if after.verdict_at_ns and after.verdict_at_ns != before.verdict_at_ns:
        lines.append(f"{times.minute(after.verdict_at_ns, zone)} · Its request had a verdict from a label")
    if after.closing != before.closing:
        lines.append(closed(after.closing, zone) if after.closing else "Reopened")
    return lines


def _linked(complaint: Complaint) -> str:
    by = f"by {cell(complaint.linked_by, 60)}" if complaint.linked_by else "by itself: the text names it"
    return f"Linked to {short_id(complaint.request_id or '')} {by}"


def closed(closing: Closing, zone: tzinfo) -> str:
    """ "29 Nov 16:40 · Closed as fixed by mara · case 3f9a1c20 passes"."""
    shown = [
        f"case {short_id(closing.case_id)} passes" if closing.case_id else "",
        f"replay {short_id(closing.replay_id)} shows it" if closing.replay_id else "",
        cell(closing.reason, 300),
    ]
    head = (
        f"{times.minute(closing.at_ns, zone)} · Closed as {marks.state_words(closing.state)} by {cell(closing.who, 60)}"
    )
    return " · ".join(part for part in (head, *shown) if part)
