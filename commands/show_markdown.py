"""One request as Markdown for a ticket. Text from traces is text: it is quoted so that nothing of it is interpreted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..actions import RequestView
from .path_table import path_table
from .show_text import label_line
from .times import local_time, zone_name
from .visible import visible_line, visible_text

_MARKS: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|>~$:<&@^=/\"'])")
_LINKS_BY_ITSELF: Final = re.compile(r"www\.|://|@|mailto:|xmpp:", re.IGNORECASE)
"""GitHub and others make links of these though every mark is escaped; inside a code span they do not."""
_HARMLESS: Final = frozenset("-.:+=/()'\"")
"""Marks that mean nothing inside a line and are left readable there."""
_LONGEST_TEXT: Final = 4000


def show_markdown(view: RequestView) -> str:
    """The report: the sentence, the path as a table, what it cannot tell, question and answer in fences."""
    diagnosis = view.diagnosis
    parts = [
        "\n\n".join(_alarms(view)),
        _verdict(view),
        _table(view),
        "\n".join(_limits(view)),
        "\n".join(_labels(view)),
        _fenced("Question", view.recorded.request.question),
        _fenced("Answer", view.recorded.request.answer or view.recorded.request.answer_note),
        _origin(view),
    ]
    if len(diagnosis.outcomes) > 1:
        parts.insert(
            3, "\n".join(f"- {literal(one.name)}: {inline(one.finding.sentence)}" for one in diagnosis.outcomes)
        )
    return "\n\n".join(part for part in parts if part) + "\n"


def inline(text: str) -> str:
    """Text inside a line of Markdown: escaped, or as a code span where something in it would become a link."""
    line = visible_line(text)
    if _LINKS_BY_ITSELF.search(line):
        return literal(line)
    return _MARKS.sub(lambda match: match.group() if match.group() in _HARMLESS else f"\\{match.group()}", line)


def literal(text: str) -> str:
    """A code span that holds the text letter for letter, also when it has backticks."""
    line = visible_line(text)
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line[:1] in {"`", " ", ""} or line[-1:] in {"`", " "} else ""
    return f"{fence}{space}{line}{space}{fence}"


def _alarms(view: RequestView) -> Iterator[str]:
    for leak in view.diagnosis.leaks:
        yield f"**Leak:** {literal(leak.chunk_id)} must not be seen by this user ({inline(leak.reason)})."


def _verdict(view: RequestView) -> str:
    headline = view.diagnosis.headline
    body = f": {inline(headline.body)}." if headline.body else "."
    return f"**{inline(headline.title)}**{body}"


def _table(view: RequestView) -> str:
    table = path_table(view)
    title = " | ".join(_barred(literal(one)) if number > 2 else one for number, one in enumerate(table.titles))
    rule = " | ".join("---:" if one == "hits" else "---" for one in table.titles)
    rows = [" | ".join(_cell(number, cell) for number, cell in enumerate(row)) for row in table.rows]
    return "\n".join(f"| {line} |" for line in (title, rule, *rows))


def _cell(column: int, cell: str) -> str:
    """Names of stages come from the app; the rest is ours."""
    return _barred(literal(cell) if column == 0 and cell != "prompt" else cell)


def _barred(cell: str) -> str:
    """A bar inside a cell, also inside its code span, is escaped: the table is cut into cells before all else."""
    return cell.replace("|", "\\|")


def _limits(view: RequestView) -> Iterator[str]:
    said = dict.fromkeys(
        one.cannot_tell
        for one in (view.diagnosis.headline, *(outcome.finding for outcome in view.diagnosis.outcomes))
        if one.cannot_tell
    )
    yield from (f"- Cannot tell: {inline(one)}" for one in said)
    yield from (f"- Missing: {inline(one)}" for one in view.recorded.request.missing)
    yield from (f"- {inline(modifier.text)}" for modifier in view.diagnosis.modifiers)


def _labels(view: RequestView) -> Iterator[str]:
    yield from (f"- {inline(label_line(label))}" for label in view.labels)


def _fenced(title: str, text: str | None) -> str:
    if text is None:
        return f"{title}: not recorded"
    shown = visible_text(text[:_LONGEST_TEXT])
    more = f"\n\n({len(text) - _LONGEST_TEXT:,} more characters)" if len(text) > _LONGEST_TEXT else ""
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{title}:\n\n{fence}text\n{shown}\n{fence}{more}"


def _origin(view: RequestView) -> str:
    request = view.recorded.request
    when = f"{local_time(request.start_ns, seconds=True)} {zone_name(request.start_ns)}"
    app = f" · {inline(request.app)}" if request.app else ""
    return f"Request {literal(request.request_id)} · {when}{app}"
