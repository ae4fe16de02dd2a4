"""Edges of the verdict table: derived flow, wrappers, several rounds, cut and reworded prompts, certainty."""

from __future__ import annotations

import json

import pytest
from goldrank.diagnosis import examine
from goldrank.model import Certainty, Completeness, LabelFacts, Message, Outcome, Verdict

KNOWN = LabelFacts(corpus_known=True, present=True, same_text=True)


def outcome_of(make, stages, label=None, **request):
    """The outcome of the only gold."""
    return examine(make.recorded(*stages, **request), [label or make.label("g")], [KNOWN]).outcomes[0]


def prompted(make, text, **fields):
    """A generate stage with this prompt."""
    return make.stage("llm", kind="generate", prompt=(Message(role="user", text=text),), **fields)


def test_the_same_verdict_over_derived_lines_is_derived(make):
    """Nothing recorded which list went where; the ids tell, and the certainty says so."""
    stages = [
        make.stage("bm25", "a b g"),
        make.stage("dense", "c d"),
        make.stage("rrf", "a c b d g", kind="fuse"),
        make.stage("rerank", "c a b d g", kind="rerank"),
        make.prompt("c a"),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.sentence == (
        "It stayed below the cut: rank 3 in bm25, not in dense, 5 after rrf, 5 after rerank; "
        "the prompt takes 2; the reranker was given it."
    )
    assert outcome.finding.certainty is Certainty.DERIVED


def test_the_prompts_own_words_need_no_flow(make):
    """Delivered is recorded even where no line is."""
    outcome = outcome_of(make, [make.stage("dense", "a g"), make.prompt("g a")])
    assert outcome.finding.certainty is Certainty.RECORDED


def test_an_incomplete_list_on_the_way_makes_it_inferred(make):
    """The ranks that are missing may hold more than one thinks."""
    stages = [
        make.stage("dense", "a b g", first_rank=3, missing_top=2, completeness=Completeness.TOP_MISSING),
        make.prompt("a", inputs=("dense",)),
    ]
    outcome = outcome_of(make, stages)
    assert (outcome.finding.verdict, outcome.finding.certainty) == (Verdict.BELOW_CUT, Certainty.INFERRED)


def test_a_context_known_by_the_builders_list_says_so(make):
    """The assembled list is the context; the prompt itself is not recorded."""
    stages = [
        make.stage("dense", "a b g"),
        make.stage("build", "a b", kind="assemble", inputs=("dense",)),
        make.stage("llm", kind="generate"),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.sentence == "It stayed below the cut: rank 3 in dense; the prompt takes 2."
    assert outcome.finding.cannot_tell == "The prompt itself is not recorded; this is what build put together."
    assert (outcome.lost_at, outcome.lost_at_context) == (None, True)


def test_a_builders_list_before_a_recorded_prompt_is_named_where_the_two_differ(make):
    """The builder skipped it and kept eight; the model's window then took two."""
    stages = [
        make.stage("rerank", "a g b c d", kind="rerank"),
        make.stage("build", "a b c d", kind="assemble", inputs=("rerank",)),
        make.prompt("a b", inputs=("build",)),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert outcome.finding.body == "rank 2 after rerank; build kept 4 of the 5 of rerank, but not this one"


def test_a_text_builder_passes_its_inputs_on(make):
    """The builder returned a text; the list before it is the one that was cut."""
    texts = "\n\n".join(make.text_of(one) for one in "ab")
    stages = [
        make.stage("dense", "a b g"),
        make.stage("build", None, kind="assemble", inputs=("dense",), text=texts),
        prompted(make, f"{texts}\n\nQuestion?"),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.sentence == "It stayed below the cut: rank 3 in dense; the prompt takes 2."
    assert outcome.finding.certainty is Certainty.RECORDED


def test_a_reranker_that_takes_only_what_it_was_given(make):
    """Given twenty of the fused list, it returned all of them: the cut is the one before it."""
    stages = [
        make.stage("dense", "a b c g"),
        make.stage("rerank", "c b a", kind="rerank", inputs=(("dense", 3),)),
        make.prompt("c", inputs=("rerank",)),
    ]
    assert outcome_of(make, stages).finding.body == ("rank 4 in dense; rerank takes 3; the reranker was not given it")


def test_two_rounds_are_legs_of_one_graph(make):
    """The second round found other chunks; the prompt was built from both."""
    stages = [
        make.stage("search", "a b g", query="first", stage_id="1"),
        make.stage("search", "c d", query="second", stage_id="2"),
        make.prompt("a b c d"),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.sentence == "It stayed below the cut: rank 3 in search (1); the prompt takes 2."


def test_the_round_that_got_farthest_speaks(make):
    """In round one it was reranked and cut; in round two only found."""
    stages = [
        make.stage("one", "a b g"),
        make.stage("rerank-one", "a b g", kind="rerank", inputs=("one",)),
        make.stage("two", "g c"),
        make.stage("rerank-two", "c", kind="rerank", inputs=("two",)),
        make.prompt("a b c", inputs=("rerank-one", "rerank-two")),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.last_list == "rerank-one"
    assert outcome.finding.body.startswith("rank 3 in one, 3 after rerank-one; the prompt takes 2")


def test_a_wrapper_without_a_list_is_no_missing_leg(make):
    """The outer search returned something unreadable; the legs inside it are recorded."""
    stages = [
        make.stage("search", None),
        make.stage("bm25", "a b", parent_id="search"),
        make.prompt("a", inputs=("bm25",)),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.sentence == "No retriever found it: not in bm25 (2 hits)."
    assert [point.stage_id for point in outcome.path] == ["bm25"]


def test_an_error_that_went_up_names_where_it_arose(make):
    """The outer search failed because dense did."""
    stages = [
        make.failed("search", "TimeoutError: no answer in 2 s"),
        make.failed("dense", "TimeoutError: no answer in 2 s", parent_id="search"),
    ]
    outcome = outcome_of(make, stages, outcome=Outcome.ERROR)
    assert outcome.finding.sentence == "`dense` failed: dense stopped with TimeoutError: no answer in 2 s."


def test_a_failed_tool_that_searches_nothing_is_no_failed_retriever(make):
    """A calculator that raised did not lose the passage."""
    stages = [
        make.failed("calculator", "ZeroDivisionError: division by zero", kind="tool"),
        make.stage("bm25", "a b"),
        make.prompt("a", inputs=("bm25",)),
    ]
    assert outcome_of(make, stages).finding.verdict is Verdict.NOT_RETRIEVED


def test_a_cancelled_retriever_has_no_recorded_list(make):
    """Neither a failure nor an empty list."""
    stages = [make.stage("dense", None, outcome=Outcome.CANCELLED), make.stage("bm25", "a"), make.prompt("a")]
    outcome = outcome_of(make, stages)
    assert outcome.finding.body == "the list of dense is not recorded"


def test_a_label_found_in_the_prompt_though_no_list_is_recorded(make):
    """Search is not instrumented; the prompt holds the labelled text."""
    outcome = outcome_of(make, [make.prompt("a g")])
    assert outcome.finding.sentence == "It reached the prompt: its text stands in the prompt."


def test_a_prompt_that_rewords_the_gold_cannot_tell(make):
    """The builder cut windows out of the passage: a part of it is there, so neither is claimed."""
    words = "Each workspace owner may ask for the export of all notebooks within ninety days after the end. "
    text = "At first a sentence that is not sent at all, of some length. " + words + "And a last one that is not sent."
    stages = [
        make.stage("dense", ["a", ("g", {"text": text})]),
        prompted(make, f"[S1] {make.text_of('a')}\n[S2] ... {words} ...\nQuestion?", inputs=("dense",)),
    ]
    outcome = outcome_of(make, stages, make.label("g", text=text))
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.body == "rank 2 in dense; a part of its text stands in the prompt, but not all of it"


def test_a_window_that_holds_the_labelled_sentence_was_delivered(make):
    """The sentence that answers was sent, whatever was cut around it."""
    quote = "Each workspace owner may ask for the export within ninety days."
    text = f"At first a sentence that is not sent at all. {quote} And a last one that is not sent."
    stages = [
        make.stage("dense", ["a", ("g", {"text": text})]),
        prompted(make, f"[S1] {make.text_of('a')}\n[S2] ... {quote} ...\nQuestion?", inputs=("dense",)),
    ]
    assert outcome_of(make, stages, make.label("g", text=text, quote=quote)).finding.verdict is Verdict.DELIVERED


def test_a_cut_chunk_without_a_labelled_sentence_says_what_was_sent(make):
    """Delivered in part; whether that part answers is not claimed."""
    text = make.text_of("g")
    stages = [make.stage("dense", "g a"), prompted(make, f"[S1] {text[:44]}...\nQuestion?", inputs=("dense",))]
    outcome = outcome_of(make, stages)
    assert outcome.finding.body == f"rank 1 in dense; position 1 of 1 in the prompt, 44 of {len(text)} characters of it"
    assert (
        outcome.finding.cannot_tell
        == "Only a part of it was sent; whether that part answers the question is not known."
    )
    assert outcome.finding.certainty is Certainty.DERIVED


def test_a_gold_without_a_known_text_cannot_be_looked_for(make):
    """Its text is not recorded and not labelled: absent from the prompt is more than is known."""
    stages = [make.stage("dense", ["a", ("g", {"text": None})]), make.prompt("a", inputs=("dense",))]
    outcome = outcome_of(make, stages, make.label("g", text=None))
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert "the text of g is not recorded" in outcome.finding.body


def test_a_text_that_the_label_knows_can_be_looked_for(make):
    """The list came without texts; the label has it."""
    stages = [make.stage("dense", ["a", ("g", {"text": None}), "b"]), make.prompt("a b", inputs=("dense",))]
    assert outcome_of(make, stages).finding.verdict is Verdict.DROPPED_FROM_PROMPT


def test_equal_texts_that_the_builder_names_are_not_ambiguous(make):
    """The prompt names the chunk before its text: that one was sent."""
    same = "Items can be sent back within 30 days."
    stages = [
        make.stage("dense", [("old-page", {"text": same}), ("new-page", {"text": same})]),
        prompted(make, f"[new-page] {same}\nQuestion?", inputs=("dense",)),
    ]
    context = examine(make.recorded(*stages)).context
    assert [(entry.chunk_id, entry.ambiguous_with) for entry in context.entries] == [("new-page", ())]


def test_the_same_text_of_a_chunk_that_never_got_there_takes_no_credit(make):
    """The old page was sent; the new page, with the same text, was cut long before."""
    same = "Items can be sent back within 30 days."
    stages = [
        make.stage("dense", [("old", {"text": same}), "a", ("g", {"text": same})]),
        make.stage("rerank", [("old", {"text": same}), "a"], kind="rerank", inputs=("dense",)),
        prompted(make, f"[S1] {same}\nQuestion?", inputs=("rerank",)),
    ]
    outcome = outcome_of(make, stages, make.label("g", text=same))
    assert outcome.finding.sentence == "It stayed below the cut: rank 3 in dense; rerank takes 2."


def test_texts_inside_json_are_found(make):
    """A builder that dumps its passages as JSON escapes quotes and line breaks."""
    text = 'The "refund window" is thirty days.\nIt begins with the delivery.'
    stages = [
        make.stage("dense", [("g", {"text": text}), "a"]),
        prompted(make, json.dumps([{"id": 1, "text": text}]), inputs=("dense",)),
    ]
    assert outcome_of(make, stages, make.label("g", text=text)).position == 1


@pytest.mark.parametrize("answer", ["Two ways: (1) call us, (2) write to us.", "See [Note].", "As of [2026]."])
def test_brackets_that_cite_nothing(make, answer):
    """Enumerations and other brackets are no citations."""
    stages = [
        make.stage("dense", "a g"),
        make.stage("build", "a g", kind="assemble", inputs=("dense",)),
        make.stage("llm", kind="generate"),
    ]
    assert outcome_of(make, stages, answer=answer).finding.cannot_tell == "Whether the answer used it is not known."


@pytest.mark.parametrize(
    ("stages", "unknown"),
    [
        (lambda make: [make.stage("dense", "a")], "At which rank it would have stood is not recorded."),
        (lambda make: [make.failed("dense", "E: x")], "Whether dense would have found it is not known."),
        (
            lambda make: [make.stage("dense", "g a"), make.stage("rerank", "a", kind="rerank", inputs=("dense",))],
            "Why rerank ranked it lower is not recorded.",
        ),
        (
            lambda make: [make.stage("dense", "a g"), make.stage("rerank", "a", kind="rerank", inputs=("dense",))],
            "Whether rerank was given it is not recorded.",
        ),
        (
            lambda make: [make.stage("dense", "g a"), make.stage("dedupe", "a", kind="other", inputs=("dense",))],
            "Why dedupe removed it is not recorded.",
        ),
        (
            lambda make: [make.stage("dense", "g a"), make.stage("groups", "a", kind="filter", inputs=("dense",))],
            "What groups asks for is not recorded.",
        ),
    ],
)
def test_what_cannot_be_told_is_said(make, stages, unknown):
    """Each verdict says what the recording does not hold."""
    assert outcome_of(make, stages(make)).finding.cannot_tell == unknown


def test_a_long_error_is_shortened(make):
    """A traceback is no sentence."""
    stages = [make.failed("dense", "ValueError: " + "x" * 500)]
    assert len(outcome_of(make, stages).finding.body) < 260


def test_an_input_that_never_came_is_not_replaced_by_a_guess(make):
    """The reranker's input is recorded, and the stage is missing: nothing is derived in its place."""
    stages = [
        make.stage("bm25", "g a b"),
        make.stage("rerank", "b a", kind="rerank", inputs=("gone",)),
        make.prompt("b a", inputs=("rerank",)),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label("g")])
    assert diagnosis.flow.edges[0].source_id == "rerank"
    assert diagnosis.outcomes[0].finding.body == (
        "rank 1 in bm25; what happened between bm25 and rerank is not recorded"
    )


def test_a_reranker_without_a_recorded_list_passes_its_input_on(make):
    """Its list is not recorded and its input neither; what came after still came from the list before."""
    stages = [
        make.stage("bm25", "a b c g"),
        make.stage("rerank", None, kind="rerank"),
        make.prompt("c a"),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.body == "rank 4 in bm25; the list of rerank is not recorded"


@pytest.mark.parametrize(
    ("kind", "kept", "tail"),
    [
        ("filter", "a b", "s was given only the first 3 of dense"),
        ("other", "a b", "s was given only the first 3 of dense"),
        ("rerank", "c b a d e", "s was given only the first 3 of dense; the reranker was not given it"),
        ("fuse", "a b c d e", "s was given only the first 3 of dense"),
    ],
)
def test_a_stage_is_not_blamed_for_what_it_was_never_given(make, kind, kept, tail):
    """The app handed over the first three; the fourth was cut before the stage."""
    stages = [
        make.stage("dense", "a b c g"),
        make.stage("more", "d e"),
        make.stage("s", kept, kind=kind, inputs=(("dense", 3), ("more", 2))),
        make.prompt("a", inputs=("s",)),
    ]
    outcome = outcome_of(make, stages)
    assert outcome.finding.verdict is Verdict.BELOW_CUT
    assert outcome.finding.body.endswith(f"; {tail}")
    assert (outcome.blamed, outcome.lost_at) == ("s", "s")


def test_a_stage_that_moved_it_below_the_cut_is_said(make):
    """It was first before a stage that is neither reranker nor fusion: it did not stay below, it fell."""
    stages = [
        make.stage("dense", "g a b c"),
        make.stage("boost", "a b c g", kind="other", inputs=("dense",)),
        make.prompt("a b", inputs=("boost",)),
    ]
    finding = outcome_of(make, stages).finding
    assert finding.sentence == "It fell below the cut: rank 1 in dense, 4 after boost; the prompt takes 2."
    assert finding.cannot_tell == "Why boost ranked it lower is not recorded."


def test_a_threshold_that_a_kept_chunk_misses_too_explains_nothing(make):
    """The gold's score is below the limit, and so is that of one that stayed."""
    stages = [
        make.stage("dense", "a b g", scores=(0.9, 0.55, 0.5)),
        make.stage("cut", "a b", kind="filter", inputs=("dense",), settings={"threshold": 0.6}),
        make.prompt("a b", inputs=("cut",)),
    ]
    finding = outcome_of(make, stages).finding
    assert finding.body == "rank 3 in dense; cut kept 2 of 3"
    assert finding.cannot_tell == (
        "Its score in dense, 0.5, is below the limit of 0.6, and so is that of a chunk that was kept; "
        "which score cut used is not recorded."
    )


def test_an_empty_fusion_alone_does_not_tell_what_was_retrieved(make):
    """No list of a retriever is recorded; that the fused one is empty does not say why."""
    outcome = outcome_of(make, [make.stage("rrf", "", kind="fuse"), make.stage("llm", kind="generate")])
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.body == "no list of a retriever is recorded"


def test_a_sentence_that_the_lists_do_not_show_is_not_the_prompt_builders_loss(make):
    """The recorded text ends before the labelled sentence, and all of it was sent."""
    whole = " ".join(f"Step {number} of the import needs the right of an administrator." for number in range(9))
    shown = whole[:100]
    stages = [
        make.stage("dense", [("g", {"text": shown}), "a"]),
        prompted(make, f"Sources:\n{shown}\nQuestion?", inputs=("dense",)),
    ]
    label = make.label("g", text=whole, quote="Step 8 of the import needs the right of an administrator.")
    finding = outcome_of(make, stages, label).finding
    assert finding.verdict is Verdict.DROPPED_FROM_PROMPT
    assert finding.sentence == (
        "It reached the prompt without the labelled sentence: rank 1 in dense; the prompt holds all 100 characters "
        "that the lists show of it, and the labelled sentence is not among them."
    )
