"""Marks, leaks, notes on lists and modifiers: what stands beside a verdict."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.model import Certainty, ChunkMark, Completeness, LabelFacts, Message, ScoreKind, Verdict


def texts_of(diagnosis, kind):
    """The sentences of the modifiers of one kind."""
    return [modifier.text for modifier in diagnosis.modifiers if modifier.kind == kind]


# Marks.


def test_labels_mark_their_chunks(make):
    """Gold, forbidden and not relevant stand on the chunks that the labels match."""
    labels = [
        make.label("g"),
        make.label(None, doc="secret", judgement="forbidden"),
        make.label("x", judgement="not_relevant"),
    ]
    diagnosis = examine(make.recorded(make.stage("dense", ["g", ("s", {"doc_id": "secret"}), "x", "y"])), labels)
    assert diagnosis.marks == {
        "g": (ChunkMark.GOLD,),
        "s": (ChunkMark.FORBIDDEN,),
        "x": (ChunkMark.NOT_RELEVANT,),
    }


@pytest.mark.parametrize(
    "metadata",
    [
        {"superseded": "2026-02-01"},
        {"superseded": True},
        {"superseded_by": "refunds-v5"},
        {"valid_until": "2026-02-01"},
        {"status": "Archived"},
        {"is_current": False},
    ],
)
def test_metadata_that_says_superseded(make, metadata):
    """The app's own metadata says that a version is no longer valid."""
    diagnosis = examine(make.recorded(make.stage("dense", [("old", {"metadata": metadata}), "new"])))
    assert diagnosis.marks == {"old": (ChunkMark.SUPERSEDED,)}


@pytest.mark.parametrize(
    "metadata",
    [
        {"superseded": None},
        {"superseded": "false"},
        {"valid_until": "2031-01-01"},
        {"status": "published"},
        {"version": 3},
    ],
)
def test_metadata_that_does_not(make, metadata):
    """Empty values, future dates and a lone version number say nothing."""
    assert examine(make.recorded(make.stage("dense", [("old", {"metadata": metadata})]))).marks == {}


def test_superseded_counts_by_the_time_the_app_answered_for(make):
    """A question about last year is answered by last year's version."""
    stage = make.stage("dense", [("old", {"metadata": {"superseded": "2026-02-01"}})])
    assert examine(make.recorded(stage, as_of="2025-12-01")).marks == {}


def test_a_higher_version_of_the_same_document_supersedes(make):
    """refunds-v3 and refunds-v4 are one family; faq1 and faq2 are two, whatever their revisions."""
    ids = [
        ("r3", {"doc_id": "refunds-v3", "metadata": {"version": 3}}),
        ("r4", {"doc_id": "refunds-v4", "metadata": {"version": 4}}),
        ("f1", {"doc_id": "faq1", "metadata": {"version": 9}}),
        ("f2", {"doc_id": "faq2", "metadata": {"version": 12}}),
    ]
    assert examine(make.recorded(make.stage("dense", ids))).marks == {"r3": (ChunkMark.SUPERSEDED,)}


def test_the_newer_version_may_stand_in_the_manifest_alone(make):
    """The list holds the old one only."""
    stage = make.stage("dense", [("r3", {"doc_id": "refunds", "metadata": {"version": "3.2"}})])
    manifest = {"r3": {}, "r4": {"doc_id": "refunds", "version": "3.10"}}
    assert examine(make.recorded(stage), manifest=manifest).marks == {"r3": (ChunkMark.SUPERSEDED,)}


def test_same_text_and_near_duplicates(make):
    """The same text under two ids, and texts that share four of five shingles."""
    base = (
        "Tickets about sync are answered on working days from eight to six on Solo within three working days at least"
    )
    ids = [
        ("a", {"text": base}),
        ("b", {"text": base + " "}),
        ("c", {"text": base + " indeed"}),
        ("d", {"text": "Something else entirely, about invoices and how they are sent by mail."}),
    ]
    marks = examine(make.recorded(make.stage("dense", ids))).marks
    assert marks["a"] == marks["b"] == (ChunkMark.NEAR_DUPLICATE, ChunkMark.SAME_TEXT)
    assert marks["c"] == (ChunkMark.NEAR_DUPLICATE,)
    assert "d" not in marks


