"""`goldrank replay`: run recorded requests again, with one thing changed, and see what moved."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import Final

from ..actions import Session
from ..actions.live_replay import ReplaysDone, summed
from ..actions.replay import DraftReplay, FinishReplay, ReplayDraft, draft_replay, finish_replay
from ..actions.replay_batch import (
    BatchState,
    NewBatch,
    NextOfBatch,
    OneBatch,
    RecordResult,
    next_of_batch,
    open_batch,
    record_result,
    run_batch,
    start_batch,
)
from ..actions.replayers import Replayers
from ..evals.replay import PinChoice
from ..model import Refused, UsageError
from ..model.batch import BatchOutcome, BatchResult
from ..model.replay import ReplayStatus
from .arguments import add_who, positive, seconds
from .command import NOTHING, OK, Call, Command
from .replay_text import batch_table, run_text

_EXAMPLES = (
    "goldrank replay 7f3a9c12 --app bot.main:answer",
    "goldrank replay 7f3a9c12 --app bot.main:answer --set retrieve.top_k=200",
    "goldrank replay 7f3a9c12 --app bot.main:answer --pin candidates --set rerank=off",
    "goldrank replay 7f3a9c12 --app bot.main:answer --pin context --inject gold --times 5",
    "goldrank replay --verdict demoted --app http://localhost:8000/goldrank",
    "goldrank replay --resume batch-1f2e3d4c --app bot.main:answer",
)

_ALONE: Final = {
    "pin": PinChoice.NONE.value,
    "as_user": None,
    "as_group": None,
    "as_tenant": None,
    "inject": None,
    "position": 1,
    "times": 1,
}
"""Options for one request, each with its usual value."""


def add_arguments(parser: ArgumentParser) -> None:
    """What to run, on which app, with which differences."""
    parser.add_argument("request", nargs="?", metavar="REQUEST", help="request id, or its first 8 digits")
    parser.add_argument(
        "--app",
        required=True,
        metavar="APP",
        help="module:function of the app, imported from here, or the address of its goldrank.replay_app",
    )
    many = parser.add_argument_group("many requests instead of one")
    many.add_argument("--verdict", default="", metavar="VERDICT", help='all with this verdict; "failed" is any loss')
    many.add_argument("--eval-set", default="", metavar="SET", help="the requests that the cases of a set came from")
    many.add_argument("--resume", default="", metavar="BATCH", help="go on with a batch that stopped")
    many.add_argument("--limit", type=positive, default=1000, metavar="N", help="at most so many (default 1000)")
    change = parser.add_argument_group("what is to be different")
    change.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STAGE.PARAMETER=VALUE",
        dest="overrides",
        help="another value for a parameter of a stage, by kind or name; STAGE=off leaves it out; may be repeated",
    )
    change.add_argument(
        "--pin",
        choices=[one.value for one in PinChoice],
        default=PinChoice.NONE.value,
        help="rewrite: the recorded rewrites, today's search; candidates: the recorded candidates, today's reranker; "
        "context: the recorded context, today's model",
    )
    change.add_argument("--as-user", metavar="NAME", help="ask as another user")
    change.add_argument(
        "--as-group", action="append", metavar="GROUP", help="with these groups instead; may be repeated"
    )
    change.add_argument("--as-tenant", metavar="TENANT", help="of another tenant")
    change.add_argument("--inject", metavar="CHUNK", help='put a chunk into the context; "gold" is the marked one')
    change.add_argument("--position", type=positive, default=1, metavar="N", help="place of that chunk (default 1)")
    parser.add_argument("--times", type=positive, default=1, metavar="N", help="run it so often (default 1)")
    parser.add_argument("--timeout", type=seconds, default=60.0, metavar="S", help="seconds for one run (default 60)")
    parser.add_argument("--memory", type=positive, metavar="MB", help="limit of the app's memory; none by default")
    parser.add_argument("--token", metavar="TOKEN", help="of goldrank.replay_app; by default GOLDRANK_REPLAY_TOKEN")
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where something could not run, or a batch has requests that are not delivered."""
    arguments = call.arguments
    many = [name for name in ("verdict", "eval_set", "resume") if getattr(arguments, name)]
    if bool(arguments.request) + len(many) != 1:
        raise UsageError("Name one request, or --verdict, --eval-set or --resume for many; one of them.")
    if arguments.request:
        return _run_one(call)
    _refuse_alone(arguments)
    return _run_many(call)


