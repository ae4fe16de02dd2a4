"""Each page through Streamlit's own test runner: empty store, one request, deep link, unknown id, marking."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from app_text import fine, links_of, shown
from goldrank.dashboard import data, links
from goldrank.model import Judgement, Outcome, StageKind, short_id


def test_an_empty_store_says_how_to_begin(pages: Any, desk: Any):
    """Before anything has arrived the page shows the lines that instrument an app, and where the spool is."""
    app = fine(pages())
    assert "No request has arrived yet" in shown(app)
    assert "@goldrank.request" in app.code[0].value
    assert str(desk.workspace.spool.absolute()) in shown(app)
    assert "never been written" in shown(app)
    assert len(app.code[0].value.splitlines()) == 8


def test_an_empty_store_names_the_demo_for_its_own_folder(pages: Any, desk: Any):
    """The line that loads samples loads them into the folder that the page shows, not into another one."""
    command = fine(pages()).code[1].value
    folder = str(desk.workspace.spool.absolute().parent)
    assert shlex.split(command) == ["goldrank", "demo", "--directory", folder]


def test_an_address_without_an_id_does_not_explain_an_unknown_one(pages: Any, desk: Any):
    """Nothing was asked for, so nothing is unknown."""
    desk.record_scenes("demoted")
    text = shown(fine(pages("request.py")))
    assert "Which request?" in text
    assert "can be unknown" not in text


@pytest.mark.parametrize(
    ("page", "word"), [("eval_set.py", "No case yet"), ("status.py", "never written"), ("request.py", "Which request?")]
)
def test_the_other_pages_of_an_empty_store_say_what_to_do_next(pages: Any, page: str, word: str):
    """No page is blank."""
    assert word in shown(fine(pages(page)))


def test_the_list_shows_question_verdict_and_gold_path(pages: Any, desk: Any):
    """A labelled request shows in its row what became of the gold, without being opened."""
    desk.record_scenes("demoted", "nowhere")
    desk.label("demoted")
    app = fine(pages())
    text = shown(app)
    assert "2 of 2 requests" in text
    assert "what about for annual plans?" in text
    assert "demoted" in text
    assert "1 · 14 → 4 → 9" in text
    assert "no label" in text
    assert any(f"request_id={desk.id_of('demoted')}" in link for link in links_of(app))


def test_the_filter_comes_from_the_address(pages: Any, desk: Any):
    """A link to a filtered list shows that list, and its rows carry the filter on."""
    desk.record_scenes("demoted", "nowhere")
    desk.label("demoted")
    app = fine(pages(verdict="demoted"))
    assert "1 of 2 requests" in shown(app)
    assert app.selectbox(key="verdict").value == "demoted"
    assert any("within=verdict%3Ddemoted" in link for link in links_of(app))
    assert "No request matches" in shown(fine(pages(words="zebra")))


def test_complaints_are_a_way_in(pages: Any, desk: Any):
    """A stored ticket is listed with the link to its request."""
    desk.record_scenes("demoted")
    desk.complain("demoted", "Your bot told me 14 days!")
    app = fine(pages())
    assert "Your bot told me 14 days!" in shown(app)
    assert any(f"request {short_id(desk.id_of('demoted'))}" in one.value for one in app.get("page_link"))


def test_a_pasted_ticket_opens_its_request(pages: Any, desk: Any):
    """A ticket that holds an id leads to the request's page."""
    desk.record_scenes("demoted")
    app = fine(pages())
    app.chat_input[0].set_value(f"Hi team,\nit was wrong. Request {desk.id_of('demoted')}\nthanks").run()
    fine(app)
    assert "No gold is marked yet" in shown(app)
    assert app.query_params[links.REQUEST_ID] == desk.id_of("demoted")


def test_a_pasted_text_without_an_id_is_explained(pages: Any, desk: Any):
    """What was pasted and meant nothing is said, and the list stays."""
    desk.record_scenes("demoted")
    app = fine(pages())
    app.chat_input[0].set_value("nothing in here").run()
    assert "1 of 1 requests" in shown(fine(app))
    assert any("id" in element.value for element in app.markdown)


def test_an_unlabelled_request_asks_for_the_passage(pages: Any, desk: Any):
    """Question, answer, lists and one main action: which passage should have answered?"""
    desk.record_scenes("demoted")
    app = fine(pages("request.py", request_id=desk.id_of("demoted")))
    text = shown(app)
    assert "Which passage should have answered this?" in text
    assert "Within 14 days of payment [S1]." in text
    assert "user u-2041" in text
    assert "groups customers" in text
    assert "How long is the refund window?" in text
    assert [len(table.value) for table in app.dataframe] == [10, 10, 10, 10, 5]
    assert app.button(key="promote").disabled


