"""The tables of the Status page."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions import Status
from .. import amounts, times
from ..text import cell, literal
from . import tables


def figure(column: st.delta_generator.DeltaGenerator, name: str, value: str, beside: str, explained: str = "") -> None:
    """One number of the page's first row."""
    column.metric(
        name,
        value,
        beside,
        delta_color="off",
        delta_arrow="off",
        border=True,
        height="stretch",
        help=explained or None,
    )


def show_places(status: Status, zone: tzinfo, now_ns: int) -> None:
    """Spool, store, hub and ingester."""
    rows = {"Spool": status.spool + ("" if status.spool_written else " (never written: point an app there)")}
    rows["Store"] = f"{status.store} (version {status.schema_version} of its tables)"
    if status.hub:
        since = times.second(status.hub["since_ns"], zone)
        rows["Hub"] = f"{status.hub['url']}, PID {status.hub['pid']}, since {since}"
    rows["Ingester"] = _ingester(status, now_ns)
    rows["Hides"] = ", ".join(status.redaction) or (
        "nothing of what people type here; start it with GOLDRANK_REDACT=email,phone to hide such"
    )
    with st.container(border=True, gap="xsmall"):
        st.markdown("**Where things are**")
        for name, value in rows.items():
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                st.caption(name, width=80)
                st.text(literal(value), width="stretch")


def _ingester(status: Status, now_ns: int) -> str:
    now = status.ingester
    works = "works" if now.healthy else "in trouble"
    last = f", the last one {times.ago(now.last_commit_ns, now_ns)} ago" if now.last_commit_ns else ""
    state = works if now.running else "not running"
    return f"{state}; {amounts.counted(now.frames_read, 'record')} read since the hub started{last}"


def show_troubles(status: Status) -> None:
    """Each trouble with what to do."""
    with st.container(border=True):
        st.markdown("**Troubles**")
        if not status.troubles:
            st.text("None.")
            return
        _table(
            {
                "what": [cell(one.what, 400) for one in status.troubles],
                "what to do": [cell(one.remedy, 400) for one in status.troubles],
            },
            "Troubles and what to do about them",
        )


def show_drops(status: Status) -> None:
    """What apps did not record, by reason."""
    rows = [(app, reason, count) for app, reasons in status.drops.items() for reason, count in reasons.items()]
    with st.container(border=True, height="stretch"):
        st.markdown("**Not recorded** :small[steps of requests (spans), counted by the apps]")
        if not rows:
            st.text("Nothing was dropped.")
            return
        _table(
            {
                "app": [cell(app, 60) for app, _, _ in rows],
                "reason": [cell(reason, 80) for _, reason, _ in rows],
                "steps": [amounts.count(count) for _, _, count in rows],
            },
            "Steps that were not recorded, by app and reason",
        )


def show_receivers(status: Status, zone: tzinfo) -> None:
    """What the hub and collectors took over the network and what they refused; nothing where nobody sent anything."""
    if not status.receivers:
        return
    with st.container(border=True):
        st.markdown("**Received** :small[over the network, by the hub and by goldrank collect]")
        found = status.receivers
        refused = [", ".join(f"{amounts.count(n)} {reason}" for reason, n in one.refused.items()) for one in found]
        _table(
            {
                "receiver": [cell(one.receiver, 80) for one in found],
                "messages": [amounts.count(one.received.get("requests", 0)) for one in found],
                "steps": [amounts.count(one.received.get("spans", 0)) for one in found],
                "size": [amounts.size(one.received.get("bytes", 0)) for one in found],
                "messages refused": [cell(text or "none", 200) for text in refused],
                "last report": [times.minute(one.last_ns, zone) for one in found],
            },
            "What was received over the network",
        )


def show_bad_frames(status: Status, zone: tzinfo) -> None:
    """Records that could not be read."""
    with st.container(border=True, height="stretch"):
        unreadable = amounts.counted(status.bad_frames_total, "record")
        st.markdown(f"**Set aside** :small[{unreadable} of apps that could not be read]")
        if not status.bad_frames:
            st.text("Every record could be read.")
            return
        frames = status.bad_frames
        _table(
            {
                "time": [times.minute(one.at_ns, zone) for one in frames],
                "reason": [cell(one.reason, 200) for one in frames],
                "kept as": [cell(one.saved_as, 80) for one in frames],
            },
            "Records that were set aside",
        )
        if status.bad_frames_total > len(frames):
            st.caption(f"The newest {len(frames)} of {amounts.count(status.bad_frames_total)}.")


def show_corpora(status: Status, zone: tzinfo) -> None:
    """The index versions whose content is known."""
    with st.container(border=True, height="stretch"):
        st.markdown("**Corpora** :small[index versions whose content is known]")
        if not status.corpora:
            st.text("None: whether a passage is in the corpus can only be told from the lists it was seen in.")
            st.text("goldrank corpus add FILE, or goldrank.corpus(…) in the app, tells what an index holds.")
            return
        _table(
            {
                "app": [cell(one.app, 60) for one in status.corpora],
                "index": [cell(one.index, 60) for one in status.corpora],
                "version": [cell(one.version, 60) for one in status.corpora],
                "chunks": [amounts.count(one.chunks) for one in status.corpora],
                "state": ["complete" if one.complete else "parts missing" for one in status.corpora],
                "loaded": [times.minute(one.loaded_ns, zone) for one in status.corpora],
            },
            "Corpora",
        )


def show_rows(status: Status) -> None:
    """How much is stored."""
    with st.container(border=True, height="stretch"):
        st.markdown("**Stored rows** :small[of each table]")
        _table(
            {"table": list(status.rows), "rows": [amounts.count(count) for count in status.rows.values()]},
            "Rows of each table",
        )


def _table(columns: dict[str, list[str]], alt: str) -> None:
    tables.show(
        columns,
        row_height=30,
        shape={
            name: tables.Column(right=True)
            for name in ("steps", "rows", "chunks", "requests", "size")
            if name in columns
        },
        alt=alt,
    )
