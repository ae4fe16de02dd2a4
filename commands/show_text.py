"""One request as text for a terminal: the sentence first, then the path, then what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from ..actions import RequestView, target_name
from ..actions.passages import ASKED
from ..model import Diagnosis, Finding, Judgement, Label, Verdict, short_id
from .path_table import path_table
from .table import GAP, Column, format_table
from .times import local_time, zone_name
from .visible import visible_line, visible_text

_INDENT = "  "


def show_text(view: RequestView, *, width: int | None, full: bool = False) -> str:
    """The whole report. Long texts are cut to a few lines unless `full`; a cut says how much was left out."""
    diagnosis = view.diagnosis
    parts = [
        "\n".join(_alarms(diagnosis)),
        "\n".join(_verdict(diagnosis.headline)),
        "\n".join(_table(view, width)),
        "\n".join(_several(diagnosis)),
        "\n".join(_three(view)),
        "\n".join(_cannot_tell(view)),
        "\n".join(_labels(view)),
        "\n".join(_what(view, full=full)),
        "\n".join(_next_step(view)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _alarms(diagnosis: Diagnosis) -> Iterator[str]:
    """Leaks, in the words of the alarm."""
    names = {True: "in the prompt", False: "not in the prompt", None: "whether it reached the prompt is not known"}
    for leak in diagnosis.leaks:
        yield visible_line(
            f"LEAK: {leak.chunk_id} stands in {len(leak.stages)} of the lists ({leak.reason}); "
            f"{names[leak.in_context]}."
        )


def _verdict(finding: Finding) -> Iterator[str]:
    yield visible_line(finding.sentence)
    if finding.verdict is not Verdict.NO_LABEL:
        yield f"Verdict: {finding.verdict.words}. Certainty: {finding.certainty.value}."


def _table(view: RequestView, width: int | None) -> list[str]:
    table = path_table(view)
    columns = [Column(title, right=title == "hits", shrinks=number > 2) for number, title in enumerate(table.titles)]
    return format_table(columns, table.rows, width=width)


def _several(diagnosis: Diagnosis) -> Iterator[str]:
    """A line a gold, where there are several; notes of each in any case."""
    for outcome in diagnosis.outcomes:
        if len(diagnosis.outcomes) > 1:
            yield visible_line(f"{outcome.name} (evidence {outcome.evidence}): {outcome.finding.sentence}")
        yield from (visible_line(f"{_INDENT}Note: {note}") for note in outcome.notes)


def _three(view: RequestView) -> Iterator[str]:
    answers = (("In the corpus?", view.in_corpus), ("Retrieved?", view.retrieved), ("In the prompt?", view.in_prompt))
    for question, answer in answers:
        if answer is not None:
            evidence = f"  {answer.evidence}" if answer.evidence else ""
            yield visible_line(f"{question:<15} {answer.value}{evidence}")


def _cannot_tell(view: RequestView) -> Iterator[str]:
    """Everything that limits what was said above, each once."""
    diagnosis = view.diagnosis
    said: dict[str, None] = {}
    for finding in (diagnosis.headline, *(outcome.finding for outcome in diagnosis.outcomes)):
        if finding.cannot_tell:
            said[f"Cannot tell: {finding.cannot_tell}"] = None
    said.update((modifier.text, None) for modifier in diagnosis.modifiers)
    said.update((f"Prompt: {note}", None) for note in diagnosis.context.notes)
    names = {stage.stage_id: stage.name for stage in view.recorded.stages}
    said.update((f"{names.get(note.stage_id, '')}: {note.text}", None) for note in diagnosis.list_notes)
    return (visible_line(one) for one in said)


def _labels(view: RequestView) -> Iterator[str]:
    replayed = next((label.from_request for label in view.labels if label.from_request), None)
    if replayed:
        yield f"Labels of request {short_id(replayed)}, which this one replays:"
    elif view.diagnosis.inherited_from:
        yield f"Labels inherited from case {', '.join(view.diagnosis.inherited_from)}:"
    elif view.labels:
        yield "Asked about:" if view.labels[0].who == ASKED else "Labels:"
    yield from (visible_line(_INDENT + label_line(label)) for label in view.labels)


def label_line(label: Label) -> str:
    """ "gold 1, evidence 1: refunds#2 (anna, 2026-11-30 09:12)"."""
    kind = label.judgement.value.replace("_", " ")
    if label.judgement is Judgement.GOLD:
        kind = f"gold {label.grade or 1}, evidence {label.evidence}"
    quote = f' "{label.target.quote}"' if label.target.quote else ""
    said = "" if label.who == ASKED else f" ({label.who}, {local_time(label.at_ns)})"
    return f"{kind}: {target_name(label.target)}{quote}{said}"


def _what(view: RequestView, *, full: bool) -> Iterator[str]:
    request = view.recorded.request
    zone = zone_name(request.start_ns)
    facts = [
        request.request_id,
        f"{local_time(request.start_ns, seconds=True)} {zone}",
        request.app,
        request.environment,
        f"user {request.user}" if request.user else "",
        f"groups {', '.join(request.groups)}" if request.groups else "",
        _took(request.duration_ms),
        request.outcome.value.replace("_", " "),
    ]
    yield visible_line(GAP.join(fact for fact in facts if fact))
    limit = None if full else 600
    if request.history:
        yield f"History   {len(request.history)} messages before"
    yield from _body("Question", request.question, limit)
    yield from _body("Answer", request.answer or request.answer_note, limit)
    for complaint in view.complaints:
        yield from _body(f"Ticket {complaint.complaint_id}", complaint.text, limit)
    for case in view.cases:
        yield visible_line(f"Case {case.case_id} in the set {case.eval_set}")


def _took(duration_ms: float | None) -> str:
    """A log without a latency says nothing of it: its requests last 0."""
    return "no end" if duration_ms is None else f"{duration_ms:,.0f} ms" if duration_ms else ""


def _body(title: str, text: str | None, limit: int | None) -> Iterator[str]:
    shown = "not recorded" if text is None else text
    rest = ""
    if limit is not None and len(shown) > limit:
        rest = f" … ({len(shown) - limit:,} more characters; --full shows all)"
        shown = shown[:limit]
    lines = visible_text(shown + rest).split("\n")
    yield f"{visible_line(title):<9} {lines[0]}"
    yield from (" " * 10 + line for line in lines[1:])


def _next_step(view: RequestView) -> Iterator[str]:
    if not view.diagnosis.outcomes:
        short = view.recorded.request.request_id[:8]
        yield "Say which passage should have answered:"
        yield f'{_INDENT}goldrank label {short} --find "words of the passage"'
        yield f"{_INDENT}goldrank show {short} --gold CHUNK_ID"