def test_an_unknown_id_is_explained_with_the_stores_name(pages: Any, desk: Any):
    """Which store it is, why an id can be unknown, and a way back."""
    desk.record_scenes("demoted")
    app = fine(pages("request.py", request_id="feedfeedfeedfeed"))
    text = shown(app)
    assert "This request is not here" in text
    assert "feedfeedfeedfeed" in text
    assert "can be unknown" in text
    assert str(desk.workspace.store.path) in text
    assert any(one.value == "All requests" for one in app.get("page_link"))


def test_a_gold_found_by_words_is_marked_with_one_press(pages: Any, desk: Any):
    """Search, see where it stood, press Gold: the page answers at once."""
    desk.record_scenes("demoted")
    desk.add_corpus()
    request_id = desk.id_of("demoted")
    app = fine(pages("request.py", request_id=request_id))
    app.text_input(key=f"mark_{request_id}_words").set_value("refunds-v5 annual")
    app.button(key=next(one.key for one in app.button if one.label == "Search")).click().run()
    fine(app)
    assert "bm25 1 · dense 14 · rrf 4 · rerank 9" in shown(app)
    next(one for one in app.button if (one.key or "").startswith(f"mark_{request_id}_gold_0_")).click().run()
    text = shown(fine(app))
    assert "The reranker pushed it out" in text
    assert "Rank 1 in bm25, 14 in dense, 4 after rrf, 9 after rerank; the prompt takes 5." in text
    assert [one.label for one in app.metric] == ["In the corpus?", "Retrieved?", "In the prompt?"]
    assert len(app.get("plotly_chart")) == 1
    assert not app.button(key="promote").disabled


def test_a_missing_passage_is_a_label_without_a_chunk(pages: Any, desk: Any):
    """What nobody wrote is marked by a sentence; with the manifest known the verdict is not_in_corpus."""
    desk.record_scenes("demoted")
    desk.add_corpus()
    request_id = desk.id_of("demoted")
    app = fine(pages("request.py", request_id=request_id))
    app.text_area(key=f"mark_{request_id}_missing_").set_value("VAT is refunded within ten days.").run()
    app.button(key=f"mark_{request_id}_missing_save").click().run()
    assert "It is not in the corpus" in shown(fine(app))
    label = desk.workspace.store.labels.of(request_id)[0]
    assert (label.target.chunk_id, label.target.quote) == (None, "VAT is refunded within ten days.")


def test_labels_keep_their_history_and_can_be_undone(pages: Any, desk: Any):
    """Who and when are shown; undo brings the page back to no label."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    app = fine(pages("request.py", request_id=desk.id_of("demoted"), tab="Labels"))
    assert "anna" in shown(app)
    app.button(key="undo").click().run()
    assert "No gold is marked yet" in shown(fine(app))
    assert len(desk.workspace.store.labels.history(desk.id_of("demoted"))) == 2


@pytest.mark.parametrize(
    "scene",
    [
        "demoted",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("twelve_stages", "incomplete", "nothing_found", "hostile")
        ),
    ],
)
def test_every_tab_of_every_scene_can_be_linked(pages: Any, desk: Any, scene: str):
    """A tab is a part of the address, and its body is there when it is opened by it."""
    desk.record_scenes(scene)
    desk.label(scene, desk.GOLD if scene != "hostile" else f"{desk.HOSTILE} {desk.GOLD}")
    app = fine(pages("request.py", request_id=desk.id_of(scene)))
    for tab in ("Queries", "Prompt", "Answer", "Labels", "Timings", "Raw"):
        app.query_params["tab"] = tab
        assert fine(app.run()).query_params["tab"] == tab


def test_bodies_load_only_in_the_open_tab(pages: Any, desk: Any):
    """The prompt's text is not on the page until its tab is opened."""
    desk.record_scenes("demoted")
    request_id = desk.id_of("demoted")
    assert "Answer from these." not in shown(fine(pages("request.py", request_id=request_id)))
    assert "Answer from these." in shown(fine(pages("request.py", request_id=request_id, tab="Prompt")))


