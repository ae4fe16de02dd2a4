"""Several golds: alternatives, needed passages, and the one sentence that is said first."""

from __future__ import annotations

from goldrank.diagnosis import examine
from goldrank.model import LabelFacts, Verdict

GONE = LabelFacts(corpus_known=True, present=False, same_text=False)


def examined(make, stages, labels, facts=(), **request):
    """The diagnosis of these stages with several labels."""
    return examine(make.recorded(*stages, **request), labels, facts)


def test_one_of_two_needed_passages(make):
    """Some numbers delivered: partly found, naming what is missing and why."""
    stages = [make.stage("dense", "x move#1 y"), make.prompt("x move#1 y", inputs=("dense",))]
    labels = [make.label("move#1", evidence=1), make.label("move#2", evidence=2)]
    headline = examined(make, stages, labels).headline
    assert headline.verdict is Verdict.PARTLY_FOUND
    assert headline.sentence == (
        "Only 1 of 2 needed passages reached the prompt: "
        "move#1 did; move#2 is missing (not retrieved: not in dense (3 hits))."
    )


def test_all_needed_passages(make):
    """All numbers delivered: delivered, each with its place."""
    stages = [make.stage("dense", "x g h"), make.prompt("x g h", inputs=("dense",))]
    labels = [make.label("g", evidence=1), make.label("h", evidence=2)]
    headline = examined(make, stages, labels).headline
    assert headline.verdict is Verdict.DELIVERED
    assert headline.sentence == "Both needed passages reached the prompt: g at position 2 and h at position 3."
    assert headline.cannot_tell == "Whether the answer used them is not known."


def test_none_of_them_names_the_one_lost_latest(make):
    """None delivered: the one that got farthest speaks, by name."""
    stages = [
        make.stage("dense", "a b h g"),
        make.stage("rerank", "a b g", kind="rerank", inputs=("dense",)),
        make.prompt("a b", inputs=("rerank",)),
    ]
    labels = [make.label("h", evidence=1), make.label("g", evidence=2)]
    headline = examined(make, stages, labels).headline
    assert headline.title == "It stayed below the cut (g)"
    assert headline.body.startswith("rank 4 in dense, 3 after rerank")


def test_alternatives_need_only_one(make):
    """Golds of one number are alternatives: the one that got farthest speaks."""
    stages = [make.stage("dense", "x g h"), make.prompt("x g", inputs=("dense",))]
    labels = [make.label("h", evidence=1), make.label("g", evidence=1)]
    headline = examined(make, stages, labels).headline
    assert headline.verdict is Verdict.DELIVERED
    assert headline.title == "It reached the prompt (g)"


def test_stale_alternatives_are_skipped(make):
    """An out-of-date label does not speak for its number while another one can."""
    stages = [make.stage("dense", "x y"), make.prompt("x", inputs=("dense",))]
    labels = [make.label("g", evidence=1), make.label("y", evidence=1)]
    diagnosis = examined(make, stages, labels, [GONE, LabelFacts()])
    assert diagnosis.headline.verdict is Verdict.BELOW_CUT
    assert [one.text for one in diagnosis.modifiers if one.kind == "stale_label"] == [
        "The label on g is out of date and does not count."
    ]


def test_only_stale_labels_are_said_to_be_stale(make):
    """Unless all are."""
    stages = [make.stage("dense", "x y"), make.prompt("x", inputs=("dense",))]
    labels = [make.label("g", evidence=1), make.label("h", evidence=1)]
    assert examined(make, stages, labels, [GONE, GONE]).headline.verdict is Verdict.STALE_LABEL


def test_a_gold_without_a_number_gets_its_own(make):
    """A newly marked gold is needed beside the others."""
    stages = [make.stage("dense", "x g"), make.prompt("x g", inputs=("dense",))]
    labels = [make.label("g", evidence=3), make.label("h", evidence=None)]
    diagnosis = examined(make, stages, labels)
    assert [outcome.evidence for outcome in diagnosis.outcomes] == [3, 4]
    assert diagnosis.headline.verdict is Verdict.PARTLY_FOUND


def test_one_ignored_among_delivered(make):
    """All reached the prompt, and the answer cites only one of them."""
    stages = [make.stage("dense", "x gold-one gold-two"), make.prompt("x gold-one gold-two", inputs=("dense",))]
    labels = [make.label("gold-one", evidence=1), make.label("gold-two", evidence=2)]
    headline = examined(make, stages, labels, answer="So it is [S2].").headline
    assert headline.verdict is Verdict.IGNORED
    assert headline.title == "It was in the prompt, but the answer did not use it (gold-two)"


def test_removed_labels_do_not_count(make):
    """An undone label leaves no trace in the diagnosis."""
    stages = [make.stage("dense", "x g")]
    diagnosis = examined(make, stages, [make.label("g", removed=True)])
    assert diagnosis.headline.verdict is Verdict.NO_LABEL


def test_inherited_labels_name_their_case(make):
    """The diagnosis says whose labels were used."""
    diagnosis = examined(make, [make.stage("dense", "g")], [make.label("g", from_case="case-12")])
    assert diagnosis.inherited_from == ("case-12",)


def test_facts_stand_beside_all_labels_not_beside_golds(make):
    """The second label's facts are the second ones, also when the first label is no gold."""
    labels = [make.label("x", judgement="not_relevant"), make.label("g")]
    diagnosis = examined(make, [make.stage("dense", "x")], labels, [LabelFacts(), GONE])
    assert diagnosis.outcomes[0].finding.verdict is Verdict.STALE_LABEL


def test_an_alternative_sent_whole_goes_before_one_sent_in_part(make):
    """Both are in the prompt; a part at position 1 is less than all of it at position 2."""
    stages = [make.stage("dense", [("p.1", {"parent_id": "p"}), "h"]), make.prompt("p.1 h", inputs=("dense",))]
    labels = [make.label("p"), make.label("h")]
    said = examine(make.recorded(*stages, answer="No."), labels, [], expected=["30 days"]).headline
    assert said.title == "It was in the prompt, but the answer did not use it (h)"
