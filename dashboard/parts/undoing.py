"""What this person changed since the page was opened, so that U takes back the last of it, wherever it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from ...model import short_id
from .. import queue
from . import notices, pressing

_KEY = "changes_of_mine"
_KEPT = 200


class Change(NamedTuple):
    """One change that can be taken back."""

    request_id: str
    at_ns: int
    words: str


def remembering(request_id: str, act: Callable[[], Any]) -> None:
    """Runs `act`, and remembers what it changed about the request; a press that changed nothing leaves no trace."""
    changes = _changes()
    with queue.ONE_AT_A_TIME:
        before = queue.newest_change(request_id).at_ns
        try:
            act()
        finally:  # a later press may end this one once it has saved
            after = queue.newest_change(request_id)
            if after.at_ns is not None and after.at_ns > (before or 0):
                changes.append(Change(after.request_id, after.at_ns, after.words))
                del changes[:-_KEPT]


def next_one(request_id: str) -> Change | None:
    """What U takes back now: the last change of this session that stands, else the newest of the request shown."""
    changes = _changes()
    for change in changes[::-1]:
        newest = queue.newest_change(change.request_id)
        if newest.at_ns is not None and newest.at_ns >= change.at_ns:
            return change
        _forget(changes, change)  # it was undone elsewhere
    newest = queue.newest_change(request_id)
    return None if newest.at_ns is None else Change(newest.request_id, newest.at_ns, newest.words)


def take_back(shown: str, change: Change) -> None:
    """Undoes that change and shows its request (a callback). What somebody changed since is left alone, and said."""
    if not pressing.counts(shown):
        return
    _forget(_changes(), change)
    if not notices.guarded(lambda: queue.take_back_change(change.request_id, change.at_ns)):
        return
    place = "" if change.request_id == shown else f" on request {short_id(change.request_id)}"
    notices.done(f"Taken back{place}: {change.words}.")
    if change.request_id != shown:
        pressing.go(shown, change.request_id)


def _changes() -> list[Change]:
    """Oldest first; the list itself, so that adding to it needs no `st`."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = []
    changes: list[Change] = st.session_state[_KEY]
    return changes


def _forget(changes: list[Change], change: Change) -> None:
    with queue.ONE_AT_A_TIME:
        if change in changes:
            changes.remove(change)
