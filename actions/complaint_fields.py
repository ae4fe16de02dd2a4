"""What help desks call the fields of a ticket, and a row of an export as a complaint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..collectors.ticket_time import ticket_time
from ..model import BadInput, UsageError

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "complaint_id": (
        *("complaint_id", "ticket_id", "ticket", "ticket_number", "id", "case_id", "case_number", "issue_key", "key"),
        *("number", "external_id", "reference", "ticketnummer"),
    ),
    "subject": ("subject", "title", "summary", "short_description", "betreff"),
    "text": (
        *("text", "description", "body", "message", "comment", "content", "complaint", "details", "question"),
        *("latest_comment", "first_message", "plain_body", "description_text", "beschreibung", "nachricht"),
    ),
    "who": (
        *(
            "who",
            "user",
            "user_id",
            "customer",
            "customer_id",
            "requester",
            "requester_id",
            "requester_email",
            "reporter",
        ),
        *("reported_by", "email", "from", "contact", "contact_email", "author", "caller", "created_by", "kunde"),
    ),
    "session": ("session", "session_id", "conversation", "conversation_id", "chat_id", "thread_id"),
    "at": (
        *("at", "created_at", "created", "created_time", "creation_date", "date", "time", "timestamp", "opened_at"),
        *(
            "opened",
            "submitted_at",
            "received_at",
            "reported_at",
            "date_created",
            "sys_created_on",
            "erstellt",
            "datum",
        ),
    ),
    "app": ("app", "application", "service", "service_name"),
    "environment": ("environment", "env"),
    "request": ("request_id", "trace_id", "traceparent"),
    "owner": ("owner", "assignee", "assigned_to", "agent"),
}
"""Field of a ticket -> names that a column may have, the first one that is there wins. Case and signs do not matter."""

_NAMES_OF_PEOPLE: Final = ("id", "email", "emailaddress", "name", "displayname")


class TicketRow(NamedTuple):
    """A row of an export."""

    complaint_id: str
    """Empty: the row has none."""
    text: str
    who: str | None
    session: str | None
    at_ns: int | None
    """None: the row names no time."""
    app: str
    environment: str
    request: str
    owner: str | None


def field_names(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The names of each field, with the declared column in place of the usual ones; UsageError for a strange field."""
    names = dict(FIELDS)
    for field, column in columns.items():
        if field not in FIELDS:
            raise UsageError(f"{field!r} is no field of a ticket; there are: {', '.join(FIELDS)}.")
        names[field] = (column,)
    return names


def simple(name: str) -> str:
    """ "Created At" and "created_at" are one name."""
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def ticket_row(
    row: Mapping[str, Any], names: Mapping[str, tuple[str, ...]], *, zone: str = "", now_ns: int
) -> TicketRow:
    """The row as a ticket; BadInput says what is missing or cannot be read."""
    known = {simple(name): value for name, value in row.items() if value not in (None, "")}
    said = {field: _first(known, aliases, field) for field, aliases in names.items()}
    text = "\n\n".join(part for part in (said["subject"], said["text"]) if part and part.strip())
    if not text.strip():
        raise BadInput(f"it has no text ({' or '.join(names['text'][:3])}).")
    return TicketRow(
        complaint_id=said["complaint_id"].strip(),
        text=text.strip(),
        who=said["who"].strip() or None,
        session=said["session"].strip() or None,
        at_ns=ticket_time(said["at"], zone=zone, now_ns=now_ns) if said["at"].strip() else None,
        app=said["app"].strip(),
        environment=said["environment"].strip(),
        request=said["request"].strip(),
        owner=said["owner"].strip() or None,
    )


def _first(known: Mapping[str, Any], aliases: tuple[str, ...], field: str) -> str:
    for alias in aliases:
        value = known.get(simple(alias))
        if value is not None:
            return _text(value, field)
    return ""


def _text(value: object, field: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, dict) and field in {"who", "owner"}:
        inner = {simple(str(name)): one for name, one in value.items()}
        return next((str(inner[name]) for name in _NAMES_OF_PEOPLE if inner.get(name)), "")
    raise BadInput(f"`{field}` is no text.")
