"""What was understood of a ticket: chips, each of which can be taken away, and put back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import tzinfo

import streamlit as st

from ...model.ticket import TicketReading
from .. import times
from ..frames.understood import Part, parts
from ..text import escaped

_ICONS = {
    "id": ":material/tag:",
    "user": ":material/person:",
    "session": ":material/forum:",
    "time": ":material/schedule:",
    "quote": ":material/format_quote:",
}
_HINT = "Press one to leave it out of the search; press it again to count it."


def show(
    reading: TicketReading, zone: tzinfo, removed: tuple[str, ...], remove: Callable[[tuple[str, ...]], None]
) -> tuple[str, ...]:
    """Draws the chips; the words that do not count.

    `removed` holds the keys of parts, and `remove` is called with their new ones.
    """
    every = parts(reading, zone)
    st.caption(f"Understood · as of {times.minute(reading.opened_ns, zone)} ({times.zone_name(zone)})", help=_HINT)
    if not every:
        st.text("Nothing that names a request: only the time of the ticket counts.")
    facts = tuple(part for part in every if part.kind != "word")
    words = tuple(part for part in every if part.kind == "word")
    for name, some, label in (("facts", facts, "Who, when, quotations"), ("words", words, "Words")):
        if some:
            _chips(name, some, label, removed, remove)
    return tuple(word for part in every if part.key in removed for word in part.words)


def _chips(
    name: str,
    some: tuple[Part, ...],
    label: str,
    removed: tuple[str, ...],
    remove: Callable[[tuple[str, ...]], None],
) -> None:
    by_key = {part.key: part for part in some}
    key = f"chips_{name}_{hashlib.sha256(repr(list(by_key)).encode('utf-8', 'replace')).hexdigest()[:8]}"
    st.session_state[key] = [one for one in by_key if one not in removed]

    def changed() -> None:
        kept = st.session_state.get(key) or []
        others = [one for one in removed if one not in by_key]
        remove((*others, *(one for one in by_key if one not in kept)))

    st.pills(
        label,
        list(by_key),
        selection_mode="multi",
        key=key,
        format_func=lambda one: _label(by_key[one]) if one in by_key else str(one),
        on_change=changed,
        label_visibility="collapsed" if name == "facts" else "visible",
    )


def _label(part: Part) -> str:
    icon = _ICONS.get(part.kind, "")
    return f"{icon} {escaped(part.label)}".strip()
