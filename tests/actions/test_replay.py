"""Replaying stored requests: what is run, what came of it, and batches that go on where they stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from goldrank.actions.live_replay import RunBatch, RunReplay, run_batch_at_hub, run_replay, summed
from goldrank.actions.replay import DraftReplay, FinishReplay, ReplayDraft, draft_replay, finish_replay
from goldrank.actions.replay_batch import (
    ListBatches,
    NewBatch,
    OneBatch,
    RecordResult,
    list_batches,
    open_batch,
    record_result,
    run_batch,
    start_batch,
)
from goldrank.actions.replay_desk import LocalSteps, ReplayDesk
from goldrank.evals.replay import PinChoice
from goldrank.model import GoldrankError, NotFound, Refused, UsageError
from goldrank.model.batch import BatchOutcome
from goldrank.model.replay import ReplayOutcome, ReplayStatus
from goldrank.store import RequestFilter
from goldrank.tracing.replaying.running import told

APP = """
import goldrank

PAGES = {name: f"The passage {name} says in its own words what {name} is about." for name in "abg"}
goldrank.init(app="bot")


@goldrank.retrieve(index="docs")
def bm25(query: str, top_k: int = 2) -> list[dict]:
    return [{"id": name, "text": text} for name, text in PAGES.items()][:top_k]


@goldrank.generate
def generate(prompt: str) -> str:
    return prompt.splitlines()[-1]


@goldrank.request
def answer(question: str) -> str:
    if "crash" in question:
        raise RuntimeError("no index")
    found = bm25(question)
    return generate("\\n\\n".join(hit["text"] for hit in found))
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """The folder of a small app that finds the gold only when it looks deeper."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "small_bot.py").write_text(APP)
    return folder


@pytest.fixture
def hub_desk(desk: Any, app: Path) -> Iterator[ReplayDesk]:
    """A desk that runs the small app and records into the desk's spool."""
    one = ReplayDesk("small_bot:answer", directory=desk.workspace.spool.parent, cwd=app, timeout_s=60)
    yield one
    one.close()


def _recorded(desk: Any, number: int = 1, question: str = "How do I leave?") -> str:
    return str(desk.record(number, question=question, legs={"bm25": "a b"}, prompt="a b"))


def test_deeper_finds_the_gold_and_says_from_where_it_came(desk: Any, hub_desk: ReplayDesk) -> None:
    """The whole way: plan, worker, spool, store, comparison under the labels of the recorded request."""
    one = _recorded(desk)
    desk.label(one, "g")
    workspace = desk.workspace._replace(replays=hub_desk)
    done = run_replay(workspace, RunReplay(draft=DraftReplay(request=one, overrides=("retrieve.top_k=3",)), times=2))
    run = done.runs[-1]
    assert run.outcome.status is ReplayStatus.DONE, run.outcome.detail
    assert run.compared is not None
    assert run.compared.now.replay_of == one
    assert run.compared.comparison.golds[0].now_place == "position 3 of 3 in the prompt"
    assert done.different_answers == 1
    assert desk.store.requests.page(RequestFilter(replay_of=one), limit=10).matching == 2


def test_a_hub_without_an_app_says_how_to_get_one(desk: Any) -> None:
    """With the command."""
    one = _recorded(desk)
    with pytest.raises(GoldrankError, match="goldrank up --app"):
        run_replay(desk.workspace, RunReplay(draft=DraftReplay(request=one)))


def test_a_batch_says_what_is_fixed_what_is_broken_and_what_could_not_run(desk: Any, hub_desk: ReplayDesk) -> None:
    """One request of each kind, judged by its own label; a batch that is done has nothing left."""
    fixed, broken, crashes = (
        _recorded(desk, 1),
        _recorded(desk, 2, "How do I leave at once?"),
        _recorded(desk, 3, "Does it crash?"),
    )
    desk.label(fixed, "b")
    desk.label(broken, "nowhere")
    desk.label(crashes, "g")
    lost = desk.record(4, question="Where is b?", legs={"bm25": "a"}, prompt="a")
    desk.label(lost, "b")
    workspace = desk.workspace._replace(replays=hub_desk)
    new = NewBatch(target="", request_ids=(fixed, broken, crashes, lost))
    state = run_batch_at_hub(workspace, RunBatch(batch=new))
    batch_id = state.row.batch.batch_id
    hub_desk.wait(batch_id)
    results = {one.request_id: one for one in open_batch(workspace, OneBatch(batch_id=batch_id)).results}
    assert results[fixed].outcome is BatchOutcome.STILL_DELIVERED
    assert results[broken].outcome is BatchOutcome.STILL_BROKEN
    assert results[crashes].outcome is BatchOutcome.COULD_NOT_RUN
    assert "no index" in results[crashes].sentence
    assert results[lost].outcome is BatchOutcome.FIXED
    assert results[lost].question == "Where is b?"
    assert open_batch(workspace, OneBatch(batch_id=batch_id)).missing == ()
    assert list_batches(workspace, ListBatches()).rows[0].done == 4