# Leaks.


def test_a_forbidden_label_is_a_leak_in_any_list(make):
    """Found in a list and not sent: a leak that did not reach the prompt."""
    stages = [make.stage("dense", "a s b"), make.prompt("a b", inputs=("dense",))]
    leaks = examine(make.recorded(*stages), [make.label("s", judgement="forbidden")]).leaks
    assert [(leak.chunk_id, leak.reason, leak.in_context) for leak in leaks] == [("s", "labelled forbidden", False)]
    assert [(place.stage_id, place.rank) for place in leaks[0].stages] == [("dense", 2)]


def test_groups_that_exclude_the_user(make):
    """The chunk names groups, and the user is in none of them."""
    stages = [
        make.stage("dense", ["a", ("s", {"metadata": {"groups": ["staff"]}})]),
        make.prompt("a s", inputs=("dense",)),
    ]
    leaks = examine(make.recorded(*stages, groups=("customers",))).leaks
    assert [(leak.chunk_id, leak.reason, leak.in_context) for leak in leaks] == [
        ("s", "its groups (staff) exclude the user's (customers)", True)
    ]


@pytest.mark.parametrize(
    "value", [["staff", "customers"], "staff, customers", '["customers"]', {"read": ["group:customers"]}, ["*"], []]
)
def test_groups_that_let_the_user_in(make, value):
    """In one of the groups, open to all, or no groups named: no leak is claimed."""
    stage = make.stage("dense", [("s", {"metadata": {"allowed_groups": value}})])
    assert examine(make.recorded(stage, groups=("customers",))).leaks == ()


def test_unknown_groups_of_the_user_claim_nothing(make):
    """Groups that were not recorded are not "in no group"."""
    stage = make.stage("dense", [("s", {"metadata": {"acl": ["staff"]}})])
    assert examine(make.recorded(stage)).leaks == ()
    assert len(examine(make.recorded(stage, groups=())).leaks) == 1


def test_what_a_filter_took_out_is_no_leak(make):
    """The access filter did its work; a chunk that it let through is one."""
    ids = [("s", {"metadata": {"groups": ["staff"]}}), ("t", {"metadata": {"groups": ["staff"]}}), "a"]
    stages = [
        make.stage("dense", ids),
        make.stage("groups", "t a", kind="filter", inputs=("dense",)),
        make.prompt("a", inputs=("groups",)),
    ]
    leaks = examine(make.recorded(*stages, groups=("customers",))).leaks
    assert [leak.chunk_id for leak in leaks] == ["t"]


def test_another_tenant(make):
    """A chunk of another tenant."""
    stage = make.stage("dense", [("s", {"metadata": {"tenant": "a"}}), ("t", {"metadata": {"tenant": "b"}})])
    leaks = examine(make.recorded(stage, tenant="b")).leaks
    assert [(leak.chunk_id, leak.reason, leak.in_context) for leak in leaks] == [
        ("s", "of tenant a, the user is of b", None)
    ]


# Notes on lists.


def notes_of(diagnosis):
    """The sentences on lists."""
    return [note.text for note in diagnosis.list_notes]


def test_repeats_are_counted(make):
    """An id that stands several times is said."""
    assert notes_of(examine(make.recorded(make.stage("multi", "c4 c1 c1 c1 c2 c9")))) == ["c1 stands 3 times"]


def test_ties_are_said_and_not_broken(make):
    """Equal scores: the recorded order decides, and no id or chance."""
    diagnosis = examine(make.recorded(make.stage("vector", "d1 d2 d3", scores=(0.5, 0.5, 0.5))), [make.label("d3")])
    assert notes_of(diagnosis) == ["ranks 1 to 3 have equal scores; the recorded order decides"]
    assert diagnosis.outcomes[0].path[0].rank == 3
    assert texts_of(diagnosis, "ties") == ["In vector ranks 1 to 3 have equal scores; the recorded order decides."]


