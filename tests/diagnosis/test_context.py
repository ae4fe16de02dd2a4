"""Context: which chunks reached the prompt of the answer, how that is known, and in which form."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.model import ContextSource, InPrompt, LabelFacts, Message, TextState, Verdict


def context_of(make, *stages, **request):
    """The context of a request without labels."""
    return examine(make.recorded(*stages, **request)).context


def ids(context):
    """Chunk ids in the order of the context."""
    return [entry.chunk_id for entry in context.entries]


def say(make, text, **fields):
    """A generate stage with this prompt."""
    return make.stage("llm", kind="generate", prompt=(Message(role="user", text=text),), **fields)


def test_the_prompt_goes_before_what_was_assembled_and_declared(make):
    """What was sent is known best from what was sent."""
    context = context_of(
        make,
        make.stage("dense", "a b c d"),
        make.stage("build", "a b c", kind="assemble", inputs=("dense",)),
        make.prompt("b a", declared_context=("d",)),
    )
    assert context.source is ContextSource.PROMPT
    assert ids(context) == ["b", "a"]
    assert [entry.position for entry in context.entries] == [1, 2]
    assert {entry.form for entry in context.entries} == {InPrompt.WHOLE}
    assert [context.prompt_text[slice(*entry.span)] for entry in context.entries] == [
        make.text_of("b"),
        make.text_of("a"),
    ]


def test_hits_of_any_list_are_looked_for(make):
    """The builder took a chunk of bm25 that the reranker had dropped."""
    context = context_of(
        make,
        make.stage("bm25", "a b c"),
        make.stage("rerank", "a", kind="rerank", inputs=("bm25",)),
        make.prompt("a c", inputs=("rerank",)),
    )
    assert ids(context) == ["a", "c"]
    assert [(one.stage_id, one.rank) for one in context.entries[1].came_from] == [("bm25", 3)]


def test_the_assembled_list_where_no_prompt_was_recorded(make):
    """The list that the prompt builder returned."""
    context = context_of(
        make,
        make.stage("dense", "a b c"),
        make.stage("build", "c a", kind="assemble"),
        make.stage("llm", kind="generate"),
    )
    assert (context.source, context.stage_id) == (ContextSource.ASSEMBLE, "build")
    assert ids(context) == ["c", "a"]


def test_the_assembled_text_where_no_prompt_was_recorded(make):
    """Of an assembled text: those of its argument hits that are found in it."""
    context = context_of(
        make,
        make.stage("dense", "a b c"),
        make.stage("other", "z"),
        make.stage(
            "build", None, kind="assemble", inputs=("dense",), text="\n\n".join(make.text_of(one) for one in "zca")
        ),
    )
    assert context.source is ContextSource.ASSEMBLE
    assert ids(context) == ["c", "a"]


def test_the_declared_context(make):
    """Ids that the app named; their form is not known better than by id."""
    context = context_of(
        make, make.stage("dense", "a b c"), make.stage("llm", kind="generate", declared_context=("c", "b"))
    )
    assert context.source is ContextSource.DECLARED
    assert ids(context) == ["c", "b"]
    assert {entry.form for entry in context.entries} == {InPrompt.BY_ID}


def test_otherwise_it_is_unknown(make):
    """Neither prompt nor assembled nor declared: not known, and not empty."""
    context = context_of(make, make.stage("dense", "a b c"), make.stage("llm", kind="generate"))
    assert context.source is ContextSource.UNKNOWN
    assert not context.known


def test_the_generate_that_wrote_the_answer_decides(make):
    """A later generate (a title, a summary) did not write the answer."""
    context = context_of(
        make,
        make.stage("dense", "a b"),
        make.prompt("a", name="answer", text="Thirty days from delivery."),
        make.prompt("b", name="title", text="Refund window"),
        answer="Thirty days from delivery.",
    )
    assert context.stage_id == "answer"
    assert ids(context) == ["a"]


def test_an_answer_that_contains_the_generated_text_was_written_by_it(make):
    """The app put a greeting around what the model wrote."""
    context = context_of(
        make,
        make.stage("dense", "a b"),
        make.prompt("a", name="answer", text="Thirty days from delivery."),
        make.prompt("b", name="check", text="yes, grounded"),
        answer="Hello! Thirty days  from delivery. Yours, Bot",
    )
    assert context.stage_id == "answer"


def test_only_in_an_earlier_prompt_is_said(make):
    """A grader read b, the answer's prompt did not hold it."""
    context = context_of(
        make,
        make.stage("dense", "a b"),
        make.prompt("a b", name="grade", text="a"),
        make.prompt("a", name="answer", text="Thirty days."),
        answer="Thirty days.",
    )
    assert ids(context) == ["a"]
    assert context.earlier_only == ("b",)


