"""The answer in one sentence: leaks first, then the verdict, then what limits it."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import Finding, Verdict
from .. import marks
from ..text import escaped

_ICONS = {"green": ":material/check_circle:", "yellow": ":material/hourglass_bottom:", "gray": ":material/help:"}
_OUR_WORDS = frozenset(("its", "no", "not", "position", "rank", "the", "what", "which"))
"""First words of evidence that are ours, not a name."""
_INCOMPLETE = "incomplete_telemetry"
_FAILED = "stage_failed"


def show(view: RequestView) -> None:
    """The boxes in the order of their weight."""
    _show_leaks(view)
    _show_verdict(view)
    _show_limits(view)


def _show_leaks(view: RequestView) -> None:
    names = {stage.stage_id: stage.name for stage in view.recorded.stages}
    for leak in view.diagnosis.leaks:
        places = ", ".join(f"{names.get(place.stage_id, '?')} {place.rank}" for place in leak.stages)
        reached = {True: "It reached the prompt.", False: "It did not reach the prompt.", None: ""}[leak.in_context]
        if leak.in_context is None:
            reached = "Whether it reached the prompt is not recorded."
        st.error(
            escaped(f"{leak.chunk_id}: {leak.reason}. In {places}. {reached}"),
            title="A chunk that this user must not see stands in a list",
            icon=":material/shield:",
        )


def _show_verdict(view: RequestView) -> None:
    diagnosis = view.diagnosis
    finding = diagnosis.headline
    if finding.verdict is Verdict.NO_LABEL:
        st.info(
            "Say which passage should have answered, and the path shows at once where it was lost.",
            title="No gold is marked yet",
            icon=":material/help:",
        )
        return
    colour = marks.verdict_colour(finding.verdict)
    box = {"green": st.success, "yellow": st.warning, "gray": st.info, "violet": st.warning}.get(colour, st.error)
    box(
        _body(finding, view),
        title=f"{escaped(_unquoted(finding.title, view))}\\.",
        icon=_ICONS.get(colour, ":material/trending_down:"),
    )


def _body(finding: Finding, view: RequestView) -> str:
    diagnosis = view.diagnosis
    parts = [f"{escaped(_sentence(finding.body, view))}"] if finding.body else []
    small = [f"How sure: {finding.certainty.value}."]
    if finding.cannot_tell:
        small.append(finding.cannot_tell)
    if diagnosis.inherited_from:
        small.append(f"Labels from case {', '.join(diagnosis.inherited_from)}.")
    parts.append(f":small[{escaped(' '.join(small))}]")
    return "\n\n".join(parts)


def _unquoted(title: str, view: RequestView) -> str:
    """The title with the names of stages as they are: in plain text they stand between backticks."""
    for stage in view.recorded.stages:
        title = title.replace(f"`{stage.name}`", stage.name)
    return title


def _sentence(body: str, view: RequestView) -> str:
    """The body with a capital letter and a full stop: it stands alone here. Names of stages and chunks keep theirs."""
    text = body if body.endswith((".", "!", "?")) else f"{body}."
    recorded = any(text.startswith(stage.name) for stage in view.recorded.stages if stage.name)
    ours = not recorded and text.split(maxsplit=1)[0] in _OUR_WORDS
    return text[0].upper() + text[1:] if ours else text


def _show_limits(view: RequestView) -> None:
    """Incomplete telemetry, failed stages and what else stands beside the verdict."""
    diagnosis = view.diagnosis
    missing = [one.text for one in diagnosis.modifiers if one.kind == _INCOMPLETE]
    missing = missing or list(view.recorded.request.missing)
    if missing:
        st.warning(
            escaped(" ".join(_sentence(one, view) for one in missing)),
            title="Incomplete telemetry",
            icon=":material/broken_image:",
        )
    failed = [one.text for one in diagnosis.modifiers if one.kind == _FAILED]
    if failed:
        st.warning(
            escaped(" ".join(_sentence(one, view) for one in failed)), title="A stage failed", icon=":material/error:"
        )
    others = [one for one in diagnosis.modifiers if one.kind not in {_INCOMPLETE, _FAILED}]
    for modifier in others:
        st.markdown(
            f":material/info: {escaped(_sentence(modifier.text, view))} :small[:gray-badge[{modifier.certainty.value}]]"
        )
    for outcome in diagnosis.outcomes:
        for note in outcome.notes:
            st.markdown(f":material/info: {escaped(_sentence(note, view))}")
