"""The verdict table, row by row: which stage lost the gold `g`, and the sentence that says so."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.model import Certainty, Completeness, LabelFacts, Outcome, Verdict

KNOWN = LabelFacts(corpus_known=True, present=True, same_text=True)


def hybrid(make, bm25, dense, rrf, rerank, prompt, **generate):  # noqa: PLR0917 - one list a stage, in the flow's order
    """Two legs, fusion, reranker and a prompt, with the flow recorded."""
    return [
        make.stage("bm25", bm25),
        make.stage("dense", dense),
        make.stage("rrf", rrf, kind="fuse", inputs=("bm25", "dense")),
        make.stage("rerank", rerank, kind="rerank", inputs=("rrf",)),
        make.prompt(prompt, inputs=("rerank",), **generate),
    ]


def verdict_of(make, stages, facts=KNOWN, expected=(), label=None, **request):
    """The outcome of the only gold."""
    recorded = make.recorded(*stages, **request)
    diagnosis = examine(recorded, [label or make.label("g")], [facts], expected=expected)
    return diagnosis.outcomes[0]


DELIVERED = ("a g b", "g c", "g a b c", "a g c b", "a g")


def test_row_1_a_gold_in_the_prompt_is_delivered(make):
    """What the prompt of the answer holds was delivered; whether it was used is not claimed."""
    outcome = verdict_of(make, hybrid(make, *DELIVERED))
    assert outcome.finding.verdict is Verdict.DELIVERED
    assert outcome.finding.sentence == (
        "It reached the prompt: rank 2 in bm25, 1 in dense, 1 after rrf, 2 after rerank; position 2 of 2 in the prompt."
    )
    assert outcome.finding.cannot_tell == "Whether the answer used it is not known."
    assert outcome.finding.certainty is Certainty.RECORDED
    assert (outcome.position, outcome.lost_at, outcome.lost_at_context) == (2, None, False)


def test_row_1_expected_phrases_that_are_all_there_are_named(make):
    """With expected phrases the answer itself tells that the gold was used."""
    outcome = verdict_of(
        make, hybrid(make, *DELIVERED), expected=("30 days", "store credit"), answer="Within 30  Days, as store credit."
    )
    assert outcome.finding.verdict is Verdict.DELIVERED
    assert outcome.finding.body.endswith(
        'position 2 of 2 in the prompt; the answer contains "30 days" and "store credit"'
    )
    assert outcome.finding.cannot_tell is None


def test_row_1_a_missing_phrase_makes_it_ignored(make):
    """In the prompt, yet the answer lacks an expected phrase: ignored."""
    outcome = verdict_of(make, hybrid(make, *DELIVERED), expected=("30 days",), answer="Within 14 days.")
    assert outcome.finding.verdict is Verdict.IGNORED
    assert outcome.finding.sentence == (
        "It was in the prompt, but the answer did not use it: rank 2 in bm25, 1 in dense, 1 after rrf, 2 after rerank; "
        'position 2 of 2 in the prompt; the answer does not contain "30 days".'
    )


def test_row_1_a_phrase_is_not_found_inside_a_longer_number(make):
    """130 days is not 30 days."""
    outcome = verdict_of(make, hybrid(make, *DELIVERED), expected=("30 days",), answer="Within 130 days.")
    assert outcome.finding.verdict is Verdict.IGNORED


@pytest.mark.parametrize("answer", ["Two weeks [S1].", "Two weeks (S1)", "Two weeks [a1-long]."])
def test_row_1_an_answer_that_cites_others_alone_ignored_it(make, answer):
    """Citations by the prompt's marker or by chunk id tell which passages the answer used."""
    ids = [one.replace("a", "a1-long") for one in DELIVERED]
    outcome = verdict_of(make, hybrid(make, *ids), answer=answer)
    assert outcome.finding.verdict is Verdict.IGNORED
    assert outcome.finding.body.endswith("position 2 of 2 in the prompt; the answer cites a1-long and not this one")


