"""Commands that look after the data: prune what is old, forget a person, back up and restore what was made by hand."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..model import UsageError
from .command import NOTHING, OK, Call, Command
from .sizes import size_text
from .table import counted, many
from .times import local_time, parse_time

if TYPE_CHECKING:
    from ..actions.forget import Forgetting, Forgotten
    from ..actions.prune import Pruned


def _add_common(parser: ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _add_prune(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--older-than",
        required=True,
        metavar="TIME",
        help="requests that started before: 30d, 12h, 4w for ago, or a date such as 2026-11-30",
    )
    _add_common(parser)


def _prune(call: Call) -> int:
    from ..actions.prune import Prune, prune

    ask = Prune(before_ns=parse_time(call.arguments.older_than, now_ns=time.time_ns()), dry_run=True)
    wants_to_ask = not call.arguments.yes and call.terminal.watched
    if call.arguments.dry_run or wants_to_ask:
        planned = call.perform(prune, ask)
        if call.arguments.dry_run or not planned.bytes_before:
            _say_pruned(call, planned)
            return OK
        call.terminal.note(_room(planned))
        if call.terminal.agrees(f"Erase {many(planned.requests, 'request')} for good?") is False:
            call.terminal.note("Nothing was changed.")
            return NOTHING
    _say_pruned(call, call.perform(prune, ask.model_copy(update={"dry_run": False})))
    return OK


def _say_pruned(call: Call, done: Pruned) -> None:
    if call.arguments.json:
        call.terminal.json(done)
        return
    went = "would go" if done.dry_run else "went"
    call.terminal.line(f"{many(done.requests, 'request')} from before {local_time(done.before_ns)} {went}.")
    _say_rows(call, done.rows)
    if done.kept:
        kept = ", ".join(f"{count:,} {why}" for why, count in done.kept.items())
        call.terminal.line(f"Older ones that stay: {kept}.")
    if done.dry_run and done.bytes_before:
        call.terminal.line(_room(done))
    elif done.bytes_before:
        call.terminal.line(f"The store had {size_text(done.bytes_before)} and has {size_text(done.bytes_after)} now.")


def _room(planned: Pruned) -> str:
    return (
        f"The store has {size_text(planned.bytes_before)} and would have about {size_text(planned.bytes_after)}. "
        f"Meanwhile {size_text(planned.bytes_needed)} must be free; {size_text(planned.bytes_free)} are."
    )


def _add_forget(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--user", metavar="USER", help="all requests and complaints of this user, as the app names them")
    what.add_argument("--request", metavar="ID", help="one request, with its replays, labels, complaints and cases")
    what.add_argument("--text", metavar="TEXT", help="these words are masked wherever they stand")
    _add_common(parser)


def _forget(call: Call) -> int:
    from ..actions.forget import Forgetting, forget

    given = call.arguments
    ask = Forgetting(user=given.user or "", request=given.request or "", text=given.text or "", dry_run=given.dry_run)
    if not given.dry_run and not given.yes:
        planned = call.perform(forget, ask.model_copy(update={"dry_run": True}))
        _say_rows(call, planned.rows, note=True)
        _say_rows(call, planned.masked, verb="masked", note=True)
        agreed = call.terminal.agrees(f"Forget this for good ({many(planned.requests_gone, 'request')})?")
        if agreed is None:
            raise UsageError("To forget cannot be undone: add --yes, or look first with --dry-run.")
        if not agreed:
            call.terminal.note("Nothing was changed.")
            return NOTHING
    done = call.perform(forget, ask)
    if given.json:
        call.terminal.json(done)
    else:
        _say_forgotten(call, ask, done)
    return NOTHING if done.nothing else OK


def _say_forgotten(call: Call, ask: Forgetting, done: Forgotten) -> None:
    went = "would go" if done.dry_run else "went"
    if done.nothing:
        call.terminal.line("Nothing of it is stored.")
    else:
        call.terminal.line(f"{many(done.requests_gone, 'request')} {went}.")
    _say_rows(call, done.rows)
    _say_rows(call, done.masked, verb="masked")
    if done.spool_frames or done.spool_bad:
        call.terminal.line(f"  spool: {done.spool_frames:,} frames overwritten, {done.spool_bad:,} set aside removed")
    if done.dry_run:
        call.terminal.line("What waits in the spool is not counted: it is read first when this is done.")
        return
    if done.unread:
        call.terminal.note(f"The spool was not read to its end, so what is left of it is sifted later. {done.unread}")
    if done.open_segments:
        apps = "1 app still writes" if done.open_segments == 1 else f"{done.open_segments} apps still write"
        call.terminal.line(f"{apps} to the spool: what they hold in memory is sifted when it comes.")
    what = "new requests of this user are recorded again" if ask.user else "it does not come back"
    call.terminal.line(f"From now on {what}; snapshots, backups and exports made earlier still hold it.")


def _say_rows(call: Call, rows: Mapping[str, int], *, verb: str = "deleted", note: bool = False) -> None:
    for table, count in sorted(rows.items()):
        line = f"  {table.replace('_', ' ')}: {many(count, 'row')} {verb}"
        if note:
            call.terminal.note(line.strip())
        else:
            call.terminal.line(line)


def _add_backup(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="where the backup goes")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _backup(call: Call) -> int:
    from ..actions.backup import Backup, backup

    target = Path(call.arguments.file).expanduser().absolute()
    made = call.perform(backup, Backup(target=str(target), overwrite=call.arguments.overwrite))
    if call.arguments.json:
        call.terminal.json(made)
    else:
        held = ", ".join(counted(count, kind.replace("_", " ")) for kind, count in made.counts.items() if count)
        call.terminal.line(f"{made.path} ({size_text(made.size)}): {held or 'nothing was made by hand yet'}")
    return OK


def _add_restore(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file that goldrank backup wrote")
    parser.add_argument("--replace", action="store_true", help="where both say something else, the backup counts")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _restore(call: Call) -> int:
    from ..actions.restore import Restore, restore

    source = Path(call.arguments.file).expanduser().absolute()
    done = call.perform(restore, Restore(source=str(source), replace=call.arguments.replace), create=True)
    if call.arguments.json:
        call.terminal.json(done)
    else:
        call.terminal.line(
            f"{done.added:,} added, {done.continued:,} continued, {done.replaced:,} replaced, "
            f"{done.unchanged:,} unchanged"
        )
        if done.forgotten:
            call.terminal.line(f"{done.forgotten:,} left out: they were forgotten here.")
        if done.waiting:
            call.terminal.line(
                f"{many(done.waiting, 'request')} with labels not stored yet: they count when they come."
            )
    for one in done.conflicts:
        call.terminal.note(f"{one.kind.replace('_', ' ')}: {one.name}: {one.reason}, and was left as it is.")
    if done.conflicts:
        call.terminal.note("With --replace the backup counts.")
    return NOTHING if done.conflicts else OK


PRUNE = Command(
    "prune",
    "erase old requests that nobody worked on, and give their disk back",
    ("goldrank prune --older-than 30d --dry-run", "goldrank prune --older-than 2026-09-01 --yes"),
    _add_prune,
    _prune,
    description="Requests that are labelled, in a case or complained about stay, with their replays and originals.",
)
FORGET = Command(
    "forget",
    "erase what belongs to a user or a request, or mask a text, everywhere and for good",
    (
        "goldrank forget --user u-17 --dry-run",
        "goldrank forget --request 7f3a9c12",
        'goldrank forget --text "Ann Smith"',
    ),
    _add_forget,
    _forget,
    description="It is taken out of the store, out of the bytes of its file and out of the spool, and what comes of it "
    "later is not stored.",
)
BACKUP = Command(
    "backup",
    "write what people made by hand into a file: labels, cases, complaints, notes, filters, batches",
    ("goldrank backup handmade.zip", "goldrank backup handmade.zip --overwrite"),
    _add_backup,
    _backup,
    description="Requests are not in it; goldrank snapshot copies the whole store.",
)
RESTORE = Command(
    "restore",
    "bring in what goldrank backup wrote, into an empty or a filled store",
    ("goldrank restore handmade.zip", "goldrank restore handmade.zip --replace"),
    _add_restore,
    _restore,
    description="The same file again changes nothing. What contradicts the store is named and left as it is.",
)