def test_a_fusion_that_counts_a_document_several_times_in_one_list(make):
    """The recorded score is the sum over every chunk of the document, about twice what it should be."""
    stages = [
        make.stage(
            "vector",
            [(one, {"doc_id": "long-guide"}) for one in ("L1", "L2", "L3")] + [("S1", {"doc_id": "short-note"})],
        ),
        make.stage("keyword", [("S1", {"doc_id": "short-note"}), ("L2", {"doc_id": "long-guide"})]),
        make.stage("fused", "long-guide short-note", kind="fuse", scores=(0.064525, 0.032018)),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label(None, doc="short-note")])
    warning = "long-guide was counted 3 times in one list: its fused score is about twice what one count per list gives"
    assert warning in notes_of(diagnosis)
    assert texts_of(diagnosis, "fusion_counts") == [f"{warning}."]
    assert diagnosis.outcomes[0].path[-1].rank == 2


def test_a_fusion_that_counts_once_is_not_blamed(make):
    """Scores that agree with one count per list."""
    stages = [
        make.stage("vector", [("L1", {"doc_id": "long"}), ("L2", {"doc_id": "long"})]),
        make.stage("keyword", [("S1", {"doc_id": "short"})]),
        make.stage("fused", "long short", kind="fuse", scores=(1 / 61, 1 / 61)),
    ]
    assert texts_of(examine(make.recorded(*stages)), "fusion_counts") == []


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"text": "Dogs stay outside the building."}, True),
        ({"text": "Heading. Parking is free for guests."}, False),
        ({"text": "Parking is free for", "text_state": "cut"}, False),
        ({"text": "Dogs stay", "text_state": "cut"}, True),
        ({"text": None}, False),
        ({"text": "Dogs stay outside the building.", "index": "en"}, False),
    ],
)
def test_one_id_with_two_texts_in_two_retrievers(make, second, said):
    """Indexes that number their chunks alike; a header, a cut and two named indexes are nothing of the kind."""
    first = {"text": "Parking is free for guests.", "index": "de" if "index" in second else None}
    stages = [make.stage("dense", [("7", first), "a"]), make.stage("bm25", ["b", ("7", second)])]
    note = "7 holds another text here than in dense: that id may name two chunks"
    assert notes_of(examine(make.recorded(*stages))) == ([note] if said else [])


def test_what_a_reranker_makes_of_a_text_is_not_looked_at(make):
    """It may hand out the sentences that matter, or a summary."""
    stages = [make.stage("dense", "a b"), make.stage("rerank", [("a", {"text": "In short: no."})], kind="rerank")]
    assert notes_of(examine(make.recorded(*stages))) == []


def test_ids_that_the_manifest_no_longer_holds_are_left_over(make):
    """Said of a retriever's list; ids that were derived from a text are in no manifest."""
    ids = ["p1", "p9", ("sha256:1", {"id_source": "derived"}), ("s", {}), ("p2", {"parent_id": "s"})]
    request = make.recorded(make.stage("dense", ids), make.stage("rerank", "p9 p1", kind="rerank"))
    diagnosis = examine(request, manifest={"p1": {}, "p2": {}}, manifest_is_whole=True)
    assert notes_of(diagnosis) == ["p9 is left over: the manifest of this index version does not hold it"]


@pytest.mark.parametrize(("manifest", "whole"), [({"p1": {}}, False), ({}, True), (None, False)])
def test_nothing_is_left_over_of_what_is_not_known(make, manifest, whole):
    """The manifest of another index is not known, or it holds none of the list: that is of something else."""
    request = make.recorded(make.stage("dense", "p1 p9"))
    assert notes_of(examine(request, manifest=manifest, manifest_is_whole=whole)) == []


def test_the_share_of_each_document_with_a_document_label(make):
    """One document that fills the list is seen."""
    ids = [(f"d4#{n}", {"doc_id": "d4"}) for n in range(3)] + [("d2#0", {"doc_id": "d2"})]
    diagnosis = examine(make.recorded(make.stage("vector", ids)), [make.label(None, doc="d2")])
    assert notes_of(diagnosis) == ["by document: d4 3 and d2 1 of 4 hits"]