def test_row_1_an_answer_that_cites_it_too_is_delivered(make):
    """Citing it beside others is using it."""
    outcome = verdict_of(make, hybrid(make, *DELIVERED), answer="Two weeks [S1], [S2].")
    assert outcome.finding.verdict is Verdict.DELIVERED
    assert outcome.finding.body.endswith("position 2 of 2 in the prompt; the answer cites it")


def test_row_1_expected_phrases_go_before_citations(make):
    """Where phrases are given, the citations do not decide."""
    outcome = verdict_of(make, hybrid(make, *DELIVERED), answer="30 days [S1].", expected=("30 days",))
    assert outcome.finding.verdict is Verdict.DELIVERED


def test_row_1_a_chunk_cut_before_the_labelled_sentence_was_not_delivered(make):
    """The chunk is in the prompt, but the part that was sent does not hold the sentence that answers."""
    quote = "The refund window is thirty days from delivery."
    text = "Refunds are described here, together with their limits. " * 2 + quote
    stages = [
        make.stage("dense", ["a", ("g", {"text": text})]),
        make.stage(
            "llm",
            kind="generate",
            inputs=("dense",),
            prompt=[{"role": "user", "text": f"[S1] {make.text_of('a')}\n[S2] {text[:80]}\n\nQuestion: how long?"}],
        ),
    ]
    outcome = verdict_of(make, stages, label=make.label("g", text=text, quote=quote))
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.finding.sentence == (
        "The prompt builder left it out: rank 2 in dense; "
        "the prompt holds 80 of its 159 characters, and the labelled sentence is not among them."
    )


CUT_AT = 80


def cut_stages(make, text):
    """One list with the gold second, and a prompt that holds only its first 80 characters."""
    words = f"[S1] {make.text_of('a')}\n[S2] {text[:CUT_AT]}\n\nQuestion: how long?"
    return [
        make.stage("dense", ["a", ("g", {"text": text})]),
        make.stage("llm", kind="generate", inputs=("dense",), prompt=[{"role": "user", "text": words}]),
    ]


def test_row_1_an_answer_cannot_use_a_phrase_that_stands_behind_the_cut(make):
    """What was expected stands in the gold, but not in the part that was sent: the model is not to blame."""
    text = "Refunds are described here, together with their limits. " * 2 + "The window is thirty days."
    stages = cut_stages(make, text)
    outcome = verdict_of(make, stages, label=make.label("g", text=text), answer="No idea.", expected=("thirty days",))
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.lost_at_context
    assert outcome.finding.sentence == (
        "The prompt builder left it out: rank 2 in dense; "
        'the prompt holds 80 of its 138 characters, and "thirty days" is not among them.'
    )


def test_row_1_a_phrase_in_the_part_that_was_sent_can_be_ignored(make):
    """The cut came after it; and a phrase that the gold never held says nothing about the cut."""
    text = (
        "Thirty days is the window for refunds from the day of delivery on. " + "More about limits follows here. " * 3
    )
    stages, label = cut_stages(make, text), make.label("g", text=text)
    for phrase in ("thirty days", "a fortnight"):
        outcome = verdict_of(make, stages, label=label, answer="No idea.", expected=(phrase,))
        assert outcome.finding.verdict is Verdict.IGNORED


def test_row_2_a_text_that_is_gone_makes_the_label_stale(make):
    """The labelled text existed and no chunk of this index version holds it: the label is stale, not a miss."""
    gone = LabelFacts(corpus_known=True, present=True, same_text=False)
    outcome = verdict_of(make, hybrid(make, "a b", "b c", "b a c", "b a c", "b a"), gone)
    assert outcome.finding.verdict is Verdict.STALE_LABEL
    assert outcome.finding.sentence == "The label is out of date: g no longer holds the text that was labelled."


def test_row_2_the_same_id_with_another_text_is_no_match(make):
    """An id that now holds another text gets no credit, wherever it ranks, even in the prompt."""
    stages = [make.stage("dense", [("g", {"text": "We also ship to the islands, on Fridays."}), "a"])]
    outcome = verdict_of(make, stages, LabelFacts())
    assert outcome.finding.verdict is Verdict.STALE_LABEL
    assert [point.rank for point in outcome.path] == [None]