def test_white_space_does_not_matter(make):
    """Builders wrap and indent."""
    wrapped = make.text_of("a").replace(" ", "\n   ")
    context = context_of(make, make.stage("dense", "a b"), say(make, f"Sources:\n{wrapped}\nEnd"))
    assert ids(context) == ["a"]
    start, end = context.entries[0].span
    assert context.prompt_text[start:end] == wrapped


def test_a_cut_text_says_how_much_was_sent(make):
    """A budget cut it: n of m characters."""
    context = context_of(make, make.stage("dense", "a b"), say(make, f"[S1] {make.text_of('a')[:45]}...\n\nQuestion?"))
    entry = context.entries[0]
    assert (entry.chunk_id, entry.form) == ("a", InPrompt.CUT)
    assert (entry.chars_sent, entry.chars_total) == (45, len(make.text_of("a")))


def test_a_common_beginning_is_no_cut_text(make):
    """Two chunks share their first 60 characters; only one was sent, and whole."""
    common = "Refunds and returns, general part, valid for all the plans: "
    stage = make.stage(
        "dense", [("a", {"text": common + "thirty days."}), ("b", {"text": common + "fourteen days, no more."})]
    )
    context = context_of(make, stage, say(make, f"[S1] {common}thirty days.\nQuestion?"))
    assert ids(context) == ["a"]


def test_a_beginning_that_goes_on_otherwise_is_no_cut_text(make):
    """The prompt holds another version of the text; nothing is claimed."""
    text = make.text_of("a")
    context = context_of(
        make, make.stage("dense", "a"), say(make, f"[S1] {text[:48]} but then goes on otherwise here.")
    )
    assert ids(context) == []


def test_equal_texts_are_ambiguous(make):
    """One of two chunks with the same text was sent; which one cannot be told."""
    same = "Items can be sent back within 30 days."
    stage = make.stage("dense", [("old", {"text": same}), "x", ("new", {"text": same})])
    context = context_of(make, stage, say(make, f"[S1] {same}\nQuestion?"))
    assert len(context.entries) == 1
    assert {context.entries[0].chunk_id, *context.entries[0].ambiguous_with} == {"old", "new"}


def test_an_assembled_list_tells_equal_texts_apart(make):
    """The builder's list names the one that was sent."""
    same = "Items can be sent back within 30 days."
    stages = [
        make.stage("dense", [("old", {"text": same}), "x", ("new", {"text": same})]),
        make.stage("build", [("new", {"text": same})], kind="assemble", inputs=("dense",)),
        say(make, f"[S1] {same}\nQuestion?"),
    ]
    context = context_of(make, *stages)
    assert [(entry.chunk_id, entry.ambiguous_with) for entry in context.entries] == [("new", ())]


def test_declared_ids_tell_equal_texts_apart(make):
    """Without an assembled list the app's own word counts: the chunks it says it sent, and no others of that text."""
    same = "Items can be sent back within 30 days."
    stage = make.stage("dense", [(name, {"text": same}) for name in ("a", "b", "c", "d")])
    context = context_of(make, stage, say(make, f"{same}\n\n{same}\n\nQuestion?", declared_context=("d", "b")))
    assert [(entry.chunk_id, entry.ambiguous_with) for entry in context.entries] == [("d", ()), ("b", ())]


def test_two_copies_of_two_equal_texts_are_both_there(make):
    """As many copies as chunks: nothing is ambiguous."""
    same = "Items can be sent back within 30 days."
    stage = make.stage("dense", [("old", {"text": same}), ("new", {"text": same})])
    context = context_of(make, stage, say(make, f"[S1] {same}\n[S2] {same}\nQuestion?"))
    assert sorted(ids(context)) == ["new", "old"]


def test_a_short_text_counts_as_a_whole_line_only(make):
    """ "Intro" inside another sentence is no passage; on a line of its own, or behind a marker, it is."""
    stage = make.stage("dense", [("i", {"text": "Intro"}), "a"])
    inside = context_of(make, stage, say(make, f"[S1] {make.text_of('a')} Intro to all\nQuestion?"))
    assert ids(inside) == ["a"]
    behind_marker = context_of(make, stage, say(make, f"[S1] {make.text_of('a')}\n[S2] Intro\nQuestion?"))
    assert ids(behind_marker) == ["a", "i"]


def test_a_text_inside_a_larger_sent_chunk_is_there_by_its_parent(make):
    """The child's text is in the prompt because its parent is."""
    child = "The window is thirty days."
    stage = make.stage(
        "dense",
        [
            ("p#1", {"text": child, "parent_id": "p", "doc_id": "d"}),
            ("p", {"text": f"Refunds. {child} No more.", "doc_id": "d"}),
        ],
    )
    context = context_of(make, stage, say(make, f"[S1] Refunds. {child} No more.\nQuestion?"))
    assert [(entry.chunk_id, entry.position, entry.form) for entry in context.entries] == [
        ("p", 1, InPrompt.WHOLE),
        ("p#1", 1, InPrompt.BY_PARENT),
    ]


