"""`goldrank doctor`: what an app sends, which verdicts that allows, and the change that helps most."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator

from ..actions.doctor import AskDoctor, doctor
from ..model.checkup import Change, Checkup, Standing, Told
from .arguments import positive
from .command import NOTHING, OK, Call, Command
from .table import Column, format_table, many
from .times import local_time

_WORDS = {Standing.YES: "yes", Standing.PARTLY: "partly", Standing.NO: "no", Standing.ABSENT: "no such stage"}


def add_arguments(parser: ArgumentParser) -> None:
    """Which apps."""
    parser.add_argument("--app", default="", metavar="NAME", help="only this app")
    parser.add_argument("--environment", default="", metavar="NAME", help="only this deployment environment")
    parser.add_argument(
        "--last", type=positive, default=50, metavar="N", help="look at the newest N requests of each (default 50)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where nothing is stored."""
    arguments = call.arguments
    ask = AskDoctor(app=arguments.app, environment=arguments.environment, last=min(arguments.last, 1000))
    answer = call.perform(doctor, ask)
    if arguments.json:
        call.terminal.json(answer)
        return OK if answer.checkups else NOTHING
    if not answer.checkups:
        call.terminal.note("No request is stored. goldrank status says whether anything waits to be read.")
        return NOTHING
    for number, checkup in enumerate(answer.checkups):
        if number:
            call.terminal.line()
        for line in _lines(checkup):
            call.terminal.line(line)
    return OK


def _lines(checkup: Checkup) -> Iterator[str]:
    name = f"{checkup.app or '(no name)'}" + (f" ({checkup.environment})" if checkup.environment else "")
    yield f"{name}: the newest {checkup.looked_at:,} of {many(checkup.stored, 'request')}, {_period(checkup)}"
    yield ""
    yield "What it sends"
    yield f"  written by   {_counted(checkup.writers, checkup.looked_at)}"
    yield f"  stages       {_counted(checkup.stages, checkup.looked_at) or 'none with a list'}"
    for sent in checkup.sent:
        note = f" ({sent.note})" if sent.note else ""
        yield f"  {sent.what:<12} {_of(sent.requests, checkup.looked_at)}{note}"
    yield ""
    yield "What can be told"
    rows = [[one.verdict.words, _WORDS[one.standing], one.why or _reach(one)] for one in checkup.told]
    yield from (f"  {line}" for line in format_table([Column("verdict"), Column("told"), Column("")], rows, width=None))
    yield ""
    yield from _advice(checkup)


def _reach(one: Told) -> str:
    return "" if one.standing is Standing.YES else f"in {one.requests:,}"


def _period(checkup: Checkup) -> str:
    first, last = local_time(checkup.since_ns), local_time(checkup.until_ns)
    return first if first == last else f"{first} to {last}"


def _counted(counts: dict[str, int], of: int) -> str:
    return ", ".join(name if count == of else f"{name} in {count:,}" for name, count in counts.items())


def _of(count: int, of: int) -> str:
    return "all" if count == of else "none" if not count else f"{count:,} of {of:,}"


def _advice(checkup: Checkup) -> Iterator[str]:
    if not checkup.changes:
        yield "Nothing is lacking."
        return
    best, *others = checkup.changes
    yield "The change that helps most"
    yield from _change(best, checkup.looked_at)
    if others:
        yield ""
        yield "After that"
        for other in others:
            yield f"  - {other.what}"


def _change(change: Change, of: int) -> Iterator[str]:
    yield f"  {change.what}"
    if change.how:
        yield ""
        yield from (f"      {line}" for line in change.how.splitlines())
        yield ""
    where = "every request" if change.requests == of else f"{change.requests:,} of {of:,} requests"
    brings = ", ".join(verdict.words for verdict in change.brings)
    yield f"  It is lacking in {where}" + (f"; needed to tell: {brings}." if brings else ".")


DOCTOR = Command(
    name="doctor",
    summary="say what each app sends, which verdicts that allows, and the change that helps most",
    description="Looks at the newest requests of each app; changes nothing.",
    examples=("goldrank doctor", "goldrank doctor --app support-bot --last 200"),
    add_arguments=add_arguments,
    run=run,
)
