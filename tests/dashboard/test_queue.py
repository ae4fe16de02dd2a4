"""Working through a list: what each key does, where it stops, and what it refuses."""

from __future__ import annotations

from typing import Any

from app_text import fine, links_of, shown
from goldrank.actions.saved_filters import AskFilters, saved_filters
from goldrank.actions.triage import Assign, SetAside, assign, set_aside
from goldrank.dashboard.parts.mark_gold import list_height
from goldrank.model import Judgement, short_id
from goldrank.model.triage import TriageState

OPEN = "labelled=Not+labelled&queue=Open"
LATER = SetAside(request_id="", state=TriageState.LATER)


def button(app: Any, shortcut: str) -> Any:
    """The one button with this key."""
    found = [one for one in app.button if one.proto.shortcut == shortcut]
    assert len(found) == 1, (shortcut, [one.label for one in found])
    return found[0]


def keys(app: Any) -> set[str]:
    """Keys of the page's buttons that would do something."""
    return {one.proto.shortcut for one in app.button if one.proto.shortcut and not one.disabled}


def opened(pages: Any, desk: Any, name: str, within: str = OPEN) -> Any:
    """The page of a scene, come to from a list."""
    return fine(pages("request.py", request_id=desk.id_of(name), within=within))


def queue_of(desk: Any, name: str) -> tuple[str | None, str | None]:
    """State and owner as stored."""
    now = desk.workspace.store.triages.get(desk.id_of(name))
    return (None, None) if now is None else (now.state and now.state.value, now.assigned_to)


def golds(desk: Any, name: str) -> list[str]:
    """Chunks that are marked."""
    return [one.target.chunk_id for one in desk.workspace.store.labels.of(desk.id_of(name))]


def test_suggestions_are_marked_by_their_number_and_called_a_guess(pages: Any, desk: Any):
    """The number of a suggested passage marks that passage as gold, and the verdict is there at once."""
    desk.record_scenes("demoted", "nowhere")
    app = opened(pages, desk, "demoted")
    assert "a guess, not a finding" in shown(app)
    assert {"1", "2", "l", "x", "a", "j"} <= keys(app)
    first = next(one.label for one in app.button if one.key and "_open_0_" in one.key).replace("\\", "")
    app = fine(button(app, "1").click().run())
    assert len(golds(desk, "demoted")) == 1
    assert first.startswith(golds(desk, "demoted")[0])
    assert "1" not in keys(app)
    assert "l" not in keys(app)
    assert "j" in keys(app)


def test_many_suggestions_take_a_bounded_part_of_the_page():
    """The lists of the request are not far below nine of them; a few stand as they are."""
    assert (list_height(1), list_height(4)) == ("content", "content")
    assert list_height(5) == list_height(9) == 430


def test_later_cannot_tell_assign_and_undo(pages: Any, desk: Any):
    """Each is stored as pressed; undo takes back the last, then the one before."""
    desk.record_scenes("demoted")
    app = opened(pages, desk, "demoted")
    assert "u" not in keys(app)
    app = fine(button(app, "l").click().run())
    assert queue_of(desk, "demoted") == ("later", None)
    assert "l" not in keys(app)
    app = fine(button(app, "x").click().run())
    app = fine(button(app, "a").click().run())
    assert queue_of(desk, "demoted") == ("cannot_tell", "anna")
    app = fine(button(app, "u").click().run())
    assert "Taken back: assigned to anna" in shown(app)
    app = fine(button(app, "u").click().run())
    assert queue_of(desk, "demoted") == ("later", None)
    app = fine(button(app, "u").click().run())
    assert queue_of(desk, "demoted") == (None, None)
    assert "u" not in keys(app)


