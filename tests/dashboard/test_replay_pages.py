"""Steps, compare and replays as pages."""

from __future__ import annotations

from typing import Any

import pytest
from app_text import fine, links_of, shown
from goldrank.actions.compare import CompareRequests, compare
from goldrank.actions.live_replay import summed
from goldrank.actions.replay import Replayed
from goldrank.actions.replay_batch import NewBatch, RecordResult, record_result, start_batch
from goldrank.dashboard import links
from goldrank.dashboard.parts.comparison import counted_moves
from goldrank.dashboard.parts.replay_result import KEY
from goldrank.model import StageKind
from goldrank.model.comparison import ChunkMove, Move
from goldrank.model.replay import PlaceRan, ReplayOutcome, ReplayStatus, StageRan


def test_each_step_has_a_url_and_says_what_it_did(pages: Any, desk: Any):
    """The number in the address chooses it; the gold's place stands in the overview."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    first = fine(pages("steps.py", request_id=desk.id_of("demoted")))
    assert "Step 1 of" in shown(first)
    assert any("step=2" in link for link in links_of(first))
    app = fine(pages("steps.py", request_id=desk.id_of("demoted"), step="4"))
    assert "Step 4 of" in shown(app)
    assert "hits:" in shown(app)
    assert any("★" in one.proto.label for one in app.get("page_link"))


def test_the_next_button_goes_one_step_on(pages: Any, desk: Any):
    """And back; the ends are ends."""
    desk.record_scenes("demoted")
    app = fine(pages("steps.py", request_id=desk.id_of("demoted")))
    assert app.button("step_k").disabled
    app.button("step_j").click().run()
    assert "Step 2 of" in shown(fine(app))
    app.button("step_k").click().run()
    assert "Step 1 of" in shown(fine(app))


@pytest.mark.parametrize("step", ["0", "99", "-1", "x", ""])
def test_a_step_that_is_none_falls_back(pages: Any, desk: Any, step: str):
    """A pasted address never breaks the page."""
    desk.record_scenes("demoted")
    assert "Step " in shown(fine(pages("steps.py", request_id=desk.id_of("demoted"), step=step)))


@pytest.mark.parametrize("scene", ["twelve_stages", "incomplete", "nothing_found", "hostile", "three_golds", "nowhere"])
def test_every_kind_of_request_can_be_stepped_through(pages: Any, desk: Any, scene: str):
    """Failed, empty, incomplete, hostile: the last step as well as the first."""
    desk.record_scenes(scene)
    total = len(desk.view(scene).recorded.stages)
    assert f"Step 1 of {total}" in shown(fine(pages("steps.py", request_id=desk.id_of(scene))))
    assert f"Step {total} of {total}" in shown(fine(pages("steps.py", request_id=desk.id_of(scene), step="99")))


def test_two_requests_are_compared_with_the_first_difference_open(pages: Any, desk: Any):
    """Heads of both, what differs, each stage."""
    desk.record_scenes("demoted", "three_golds")
    params = {links.THEN: desk.id_of("demoted"), links.NOW: desk.id_of("three_golds")}
    app = fine(pages("compare.py", params=params))
    text = shown(app)
    assert "Two different questions" in text
    expanded = [one for one in app.get("expander") if one.proto.expanded]
    assert len(expanded) == 1
    assert any(desk.id_of("three_golds") in link for link in links_of(app))


def test_without_a_second_request_the_nearest_that_passes_is_looked_for(pages: Any, desk: Any):
    """And where there is none, that is said, with a form for the ids."""
    desk.record_scenes("demoted")
    app = fine(pages("compare.py", params={links.THEN: desk.id_of("demoted")}))
    assert "mark the gold of one that was answered well" in shown(app)
    assert app.text_input("compare_then").value == desk.id_of("demoted")


def test_an_unknown_request_is_said_on_the_compare_page(pages: Any, desk: Any):
    """In words, without a traceback."""
    desk.record_scenes("demoted")
    app = fine(pages("compare.py", params={links.THEN: desk.id_of("demoted"), links.NOW: "deadbeef00"}))
    assert "No request with the id" in shown(app)


def test_a_hub_without_an_app_shows_the_commands(pages: Any, desk: Any):
    """On the page of one request and on that of batches."""
    desk.record_scenes("demoted")
    app = fine(pages("replay.py", request_id=desk.id_of("demoted")))
    assert "goldrank up --app" in shown(app)
    assert desk.id_of("demoted") in shown(app)
    assert "goldrank replay --verdict failed" in shown(fine(pages("batches.py")))


def test_an_unknown_request_cannot_be_stepped_through_or_replayed(pages: Any, desk: Any):
    """Both pages say so."""
    desk.record_scenes("demoted")
    for page in ("steps.py", "replay.py"):
        assert "is not here" in shown(fine(pages(page, request_id="f" * 32 + "-" + "e" * 16)))


def test_a_batch_shows_what_is_broken_first(pages: Any, desk: Any):
    """With the reason; an unknown one leads back."""
    desk.record_scenes("demoted", "nowhere")
    ids = (desk.id_of("demoted"), desk.id_of("nowhere"))
    state = start_batch(desk.workspace, NewBatch(target="bot:answer", request_ids=ids))
    outcome = ReplayOutcome(status=ReplayStatus.CRASHED, replay_of=ids[0], detail="SIGSEGV in the app")
    batch_id = state.row.batch.batch_id
    record_result(desk.workspace, RecordResult(batch_id=batch_id, outcome=outcome))
    app = fine(pages("batches.py", params={links.BATCH: batch_id}))
    assert "1 of 2 run on bot:answer" in shown(app)
    assert "SIGSEGV in the app" in shown(app)
    assert any(batch_id in link for link in links_of(fine(pages("batches.py"))))
    assert "There is no batch" in shown(fine(pages("batches.py", params={links.BATCH: "batch-0"})))


def test_what_was_not_done_as_asked_stands_beside_the_result(pages: Any, desk: Any):
    """Not below the stages: else the result is read as that of what was asked. The same of two calls stands once."""
    desk.record_scenes("demoted")
    live = StageRan(kind=StageKind.RETRIEVE, name="bm25", ran=PlaceRan.UNMATCHED, note="no recording for this call")
    outcome = ReplayOutcome(
        status=ReplayStatus.DONE,
        replay_of=desk.id_of("demoted"),
        detail="Nothing was recorded.",
        stages=(live, live),
        unused=("foo.bar=3: no stage of that kind or name (foo) was called",),
    )
    app = fine(pages("replay.py", request_id=desk.id_of("demoted")))
    app.session_state[KEY] = (desk.id_of("demoted"), summed((Replayed(outcome=outcome, compared=None),)))
    (box,) = [one for one in fine(app.run()).get("warning") if one.proto.title == "Not as asked"]
    assert box.value.count("ran live") == 1
    assert "was called" in box.value


def test_compare_without_a_second_request_leads_back(pages: Any, desk: Any):
    """Where nothing passes yet, the next step is on the page of the request."""
    desk.record_scenes("demoted")
    app = fine(pages("compare.py", params={links.THEN: desk.id_of("demoted")}))
    assert any(desk.id_of("demoted") in link for link in links_of(app))


def test_a_batch_says_with_what_it_ran(pages: Any, desk: Any):
    """As it was typed."""
    desk.record_scenes("demoted")
    new = NewBatch(target="bot:answer", request_ids=(desk.id_of("demoted"),), overrides=("rerank=off", "bm25.top_k=9"))
    state = start_batch(desk.workspace, new)
    app = fine(pages("batches.py", params={links.BATCH: state.row.batch.batch_id}))
    assert "With rerank=off, bm25.top_k=9" in shown(app)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ((Move.SAME, Move.SAME), ""),
        ((Move.SAME, Move.CAME, Move.CAME), "2 chunks came"),
        ((Move.UP, Move.CAME, Move.WENT, Move.WENT), "1 chunk moved, 1 came, 2 went"),
    ],
)
def test_a_deeper_list_is_not_said_to_have_moved(moves: tuple[Move, ...], said: str):
    """Chunks that came or went are counted apart from those at another rank."""
    same = {"doc_id": None, "then": None, "now": None, "gold": False, "forbidden": False, "text_changed": False}
    assert counted_moves(tuple(ChunkMove(chunk_id=str(n), move=move, **same) for n, move in enumerate(moves))) == said


def test_what_a_replay_changed_stands_above_what_came_of_it(pages: Any, desk: Any):
    """A line below the last stage would belong to nothing."""
    desk.record_scenes("demoted", "three_golds")
    then = desk.id_of("demoted")
    changed = StageRan(kind=StageKind.RETRIEVE, name="bm25", ran=PlaceRan.LIVE, note="top_k: 30 -> 100")
    outcome = ReplayOutcome(status=ReplayStatus.DONE, replay_of=then, stages=(changed,))
    compared = compare(desk.workspace, CompareRequests(then=then, now=desk.id_of("three_golds")))
    app = fine(pages("replay.py", request_id=then))
    app.session_state[KEY] = (then, summed((Replayed(outcome=outcome, compared=compared),)))
    drawn = [(one.type, str(getattr(one, "value", ""))) for one in fine(app.run()).main]
    (said,) = [place for place, (_, text) in enumerate(drawn) if "top_k" in text]
    assert said < [kind for kind, _ in drawn].index("expander")
