"""Flow: which stage's output went into which."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.model import FlowSource


def flow_of(make, *stages):
    """The flow of these stages."""
    return examine(make.recorded(*stages)).flow


def edges_of(flow):
    """(source, target, how it is known) of every line."""
    return {(edge.source_id, edge.target_id, edge.flow_source.value) for edge in flow.edges}


def test_declared_inputs_win(make):
    """What the app declares is never derived again."""
    flow = flow_of(
        make,
        make.stage("bm25", "a b"),
        make.stage("dense", "a b"),
        make.stage("rerank", "b a", kind="rerank", inputs=("bm25",), flow_source=FlowSource.DECLARED),
    )
    assert edges_of(flow) == {("bm25", "rerank", "declared")}


def test_recorded_inputs_keep_their_source(make):
    """A list that the shim recognised among the arguments is a recorded input."""
    flow = flow_of(make, make.stage("bm25", "a b"), make.stage("rerank", "b a", kind="rerank", inputs=("bm25",)))
    assert edges_of(flow) == {("bm25", "rerank", "recorded")}


def test_the_fewest_latest_lists_that_cover_the_ids_are_derived(make):
    """rrf is covered by both legs together, rerank by rrf alone."""
    flow = flow_of(
        make,
        make.stage("bm25", "a b"),
        make.stage("dense", "c d"),
        make.stage("rrf", "a c b d", kind="fuse"),
        make.stage("rerank", "c a", kind="rerank"),
    )
    assert edges_of(flow) == {
        ("bm25", "rrf", "derived"),
        ("dense", "rrf", "derived"),
        ("rrf", "rerank", "derived"),
    }
    assert flow.level == {"bm25": 0, "dense": 0, "rrf": 1, "rerank": 2}
    assert flow.order == ("bm25", "dense", "rrf", "rerank")


def test_a_fusion_has_two_inputs_even_where_one_list_would_cover_it(make):
    """In a small corpus every leg returns everything; a fusion of one list is none."""
    flow = flow_of(
        make, make.stage("bm25", "a b c"), make.stage("dense", "c b a"), make.stage("rrf", "b a c", kind="fuse")
    )
    assert edges_of(flow) == {("bm25", "rrf", "derived"), ("dense", "rrf", "derived")}


def test_a_fusion_takes_in_every_leg_that_shares_a_chunk_with_it(make):
    """Two legs cover what is left of three; g, which it cut off, stands in the third alone. "other" is no leg."""
    flow = flow_of(
        make,
        make.stage("other", "x y"),
        make.stage("sparse", "a g"),
        make.stage("bm25", "b c"),
        make.stage("dense", "a d"),
        make.stage("rrf", "a b", kind="fuse"),
    )
    assert edges_of(flow) == {(leg, "rrf", "derived") for leg in ("sparse", "bm25", "dense")}


def test_the_latest_of_two_equal_lists_is_taken(make):
    """Both cover the reranked list; the later one is the nearer."""
    flow = flow_of(
        make, make.stage("one", "a b c"), make.stage("two", "a b c"), make.stage("rerank", "c a", kind="rerank")
    )
    assert edges_of(flow) == {("two", "rerank", "derived")}


def test_a_consumed_list_is_not_taken_twice(make):
    """bm25 went into rrf, so the filter after it came from rrf although bm25 covers it too."""
    flow = flow_of(
        make,
        make.stage("bm25", "a b"),
        make.stage("dense", "b c"),
        make.stage("rrf", "a b c", kind="fuse"),
        make.stage("groups", "a b", kind="filter"),
    )
    assert ("rrf", "groups", "derived") in edges_of(flow)
    assert ("bm25", "groups", "derived") not in edges_of(flow)


def test_two_retrievers_beside_each_other_are_no_chain(make):
    """dense came after bm25 and holds a part of its ids: that is no flow."""
    flow = flow_of(make, make.stage("bm25", "a b c"), make.stage("dense", "b a"))
    assert edges_of(flow) == set()
    assert flow.level == {"bm25": 0, "dense": 0}
    assert flow.unknown == ()


def test_a_list_that_nothing_covers_is_unknown(make):
    """A reranked list with a chunk of no earlier list is shown apart, without lines."""
    flow = flow_of(make, make.stage("bm25", "a b"), make.stage("rerank", "b z", kind="rerank"))
    assert edges_of(flow) == set()
    assert flow.unknown == ("rerank",)


def test_a_list_that_ended_later_is_no_input(make):
    """Only what was there when the stage began can have gone into it."""
    late = make.stage("slow", "a b")
    early = make.stage("rerank", "b a", kind="rerank", start_ns=late.start_ns + 1, end_ns=late.start_ns + 2)
    assert flow_of(make, late, early).unknown == ("rerank",)


def test_an_empty_list_comes_from_the_only_list_before_it(make):
    """An empty filter has no ids that would tell; the one open list before it is its input."""
    flow = flow_of(make, make.stage("dense", "a b"), make.stage("threshold", "", kind="filter"))
    assert edges_of(flow) == {("dense", "threshold", "derived")}


def test_a_failed_stage_comes_from_the_only_list_before_it(make):
    """So that the gold's path ends at the stage that raised."""
    flow = flow_of(make, make.stage("dense", "a b"), make.failed("rerank", "ValueError: x", kind="rerank"))
    assert edges_of(flow) == {("dense", "rerank", "derived")}