def test_a_chunk_id_as_the_builders_marker(make):
    """Where a text is not recorded, its id as a marker tells that it was sent."""
    stage = make.stage("dense", [("refunds#2", {"text": None}), ("refunds#21", {"text": None}), "a"])
    context = context_of(make, stage, say(make, f"[refunds#2] Thirty days.\n[a-doc] {make.text_of('a')}\nQuestion?"))
    assert [(entry.chunk_id, entry.form) for entry in context.entries] == [
        ("refunds#2", InPrompt.BY_ID),
        ("a", InPrompt.WHOLE),
    ]


def test_a_position_marker_is_no_chunk_id(make):
    """[1] and [S1] are positions, even where chunks happen to be called 1 and S1."""
    stage = make.stage("dense", [("1", {"text": None}), ("S1", {"text": None}), "a"])
    assert ids(context_of(make, stage, say(make, f"[1] {make.text_of('a')}\n[S1] more"))) == ["a"]


def test_without_any_text_the_prompt_cannot_tell(make):
    """Text capture was off: the prompt holds no known text, so it is not known what it held."""
    stage = make.stage("dense", [("a", {"text": None}), ("b", {"text": None})])
    assert context_of(make, stage, say(make, "[S1] Thirty days.")).source is ContextSource.UNKNOWN


def test_a_recorded_beginning_is_found_without_claiming_its_end(make):
    """Only a beginning of the text was recorded: at least that much was sent."""
    text = make.text_of("a")
    stage = make.stage("dense", [("a", {"text": text[:40], "text_state": TextState.CUT})])
    entry = context_of(make, stage, say(make, f"[S1] {text}\nQuestion?")).entries[0]
    assert (entry.form, entry.chars_sent, entry.chars_total) == (InPrompt.CUT, 40, None)


def test_an_empty_prompt_is_known_to_hold_nothing(make):
    """Hits with known texts, none of them in the prompt: empty, not unknown."""
    context = context_of(make, make.stage("dense", "a b"), say(make, "Question: how long?"))
    assert context.source is ContextSource.PROMPT
    assert context.entries == ()


def test_a_prompt_of_thirty_megabytes_is_answered(make):
    """Size alone stops nothing: the passage in it is found."""
    filler = "policy text of no interest at all, again and again. " * 570_000
    stage = make.stage("dense", " ".join(f"chunk-{n}" for n in range(200)))
    context = context_of(make, stage, say(make, f"{filler}\n[S1] {make.text_of('chunk-7')}\nQuestion?"))
    assert ids(context) == ["chunk-7"]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_repeated_chunk_is_one_entry(make, copies):
    """A passage that the builder repeats stands once in the context, at its first place."""
    text = "\n".join(f"[S{n}] {make.text_of('a')}" for n in range(copies))
    assert ids(context_of(make, make.stage("dense", "a b"), say(make, text))) == ["a"]


SHORT_TEXTS = [("g", {"text": "Kiel"}), ("a", {"text": "Bonn"}), ("b", {"text": "Trier"})]


def test_a_short_text_among_other_words_counts_where_the_app_says_that_it_was_sent(make):
    """Its words alone would not tell; with the declared id they do."""
    stages = [make.stage("dense", SHORT_TEXTS), say(make, "Known places: Bonn, Kiel. Where?", declared_context=("g",))]
    context = context_of(make, *stages)
    assert context.source is ContextSource.PROMPT
    assert ids(context) == ["g"]
    assert context.prompt_text[slice(*context.entries[0].span)] == "Kiel"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Known places: Bonn, Kiel. Where?", Verdict.UNKNOWN),
        ("Known places: Bonn, Kielce. Where?", Verdict.DROPPED_FROM_PROMPT),
    ],
)
def test_a_short_text_among_other_words_is_not_called_absent(make, text, verdict):
    """Where nobody says that it was sent, it may stand there by accident: that is not known; in a word it is absent."""
    stages = [make.stage("dense", SHORT_TEXTS), say(make, text, inputs=("dense",))]
    label = make.label("g", text="Kiel")
    outcome = examine(make.recorded(*stages), [label], [LabelFacts()]).outcomes[0]
    assert outcome.finding.verdict is verdict


def test_a_short_text_in_the_users_own_words_was_not_sent(make):
    """The question is a part of the prompt; what it says is no chunk, unless the same stands elsewhere too."""
    label = make.label("g", text="Kiel")
    for text, verdict in (
        ("Places: none.\nQuestion: What is  in Kiel today?", Verdict.DROPPED_FROM_PROMPT),
        ("Places: Bonn, Kiel.\nQuestion: What is in Kiel today?", Verdict.UNKNOWN),
    ):
        stages = [make.stage("dense", SHORT_TEXTS), say(make, text, inputs=("dense",))]
        recorded = make.recorded(*stages, question="What is in Kiel today?")
        assert examine(recorded, [label], [LabelFacts()]).outcomes[0].finding.verdict is verdict