def test_a_leak_is_said_before_all_else(pages: Any, desk: Any):
    """A forbidden chunk in a list is the first box on the page."""
    desk.record_scenes("demoted")
    desk.label("demoted", "page7#s3", judgement=Judgement.FORBIDDEN)
    desk.label("demoted")
    app = fine(pages("request.py", request_id=desk.id_of("demoted")))
    assert "must not see" in app.error[0].proto.title
    assert "page7" in app.error[0].value


def test_incomplete_telemetry_is_said_out_loud(pages: Any, desk: Any):
    """What is missing stands right below the verdict."""
    desk.record_scenes("incomplete")
    desk.label("incomplete")
    app = fine(pages("request.py", request_id=desk.id_of("incomplete")))
    assert "Incomplete telemetry" in [box.proto.title for box in app.warning]
    assert "1 span missing" in shown(app)


def test_the_drawer_shows_text_metadata_neighbours_and_ranks(pages: Any, desk: Any):
    """A chunk in the address opens beside the page."""
    desk.record_scenes("demoted", "three_golds")
    desk.add_corpus()
    app = fine(pages("request.py", request_id=desk.id_of("demoted"), chunk=desk.GOLD))
    text = shown(app)
    assert f"The passage {desk.GOLD}." in text
    assert "Metadata then" in text
    assert "After it" in text
    assert "In this request" in text
    assert app.button(key="drawer_Forbidden").label == "⊘ Forbidden"


def test_the_drawer_grades_and_forbids(pages: Any, desk: Any):
    """Grades and other marks are saved from the drawer, which then closes."""
    desk.record_scenes("demoted")
    request_id = desk.id_of("demoted")
    app = fine(pages("request.py", request_id=request_id, chunk=desk.GOLD))
    app.selectbox(key="drawer_grade").set_value(3).run()
    app.button(key="drawer_Gold").click().run()
    fine(app)
    label = desk.workspace.store.labels.of(request_id)[0]
    assert (label.judgement, label.grade, label.target.chunk_id) == (Judgement.GOLD, 3, desk.GOLD)
    assert links.CHUNK not in app.query_params


def test_a_request_is_promoted_and_its_case_opened(pages: Any, desk: Any):
    """The dialog is prefilled; after it the page names the case, the set lists it, and the case links back."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    desk.complain("demoted", "Your bot told me 14 days!")
    app = fine(pages("request.py", request_id=desk.id_of("demoted")))
    app.button(key="promote").click().run()
    fine(app)
    assert app.text_area(key="promote_question").value == "what about for annual plans?"
    assert app.text_input(key="promote_standalone").value == "refund window for annual plans"
    assert app.text_input(key="promote_ticket").value == "T-1042"
    app.text_input(key="promote_contains").set_value("30 days | annual")
    app.button(key="promote_save").click().run()
    assert "of support-bot was created." in shown(fine(app))
    case = desk.workspace.store.cases.page(which=_every()).rows[0]
    assert case.expected_answer_contains == ("30 days", "annual")
    listed = fine(pages("eval_set.py"))
    assert "what about for annual plans?" in shown(listed)
    assert any(f"case_id={case.case_id}" in link for link in links_of(listed))
    opened = fine(pages("case.py", case_id=case.case_id))
    assert desk.GOLD in shown(opened)
    assert any(desk.id_of("demoted") in link for link in links_of(opened))


def test_a_conflict_offers_its_choices(pages: Any, desk: Any):
    """The same question with other labels: both sides are shown, and one of three choices is taken."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    _promote(pages, desk, "demoted")
    again = desk.Bot(77)
    again.stages = desk.scene["demoted"].stages
    desk.scene["again"] = again
    desk.record(again)
    desk.label("again", "page7#s3")
    app = _promote(pages, desk, "again")
    text = shown(app)
    assert "The set says something else" in text
    assert f"★ gold: {desk.GOLD}" in text
    assert "★ gold: page7#s3" in text
    app.button(key="promote_either_counts").click().run()
    assert "was updated." in shown(fine(app))