def test_undo_goes_back_to_the_request_that_was_changed(pages: Any, desk: Any):
    """After J, U undoes what was done on the request before, shows it, and leaves the present one alone."""
    desk.record_scenes("demoted", "nowhere")
    set_aside(desk.workspace, LATER.model_copy(update={"request_id": desk.id_of("nowhere")}))
    app = opened(pages, desk, "demoted", within="")
    app = fine(button(app, "l").click().run())
    app = fine(button(app, "j").click().run())
    assert app.query_params["request_id"] == desk.id_of("nowhere")
    app = fine(button(app, "u").click().run())
    assert app.query_params["request_id"] == desk.id_of("demoted")
    assert f"Taken back on request {short_id(desk.id_of('demoted'))}: later" in shown(app)
    assert queue_of(desk, "demoted") == (None, None)
    assert queue_of(desk, "nowhere") == ("later", None)


def test_undo_leaves_alone_what_somebody_changed_since(pages: Any, desk: Any):
    """The change of another person on top of mine is not mine to take back."""
    desk.record_scenes("demoted")
    app = opened(pages, desk, "demoted")
    app = fine(button(app, "l").click().run())
    assign(desk.workspace._replace(who="bo"), Assign(request_id=desk.id_of("demoted"), to="bo"))
    app = fine(button(app, "u").click().run())
    assert "assigned to bo, by bo" in shown(app)
    assert queue_of(desk, "demoted") == ("later", "bo")


def test_a_request_that_left_the_list_still_has_neighbours(pages: Any, desk: Any):
    """The list shrinks as one labels; J goes to the next older one that is in it."""
    desk.record_scenes("demoted", "twelve_stages", "incomplete")
    app = opened(pages, desk, "demoted")
    app = fine(button(app, "1").click().run())
    app = fine(button(app, "j").click().run())
    assert app.query_params["request_id"] == desk.id_of("twelve_stages")
    assert "1 of 2" in shown(app)


def test_the_end_of_the_list_says_so_and_leads_back(pages: Any, desk: Any):
    """The last one dealt with: nothing left; with one skipped before, how many are left."""
    desk.record_scenes("demoted", "twelve_stages")
    app = opened(pages, desk, "twelve_stages")
    assert "end of this list" not in shown(app)
    app = fine(button(app, "l").click().run())
    assert "The end of this list. 1 newer request still in it" in shown(app)
    app = fine(button(app, "k").click().run())
    app = fine(button(app, "x").click().run())
    assert "Nothing left in this list." in shown(app)
    app = fine(button(app, "b").click().run())
    assert "0 of 2 requests" in shown(app)


def test_a_press_meant_for_a_request_that_is_gone_changes_nothing(pages: Any, desk: Any):
    """J and another key in one go: the key was meant for the request that was seen, and the page is at the next."""
    desk.record_scenes("demoted", "nowhere")
    for key in ("l", "x", "a", "1"):
        app = opened(pages, desk, "demoted")
        app.session_state["request_at"] = desk.id_of("nowhere")  # as J's callback leaves it
        app = fine(button(app, key).click().run())
        assert "Nothing was changed: the key was meant for" in shown(app), key
        assert app.query_params["request_id"] == desk.id_of("nowhere")
    assert (queue_of(desk, "demoted"), queue_of(desk, "nowhere")) == ((None, None), (None, None))
    assert golds(desk, "demoted") == golds(desk, "nowhere") == []


def test_a_press_on_a_page_that_is_half_drawn_changes_nothing(pages: Any, desk: Any):
    """Parts of the request before may still be on the screen; the next press counts."""
    desk.record_scenes("demoted", "nowhere")
    app = opened(pages, desk, "demoted")
    app.session_state["request_drawn"] = desk.id_of("nowhere")  # the run that draws this page was cut short
    app = fine(button(app, "1").click().run())
    assert "still being drawn" in shown(app)
    assert golds(desk, "demoted") == []
    app = fine(button(app, "1").click().run())
    assert len(golds(desk, "demoted")) == 1


