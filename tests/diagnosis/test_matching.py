"""Matching: which hits count as the labelled chunk, sentence or document, and which are only named."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.model import Certainty, LabelFacts, MatchedBy, TextState, Verdict, derived_chunk_id, text_hash

UNKNOWN_CORPUS = LabelFacts(requests_known=41)


def outcome_of(make, ids, label, facts=UNKNOWN_CORPUS, manifest=None, **stage):
    """The outcome of one label over one list called vector."""
    stages = [make.stage("vector", ids, **stage)]
    return examine(make.recorded(*stages), [label], [facts], manifest=manifest).outcomes[0]


def rank_of(outcome):
    """The rank in the only list."""
    return outcome.path[0].rank


def by_of(outcome):
    """Why it matched in the only list."""
    return outcome.path[0].matched_by


def test_same_id_and_same_text(make):
    """Both texts known and equal but for white space: a match."""
    outcome = outcome_of(make, ["a", ("g", {"text": make.text_of("g").replace(" ", "\n ")})], make.label("g"))
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.ID_AND_TEXT)


@pytest.mark.parametrize(
    "change",
    [lambda text: text[:30], lambda text: "Refunds > Window\n" + text, lambda text: text + " More of it."],
    ids=["trimmed", "header", "longer"],
)
def test_a_trimmed_text_or_one_with_a_header_is_the_same(make, change):
    """Rerankers trim, builders prepend headers: same id, and one text begins or ends with the other."""
    outcome = outcome_of(make, [("g", {"text": change(make.text_of("g"))})], make.label("g"))
    assert by_of(outcome) is MatchedBy.ID_AND_TEXT


def test_a_text_is_compared_once_at_the_first_list_that_shows_it(make):
    """The reranker shows a summary under the same id: inside one request lists are joined by id."""
    stages = [
        make.stage("vector", "a g"),
        make.stage("rerank", [("g", {"text": "A summary that shares no words with it."})], kind="rerank"),
    ]
    path = examine(make.recorded(*stages), [make.label("g")]).outcomes[0].path
    assert [point.rank for point in path] == [2, 1]


def test_an_unknown_text_matches_by_id_with_derived_certainty(make):
    """Without the text it is the id alone that says so."""
    outcome = outcome_of(make, [("g", {"text": None}), "a"], make.label("g"))
    assert by_of(outcome) is MatchedBy.ID
    assert outcome.finding.certainty is Certainty.DERIVED


def test_a_cut_text_that_agrees_so_far_matches_by_id(make):
    """The recorded beginning is a beginning of the labelled text."""
    cut = {"text": make.text_of("g")[:25], "text_state": TextState.CUT}
    assert by_of(outcome_of(make, [("g", cut)], make.label("g"))) is MatchedBy.ID


def test_a_cut_text_that_disagrees_is_another_text(make):
    """A beginning that differs cannot become the labelled text."""
    cut = {"text": "We also ship to the isl", "text_state": TextState.CUT}
    assert outcome_of(make, [("g", cut)], make.label("g")).finding.verdict is Verdict.STALE_LABEL


def test_a_hash_alone_tells_other_texts_apart(make):
    """A label that keeps only the hash of its text is compared by it."""
    label = make.label("g", text=None)
    label = label.model_copy(update={"target": label.target.model_copy(update={"text_hash": text_hash("x")})})
    same = outcome_of(make, [("g", {"text": None, "text_hash": text_hash(" x ")})], label)
    other = outcome_of(make, [("g", {"text": None, "text_hash": text_hash("y")})], label)
    assert rank_of(same) == 1
    assert other.finding.verdict is Verdict.STALE_LABEL


def test_the_same_text_in_another_document_gets_no_credit(make):
    """Two versions of a page share a sentence: the gold is at 3, and rank 1 is only named."""
    text = "Items can be sent back within 30 days."
    ids = [
        ("returns-2024#2", {"doc_id": "returns-2024", "text": text}),
        ("shoes#1", {"doc_id": "shoes"}),
        ("returns-2026#2", {"doc_id": "returns-2026", "text": text}),
    ]
    outcome = outcome_of(make, ids, make.label("returns-2026#2", text=None))
    assert rank_of(outcome) == 3
    assert outcome.notes == (
        "Rank 1 in vector holds the same text under another id and document (returns-2024#2); no credit for it.",
    )


def test_the_same_text_in_the_same_document_is_a_match(make):
    """A page that was chunked anew with other ids."""
    ids = ["a", ("refunds/7", {"text": make.text_of("g"), "doc_id": "refunds"})]
    outcome = outcome_of(make, ids, make.label("g", doc="refunds"))
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.TEXT_IN_DOCUMENT)
    assert outcome.notes == ("Found as refunds/7: the same text in the same document.",)


def test_a_text_that_moved_to_another_id_is_followed(make):
    """The manifest says that the labelled id no longer holds the text, and who does: re-linked, and said so."""
    facts = LabelFacts(corpus_known=True, present=True, same_text=False, relinked=("faq#2",))
    ids = [("faq#1", {"text": None}), ("faq#2", {"text": None})]
    outcome = outcome_of(make, ids, make.label("faq#1"), facts)
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.RELINKED)
    assert outcome.notes == ("The label moved: faq#1 → faq#2 (same text); faq#1 is now something else.",)
    assert outcome.finding.certainty is Certainty.DERIVED


def test_new_ids_after_a_new_index_are_followed(make):
    """The labelled id is gone from the manifest, its text has another id now."""
    facts = LabelFacts(corpus_known=True, present=True, same_text=False, relinked=("91aa",))
    outcome = outcome_of(make, [("91aa", {"text": make.text_of("7f1c")}), "33c0"], make.label("7f1c"), facts)
    assert rank_of(outcome) == 1
    assert outcome.notes == ("The label moved: 7f1c → 91aa (same text); 7f1c no longer holds it.",)


def test_a_relinked_label_that_was_not_retrieved_is_a_miss_not_stale(make):
    """Its text is in the index version, under another id, and no list has it."""
    facts = LabelFacts(corpus_known=True, present=True, same_text=False, relinked=("91aa",))
    outcome = outcome_of(make, "x y", make.label("7f1c"), facts)
    assert outcome.finding.verdict is Verdict.NOT_RETRIEVED
    assert outcome.notes[0].startswith("The label moved: 7f1c → 91aa")


def test_a_text_that_is_gone_names_what_is_close(make):
    """A person decides what a stale label means now."""
    facts = LabelFacts(corpus_known=True, present=False, same_text=False, similar=("33c0",))
    outcome = outcome_of(make, "33c0", make.label("0b9a"), facts)
    assert outcome.finding.verdict is Verdict.STALE_LABEL
    assert outcome.finding.body == ("0b9a is no longer in this index version, and no other chunk holds its text")
    assert outcome.notes == ("33c0 is close; a person decides.",)


def test_without_a_manifest_another_id_gets_no_credit(make):
    """Nothing says that the labelled id no longer holds its text."""
    outcome = outcome_of(make, [("x", {"text": make.text_of("g")})], make.label("g"))
    assert rank_of(outcome) is None
    assert outcome.notes == ("Rank 1 in vector holds the same text under another id (x); no credit for it.",)


def test_a_quoted_sentence_is_found_again_in_its_document(make):
    """The page was cut anew: the chunk that now holds the sentence counts."""
    quote = "The refund window is thirty days from delivery."
    ids = [
        ("other#1", {"text": f"Elsewhere. {quote}", "doc_id": "other"}),
        ("refunds/7", {"text": f"Refunds. {quote} More.", "doc_id": "refunds"}),
    ]
    outcome = outcome_of(make, ids, make.label("g", doc="refunds", quote=quote))
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.QUOTE)
    assert outcome.notes[0] == "Found as refunds/7: it holds the labelled sentence, in the same document."


def test_a_label_of_words_alone_matches_the_chunks_that_hold_them(make):
    """A pasted sentence without any chunk id."""
    ids = ["a", ("b", {"text": "Parking is  free.\nGates open at 8."})]
    outcome = outcome_of(make, ids, make.label(None, quote="Parking is free."))
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.QUOTE)
    assert outcome.name == '"Parking is free."'


def test_a_label_of_words_alone_that_the_manifest_does_not_hold(make):
    """Nobody wrote it: not in the corpus."""
    facts = LabelFacts(corpus_known=True, present=False)
    outcome = outcome_of(make, "a b", make.label(None, quote="Nobody ever wrote this sentence."), facts)
    assert outcome.finding.verdict is Verdict.NOT_IN_CORPUS


def test_a_label_of_words_alone_cannot_be_missed_where_texts_are_unknown(make):
    """The words may stand in the text that is not recorded."""
    outcome = outcome_of(make, [("a", {"text": None})], make.label(None, quote="A sentence of some length here."))
    assert outcome.finding.verdict is Verdict.UNKNOWN
    assert outcome.finding.body == "the text of a is not recorded"


def test_an_id_made_from_the_text_matches_the_text(make):
    """Chunks without ids are known by their text."""
    text = "Parking is free."
    ids = [("a", {}), (derived_chunk_id(text), {"text": "Parking is  free.\n", "id_source": "derived"})]
    assert rank_of(outcome_of(make, ids, make.label(None, text=text))) == 2


def test_a_document_label_matches_at_document_level(make):
    """Chunk rank 5 is document rank 2; the level is said."""
    ids = [(f"d4#{n}", {"doc_id": "d4"}) for n in range(4)] + [("d2#0", {"doc_id": "d2"}), ("d2#1", {"doc_id": "d2"})]
    outcome = outcome_of(make, ids, make.label(None, doc="d2"))
    point = outcome.path[0]
    assert (point.rank, point.document_rank, point.matched_by) == (5, 2, MatchedBy.DOCUMENT)
    assert outcome.level.value == "document"
    assert "rank 5 in vector (document 2)" in outcome.finding.body


@pytest.mark.parametrize(("ids", "told"), [("d7#0 x", False), ("d70#0 x", True), ("x y", True)])
def test_a_document_label_where_the_parts_of_the_document_name_none(make, ids, told):
    """d7#0 without a document may be of d7: that no retriever found d7 is not told then."""
    outcome = outcome_of(make, ids, make.label(None, doc="d7"))
    why = "It cannot be told where it was lost: of which document d7#0 is a part is not recorded."
    assert outcome.finding.sentence == ("No retriever found it: not in vector (2 hits)." if told else why)


