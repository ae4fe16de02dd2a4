"""The gold path figure draws what was recorded, and nothing else."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from goldrank.dashboard.figures import PALETTES, PROMPT, ColumnState, gold_path, gold_path_alt, gold_path_figure
from goldrank.dashboard.frames.gold_table import gold_table
from goldrank.model import Judgement

LIGHT = PALETTES["light"]


def path_of(desk: Any, name: str) -> Any:
    """The path of a scene."""
    view = desk.view(name)
    return gold_path(view.recorded, view.diagnosis)


def words(figure: Any) -> list[str]:
    """Every annotation of a figure."""
    return [annotation.text for annotation in figure.layout.annotations]


def drawn(figure: Any, colour: str) -> list[Any]:
    """The traces whose line has this colour."""
    return [trace for trace in figure.data if trace.mode == "lines" and trace.line.color == colour]


def test_a_column_a_list_and_one_for_the_prompt(desk: Any):
    """The prompt builder's list is the prompt: it is not drawn twice. Legs stand closer than levels."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    columns = path_of(desk, "demoted").columns
    assert [column.name for column in columns] == ["bm25", "dense", "rrf", "rerank", "prompt"]
    assert [column.note for column in columns] == ["50 hits", "50 hits", "50 hits", "30 hits", "takes 5"]
    steps = [round(b.x - a.x, 2) for a, b in itertools.pairwise(columns)]
    assert steps == [0.62, 1.0, 1.0, 1.0]


def test_the_golds_ranks_stand_in_the_markers(desk: Any):
    """1 and 14 in the legs, 4 after rrf, 9 after rerank, and the cut below rank 5 of the prompt."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    path = path_of(desk, "demoted")
    figure = gold_path_figure(path, LIGHT)
    markers = [trace for trace in figure.data if trace.marker.color == LIGHT.gold_fill]
    assert [list(trace.text) for trace in markers] == [["<b>1</b>", "<b>14</b>", "<b>4</b>", "<b>9</b>"]]
    assert path.golds[0].cut_at == 5
    assert "<b>✕ cut</b>" in words(figure)
    cut = next(shape for shape in figure.layout.shapes if shape.type == "line")
    assert 5 < cut.y0 < 6


def test_lines_follow_the_flow_only(desk: Any):
    """bm25 and dense are both joined with rrf and never with each other."""
    desk.record_scenes("demoted")
    desk.label("demoted")
    path = path_of(desk, "demoted")
    names = {column.column_id: column.name for column in path.columns}
    joined = {(names[line.source_id], names[line.target_id]) for line in path.lines}
    assert joined == {("bm25", "rrf"), ("dense", "rrf"), ("rrf", "rerank"), ("rerank", "prompt")}
    gold = [trace for trace in drawn(gold_path_figure(path, LIGHT), LIGHT.gold) if trace.line.width == 3.5]
    assert len(gold) == 3


def test_a_gold_in_no_list_stands_in_the_lane(desk: Any):
    """Not in the list is a place of its own below the deepest rank, not a rank."""
    desk.record_scenes("nowhere")
    desk.label("nowhere")
    path = path_of(desk, "nowhere")
    figure = gold_path_figure(path, LIGHT)
    lane = [trace for trace in figure.data if trace.text and trace.text[0] == "–"]
    assert [trace.x[0] for trace in lane] == [column.x for column in path.columns]
    assert path.columns[-1].name == "prompt"
    assert all(trace.y[0] > path.deepest for trace in lane)
    assert "not in list" in figure.layout.yaxis.ticktext


def test_missing_ranks_failed_and_empty_stages_are_said(desk: Any):
    """Ranks that are missing on top, a failed stage and an empty list each have a bar with a word."""
    desk.record_scenes("incomplete", "twelve_stages")
    desk.label("incomplete")
    desk.label("twelve_stages")
    assert "1–27 not recorded" in words(gold_path_figure(path_of(desk, "incomplete"), LIGHT))
    twelve = path_of(desk, "twelve_stages")
    states = {column.name: column.state for column in twelve.columns}
    assert states["graph neighbours"] is ColumnState.FAILED
    assert states["keywords"] is ColumnState.EMPTY
    assert {"✕ failed", "empty list"} <= set(words(gold_path_figure(twelve, LIGHT)))


def test_an_incomplete_list_without_the_gold_asks_instead_of_denying(desk: Any):
    """rrf was cut after rank 20, so that the gold is not in it is not known."""
    desk.record_scenes("incomplete")
    desk.label("incomplete")
    figure = gold_path_figure(path_of(desk, "incomplete"), LIGHT)
    assert [trace.text[0] for trace in figure.data if trace.text and trace.text[0] in {"?", "–"}].count("?") == 1


def test_several_golds_have_letters(desk: Any):
    """Three golds: letters in the markers, and one can be chosen, which makes the others thin."""
    desk.record_scenes("three_golds")
    golds = desk.CHUNKS[2:5]
    desk.label("three_golds", *golds)
    path = path_of(desk, "three_golds")
    assert [track.letter for track in path.golds] == ["A", "B", "C"]
    assert [track.name for track in path.golds] == list(golds)
    figure = gold_path_figure(path, LIGHT, focus=path.golds[1].label_id)
    texts = [text for trace in figure.data if trace.marker.color == LIGHT.gold_fill for text in trace.text]
    assert {"<b>A8</b>", "<b>B22</b>", "<b>C19</b>"} <= set(texts)
    bold = [trace for trace in drawn(figure, LIGHT.gold) if trace.line.width == 3.5]
    assert len(bold) == 4


def test_golds_next_to_each_other_do_not_cover_each_other(desk: Any):
    """Two golds at ranks 4 and 5 of one list are moved apart sideways."""
    bot = desk.Bot(90)
    one, two = desk.CHUNKS[2], desk.CHUNKS[3]
    leg = bot.stage("retrieve", "dense", desk.hits({one: 10, two: 11}, 50))
    bot.prompt(leg)
    desk.scene["near"] = bot
    desk.record(bot)
    desk.label("near", one, two)
    figure = gold_path_figure(path_of(desk, "near"), LIGHT)
    xs = [trace.x[0] for trace in figure.data if trace.marker.color == LIGHT.gold_fill]
    assert abs(xs[0] - xs[1]) >= 0.19


def test_a_forbidden_chunk_is_red(desk: Any):
    """A chunk that the user must not see is drawn red with diamonds, wherever it stands."""
    desk.record_scenes("demoted")
    desk.label("demoted", "page7#s3", judgement=Judgement.FORBIDDEN)
    desk.label("demoted")
    path = path_of(desk, "demoted")
    assert [track.chunk_id for track in path.forbidden] == ["page7#s3"]
    figure = gold_path_figure(path, LIGHT)
    assert [trace for trace in figure.data if trace.marker.symbol == "diamond" and trace.marker.color == LIGHT.lost]


def test_two_hundred_hits_change_nothing(desk: Any):
    """Only gold and delivered chunks are drawn; the bar stands for all others."""
    made = desk.Bot(91)
    leg = made.stage("retrieve", "dense", desk.hits({desk.GOLD: 143}, 200), top_k=200)
    made.prompt(leg)
    desk.scene["deep"] = made
    desk.record(made)
    desk.label("deep")
    path = path_of(desk, "deep")
    assert path.deepest == 200
    assert len(gold_path_figure(path, LIGHT).data) < 20
    assert "200" in gold_path_figure(path, LIGHT).layout.yaxis.ticktext


def test_hostile_names_stay_text(desk: Any):
    """A stage's name with tags is no tag in the figure."""
    desk.record_scenes("hostile")
    desk.label("hostile", f"{desk.HOSTILE} {desk.GOLD}")
    figure = gold_path_figure(path_of(desk, "hostile"), LIGHT)
    assert not [text for text in words(figure) if "<script" in text or "<img" in text]