def _refused(draft: ReplayDraft) -> ReplayOutcome:
    return ReplayOutcome(status=ReplayStatus.REFUSED, replay_of=draft.plan.replay_of, detail="not here")


def test_a_batch_that_stopped_goes_on_where_it_was(desk: Any) -> None:
    """What has a result is not run again."""
    ids = tuple(_recorded(desk, number) for number in (1, 2, 3))
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=ids))
    ran: list[str] = []

    def run(draft: ReplayDraft) -> ReplayOutcome:
        ran.append(draft.plan.replay_of)
        return _refused(draft)

    steps = LocalSteps(desk.workspace)
    run_batch(state, steps, run, tell=lambda _: None, stopped=lambda: len(ran) == 1)
    assert ran == [ids[0]]
    again = open_batch(desk.workspace, OneBatch(batch_id=state.row.batch.batch_id))
    run_batch(again, steps, run, tell=lambda _: None)
    assert ran == list(ids)


def test_a_batch_of_a_verdict_holds_the_requests_with_it(desk: Any) -> None:
    """Newest first; replays and what was delivered are no failures."""
    lost = _recorded(desk, 1)
    desk.label(lost, "zz")
    delivered = _recorded(desk, 2)
    desk.label(delivered, "a")
    replay = desk.record(3, legs={"bm25": "a b"}, prompt="a b", replay_of=lost)
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", verdict="failed"))
    assert state.missing == (lost,)
    assert replay not in state.missing
    with pytest.raises(UsageError, match="No request fits"):
        start_batch(desk.workspace, NewBatch(target="bot:answer", verdict="demoted"))
    with pytest.raises(UsageError, match="There is no verdict"):
        start_batch(desk.workspace, NewBatch(target="bot:answer", verdict="lost"))
    with pytest.raises(UsageError, match="one of them"):
        start_batch(desk.workspace, NewBatch(target="bot:answer"))


def test_an_unknown_batch_is_named_beside_the_known_ones(desk: Any) -> None:
    """The next step is to take one of those."""
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=(_recorded(desk),)))
    with pytest.raises(NotFound, match=state.row.batch.batch_id):
        open_batch(desk.workspace, OneBatch(batch_id="batch-0"))


def test_a_request_that_records_elsewhere_is_said_to(desk: Any) -> None:
    """The app answered, and the new request is not in this store."""
    one = _recorded(desk)
    outcome = ReplayOutcome(status=ReplayStatus.DONE, replay_of=one, request_id="f" * 32 + "-" + "e" * 16)
    said = finish_replay(desk.workspace, FinishReplay(outcome=outcome))
    assert said.compared is None
    assert "records elsewhere" in said.outcome.detail


def test_what_could_not_run_keeps_its_reason_in_the_batch(desk: Any) -> None:
    """The last line of a traceback."""
    one = _recorded(desk)
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=(one,)))
    detail = "Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'plan'"
    outcome = ReplayOutcome(status=ReplayStatus.FAILED, replay_of=one, detail=detail)
    result = record_result(desk.workspace, RecordResult(batch_id=state.row.batch.batch_id, outcome=outcome))
    assert (result.outcome, result.sentence) == (BatchOutcome.COULD_NOT_RUN, "KeyError: 'plan'")