def test_a_case_is_archived_and_put_back(pages: Any, desk: Any):
    """An archived case leaves the list and stays reachable."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    _promote(pages, desk, "demoted")
    case = desk.workspace.store.cases.page(which=_every()).rows[0]
    app = fine(pages("case.py", case_id=case.case_id))
    app.button(key="case_archive").click().run()
    assert "This case is archived" in shown(fine(app))
    assert desk.workspace.store.cases.get(case.case_id).archived
    assert "not here" in shown(fine(pages("case.py", case_id="nonsense")))


def test_status_shows_what_was_received_and_refused(pages: Any, desk: Any):
    """One row a receiver; nothing of it where nobody ever sent anything."""
    from goldrank.model import Drops
    from goldrank.store import IntakeBatch

    def received(app: Any) -> list[Any]:
        return [table.value for table in app.dataframe if "messages refused" in table.value.columns]

    assert received(fine(pages("status.py"))) == []
    report = {"received": {"requests": 3, "spans": 1818, "bytes": 90_000}, "refused": {"no token": 2}}
    desk.workspace.store.intake.commit(
        IntakeBatch(drops=(Drops(app="collector web-1:4318", pid=1, drops={}, at_ns=desk.T0, **report),))
    )
    data.forget()  # the page keeps what it was told for two seconds
    (frame,) = received(fine(pages("status.py")))
    row = frame.to_dict("records")[0]
    assert (row["receiver"], row["messages"], row["messages refused"]) == ("collector web-1:4318", "3", "2 no token")


def test_status_names_drops_bad_frames_and_places(pages: Any, desk: Any):
    """What was lost is counted with what to do about it."""
    from goldrank.model import Drops
    from goldrank.store import BadFrame, IntakeBatch

    desk.workspace.store.intake.commit(
        IntakeBatch(
            drops=(Drops(app="docs-bot", pid=1, drops={"queue full": 1204, "not sampled": 7}, at_ns=desk.T0),),
            bad_frames=(
                BadFrame(segment="a.seg", offset=118, reason="its crc is wrong", saved_as="bad/a-118", at_ns=desk.T0),
            ),
        )
    )
    app = fine(pages("status.py"))
    values = {one.label: one.value for one in app.metric}
    assert values["Steps not recorded"] == "1,204"
    assert values["Unreadable records"] == "1"
    tables = "\n".join(str(table.value) for table in app.dataframe)
    assert "queue full" in tables
    assert "its crc is wrong" in tables
    assert str(desk.workspace.store.path) in shown(app)


def test_trouble_of_the_ingester_stands_on_every_page(pages: Any, desk: Any):
    """Whatever page is open, it says that nothing new is read."""
    from goldrank.collectors import Ingester

    desk.record_scenes("demoted")
    stopped = Ingester(desk.workspace.spool, desk.workspace.store)
    app = fine(pages(ingester=stopped))
    assert "The ingester has stopped" in [box.proto.title for box in app.warning]


def _every() -> Any:
    from goldrank.store import CaseFilter

    return CaseFilter(archived=None)


def _promote(pages: Any, desk: Any, name: str) -> Any:
    app = fine(pages("request.py", request_id=desk.id_of(name)))
    app.button(key="promote").click().run()
    app.button(key="promote_save").click().run()
    return fine(app)


def test_a_huge_question_and_answer_are_shown_in_part(pages: Any, desk: Any):
    """Long texts are cut with their full size named, and a way to all of them."""
    made = desk.Bot(88, "why " * 400)
    made.request["answer"] = "because " * 2000
    desk.scene["long"] = made
    desk.record(made)
    app = fine(pages("request.py", request_id=made.request_id))
    text = shown(app)
    assert "The question has 1,600 characters" in text
    assert "700 of 16,000 characters" in text
    assert len(app.header[0].value) < 300
    app.button(key=f"answer_{made.request_id}_more").click().run()
    assert "because " * 1999 in shown(fine(app))


def test_a_page_of_a_long_list_can_be_linked(pages: Any, desk: Any):
    """A link to the second page shows the second page, and another filter begins at its first."""
    from goldrank.store import RequestFilter

    desk.record(*(desk.Bot(number, f"question {number:02d}") for number in range(20, 50)))
    assert desk.workspace.store.requests.page(RequestFilter(), limit=1).matching == 30
    app = fine(pages(params={"page": "2"}))
    text = shown(app)
    assert "question 49" in text
    assert "question 20" not in text
    app.text_input(key="words").set_value("question").run()
    assert "question 20" in shown(fine(app))


def test_a_promoted_request_says_so_after_a_reload(pages: Any, desk: Any):
    """A new session sees the case on the request's page and a mark in the list; others with the question, too."""
    desk.record_scenes("demoted", "nowhere")
    desk.label("demoted")
    again = desk.Bot(77)
    again.stages = desk.scene["demoted"].stages
    desk.record(again)
    assert "badge[in set]" not in shown(fine(pages()))
    _promote(pages, desk, "demoted")
    case = desk.workspace.store.cases.page(which=_every()).rows[0]
    place = f"eval set support-bot as case {short_id(case.case_id)}"
    app = fine(pages("request.py", request_id=desk.id_of("demoted")))
    assert _link(app, f"In {place}").endswith(f"case_id={case.case_id}")
    assert _link(fine(pages("request.py", request_id=again.request_id)), f"The same question is in {place}")
    assert shown(fine(pages())).count("badge[in set]") == 2