def test_a_document_in_a_list_of_documents_matches_by_its_id(make):
    """A fused list by document names documents where others name chunks."""
    assert rank_of(outcome_of(make, "long short", make.label(None, doc="short"))) == 2


def test_a_parent_in_a_list_holds_its_children(make):
    """The list holds the section; the labelled chunk is a part of it."""
    stages = [
        make.stage("vector", ["a", ("g", {"parent_id": "section"})]),
        make.stage("merge", ["section", "a"], kind="other"),
    ]
    path = examine(make.recorded(*stages), [make.label("g")]).outcomes[0].path
    assert [(point.rank, point.matched_by) for point in path] == [(2, MatchedBy.ID_AND_TEXT), (1, MatchedBy.PARENT)]


def test_a_parent_that_only_the_manifest_names(make):
    """The leaf is in no list; the manifest says whose child it is."""
    outcome = outcome_of(make, "a section", make.label("g"), manifest={"g": {"parent_id": "section"}})
    assert (rank_of(outcome), by_of(outcome)) == (2, MatchedBy.PARENT)


def test_a_child_is_only_a_part_of_a_labelled_parent(make):
    """The labelled section is in the prompt by one of its chunks: a part of it, not the whole."""
    stages = [
        make.stage("vector", ["a", ("g#1", {"parent_id": "g"})]),
        make.prompt("a g#1", inputs=("vector",)),
    ]
    outcome = examine(make.recorded(*stages), [make.label("g")]).outcomes[0]
    assert outcome.path[0].part
    assert outcome.finding.verdict is Verdict.PARTLY_FOUND
    assert outcome.finding.sentence == (
        "Only a part of it reached the prompt: rank 2 in vector; "
        "position 2 of 2 in the prompt; g#1 is only a part of g."
    )