def _refuse_alone(arguments: Namespace) -> None:
    """UsageError for options that many requests do not have: what is asked for and not done must not look done."""
    given = [f"--{name.replace('_', '-')}" for name, usual in _ALONE.items() if getattr(arguments, name) != usual]
    if given:
        raise UsageError(f"{', '.join(given)} is for one request; for many there is --set.")
    if arguments.resume and arguments.overrides:
        raise UsageError("A batch goes on as it began: leave out --set, or start a new batch with it.")


def _run_one(call: Call) -> int:
    arguments = call.arguments
    draft = call.perform(draft_replay, _draft(arguments))
    for stage in draft.refused:
        call.terminal.note(f"{stage.name} runs live: {stage.reason}")
    with closing(_replayers(call)) as replayers:
        outcomes = []
        for number in range(arguments.times):
            call.terminal.progress(f"run {number + 1} of {arguments.times}")
            outcomes.append(replayers.run(draft))
    with call.session() as session:
        done = summed(tuple(session.perform(finish_replay, FinishReplay(outcome=one)) for one in outcomes))
    if arguments.json:
        call.terminal.json(done)
    else:
        _print_runs(call, done)
    ran = all(one.outcome.status is ReplayStatus.DONE and one.compared is not None for one in done.runs)
    return OK if ran else NOTHING


def _draft(arguments: Namespace) -> DraftReplay:
    return DraftReplay(
        request=arguments.request,
        overrides=tuple(arguments.overrides),
        pins=PinChoice(arguments.pin),
        as_user=arguments.as_user,
        as_groups=tuple(arguments.as_group) if arguments.as_group else None,
        as_tenant=arguments.as_tenant,
        inject=arguments.inject,
        position=arguments.position,
    )


def _replayers(call: Call) -> Replayers:
    arguments = call.arguments
    return Replayers(
        arguments.app,
        directory=call.directory,
        cwd=Path.cwd(),
        timeout_s=arguments.timeout,
        memory_mb=arguments.memory,
        token=arguments.token,
    )


def _print_runs(call: Call, done: ReplaysDone) -> None:
    for number, one in enumerate(done.runs, start=1):
        if len(done.runs) > 1:
            call.terminal.line(f"Run {number} of {len(done.runs)}")
        call.terminal.text(run_text(one))
    if len(done.runs) > 1:
        share = "could not be judged" if done.share_delivered is None else f"{done.share_delivered:.0%}"
        call.terminal.line(f"Delivered: {share} of {len(done.runs)} runs; {done.different_answers} different answers.")


class _Steps:
    """The steps of a batch, at the hub or on the store."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def next(self, ask: NextOfBatch) -> ReplayDraft:
        return self._session.perform(next_of_batch, ask)

    def record(self, ask: RecordResult) -> BatchResult:
        return self._session.perform(record_result, ask)


def _run_many(call: Call) -> int:
    with call.session() as session:
        state = _batch(call.arguments, session)
        batch_id = state.row.batch.batch_id
        call.terminal.note(f"{batch_id}: {state.row.batch.source}, {len(state.missing):,} to run")
        try:
            with closing(_replayers(call)) as replayers:
                run_batch(state, _Steps(session), replayers.run, tell=call.terminal.progress)
        except (KeyboardInterrupt, Refused):
            call.terminal.note(f"Stopped. Go on with: goldrank replay --resume {batch_id} --app {call.arguments.app}")
            raise
        state = session.perform(open_batch, OneBatch(batch_id=batch_id))
    if call.arguments.json:
        call.terminal.json(state)
    else:
        batch_table(call.terminal, state)
    broken = {BatchOutcome.STILL_BROKEN, BatchOutcome.NEWLY_BROKEN, BatchOutcome.COULD_NOT_RUN}
    return NOTHING if broken & state.row.counts.keys() else OK


def _batch(arguments: Namespace, session: Session) -> BatchState:
    if arguments.resume:
        return session.perform(open_batch, OneBatch(batch_id=arguments.resume))
    ask = NewBatch(
        target=arguments.app,
        verdict=arguments.verdict,
        eval_set=arguments.eval_set,
        overrides=tuple(arguments.overrides),
        limit=arguments.limit,
    )
    return session.perform(start_batch, ask)


REPLAY = Command(
    name="replay",
    summary="run recorded requests again on today's app, with one thing changed",
    description=(
        "The app runs in a process of its own on the recorded question, history, user, groups and filters. The new "
        "request is recorded, linked to the old one, and compared with it rank by rank. Exit code 1: something could "
        "not run, or is still broken."
    ),
    examples=_EXAMPLES,
    add_arguments=add_arguments,
    run=run,
)