def _link(app: Any, label: str) -> str:
    """The target of the link with this label; it fails where there is none."""
    found = {one.proto.label.replace("\\", ""): one.proto for one in app.get("page_link")}
    return f"{found[label].page}?{found[label].query_string}"


def test_a_case_shows_all_of_its_passage_and_what_was_said_before(pages: Any, desk: Any):
    """The text of a gold is not cut, and the turns are there, not their number alone."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    _promote(pages, desk, "demoted")
    case = desk.workspace.store.cases.page(which=_every()).rows[0]
    text = shown(fine(pages("case.py", case_id=case.case_id)))
    assert case.labels[0].target.text in text
    assert "How long is the refund window?" in text


def test_an_address_without_a_case_offers_the_cases(pages: Any, desk: Any):
    """Links, not a command."""
    desk.record_scenes("demoted")
    assert "There is no case yet" in shown(fine(pages("case.py")))
    desk.label("demoted")
    _promote(pages, desk, "demoted")
    app = fine(pages("case.py"))
    assert "Which case?" in shown(app)
    assert any("case_id=" in link for link in links_of(app))


def test_no_page_shows_backticks(pages: Any, desk: Any):
    """Commands in our sentences are set as code."""
    desk.record_scenes("demoted")
    unknown = fine(pages("request.py", request_id="feedfeedfeed"))
    case = fine(pages("case.py", case_id="nonsense"))
    assert "goldrank cases list" in case.warning[0].value
    for box in [*unknown.warning, *case.warning]:
        assert "\\`" not in box.value


def test_a_text_that_is_no_id_is_not_explained_as_an_unknown_one(pages: Any):
    """No data folder and no sampler can be at fault: the address is wrong."""
    text = shown(fine(pages("request.py", request_id="zz")))
    assert "This is no request id" in text
    assert "can be unknown" not in text


def test_a_chunks_drawer_says_where_it_stood_in_the_prompt(pages: Any, desk: Any):
    """Beside its ranks: the question is whether the passage reached the prompt."""
    desk.record_scenes("demoted")
    first, *_ = desk.view("demoted").diagnosis.context.entries
    app = fine(pages("request.py", request_id=desk.id_of("demoted"), chunk=first.chunk_id))
    (ranks,) = [one.value for one in app.dataframe if "rank" in one.value.columns]
    assert ranks.iloc[-1].tolist()[:2] == ["prompt (position)", str(first.position)]


@pytest.mark.parametrize(("question", "said"), [("", "is an empty text"), (None, "No question recorded")])
def test_an_empty_question_is_not_called_unrecorded(pages: Any, desk: Any, question: str | None, said: str):
    """What was recorded as an empty text is one; what is not known is said to be that."""
    bot = desk.Bot(93)
    bot.request["question"] = question
    desk.record(bot)
    for page in ("request.py", "steps.py", "replay.py"):
        (header,) = fine(pages(page, request_id=bot.request_id)).header
        assert said in header.value


def test_an_answer_that_cannot_be_read_comes_with_the_setting_that_helps(pages: Any, desk: Any):
    """Not only that it is missing."""
    bot = desk.Bot(94)
    bot.request |= {"answer": None, "answer_note": "not readable"}
    desk.record(bot)
    assert "@goldrank.request(answer=…)" in shown(fine(pages("request.py", request_id=bot.request_id)))


def test_a_list_that_failed_says_with_what(pages: Any, desk: Any):
    """In the list's place, not only on hover or in another box."""
    bot = desk.Bot(95)
    bot.stage(StageKind.RETRIEVE, "bm25", outcome=Outcome.ERROR, error="TimeoutError: no answer in 2 s")
    desk.record(bot)
    lists = [one.value for one in fine(pages("request.py", request_id=bot.request_id)).text]
    assert "TimeoutError: no answer in 2 s" in lists
    assert "Nothing to show." not in lists