def test_a_chunk_of_another_index_is_another_chunk(make):
    """Ids are compared inside one index."""
    ids = [("g", {"index": "tickets"}), ("h", {"index": "docs"})]
    assert rank_of(outcome_of(make, ids, make.label("g", index="docs"))) is None


@pytest.mark.parametrize(
    ("gold", "found", "words"),
    [
        ("042", "42", "looks like 42"),
        ("Doc-A ", "doc-a", "looks like doc-a"),
        ("1000", "1e3", "is the same number as 1e3, but another text"),
        ("2.50", "2.5", "is the same number as 2.5, but another text"),
        (
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "F47AC10B58CC4372A5670E02B2C3D479",
            "same UUID, other spelling",
        ),
        ("e\u0301tat", "\u00e9tat", "same after Unicode normalisation"),
        ("page\u200b-7", "page-7", "looks like page-7"),
        ("a b.pdf#2", "a%20b.pdf#2", "looks like a%20b.pdf#2"),
    ],
)
def test_near_misses_are_named_and_not_counted(make, gold, found, words):
    """Ids are compared as exact text; what looks the same is said, never scored."""
    outcome = outcome_of(make, [(found, {"text": None})], make.label(gold, text=None))
    assert rank_of(outcome) is None
    assert words in outcome.notes[0]
    assert "(rank 1 in vector)" in outcome.notes[0]