def test_two_texts_under_one_id(make):
    """The index holds two versions of one chunk."""
    stage = make.stage("dense", ["a", ("a", {"text": "Another version of the same chunk."})])
    assert "a stands here with 2 different texts" in notes_of(examine(make.recorded(stage)))


# Modifiers.


def test_crowded_by_near_duplicates(make):
    """Two of the places in the prompt hold nearly the same text, while the gold was cut."""
    base = (
        "Tickets about sync are answered on working days from eight to six on Solo within three working days at least"
    )
    ids = [("a", {"text": base}), ("b", {"text": base + " indeed"}), "g"]
    stages = [
        make.stage("dense", ids),
        make.stage(
            "llm",
            kind="generate",
            inputs=("dense",),
            prompt=(Message(role="user", text=f"{base}\n\n{base} indeed\n\nQuestion?"),),
        ),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label("g")])
    assert texts_of(diagnosis, "crowded") == ["1 of the 2 chunks in the prompt is nearly the same as another (a ≈ b)."]


def test_outranked_by_superseded_versions(make):
    """Both hits above the gold are marked superseded: recorded, because metadata says so."""
    old = {"metadata": {"superseded": "2026-02-01"}}
    stages = [
        make.stage("dense", [("ret24#2", old), ("ret24#3", old), "ret26#2"]),
        make.stage("rerank", [("ret24#2", old), ("ret24#3", old)], kind="rerank", inputs=("dense",)),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label("ret26#2")])
    (found,) = [one for one in diagnosis.modifiers if one.kind == "superseded_above"]
    assert found.text == (
        "ret24#2 and ret24#3 are superseded (superseded: 2026-02-01) and stand above ret26#2 in dense."
    )
    assert found.certainty is Certainty.RECORDED


def test_a_version_that_is_older_by_comparison_is_derived(make):
    """No metadata says superseded; the version numbers do."""
    ids = [
        ("r3", {"doc_id": "refunds-v3", "metadata": {"version": 3}}),
        ("r4", {"doc_id": "refunds-v4", "metadata": {"version": 4}}),
    ]
    diagnosis = examine(make.recorded(make.stage("dense", ids)), [make.label("r4")])
    (found,) = [one for one in diagnosis.modifiers if one.kind == "superseded_above"]
    assert (found.text, found.certainty) == (
        "r3 is superseded (version 3, and refunds has version 4) and stands above r4 in dense.",
        Certainty.DERIVED,
    )


def test_a_gold_in_no_list_names_only_what_it_supersedes_itself(make):
    """The prompt holds its predecessor, and another page's: only its own was in its place."""
    own = {"metadata": {"superseded_by": "refunds-v5"}}
    other = {"metadata": {"superseded_by": "plans-v2"}}
    stages = [
        make.stage("dense", [("refunds-v4#1", own), ("plans-v1#1", other)]),
        make.prompt("refunds-v4#1 plans-v1#1", inputs=("dense",)),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label("refunds-v5#1", doc="refunds-v5")])
    assert texts_of(diagnosis, "superseded_above") == [
        "refunds-v4#1 is superseded (superseded_by: refunds-v5) and stands in the prompt, where refunds-v5#1 is not."
    ]


def test_incomplete_telemetry_is_said(make):
    """What is missing, in one sentence."""
    stage = make.stage("bm25", "a", first_rank=28, missing_top=27, completeness=Completeness.TOP_MISSING)
    diagnosis = examine(make.recorded(stage, missing=("request span missing",)))
    assert texts_of(diagnosis, "incomplete_telemetry") == [
        "The telemetry is incomplete: request span missing; the list of bm25 is incomplete (ranks 1 to 27 are missing)."
    ]
    said = "bm25: ranks 1 to 27 are missing: the exporter dropped them"
    diagnosis = examine(make.recorded(stage, missing=(said,)))
    assert texts_of(diagnosis, "incomplete_telemetry") == [f"The telemetry is incomplete: {said}."]


