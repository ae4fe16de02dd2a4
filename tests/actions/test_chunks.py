"""Find a passage by words, and open one chunk, seen from one request."""

import pytest
from goldrank.actions import ChunkDetail, SearchChunks, chunk_detail, search_chunks
from goldrank.model import Completeness, CorpusChunk, CorpusManifest, NotFound, Stage, StageKind
from goldrank.store import ChunkQuery


def find(desk, seen_from, text, **more):
    """The ids that are found, each with where it stood."""
    page = search_chunks(desk.workspace, SearchChunks(request_id=seen_from, query=ChunkQuery(text=text, **more)))
    return {row.chunk.chunk_id: row.stood for row in page.rows}


def test_each_chunk_says_where_it_stood_in_the_request(desk):
    """Ranks by stage, and "never a candidate" for what no list held: the answer shows before anything is saved."""
    request_id = desk.record(1, legs={"bm25": "apple pear", "dense": "pear"})
    desk.record(2, legs={"bm25": "cherry"})

    assert find(desk, request_id, "apple") == {"apple": "bm25 1"}
    assert find(desk, request_id, "pear") == {"pear": "bm25 2 · dense 1"}
    assert find(desk, request_id, "cherry") == {"cherry": "never a candidate"}
    assert find(desk, request_id, "cherry", request_id=request_id) == {}


def test_chunks_of_a_manifest_are_found_though_nothing_ever_retrieved_them(desk):
    """The passage nobody found is the one that is looked for."""
    request_id = desk.record(1, legs={"bm25": "apple"})
    desk.corpus("quince")

    assert find(desk, request_id, "says in its own words what quince is about") == {"quince": "never a candidate"}


def test_an_incomplete_list_cannot_say_never(desk):
    """Where the top of a list is missing, the chunk may have stood there."""
    cut = Stage(
        stage_id="e" * 16,
        kind=StageKind.RETRIEVE,
        name="cut",
        start_ns=1,
        hits=(),
        missing_top=3,
        completeness=Completeness.TOP_MISSING,
    )
    request_id = desk.record(1, legs={"bm25": "apple"}, before=(cut,))
    desk.record(2, legs={"bm25": "cherry"})

    assert find(desk, request_id, "cherry") == {"cherry": "not in what was recorded"}


def test_a_label_of_the_request_is_shown_with_its_chunk(desk):
    """The mark column is filled in with what was said already."""
    request_id = desk.record(1, legs={"bm25": "apple pear"})
    desk.label(request_id, "apple")

    page = search_chunks(desk.workspace, SearchChunks(request_id=request_id, query=ChunkQuery(text="passage")))

    labels = {row.chunk.chunk_id: row.label and row.label.judgement.value for row in page.rows}
    assert labels == {"apple": "gold", "pear": None}


def test_an_opened_chunk_shows_then_and_now(desk):
    """Text and metadata as the request saw them, the text of today, neighbours, and where else it stood."""
    first = desk.record(1, legs={"bm25": "apple pear"})
    second = desk.record(2, legs={"dense": "pear apple"})
    chunks = (
        CorpusChunk(chunk_id="apple", doc_id="fruit", text="Apples are red.", next_id="pear"),
        CorpusChunk(chunk_id="pear", doc_id="fruit", text="Pears are green.", previous_id="apple"),
    )
    desk.store.corpora.add(CorpusManifest(app="bot", index="docs", version="2", chunks=chunks))

    view = chunk_detail(desk.workspace, ChunkDetail(request_id=first, chunk_id="pear"))

    assert view.text_then == desk.text_of("pear")
    assert view.metadata_then == {"page": 2}
    assert (view.chunk.text, view.changed_since) == ("Pears are green.", True)
    assert (view.previous.chunk_id, view.following) == ("apple", None)
    assert [(one.stage, one.rank, one.score) for one in view.standings] == [("bm25", 2, 0.5)]
    assert [(one.request_id, one.best_rank) for one in view.elsewhere] == [(second, 1)]


def test_an_unknown_chunk_is_not_found(desk):
    """Neither a list nor a manifest holds it."""
    with pytest.raises(NotFound, match="holds a chunk 'quince'"):
        chunk_detail(desk.workspace, ChunkDetail(request_id=desk.record(), chunk_id="quince"))