def test_row_3_not_in_corpus(make):
    """In no list and not in the manifest: nobody could have found it."""
    facts = LabelFacts(corpus_known=True, present=False)
    outcome = verdict_of(
        make, hybrid(make, "a b", "b c", "b a c", "b a c", "b a"), facts, label=make.label("g", text=None)
    )
    assert outcome.finding.verdict is Verdict.NOT_IN_CORPUS
    assert outcome.finding.sentence == ("It is not in the corpus: the manifest of this index version does not hold it.")


def test_row_4_not_retrieved(make):
    """In the corpus and in no list: the retrievers missed it, each named with its depth."""
    outcome = verdict_of(make, hybrid(make, "a b", "b c d", "b a c d", "b a c d", "b a"))
    assert outcome.finding.verdict is Verdict.NOT_RETRIEVED
    assert outcome.finding.sentence == "No retriever found it: not in bm25 (2 hits), not in dense (3 hits)."
    assert outcome.finding.certainty is Certainty.RECORDED


def test_row_4_a_failed_retriever_beside_a_working_one(make):
    """A retriever that failed may have been the one that finds it."""
    stages = [
        make.stage("bm25", "a b"),
        make.failed("dense", "TimeoutError: no answer in 2 s"),
        make.stage("rerank", "b a", kind="rerank", inputs=("bm25",)),
        make.prompt("b a", inputs=("rerank",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.STAGE_FAILED
    assert outcome.finding.sentence == "`dense` failed: dense stopped with TimeoutError: no answer in 2 s."
    assert outcome.lost_at == "dense"


def test_row_4_a_retriever_that_succeeded_on_the_second_try_has_not_failed(make):
    """A retry of the same name that worked takes the failure back."""
    stages = [
        make.failed("dense", "TimeoutError: no answer in 2 s", stage_id="1"),
        make.stage("dense", "a b", stage_id="2"),
        make.prompt("b a", inputs=("2",)),
    ]
    assert verdict_of(make, stages).finding.verdict is Verdict.NOT_RETRIEVED


def test_row_4_an_incomplete_leg_cannot_tell(make):
    """The gold may stand among the ranks that are missing."""
    stages = [
        make.stage("bm25", "b a", first_rank=28, missing_top=27, completeness=Completeness.TOP_MISSING),
        make.prompt("b a", inputs=("bm25",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.sentence == (
        "It cannot be told where it was lost: the list of bm25 is incomplete (ranks 1 to 27 are missing)."
    )
    assert outcome.finding.certainty is Certainty.UNKNOWN


def test_row_4_a_later_list_with_chunks_of_no_recorded_leg(make):
    """A fused list that holds a chunk of no recorded leg had another leg."""
    stages = [
        make.stage("bm25", "a b"),
        make.stage("rrf", "a z b", kind="fuse", inputs=("bm25",)),
        make.prompt("a z", inputs=("rrf",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.sentence == (
        "It cannot be told where it was lost: rrf holds z, which is in no list recorded before it."
    )


def test_row_4_a_retriever_without_a_recorded_list_cannot_tell(make):
    """A list that was not recorded is not an empty list."""
    outcome = verdict_of(make, [make.stage("dense", None), make.prompt("")])
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.sentence == "It cannot be told where it was lost: the list of dense is not recorded."


def test_row_5_a_list_whose_way_on_is_unknown(make):
    """The prompt came from dense; what became of bm25's list is not recorded, so nothing is claimed about it."""
    stages = [make.stage("bm25", "g x"), make.stage("dense", "a b"), make.prompt("a b", inputs=("dense",))]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.sentence == (
        "It cannot be told where it was lost: rank 1 in bm25; "
        "what happened between bm25 and the prompt is not recorded."
    )


def test_row_5_the_next_list_is_incomplete(make):
    """The gold may stand in the part of the next list that is missing."""
    stages = [
        make.stage("bm25", "g a b"),
        make.stage(
            "rerank", "b a", kind="rerank", inputs=("bm25",), first_rank=3, missing_top=2,
            completeness=Completeness.TOP_MISSING,
        ),
        make.prompt("b a", inputs=("rerank",)),
    ]  # fmt: skip
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.sentence == (
        "It cannot be told where it was lost: rank 1 in bm25; "
        "the list of rerank is incomplete (ranks 1 to 2 are missing)."
    )


def test_row_5_the_next_list_was_not_recorded(make):
    """A reranker that kept its list to itself may have lost it, or not."""
    stages = [
        make.stage("bm25", "a b g"),
        make.stage("rerank", None, kind="rerank", inputs=("bm25",)),
        make.prompt("a b", inputs=("rerank",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert "the list of rerank is not recorded" in outcome.finding.body


def test_row_6_the_next_stage_failed(make):
    """The reranker raised, and nothing went on."""
    stages = [
        make.stage("bm25", "a g"),
        make.failed("rerank", "ValueError: too long", kind="rerank", inputs=("bm25",)),
    ]
    outcome = verdict_of(make, stages, outcome=Outcome.ERROR)
    assert outcome.finding.verdict is Verdict.STAGE_FAILED
    assert outcome.finding.sentence == "`rerank` failed: rank 2 in bm25; rerank stopped with ValueError: too long."
    assert outcome.lost_at == "rerank"


def test_row_6_a_failed_reranker_that_the_app_went_round_lost_nothing(make):
    """The prompt was built from the list before the failed stage: the path that went on decides."""
    stages = [
        make.stage("bm25", "a b g"),
        make.failed("rerank", "ValueError: too long", kind="rerank", inputs=("bm25",)),
        make.prompt("a b", inputs=("bm25",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.BELOW_CUT
    assert outcome.finding.sentence == "It stayed below the cut: rank 3 in bm25; the prompt takes 2."


def test_row_7_a_filter_removed_it(make):
    """A gold chunk removed by a filter is `filtered`, not `not_retrieved`."""
    stages = [
        make.stage("bm25", "a g b c"),
        make.stage("groups", "a c", kind="filter", inputs=("bm25",)),
        make.prompt("a c", inputs=("groups",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.FILTERED
    assert outcome.finding.sentence == "The filter `groups` removed it: rank 2 in bm25; groups kept 2 of 4."
    assert outcome.lost_at == "groups"


@pytest.mark.parametrize("key", ["score_threshold", "threshold", "min_score"])
def test_row_7_a_threshold_that_explains_it_is_named_with_score_and_limit(make, key):
    """Step, score and limit, where the recorded setting and scores agree with what was kept."""
    stages = [
        make.stage("hybrid", "c1 g c8", scores=(0.47, 0.52, 0.3)),
        make.stage("threshold", "", kind="filter", inputs=("hybrid",), settings={key: 0.6}),
        make.stage("rerank", "", kind="rerank", inputs=("threshold",)),
        make.prompt("", inputs=("rerank",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.sentence == (
        "The filter `threshold` removed it: rank 2 in hybrid; threshold kept 0 of 3; its score 0.52 is below 0.6."
    )


def test_row_7_a_threshold_that_does_not_explain_it_is_said_so(make):
    """The recorded score passes the limit, so the filter used a score that is not recorded."""
    stages = [
        make.stage("hybrid", "c1 g", scores=(0.9, 0.84)),
        make.stage("threshold", "", kind="filter", inputs=("hybrid",), settings={"score_threshold": 0.6}),
        make.prompt("", inputs=("threshold",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.body == "rank 2 in hybrid; threshold kept 0 of 2"
    assert outcome.finding.cannot_tell == (
        "Its score in hybrid, 0.84, is not below the limit of 0.6; which score threshold used is not recorded."
    )


@pytest.mark.parametrize("kind", ["other", "tool", "guard"])
def test_row_8_a_stage_of_another_kind_removed_it(make, kind):
    """A dedupe, a tool or a guard that returned a list without it."""
    stages = [
        make.stage("bm25", "a g b"),
        make.stage("dedupe", "a b", kind=kind, inputs=("bm25",)),
        make.prompt("a b", inputs=("dedupe",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.REMOVED_BY_STAGE
    assert outcome.finding.sentence == "The stage `dedupe` removed it: rank 2 in bm25; dedupe returned 2."


def test_row_9_the_last_recorded_list(make):
    """Nothing after the last list is recorded: the path ends there."""
    stages = [make.stage("bm25", "a g"), make.stage("rerank", "g a", kind="rerank", inputs=("bm25",))]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.REACHED_LAST_LIST
    assert outcome.finding.sentence == (
        "It reached the last recorded list: rank 2 in bm25, 1 after rerank; what the prompt held is not recorded."
    )


def test_row_10_a_lower_hit_is_in_the_prompt(make):
    """The prompt builder skipped it and took lower hits of the same list."""
    stages = [
        make.stage("dense", "g a b c d e"),
        make.stage("rerank", "g a b c d e", kind="rerank", inputs=("dense",)),
        make.prompt("c e", inputs=("rerank",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.finding.sentence == (
        "The prompt builder left it out: rank 1 in dense, 1 after rerank; "
        "the prompt holds 2 of the 6 of rerank, but not this one."
    )
    assert (outcome.lost_at, outcome.lost_at_context, outcome.takes) == (None, True, 2)


def test_row_10_an_empty_prompt(make):
    """None of the list reached the prompt."""
    stages = [make.stage("dense", "a g"), make.prompt("", inputs=("dense",))]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.finding.sentence == (
        "The prompt builder left it out: rank 2 in dense; the prompt holds none of the 2 of dense."
    )


def test_row_10_says_of_how_many_recorded_hits(make):
    """What is missing of a list may stand in the prompt."""
    cut = {"first_rank": 28, "missing_top": 27, "completeness": Completeness.TOP_MISSING}
    outcome = verdict_of(make, [make.stage("dense", "a g", **cut), make.prompt("", inputs=("dense",))])
    assert outcome.finding.sentence.endswith("the prompt holds none of the 2 that are recorded of dense.")


def test_row_10_an_assembled_list_that_did_not_reach_the_prompt(make):
    """The last list that has it is the prompt builder's own: whatever was cut, the builder cut it."""
    stages = [
        make.stage("dense", "a b g"),
        make.stage("build", "a b g", kind="assemble", inputs=("dense",)),
        make.prompt("a b", inputs=("build",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.finding.sentence == (
        "The prompt builder left it out: rank 3 in dense, 3 after build; "
        "the prompt holds 2 of the 3 of build, but not this one."
    )


def test_row_11_a_reranker_that_returns_fewer(make):
    """It stood high enough for the reranker's own length, and is not in its list."""
    outcome = verdict_of(make, hybrid(make, "g a b", "g c", "g a b c", "a b", "a b"))
    assert outcome.finding.verdict is Verdict.DEMOTED
    assert outcome.finding.sentence == (
        "The reranker pushed it out: rank 1 in bm25, 1 in dense, 1 after rrf; rerank returned 2 without it."
    )
    assert (outcome.lost_at, outcome.takes) == ("rerank", 2)


def test_row_11_a_fusion_that_returns_fewer(make):
    """It stood high enough in one leg for the length of the fused list."""
    outcome = verdict_of(make, hybrid(make, "a b c", "d g b", "b a d", "b a d", "b a"))
    assert outcome.finding.verdict is Verdict.LOST_IN_FUSION
    assert outcome.finding.sentence == (
        "The fusion pushed it out: not in bm25, rank 2 in dense; rrf returned 3 without it."
    )


def test_row_12_the_reranker_moved_it_over_the_cut_of_the_prompt(make):
    """A reranker that returns all of them, and a prompt that takes the first: the walk back finds the reranker."""
    stages = hybrid(
        make, "g a b c d e f h i", "a b c d e f h i j k l m n g", "a g b c d e f h i j k l m n",
        "a b c d e f h i g j k l m n", "a b c d e",
    )  # fmt: skip
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.DEMOTED
    assert outcome.finding.sentence == (
        "The reranker pushed it out: rank 1 in bm25, 14 in dense, 2 after rrf, 9 after rerank; the prompt takes 5."
    )
    assert outcome.blamed == "rerank"
    assert (outcome.lost_at, outcome.lost_at_context, outcome.takes) == (None, True, 5)


def test_row_12_the_fusion_moved_it_over_the_cut(make):
    """First in one leg, sixth after fusion and after reranking: the fusion did it."""
    stages = hybrid(
        make, "g x y z", "a b c d e", "a b c d e g x y z", "b a c d e g x y z", "b a c d e",
    )  # fmt: skip
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.LOST_IN_FUSION
    assert outcome.finding.sentence == (
        "The fusion pushed it out: rank 1 in bm25, not in dense, 6 after rrf, 6 after rerank; the prompt takes 5."
    )


def test_row_12_the_fusion_moved_it_over_the_cut_of_the_reranker(make):
    """The cut may be the reranker's own: it was given the fused list and returned its first two."""
    outcome = verdict_of(make, hybrid(make, "g x", "a b c", "a b c g x", "a b", "a b"))
    assert outcome.finding.verdict is Verdict.LOST_IN_FUSION
    assert outcome.finding.sentence == (
        "The fusion pushed it out: rank 1 in bm25, not in dense, 4 after rrf; rerank takes 2."
    )
    assert outcome.lost_at == "rerank"


def test_row_12_below_the_cut_of_the_prompt(make):
    """No stage moved it over the cut: it was never above it. The reranker saw it."""
    stages = hybrid(make, "a b g", "c d e g", "a c b d e g", "a c b d g e", "a c")
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.BELOW_CUT
    assert outcome.finding.sentence == (
        "It stayed below the cut: rank 3 in bm25, 4 in dense, 6 after rrf, 5 after rerank; "
        "the prompt takes 2; the reranker was given it."
    )


@pytest.mark.parametrize(
    ("depth", "tail"),
    [
        (4, "rerank takes 2; the reranker was given it"),
        (3, "rerank takes 2; the reranker was not given it"),
        (None, "rerank takes 2"),
    ],
)
def test_row_12_below_the_cut_of_the_reranker(make, depth, tail):
    """Whether the reranker was given it decides which fix helps; it is said only where it is recorded."""
    given = ("dense", depth) if depth else "dense"
    stages = [
        make.stage("dense", "a b c g"),
        make.stage("rerank", "b a", kind="rerank", inputs=(given,)),
        make.prompt("b a", inputs=("rerank",)),
    ]
    outcome = verdict_of(make, stages)
    assert outcome.finding.verdict is Verdict.BELOW_CUT
    assert outcome.finding.sentence == f"It stayed below the cut: rank 4 in dense; {tail}."
    assert outcome.lost_at == "rerank"


def test_row_12_below_the_cut_of_a_fusion_before_a_reranker(make):
    """The fused list was cut before the reranker, which therefore was not given it."""
    outcome = verdict_of(make, hybrid(make, "a b c g", "b a d", "a b", "b a", "b a"))
    assert outcome.finding.verdict is Verdict.BELOW_CUT
    assert outcome.finding.sentence == (
        "It stayed below the cut: rank 4 in bm25, not in dense; rrf takes 2; the reranker was not given it."
    )


def test_verdicts_use_distinct_ranks(make):
    """Three places of one chunk count once: listed rank 5, distinct rank 3, and the prompt takes 3 of the list."""
    stages = [make.stage("dense", "a a a b g c"), make.prompt("a b c", inputs=("dense",))]
    outcome = verdict_of(make, stages)
    assert outcome.path[0].rank == 5
    assert outcome.path[0].distinct_rank == 3
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert "rank 3 in dense (listed 5)" in outcome.finding.body


def test_without_labels_there_is_no_verdict(make):
    """Nothing is claimed before a gold is marked."""
    diagnosis = examine(make.recorded(make.stage("dense", "a b"), make.prompt("a")))
    assert diagnosis.headline.sentence == "No gold is marked yet."
    assert diagnosis.headline.verdict is Verdict.NO_LABEL
    assert diagnosis.outcomes == ()