def test_of_many_lists_those_with_the_gold_are_shown_first(pages: Any, desk: Any):
    """Five, in the flow's order: the one that holds it, and the last others. A page that is open does not move."""
    bot = desk.Bot(96)
    legs = [
        bot.stage(StageKind.RETRIEVE, name, desk.hits({desk.GOLD: 6} if name == "bm25" else {}, 9, seed=place))
        for place, name in enumerate(("dense", "bm25", "graph", "titles"))
    ]
    fused = bot.stage(StageKind.FUSE, "rrf", desk.hits({}, 9, seed=7), after=legs)
    bot.prompt(bot.stage(StageKind.RERANK, "rerank", desk.hits({}, 9, seed=8), after=(fused,)))
    desk.scene["many lists"] = bot
    desk.record(bot)
    last = ["3 graph", "4 titles", "5 rrf", "6 rerank", "7 prompt"]
    opened_before = fine(pages("request.py", request_id=bot.request_id))
    assert opened_before.button_group(key="stages").value == last
    desk.label("many lists")
    data.forget()  # the page keeps what it was told for two seconds
    opened_after = fine(pages("request.py", request_id=bot.request_id))
    assert opened_after.button_group(key="stages").value == ["2 bm25", "4 titles", "5 rrf", "6 rerank", "7 prompt"]
    assert fine(opened_before.run()).button_group(key="stages").value == last


def test_a_request_that_comes_later_opens_by_itself(pages: Any, desk: Any):
    """Opened too early, the page waits; the next look shows the request."""
    app = fine(pages("request.py", request_id=desk.id_of("demoted")))
    assert "This request is not here" in shown(app)
    desk.record_scenes("demoted")
    assert "No gold is marked yet" in shown(fine(app.run()))


def test_an_unread_spool_is_said_where_a_request_is_missed(pages: Any, desk: Any):
    """While files wait to be read, the page does not claim that the request is unknown."""
    from goldrank.tracing.spool import SpoolWriter

    writer = SpoolWriter(desk.workspace.spool, app="support-bot")
    assert writer.write([b"not read yet"]) is None
    text = shown(fine(pages("request.py", request_id="feedfeedfeed")))
    writer.close()
    assert "This request is not here yet" in text
    assert "1 file of the spool to go" in text
    assert "can be unknown" not in text


def test_digits_that_fit_several_requests_offer_them(pages: Any, desk: Any):
    """A choice, not "not here"."""
    made = [desk.Bot(number) for number in (91, 92)]
    for bot in made:
        bot.request_id = f"abcdef12{bot.number:024x}-{bot.number:016x}"
    desk.record(*made)
    app = fine(pages("request.py", request_id="abcdef12"))
    assert "Which of these requests?" in shown(app)
    assert {bot.request_id for bot in made} <= {one.value.replace("\\", "") for one in app.get("page_link")}


def test_a_few_complaints_are_shown_until_all_are_asked_for(pages: Any, desk: Any):
    """The list of requests stays in sight; the address keeps the choice."""
    desk.record_scenes("demoted")
    for number in range(7):
        desk.complain("demoted", f"complaint number {number}", ticket=f"T-{number}")
    assert shown(fine(pages())).count("complaint number") == 4
    assert shown(fine(pages(all_complaints="true"))).count("complaint number") == 7


def test_a_ticket_with_the_first_digits_is_named_and_not_linked(pages: Any, desk: Any):
    """Page and command say it in the same words."""
    from goldrank.model import Complaint

    made = desk.Bot(93)
    made.request_id = f"abcdef12{93:024x}-{93:016x}"
    desk.record(made)
    digits = "abcdef12"
    desk.workspace.store.complaints.save(
        Complaint(complaint_id="T-1", app="support-bot", text=f"see {digits}", at_ns=desk.T0, request_id=None)
    )
    assert made.request_id in _link(fine(pages()), f"names request {digits}; not linked")


def test_the_list_keeps_its_columns_apart(pages: Any, desk: Any):
    """That a recording is incomplete stands in a mark of its own, not among the complaints."""
    desk.record_scenes("incomplete")
    app = fine(pages())
    assert "badge[incomplete]" in shown(app)
    assert "incomplete" not in [text.value for text in app.get("text")]


def test_a_stage_name_keeps_its_letters(pages: Any, desk: Any):
    """A sentence that begins with a recorded name does not get a capital letter."""
    desk.record_scenes("twelve_stages")
    desk.label("twelve_stages")
    text = shown(fine(pages("request.py", request_id=desk.id_of("twelve_stages"))))
    assert "graph neighbours stopped with TimeoutError" in text
    assert "Graph neighbours" not in text
