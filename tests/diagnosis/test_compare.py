"""Two requests side by side: stages and chunks aligned, what differs said, golds followed."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.diagnosis import examine
from goldrank.diagnosis.compare import Judged, compare
from goldrank.diagnosis.word_diff import text_diff
from goldrank.model import Label, RecordedRequest
from goldrank.model.comparison import Move


def _judged(recorded: RecordedRequest, *labels: Label) -> Judged:
    return Judged(recorded, examine(recorded, labels))


def _run(make: Any, dense: str, rerank: str, prompt: str, **fields: Any) -> RecordedRequest:
    version = fields.pop("index_version", None)
    return make.recorded(
        make.stage("bm25", "a b c", index_version=version),
        make.stage("dense", dense, index_version=version),
        make.stage("rrf", dense, kind="fuse", inputs=["bm25", "dense"]),
        make.stage("rerank", rerank, kind="rerank", inputs=["rrf"]),
        make.prompt(prompt),
        **fields,
    )


def test_the_same_request_twice_has_no_difference(make: Any) -> None:
    """Times never count."""
    said = compare(_judged(_run(make, "d e", "e d", "e")), _judged(_run(make, "d e", "e d", "e")))
    assert said.first_difference is None
    assert said.differences == ()
    assert said.answer_same
    assert said.prompt_same
    assert said.sentence == "The answer is the same, word for word; every stage did the same."


def test_the_first_stage_that_differs_is_named(make: Any) -> None:
    """What comes later follows from it."""
    said = compare(
        _judged(_run(make, "d e", "e d", "e", answer="30 days")),
        _judged(_run(make, "e d", "d e", "d", answer="14 days")),
    )
    assert said.first_difference is not None
    assert said.stages[said.first_difference].name == "dense"
    assert said.sentence == "The answer is another one; the first stage that differs is dense."


def test_chunks_are_followed_rank_by_rank(make: Any) -> None:
    """Up, down, came, went and the same, each by its ranks."""
    said = compare(_judged(_run(make, "d e f g", "e d", "e")), _judged(_run(make, "e d h g", "e d", "e")))
    dense = next(pair for pair in said.stages if pair.name == "dense")
    assert [(one.chunk_id, one.move, one.then, one.now) for one in dense.moves] == [
        ("e", Move.UP, 2, 1),
        ("d", Move.DOWN, 1, 2),
        ("h", Move.CAME, None, 3),
        ("g", Move.SAME, 4, 4),
        ("f", Move.WENT, 3, None),
    ]


def test_a_new_id_for_the_same_text_of_the_same_document_is_the_same_chunk(make: Any) -> None:
    """Documents that were indexed anew keep their story."""
    then = make.recorded(make.stage("dense", [("p#3", {"doc_id": "p", "text": "Refunds take 30 days."})]))
    now = make.recorded(make.stage("dense", [("p#4", {"doc_id": "p", "text": "Refunds  take 30 days."})]))
    move = compare(_judged(then), _judged(now)).stages[0].moves[0]
    assert (move.chunk_id, move.then_chunk_id, move.move) == ("p#4", "p#3", Move.SAME)


def test_the_same_id_with_another_text_is_marked(make: Any) -> None:
    """An id whose page was rewritten."""
    then = make.recorded(make.stage("dense", [("p#3", {"doc_id": "p", "text": "30 days"})]))
    now = make.recorded(make.stage("dense", [("p#3", {"doc_id": "p", "text": "14 days"})]))
    pair = compare(_judged(then), _judged(now)).stages[0]
    assert pair.moves[0].text_changed
    assert pair.differs


def test_a_gold_says_where_it_stood_and_what_changed_beside_it(make: Any) -> None:
    """The change is named, not blamed."""
    label = make.label("g")
    then = _run(make, "d e f g", "d e f g", "d e", index_version="idx-3")
    now = _run(make, "g d e f", "g d e f", "g d", index_version="idx-4")
    said = compare(_judged(then, label), _judged(now, label))
    assert said.sentence == (
        "g is now at position 1 of 2 in the prompt; it was at rank 4 of 4 after rerank; "
        "index version changed from idx-3 to idx-4."
    )
    assert (said.golds[0].then_verdict, said.golds[0].now_verdict) == ("below_cut", "delivered")


def test_a_stage_that_one_side_lacks_stands_where_it_was(make: Any) -> None:
    """Both ways: what went, and what came."""
    whole = _run(make, "d e", "e d", "e")
    without = make.recorded(*(stage for stage in whole.stages if stage.name != "rrf"))
    gone = compare(_judged(whole), _judged(without))
    assert [pair.name for pair in gone.stages] == ["bm25", "dense", "rrf", "rerank", "llm"]
    assert [(pair.then_id, pair.now_id) for pair in gone.stages if pair.name == "rrf"] == [("rrf", None)]
    came = compare(_judged(without), _judged(whole))
    assert [(pair.then_id, pair.now_id) for pair in came.stages if pair.name == "rrf"] == [(None, "rrf")]


def test_legs_of_one_name_are_paired_by_their_query(make: Any) -> None:
    """Whichever leg ended first."""
    legs = [("a", "how long"), ("b", "refund time")]
    then = make.recorded(*(make.stage("dense", ids, query=query, stage_id=f"t{ids}") for ids, query in legs))
    now = make.recorded(*(make.stage("dense", ids, query=query, stage_id=f"n{ids}") for ids, query in reversed(legs)))
    assert {(pair.then_id, pair.now_id) for pair in compare(_judged(then), _judged(now)).stages} == {
        ("ta", "na"),
        ("tb", "nb"),
    }


def test_a_renamed_stage_is_the_same_step_where_it_is_the_only_one_of_its_kind(make: Any) -> None:
    """The other name is a difference."""
    then = make.recorded(make.stage("cross-encoder", "a b", kind="rerank"))
    now = make.recorded(make.stage("cohere", "a b", kind="rerank"))
    (pair,) = compare(_judged(then), _judged(now)).stages
    assert [(one.what, one.then, one.now) for one in pair.differences] == [("name", "cross-encoder", "cohere")]


def test_attributes_that_differ_stand_on_top(make: Any) -> None:
    """User, groups, version; a group that was not recorded is empty, no group is "none"."""
    then = make.recorded(make.stage("dense", "a"), app_version="1.0", user="u1", groups=())
    now = make.recorded(make.stage("dense", "a"), app_version="1.1", user="u1", groups=("staff",))
    assert [(one.what, one.then, one.now) for one in compare(_judged(then), _judged(now)).differences] == [
        ("app version", "1.0", "1.1"),
        ("groups", "none", "staff"),
    ]


def test_a_stage_that_failed_differs_by_its_outcome(make: Any) -> None:
    """With the error."""
    then, now = make.recorded(make.stage("dense", "a")), make.recorded(make.failed("dense", "TimeoutError: 2 s"))
    (pair,) = compare(_judged(then), _judged(now)).stages
    assert ("outcome", "ok", "error") in {(one.what, one.then, one.now) for one in pair.differences}
    assert pair.differs


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("", ""),
        ("a b", ""),
        ("", "a"),
        ("one two\nthree\n", "one 2\nthree\nfour"),
        ("x  y", "x y"),
        ("Zoë said: 30 days.", "Zoë said: 14 days."),
    ],
)
def test_a_diff_gives_both_texts_back(then: str, now: str) -> None:
    """Letter for letter, white space included."""
    parts = text_diff(then, now)
    assert "".join(one.text for one in parts if one.sign != "+") == then
    assert "".join(one.text for one in parts if one.sign != "-") == now


def test_a_diff_is_by_words() -> None:
    """Only the words that changed are marked."""
    assert [(one.sign, one.text) for one in text_diff("within 30 days.", "within 14 days.")] == [
        (" ", "within "),
        ("-", "30"),
        ("+", "14"),
        (" ", " days."),
    ]


def test_two_other_sentences_are_not_woven_together() -> None:
    """One instead of the other can be read; two that share an article, word by word, cannot."""
    then, now = "A bigger plan starts at once, at the next charge.", "A link for everybody is made by the owner."
    assert [(one.sign, one.text) for one in text_diff(then, now)] == [("-", then), ("+", now)]
    longer = f"{then} Ask us."
    assert [one.sign for one in text_diff(then, longer)] == [" ", "+"]


def test_what_a_rewrite_wrote_stands_at_its_stage(make: Any) -> None:
    """Then and now by words, also where only one side has it; the answer is compared below, once."""

    def run(*rewrite: str) -> RecordedRequest:
        made = [make.stage("standalone", kind="rewrite", queries=(text,)) for text in rewrite]
        return make.recorded(*made, make.stage("bm25", "a b"), make.prompt("a", text="30 days"), answer="30 days")

    changed = compare(_judged(run("money back")), _judged(run("money due"))).stages[0]
    assert [(one.sign, one.text) for one in changed.text] == [(" ", "money "), ("-", "back"), ("+", "due")]
    said = compare(_judged(run()), _judged(run("money back")))
    assert [(one.sign, one.text) for one in said.stages[0].text] == [("+", "money back")]
    assert said.stages[-1].text == ()


def test_a_gold_in_no_list_says_how_deep_was_looked(make: Any) -> None:
    """So that "deeper" can be told from "never"."""
    label = make.label("g")
    then = make.recorded(make.stage("dense", "a b"), make.prompt("a"))
    now = make.recorded(make.stage("dense", "a b c d e"), make.prompt("a"))
    deep = make.recorded(make.stage("dense", "a b c d g"), make.prompt("a"))
    assert compare(_judged(then, label), _judged(now, label)).golds[0].now_place == (
        "in no list, not among the first 5 of dense"
    )
    assert compare(_judged(then, label), _judged(deep, label)).golds[0].now_place == "rank 5 of 5 in dense"


def test_what_one_side_did_not_record_is_no_change(make: Any) -> None:
    """It stands among the differences, and not beside the gold as if it had moved it."""
    label = make.label("g")
    then = _run(make, "d e f g", "d e f g", "d e", app_version="1.0")
    said = compare(_judged(then, label), _judged(_run(make, "g d e f", "g d e f", "g d"), label))
    assert said.sentence.endswith("it was at rank 4 of 4 after rerank.")
    assert [(one.what, one.then, one.now) for one in said.differences] == [("app version", "1.0", "")]