def test_a_failed_stage_beside_the_path(make):
    """The app went round a failed reranker: said beside the verdict."""
    stages = [
        make.stage("bm25", "a g"),
        make.failed("rerank", "ValueError: too long", kind="rerank", inputs=("bm25",)),
        make.prompt("a g", inputs=("bm25",)),
    ]
    diagnosis = examine(make.recorded(*stages), [make.label("g")])
    assert diagnosis.headline.verdict is Verdict.DELIVERED
    assert texts_of(diagnosis, "stage_failed") == ["rerank stopped with ValueError: too long."]


def test_an_error_that_went_up_counts_once(make):
    """The stage around the failed one repeats its error."""
    stages = [
        make.failed("search", "TimeoutError: no answer in 2 s"),
        make.failed("dense", "TimeoutError: no answer in 2 s", parent_id="search"),
        make.stage("bm25", "a"),
    ]
    assert texts_of(examine(make.recorded(*stages)), "stage_failed") == [
        "dense stopped with TimeoutError: no answer in 2 s."
    ]


def test_an_exact_word_of_the_question_stands_in_the_passage(make):
    """E-4012 was asked, stands in the gold, and no retriever found it."""
    label = make.label("g", text="Error code E-4012: the pump is blocked, clean the filter.")
    stages = [make.stage("dense", "a b"), make.prompt("a b", inputs=("dense",))]
    diagnosis = examine(
        make.recorded(*stages, question="what does error code E-4012 mean, 30 days later?"),
        [label],
        [LabelFacts(corpus_known=True, present=True, same_text=True)],
    )
    assert texts_of(diagnosis, "exact_word") == ["The word E-4012 of the question stands in the passage."]


def test_a_code_inside_a_longer_one_is_another_word(make):
    """E-4012 does not stand in E-40123."""
    label = make.label("g", text="Error code E-40123: the pump is blocked, clean the filter.")
    diagnosis = examine(make.recorded(make.stage("dense", "a"), question="what is E-4012?"), [label])
    assert texts_of(diagnosis, "exact_word") == []


HISTORY = (Message(role="user", text="Can I get a refund?"), Message(role="assistant", text="Within 14 days."))


def test_a_follow_up_that_was_searched_as_typed(make):
    """There is a history, and the query is the question."""
    stage = make.stage("keyword", "a b", query="What about annual  plans ?")
    diagnosis = examine(make.recorded(stage, question="What about annual plans?", history=HISTORY), [make.label("g")])
    assert texts_of(diagnosis, "no_rewrite") == [
        "The question follows 2 earlier messages and was searched as typed, without a rewrite."
    ]


@pytest.mark.parametrize(
    ("query", "history"),
    [("refund window of annual plans", HISTORY), (None, HISTORY), ("What about annual plans?", ())],
)
def test_no_missing_rewrite_is_claimed_otherwise(make, query, history):
    """Rewritten, not recorded, or no history."""
    stage = make.stage("keyword", "a b", query=query)
    diagnosis = examine(make.recorded(stage, question="What about annual plans?", history=history), [make.label("g")])
    assert texts_of(diagnosis, "no_rewrite") == []


def test_history_glued_onto_the_search_text(make):
    """Earlier messages stand word for word in the query, beside the question."""
    history = tuple(
        Message(role="user", text=text)
        for text in ("my television shows no picture", "where is my invoice", "I am moving house in May")
    )
    query = "my television shows no picture where is my invoice I am moving house in May reset router"
    diagnosis = examine(
        make.recorded(make.stage("keyword", "a g", query=query), question="reset router", history=history),
        [make.label("g")],
    )
    assert texts_of(diagnosis, "glued_history") == [
        "The search text of keyword holds 3 earlier messages word for word beside the question."
    ]


