"""The short forms: the path in a column, and the three questions."""

from __future__ import annotations

from goldrank.diagnosis import examine, gold_path_text, three_questions
from goldrank.model import SEEN_ENOUGH, LabelFacts

KNOWN = LabelFacts(corpus_known=True, present=True, same_text=True)


def pipeline(make, bm25, dense, rrf, rerank, prompt):  # noqa: PLR0917 - one list a stage, in the flow's order
    """Two legs, fusion, reranker and a prompt."""
    return [
        make.stage("bm25", bm25),
        make.stage("dense", dense),
        make.stage("rrf", rrf, kind="fuse", inputs=("bm25", "dense")),
        make.stage("rerank", rerank, kind="rerank", inputs=("rrf",)),
        make.prompt(prompt, inputs=("rerank",)),
    ]


def path_of(make, *stages, label=None):
    """The path of the only gold in few characters."""
    diagnosis = examine(make.recorded(*stages), [label or make.label("g")])
    return gold_path_text(diagnosis.outcomes[0], diagnosis.flow, stages)


def test_the_path_of_a_cut_gold(make):
    """Legs side by side, then each stage, then whose cut."""
    stages = pipeline(
        make, "g a b c d e f h i", "a b c d e f h i j k l m n g", "a g b c d e f h i j k l m n",
        "a b c d e f h i g j k l m n", "a b c d e",
    )  # fmt: skip
    assert path_of(make, *stages) == "1 · 14 → 2 → 9 ✕5"


def test_the_path_of_a_delivered_gold(make):
    """It ends in the prompt."""
    assert path_of(make, *pipeline(make, "a g", "g", "g a", "a g", "a g")) == "2 · 1 → 1 → 2 ✓"


def test_the_path_ends_at_the_stage_that_lost_it(make):
    """Not in dense, not in rrf; what came after says nothing more."""
    assert path_of(make, *pipeline(make, "a b g", "c d", "a c", "c a", "c")) == "3 · – → –"


def test_in_no_list(make):
    """Nowhere at all."""
    assert path_of(make, *pipeline(make, "a", "b", "a b", "b a", "b")) == "in no list"


def test_a_failed_leg_and_an_incomplete_list(make):
    """What is not known is not drawn as absent."""
    stages = [
        make.failed("dense", "TimeoutError: x"),
        make.stage("bm25", "a g"),
        make.stage(
            "rerank", "a", kind="rerank", inputs=("bm25",), first_rank=2, missing_top=1, completeness="top_missing"
        ),
    ]
    assert path_of(make, *stages) == "failed · 2 → ?"


def asked(make, stages, labels=None, facts=(KNOWN,), **request):
    """The three questions, answered."""
    labels = labels or [make.label("g")]
    return three_questions(examine(make.recorded(*stages, **request), labels, facts), labels, facts)


def test_yes_rank_and_yes(make):
    """In the corpus, retrieved, in the prompt."""
    answers = asked(make, pipeline(make, "a g", "g", "g a", "a g", "a g"))
    assert [answer.value for answer in answers] == ["Yes", "Rank 1", "Yes"]
    assert [answer.evidence for answer in answers] == [
        "in the manifest of this index version",
        "rank 2 in bm25 and 1 in dense",
        "position 2 of 2",
    ]


def test_no_three_times(make):
    """Nobody wrote it."""
    answers = asked(
        make, pipeline(make, "a", "b", "a b", "b a", "b"), facts=[LabelFacts(corpus_known=True, present=False)]
    )
    assert [answer.value for answer in answers] == ["No", "No", "No"]
    assert answers.in_prompt.evidence == "the prompt holds 1 other chunk"


def test_an_unknown_corpus_is_not_a_no(make):
    """Not seen is all that can be said."""
    answers = asked(make, [make.stage("dense", "a")], facts=[LabelFacts(requests_known=41)])
    assert (answers.in_corpus.value, answers.in_corpus.evidence) == (
        "Not seen",
        "Not seen in 41 requests; the corpus is not known",
    )
    assert answers.retrieved.evidence == "not in dense (1 hit)"
    assert answers.in_prompt.value == "Not recorded"