def test_j_pressed_twice_before_the_page_is_new_is_one_step(pages: Any, desk: Any):
    """Nobody passes a request that was not shown."""
    desk.record_scenes("demoted", "twelve_stages", "incomplete")
    app = opened(pages, desk, "demoted")
    app.session_state["request_at"] = desk.id_of("twelve_stages")
    app = fine(button(app, "j").click().run())
    assert app.query_params["request_id"] == desk.id_of("twelve_stages")


def test_a_second_number_pressed_before_the_page_is_new_is_refused(pages: Any, desk: Any):
    """What was marked meanwhile stays the one gold, and the page says why."""
    desk.record_scenes("demoted")
    app = opened(pages, desk, "demoted")
    first, second = button(app, "1"), button(app, "2")
    first.click()
    fine(second.click().run())
    assert len(golds(desk, "demoted")) == 1


def test_the_list_is_filtered_by_queue_and_person(pages: Any, desk: Any):
    """Open, later, assigned to: from the address, and each said in the row."""
    desk.record_scenes("demoted", "nowhere", "incomplete")
    set_aside(desk.workspace, LATER.model_copy(update={"request_id": desk.id_of("demoted")}))
    assign(desk.workspace, Assign(request_id=desk.id_of("nowhere"), to="bo"))
    assert "later" in shown(fine(pages()))
    assert "2 of 3 requests" in shown(fine(pages(queue="Open")))
    later = fine(pages(queue="Later"))
    assert "1 of 3 requests" in shown(later)
    assert any("within=queue%3DLater" in link for link in links_of(later))
    assert "1 of 3 requests" in shown(fine(pages(assigned="bo")))
    assert "0 of 3 requests" in shown(fine(pages(assigned="nobody-such")))


def test_replays_are_left_out_unless_asked_for(pages: Any, desk: Any):
    """The caption says how many are left out."""
    desk.scene["nowhere"].request["replay_of"] = desk.id_of("demoted")
    desk.record_scenes("demoted", "nowhere")
    assert "1 of 2 requests" in shown(fine(pages()))
    assert "1 replay left out" in shown(fine(pages()))
    both = shown(fine(pages(replays="Shown too")))
    assert "2 of 2 requests" in both
    assert "left out" not in both
    assert "1 of 2 requests" in shown(fine(pages(replays="Alone")))


def test_a_saved_filter_is_there_for_everybody_until_removed(pages: Any, desk: Any):
    """Saved under a name with the parameters of the address; its link opens that list."""
    desk.record_scenes("demoted", "nowhere")
    app = fine(pages(queue="Open", labelled="Not labelled"))
    app.text_input(key="filter_name").input("To do")
    app = fine(next(one for one in app.button if one.label == "Save").click().run())
    assert "Saved: To do" in shown(app)
    assert [one.params for one in saved_filters(desk.workspace, AskFilters()).rows] == [OPEN]
    fresh = fine(pages())
    assert any("queue=Open" in link and "labelled=Not" in link for link in links_of(fresh))
    fine(next(one for one in fresh.button if (one.key or "").startswith("drop_filter")).click().run())
    assert saved_filters(desk.workspace, AskFilters()).rows == ()


def test_working_through_begins_with_the_first_of_the_list(pages: Any, desk: Any):
    """The page opens with the list's filter in its address."""
    desk.record_scenes("demoted", "nowhere")
    set_aside(desk.workspace, LATER.model_copy(update={"request_id": desk.id_of("demoted")}))
    app = fine(button(fine(pages(queue="Open")), "w").click().run())
    assert app.query_params["request_id"] == desk.id_of("nowhere")
    assert app.query_params["within"] == "queue=Open"


def test_a_suggestion_is_kept_without_the_question_as_its_quote(pages: Any, desk: Any):
    """The question found the passage; it is not the sentence that answers."""
    desk.record_scenes("demoted")
    fine(button(opened(pages, desk, "demoted"), "1").click().run())
    (label,) = desk.workspace.store.labels.of(desk.id_of("demoted"))
    assert (label.judgement, label.target.quote) == (Judgement.GOLD, None)
