"""Lists of hits: texts carried once, ranks as recorded, ids."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.model import (
    Completeness,
    Hit,
    HitColumns,
    IdSource,
    Request,
    ScoreKind,
    Span,
    Stage,
    TextState,
    derived_chunk_id,
    text_hash,
    wire,
)
from wire_spans import make_request, make_stage


def stages_of(*spans: Span) -> tuple[Stage, ...]:
    """The stages of a request with these spans."""
    (one,) = compose((make_request(1), *spans))
    return one.recorded.stages


def list_of(items: list[Any], **body: Any) -> Stage:
    """A stage whose HITS attribute has these items and keys."""
    text = json.dumps({"hits": items} | body)
    return stages_of(make_stage(2, 1, attributes={wire.HITS: text}))[0]


def request_and_list(items: list[Any], **body: Any) -> tuple[Request, Stage]:
    """The request with such a stage, and the stage."""
    span = make_stage(2, 1, attributes={wire.HITS: json.dumps({"hits": items} | body)})
    (one,) = compose((make_request(1), span))
    return one.recorded.request, one.recorded.stages[0]


def hits_of(items: list[Any], **body: Any) -> tuple[Hit, ...]:
    """The hits of such a stage."""
    hits = list_of(items, **body).hits
    assert hits is not None
    return hits


def test_a_hit_has_what_its_item_says() -> None:
    """Every key of the wire format arrives in its field."""
    item = {"id": 42, "src": "metadata", "doc": "d", "s": 0.5, "sk": "distance", "x": "text", "m": {"k": 1}, "p": "big"}
    (hit,) = hits_of([item], n=1, shape="list[dict]")
    assert hit == Hit(
        rank=1,
        chunk_id="42",
        id_source=IdSource.METADATA,
        doc_id="d",
        score=0.5,
        score_kind=ScoreKind.DISTANCE,
        text="text",
        text_hash=text_hash("text"),
        text_state=TextState.KNOWN,
        metadata={"k": 1},
        parent_id="big",
    )


def test_a_text_is_found_whichever_span_carries_it() -> None:
    """Later and earlier lists refer to its number."""
    before = make_stage(2, 1, hits=[{"id": "a", "t": 0}])
    carrier = make_stage(
        3, 1, hits=[{"id": "a", "t": 0, "x": "the text"}, {"id": "b", "t": 1, "x": "other"}], start_ms=1
    )
    after = make_stage(4, 1, hits=[{"id": "b", "t": 1}], start_ms=2)
    texts = [[hit.text for hit in stage.hits or ()] for stage in stages_of(before, carrier, after)]
    assert texts == [["the text"], ["the text", "other"], ["other"]]


def test_numbers_of_different_scopes_are_different_texts() -> None:
    """Two processes of one request both count from 0."""
    one = make_stage(2, 1, hits=[{"id": "a", "t": 0, "x": "here"}])
    two = make_stage(
        3, 1, attributes={wire.HITS: json.dumps({"scope": "z", "hits": [{"id": "b", "t": 0}]})}, start_ms=1
    )
    hit = (stages_of(one, two)[1].hits or ())[0]
    assert (hit.text, hit.text_state) == (None, TextState.NOT_RECEIVED)


def test_a_text_whose_carrier_never_came_is_said() -> None:
    """Ids and ranks are all here; only the text is not."""
    stage = list_of([{"id": "a", "t": 0, "x": "text"}, {"id": "b", "t": 1}], scope="s", n=2)
    assert stage.completeness is Completeness.TEXT_NOT_RECEIVED
    assert [hit.text_state for hit in stage.hits or ()] == [TextState.KNOWN, TextState.NOT_RECEIVED]


def test_no_text_at_all_is_no_loss() -> None:
    """A retriever that gives ids alone has a complete list."""
    stage = list_of([{"id": "a"}], n=1)
    assert stage.completeness is Completeness.COMPLETE
    assert (stage.hits or ())[0].text_state is TextState.NOT_CAPTURED


def test_hidden_and_cut_texts_say_so() -> None:
    """Also in a list that only refers to them."""
    carrier = make_stage(2, 1, hits=[{"id": "a", "t": 0, "r": True}, {"id": "b", "t": 1, "x": "beg", "cut": 900}])
    later = make_stage(3, 1, hits=[{"id": "a", "t": 0}, {"id": "b", "t": 1}, {"id": "c", "r": True}], start_ms=1)
    states = [[hit.text_state for hit in stage.hits or ()] for stage in stages_of(carrier, later)]
    assert states == [[TextState.REDACTED, TextState.CUT], [TextState.REDACTED, TextState.CUT, TextState.REDACTED]]


def test_an_id_is_made_of_the_text_where_there_is_none() -> None:
    """The same text has the same id in every request, white space aside; all others differ."""
    first = hits_of([{"x": "Parking is free."}, {"id": "", "x": "Dogs stay outside."}, {"id": None, "x": "Gate"}])
    second = hits_of([{"x": "Parking is  free.\n"}])
    assert [hit.id_source for hit in first] == [IdSource.DERIVED] * 3
    assert first[0].chunk_id == second[0].chunk_id == derived_chunk_id("Parking is free.")
    assert len({hit.chunk_id for hit in first}) == 3


def test_hits_without_id_and_text_keep_their_rank_and_never_match() -> None:
    """Each has an id of its own, in every list another."""
    one, two = stages_of(make_stage(2, 1, hits=[{"s": 1}, {"s": 2}]), make_stage(3, 1, hits=[{"s": 1}], start_ms=1))
    ids = [hit.chunk_id for stage in (one, two) for hit in stage.hits or ()]
    assert len(set(ids)) == 3


def test_a_text_that_has_not_come_still_joins_the_lists() -> None:
    """The same number in one scope is the same chunk, known or not."""
    one, two = stages_of(make_stage(2, 1, hits=[{"t": 3}]), make_stage(3, 1, hits=[{"t": 4}, {"t": 3}], start_ms=1))
    assert (one.hits or ())[0].chunk_id == (two.hits or ())[1].chunk_id != (two.hits or ())[0].chunk_id


def test_scores_that_are_no_numbers_are_none() -> None:
    """NaN and infinities, also as JSON must not write them, and texts."""
    text = '{"hits": [{"id": "a", "s": NaN}, {"id": "b", "s": -Infinity}, {"id": "c", "s": "0.5"}, {"s": true}]}'
    (stage,) = stages_of(make_stage(2, 1, attributes={wire.HITS: text}))
    assert [hit.score for hit in stage.hits or ()] == [None] * 4


def test_ranks_are_places_in_the_list() -> None:
    """Never derived from scores; missing at the top they stay missing."""
    assert [hit.rank for hit in hits_of([{"id": "a", "s": 0.1}, {"id": "b", "s": 0.9}])] == [1, 2]
    stage = list_of([{"id": "x"}, {"id": "y"}], n=29, state="top_missing")
    assert [hit.rank for hit in stage.hits or ()] == [28, 29]
    assert (stage.missing_top, stage.length, stage.completeness) == (27, 29, Completeness.TOP_MISSING)


def test_a_longer_list_than_recorded_is_truncated() -> None:
    """Whether the writer says so or only gives the length."""
    for body in ({"n": 5000, "state": "truncated"}, {"n": 5000}):
        stage = list_of([{"id": "a"}], **body)
        assert (stage.length, stage.completeness) == (5000, Completeness.TRUNCATED)


def test_nothing_found_and_nothing_recorded_differ() -> None:
    """An empty list is a list; a state without one is none."""
    assert (list_of([], n=0).hits, list_of([], n=0).completeness) == ((), Completeness.COMPLETE)
    (stage,) = stages_of(make_stage(2, 1, attributes={wire.HITS: '{"state": "not_recorded", "shape": "Foo"}'}))
    assert (stage.hits, stage.completeness, stage.shape) == (None, Completeness.NOT_RECORDED, "Foo")


def test_the_parent_of_a_chunk_is_found_in_its_metadata() -> None:
    """By the usual keys, where the writer names none."""
    hits = hits_of(
        [{"id": "a", "m": {"parent_id": 7}}, {"id": "b", "m": {"parent": "big"}}, {"id": "c", "m": {"x": 1}}]
    )
    assert [hit.parent_id for hit in hits] == ["7", "big", None]


def test_odd_types_in_every_place_break_nothing() -> None:
    """A hostile or broken writer costs its own values only."""
    odd: list[Any] = [[], {}, None, True, 3.5, "x", [["deep"]]]
    for value in odd:
        item = dict.fromkeys(("id", "src", "doc", "s", "sk", "t", "x", "cut", "r", "m", "p"), value)
        (hit,) = hits_of([item], n=value, shape=value, state=value, scope=value)
        assert hit.rank == 1


@pytest.mark.parametrize("odd", [None, "text", 7, ["a"]])
def test_what_is_no_hit_keeps_its_rank(odd: Any) -> None:
    """Those behind it stay where they were; the list says that one of its chunks is not known."""
    request, stage = request_and_list([{"id": "a"}, odd, {"id": "b"}], n=3)
    hits = stage.hits or ()
    assert [(hit.rank, hit.chunk_id) for hit in hits if hit.id_source is IdSource.FIELD] == [(1, "a"), (3, "b")]
    assert hits[1].chunk_id.startswith("sha256:unreadable:")
    assert (stage.length, stage.completeness) == (3, Completeness.PARTLY_READABLE)
    assert request.missing == (f"the list of {stage.name} holds 1 hit that is not readable",)


def test_a_score_that_is_no_number_leaves_a_mark() -> None:
    """JSON has no NaN; writers put it there all the same, or its name."""
    items = '{"id": "a", "s": NaN}, {"id": "b", "s": -Infinity}, {"id": "c", "s": "inf"}, {"id": "d", "s": 1}'
    (stage,) = stages_of(make_stage(2, 1, attributes={wire.HITS: f'{{"n": 4, "hits": [{items}]}}'}))
    assert [(hit.score, hit.score_note) for hit in stage.hits or ()] == [
        (None, "NaN"),
        (None, "-Infinity"),
        (None, "Infinity"),
        (1.0, None),
    ]


def test_columns_and_rows_are_the_same_list() -> None:
    """However a writer draws it; a column that is too short makes the list unreadable."""
    columns = {
        "id": ["a", "b"],
        "s": [0.5, None],
        "sk": "similarity",
        "t": [0, 1],
        "x": ["one", None],
        "m": [{}, {"k": 1}],
    }
    rows = [
        {"id": "a", "s": 0.5, "sk": "similarity", "t": 0, "x": "one", "m": {}},
        {"id": "b", "sk": "similarity", "t": 1, "m": {"k": 1}},
    ]
    (by_column,) = stages_of(make_stage(2, 1, attributes={wire.HITS: json.dumps({"n": 2, "cols": columns})}))
    assert by_column == list_of(rows, n=2)
    (short,) = stages_of(make_stage(2, 1, attributes={wire.HITS: json.dumps({"n": 2, "cols": {**columns, "s": [1]}})}))
    assert (short.hits, short.completeness) == (None, Completeness.NOT_RECORDED)


def test_columns_have_every_field_of_a_hit() -> None:
    """A field without a column would be lost on its way into the store."""
    (hit,) = hits_of([{"id": "a", "x": "text", "m": {"k": 1}}])
    assert HitColumns.of((hit,)).hits() == (hit,)
    assert len(HitColumns._fields) == len(Hit.model_fields)