def test_seen_elsewhere_is_in_the_corpus(make):
    """A chunk that was seen exists."""
    answers = asked(make, [make.stage("dense", "a")], facts=[LabelFacts(seen_in=12, requests_known=41)])
    assert (answers.in_corpus.value, answers.in_corpus.evidence) == (
        "Yes",
        "seen in 12 requests; the corpus is not known",
    )


def test_a_chunk_that_is_seen_everywhere_is_not_counted_to_the_end(make):
    """From so many on the number is a least one, and says so."""
    answers = asked(make, [make.stage("dense", "a")], facts=[LabelFacts(seen_in=SEEN_ENOUGH, requests_known=4100)])
    assert answers.in_corpus.evidence == f"seen in {SEEN_ENOUGH} requests or more; the corpus is not known"


def test_several_golds_are_counted_by_evidence_number(make):
    """Two of three needed passages; the third by name."""
    labels = [make.label("g", evidence=1), make.label("h", evidence=2), make.label("i", evidence=3)]
    stages = [make.stage("dense", "g h x"), make.prompt("g h", inputs=("dense",))]
    answers = asked(make, stages, labels, [KNOWN, KNOWN, KNOWN])
    assert [answer.value for answer in answers] == ["3 of 3", "2 of 3", "2 of 3"]
    assert answers.in_prompt.evidence == "not i"


def test_without_a_gold_nothing_is_answered(make):
    """The questions are about a gold."""
    assert tuple(three_questions(examine(make.recorded()), [], [])) == (None, None, None)


def test_a_failed_leg_beside_one_that_has_it_not(make):
    """Both are said."""
    answers = asked(make, [make.failed("dense", "TimeoutError: x"), make.stage("bm25", "a"), make.prompt("a")])
    assert (answers.retrieved.value, answers.retrieved.evidence) == ("No", "not in bm25; dense failed")


def test_a_list_that_was_not_recorded_is_not_a_no(make):
    """Nothing is known of what the retriever found."""
    answers = asked(make, [make.stage("dense", None)])
    assert (answers.retrieved.value, answers.retrieved.evidence) == ("Not recorded", "dense is not recorded in full")


def test_text_in_the_prompt_without_a_list(make):
    """No list has it, and the prompt does."""
    assert path_of(make, make.stage("dense", "a"), make.prompt("a g")) == "in the prompt, in no list"


def test_a_leg_that_was_not_recorded_beside_one_that_has_it_not(make):
    """The leg that is not recorded may have found it."""
    answers = asked(make, [make.stage("dense", None), make.stage("bm25", "a"), make.prompt("a")])
    assert (answers.retrieved.value, answers.retrieved.evidence) == (
        "Not known",
        "not in bm25; dense is not recorded in full",
    )


def test_a_list_that_hints_at_another_leg_is_not_a_no(make):
    """The fused list holds a chunk of a leg that is not recorded."""
    stages = [make.stage("bm25", "a b"), make.stage("rrf", "a z", kind="fuse", inputs=("bm25",)), make.prompt("a")]
    answers = asked(make, stages)
    assert (answers.retrieved.value, answers.retrieved.evidence) == (
        "Not known",
        "rrf holds z, which is in no list recorded before it",
    )


def test_a_part_of_the_passage_is_called_a_part(make):
    """A child of the labelled section was sent whole: nothing was cut."""
    stages = [make.stage("dense", [("p.1", {"parent_id": "p"})]), make.prompt("p.1", inputs=("dense",))]
    answers = asked(make, stages, [make.label("p")])
    assert (answers.in_prompt.value, answers.in_prompt.evidence) == ("Partly", "position 1 of 1, a part of it")