@pytest.mark.parametrize("name", ["demoted", "twelve_stages", "incomplete", "three_golds", "nowhere", "nothing_found"])
def test_every_scene_can_be_drawn_in_both_themes(desk: Any, name: str):
    """A figure comes out for each, with the table's rows as its columns and its words as alternative text."""
    desk.record_scenes(name)
    desk.label(name)
    view = desk.view(name)
    path = gold_path(view.recorded, view.diagnosis)
    for palette in PALETTES.values():
        assert gold_path_figure(path, palette).layout.height > 300
    assert gold_table(view.recorded, view.diagnosis)["stage"] == [column.name for column in path.columns]
    assert desk.GOLD in gold_path_alt(path)


def test_the_table_says_where_the_gold_is_not(desk: Any):
    """The figure's numbers as a table, with words where there is no number."""
    desk.record_scenes("demoted", "nowhere")
    desk.label("demoted")
    desk.label("nowhere")
    view = desk.view("demoted")
    assert gold_table(view.recorded, view.diagnosis)["rank"] == ["1", "14", "4", "9", "not in it"]
    view = desk.view("nowhere")
    assert gold_table(view.recorded, view.diagnosis)["rank"] == ["not in list"] * 3 + ["not in it"]


def test_an_unlabelled_request_has_a_path_without_gold(desk: Any):
    """Columns and delivered chunks are there before anything is marked."""
    desk.record_scenes("demoted")
    path = path_of(desk, "demoted")
    assert path.golds == ()
    assert len(path.delivered) == 5
    assert path.columns[-1].column_id == PROMPT