def test_ids_that_are_equal_text_match(make):
    """42.0 is 42.0 and 42 is 42."""
    assert rank_of(outcome_of(make, [("42.0", {"text": None})], make.label("42.0", text=None))) == 1


def test_listed_and_distinct_rank(make):
    """An id counts once, at its first place."""
    outcome = outcome_of(make, "c4 c1 c1 c1 c2 c9", make.label("c9"))
    assert (outcome.path[0].rank, outcome.path[0].distinct_rank) == (6, 4)


def test_ranks_missing_at_the_top_stay_missing(make):
    """The recorded rank is the rank: nothing is renumbered."""
    outcome = outcome_of(make, "a g", make.label("g"), first_rank=28, missing_top=27, completeness="top_missing")
    assert (outcome.path[0].rank, outcome.path[0].distinct_rank) == (29, 29)
    assert outcome.finding.certainty is Certainty.INFERRED


def test_an_id_of_another_index_is_no_match_in_the_prompt_either(make):
    """Two indexes number their chunks alike; the label is on one of them."""
    stages = [
        make.stage("search", [("7", {"index": "faq"}), ("8", {"index": "faq"})]),
        make.stage("rerank", "7 8", kind="rerank", inputs=("search",)),
        make.prompt("7 8", inputs=("rerank",)),
    ]
    labels = [make.label("7", index="docs", text=None)]
    (outcome,) = examine(make.recorded(*stages), labels, [LabelFacts(corpus_known=True, present=True)]).outcomes
    assert outcome.finding.sentence == "No retriever found it: not in search (2 hits)."


def test_a_relinked_text_behind_a_header_is_the_same_text(make):
    """The new id holds the labelled text in the index; the list shows it with a heading before it."""
    stages = [make.stage("dense", [("new", {"text": f"Refunds > Terms\n{make.text_of('g')}"})])]
    facts = LabelFacts(corpus_known=True, present=True, same_text=False, relinked=("new",))
    (outcome,) = examine(make.recorded(*stages), [make.label("g")], [facts]).outcomes
    assert outcome.path[0].matched_by is MatchedBy.RELINKED