def test_a_fusion_by_document_is_covered_by_the_documents_of_its_legs(make):
    """The fused list names documents, the legs name chunks."""
    flow = flow_of(
        make,
        make.stage("vector", [("L1", {"doc_id": "long"}), ("S1", {"doc_id": "short"})]),
        make.stage("keyword", [("S1", {"doc_id": "short"})]),
        make.stage("fused", "long short", kind="fuse"),
    )
    assert edges_of(flow) == {("vector", "fused", "derived"), ("keyword", "fused", "derived")}


def test_a_stage_around_others_that_returns_their_list_counts_once(make):
    """The outer retriever returned what its fusion returned: one list, kept where it was made."""
    outer = make.stage("search", "a b c")
    inner = [
        make.stage("bm25", "a b", parent_id="search"),
        make.stage("dense", "b c", parent_id="search"),
        make.stage("rrf", "a b c", kind="fuse", parent_id="search"),
    ]
    rerank = make.stage("rerank", "c a", kind="rerank", inputs=("search",))
    outer = outer.model_copy(update={"end_ns": inner[-1].end_ns + 1})
    diagnosis = examine(make.recorded(outer, *inner, rerank), [make.label("c")])
    assert edges_of(diagnosis.flow) == {
        ("bm25", "rrf", "derived"),
        ("dense", "rrf", "derived"),
        ("rrf", "rerank", "recorded"),
    }
    assert [point.stage_id for point in diagnosis.outcomes[0].path] == ["bm25", "dense", "rrf", "rerank"]
    assert "search" in diagnosis.flow.order


def test_a_retriever_around_a_retriever_with_the_same_list_is_kept_instead(make):
    """Of a retriever inside a retriever the outer one is the name that a person knows."""
    outer = make.stage("search", "a b")
    inner = make.stage("store", "a b", parent_id="search")
    outer = outer.model_copy(update={"end_ns": inner.end_ns + 1})
    diagnosis = examine(make.recorded(outer, inner), [make.label("b")])
    assert [point.stage_id for point in diagnosis.outcomes[0].path] == ["search"]


def test_a_stage_around_others_with_another_list_takes_theirs_in(make):
    """The outer retriever cut the fused list: it is a stage of its own after the fusion."""
    outer = make.stage("search", "a b")
    inner = [
        make.stage("bm25", "a b", parent_id="search"),
        make.stage("dense", "b c", parent_id="search"),
        make.stage("rrf", "b a c", kind="fuse", parent_id="search"),
    ]
    outer = outer.model_copy(update={"end_ns": inner[-1].end_ns + 1})
    flow = flow_of(make, outer, *inner)
    assert ("rrf", "search", "derived") in edges_of(flow)
    assert flow.order == ("bm25", "dense", "rrf", "search")


def test_order_is_topological_then_start_then_id(make):
    """A stage whose clock says it began before its input still stands after it."""
    first = make.stage("dense", "a b")
    early = make.stage(
        "rerank", "b a", kind="rerank", inputs=("dense",), start_ns=first.start_ns - 5, clock_note="starts too early"
    )
    twin = make.stage("bm25", "a", start_ns=first.start_ns)
    assert flow_of(make, early, first, twin).order == ("bm25", "dense", "rerank")


def test_a_circle_is_broken(make):
    """Inputs that name each other cannot both be true; the diagnosis still answers."""
    one = make.stage("one", "a", kind="other", inputs=("two",))
    two = make.stage("two", "a", kind="other", inputs=("one",))
    assert edges_of(flow_of(make, one, two)) == {("two", "one", "recorded")}


@pytest.mark.parametrize("around", ["one two", "one two three", "two two two"])
def test_stages_around_each_other_are_one(make, around):
    """Parents that name each other cannot both be true: their list counts once, and the diagnosis still answers."""
    names = around.split()
    stages = [
        make.stage(name, "a b", start_ns=0, end_ns=9, parent_id=parent, kind=kind)
        for name, parent, kind in zip(names, [*names[1:], names[0]], ("retrieve", "retrieve", "tool"), strict=False)
    ]
    diagnosis = examine(make.recorded(*stages), (make.label("b"),))
    assert diagnosis.flow.edges == ()
    assert len(diagnosis.outcomes[0].path) == 1


def test_a_parent_that_had_ended_is_not_around(make):
    """A stage whose parent span ended before it began took the parent's list in."""
    fuse = make.stage("fuse", "a b", kind="fuse")
    fuse = fuse.model_copy(update={"end_ns": fuse.start_ns + 10})
    rerank = make.stage("rerank", "b a", kind="rerank", parent_id="fuse").model_copy(
        update={"start_ns": fuse.end_ns, "end_ns": fuse.end_ns + 10}
    )
    search = make.stage("search", "a b").model_copy(
        update={"start_ns": fuse.start_ns - 20, "end_ns": fuse.start_ns - 5}
    )
    flow = flow_of(make, search, fuse, rerank)
    assert flow.order == ("search", "fuse", "rerank")
    assert edges_of(flow) == {("search", "fuse", "derived"), ("fuse", "rerank", "derived")}