def test_the_marked_gold_is_put_into_the_context_with_its_text(desk: Any) -> None:
    """Without a gold there is nothing to put there, and that is said."""
    one = _recorded(desk)
    with pytest.raises(UsageError, match="no gold chunk"):
        draft_replay(desk.workspace, DraftReplay(request=one, inject="gold"))
    desk.label(one, "a")
    injection = draft_replay(desk.workspace, DraftReplay(request=one, inject="gold", position=2)).plan.injection
    assert injection is not None
    assert (injection.chunk_id, injection.text, injection.position) == ("a", desk.text_of("a"), 2)


def test_runs_that_cannot_be_judged_have_no_share(desk: Any) -> None:
    """None is not nought."""
    one = _recorded(desk)
    failed = ReplayOutcome(status=ReplayStatus.FAILED, replay_of=one)
    assert summed((finish_replay(desk.workspace, FinishReplay(outcome=failed)),)).share_delivered is None


def test_an_app_that_cannot_be_started_stops_the_batch(desk: Any) -> None:
    """That says nothing about the requests: they stay open, and the batch goes on when the app is there again."""
    ids = tuple(_recorded(desk, number) for number in (1, 2))
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=ids))

    def run(draft: ReplayDraft) -> ReplayOutcome:
        return _refused(draft).model_copy(update={"unreachable": True})

    with pytest.raises(Refused, match="not here"):
        run_batch(state, LocalSteps(desk.workspace), run, tell=lambda _: None)
    assert open_batch(desk.workspace, OneBatch(batch_id=state.row.batch.batch_id)).missing == ids


def test_the_hub_says_why_a_batch_stopped(desk: Any, app: Path) -> None:
    """The page has nobody to tell at that moment."""
    workspace_desk = ReplayDesk("small_bot:nothing", directory=desk.workspace.spool.parent, cwd=app, timeout_s=60)
    workspace = desk.workspace._replace(replays=workspace_desk)
    with closing(workspace_desk):
        state = run_batch_at_hub(workspace, RunBatch(batch=NewBatch(target="", request_ids=(_recorded(desk),))))
        ask = OneBatch(batch_id=state.row.batch.batch_id)
        with contextlib.suppress(Refused):
            workspace_desk.wait(ask.batch_id)
        assert "small_bot has no nothing" in open_batch(workspace, ask).stopped


def test_a_request_that_is_no_replay_is_not_compared(desk: Any) -> None:
    """What an app elsewhere names may be anything: the replayed request itself, or one of somebody else."""
    one, other = _recorded(desk, 1), _recorded(desk, 2)
    for named in (one, other):
        outcome = ReplayOutcome(status=ReplayStatus.DONE, replay_of=one, request_id=named)
        said = finish_replay(desk.workspace, FinishReplay(outcome=outcome))
        assert said.compared is None
        assert "is no replay of" in said.outcome.detail


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("KeyError('plan')", "KeyError: 'plan'"),
        ("ValueError('two\\n  lines')", "ValueError: two"),
        ("ExceptionGroup('both', [ValueError('1'), TypeError('2')])", "ExceptionGroup: both (2 sub-exceptions)"),
    ],
)
def test_the_error_is_what_is_said_in_a_batch(desk: Any, error: str, said: str) -> None:
    """Also where more stands behind the traceback: that nothing was recorded, say."""
    one = _recorded(desk)
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=(one,)))
    try:
        raise eval(error)
    except Exception as caught:  # noqa: BLE001 - any of them
        detail = f"{told(caught)}\nNothing was recorded: no function that is decorated was called."
    outcome = ReplayOutcome(status=ReplayStatus.FAILED, replay_of=one, detail=detail)
    result = record_result(desk.workspace, RecordResult(batch_id=state.row.batch.batch_id, outcome=outcome))
    assert result.sentence == said


@pytest.mark.parametrize(("recorded", "live"), [("bm25", []), ("dense", ["bm25 ran live"])])
def test_a_search_that_was_not_recorded_is_said_to_run(
    desk: Any, hub_desk: ReplayDesk, recorded: str, live: list[str]
) -> None:
    """The recorded candidates were asked for: those of another search must not be taken for them."""
    one = str(desk.record(1, question="How do I leave?", legs={recorded: "a b"}, prompt="a b"))
    workspace = desk.workspace._replace(replays=hub_desk)
    ask = RunReplay(draft=DraftReplay(request=one, pins=PinChoice.CANDIDATES))
    (run,) = run_replay(workspace, ask).runs
    assert [line.split(":")[0] for line in run.outcome.unused if "ran live" in line] == live