@pytest.mark.parametrize(
    ("query", "earlier", "glued"),
    [
        ("television picture invoice reset router", ("television picture", "invoice"), 2),
        ("Invoice, reset router television picture", ("television picture", "invoice,"), 2),
        ("invoice reset router", ("television picture", "invoice"), 0),
        ("is the invoice for a television picture reset router", ("television picture", "invoice"), 0),
        ("television picture invoices reset router", ("television picture", "invoice"), 0),
    ],
)
def test_short_messages_glued_onto_the_search_text(make, query, earlier, glued):
    """A few words stand in a good rewrite by accident, but no rewrite is made of nothing else."""
    history = tuple(Message(role="user", text=text) for text in earlier)
    request = make.recorded(make.stage("keyword", "a", query=query), question="reset router", history=history)
    wanted = f"The search text of keyword holds {glued} earlier messages word for word beside the question."
    assert texts_of(examine(request), "glued_history") == ([wanted] if glued else [])


def test_an_empty_context_is_marked(make):
    """Lists with hits, and a prompt with none of them."""
    stages = [make.stage("dense", "a b"), make.prompt("", inputs=("dense",))]
    assert texts_of(examine(make.recorded(*stages)), "empty_context") == [
        "The prompt holds none of the chunks that the recorded lists hold."
    ]
    cut = make.stage("dense", "a b", first_rank=28, missing_top=27, completeness=Completeness.TOP_MISSING)
    assert texts_of(examine(make.recorded(cut, stages[1])), "empty_context") == [
        "The prompt holds none of the chunks that were recorded; it may hold those that are missing."
    ]


def test_a_gold_that_stood_in_an_earlier_prompt_only(make):
    """A grader read it; the answer's prompt did not hold it."""
    stages = [
        make.stage("dense", "a g"),
        make.prompt("a g", name="grade", text="a"),
        make.prompt("a", name="answer", text="Thirty days."),
    ]
    diagnosis = examine(make.recorded(*stages, answer="Thirty days."), [make.label("g")])
    assert texts_of(diagnosis, "earlier_prompt") == [
        "g stood in an earlier prompt of this request, and not in that of the answer."
    ]


def test_repeats_before_the_gold(make):
    """Listed and distinct rank differ, and why."""
    diagnosis = examine(make.recorded(make.stage("dense", "a a a g")), [make.label("g")])
    assert texts_of(diagnosis, "duplicates") == [
        "In dense 2 places before g repeat chunks: listed rank 4, distinct rank 2."
    ]


def test_a_maximum_distance_explains_a_filter(make):
    """A distance above the limit, where the hits are distances."""
    stages = [
        make.stage(
            "dense",
            [("a", {"score_kind": ScoreKind.DISTANCE}), ("g", {"score_kind": ScoreKind.DISTANCE})],
            scores=(0.2, 0.7),
        ),
        make.stage("near", "a", kind="filter", inputs=("dense",), settings={"threshold": 0.5}),
        make.prompt("a", inputs=("near",)),
    ]
    body = examine(make.recorded(*stages), [make.label("g")]).outcomes[0].finding.body
    assert body.endswith("near kept 1 of 2; its score 0.7 is above 0.5")


def test_whether_a_forbidden_chunk_was_sent_is_open_where_a_copy_of_its_text_was(make):
    """Two chunks with one text went to the builder and one copy was sent: which of them cannot be told."""
    text = "This very passage stands in both of these chunks, word for word."
    stages = [
        make.stage("dense", [("open", {"text": text}), ("secret", {"text": text})]),
        make.stage(
            "llm", kind="generate", prompt=(Message(role="user", text=f"Sources:\n{text}\nQ"),), inputs=("dense",)
        ),
    ]
    label = make.label("secret", judgement="forbidden", text=text)
    (leak,) = examine(make.recorded(*stages), [label]).leaks
    assert (leak.chunk_id, leak.in_context) == ("secret", None)


def test_failures_that_the_verdict_names_are_not_said_again(make):
    """Both legs failed, and the verdict says so of both."""
    stages = [make.failed("dense", "TimeoutError: no answer in 2 s"), make.failed("bm25", "OSError: gone")]
    diagnosis = examine(make.recorded(*stages), [make.label("g")], [LabelFacts(corpus_known=True, present=True)])
    assert diagnosis.headline.verdict is Verdict.STAGE_FAILED
    assert [one.text for one in diagnosis.modifiers if one.kind == "stage_failed"] == []
