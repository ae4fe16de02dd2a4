"""Tables for people."""

from __future__ import annotations

from goldrank.commands.table import Column, cut, display_width, format_table

COLUMNS = (Column("stage"), Column("hits", right=True), Column("question", shrinks=True))


def test_columns_are_as_wide_as_their_content():
    """Numbers at the right, nothing behind the last word."""
    rows = [("bm25", "50", "How do I cancel?"), ("rerank", "5", "")]

    assert format_table(COLUMNS, rows, width=None) == [
        "stage   hits  question",
        "bm25      50  How do I cancel?",
        "rerank     5",
    ]


def test_a_table_is_cut_to_the_terminal():
    """Only columns that may shrink do, and the cut is seen."""
    lines = format_table(COLUMNS, [("bm25", "50", "How do I cancel my contract?")], width=28)

    assert lines[1] == "bm25     50  How do I cance…"
    assert all(display_width(line) <= 28 for line in lines)


def test_wide_characters_take_two_places():
    """Columns stay level under Chinese text, and combining marks take no place."""
    assert display_width("质量") == 4
    assert display_width("e\u0301") == 1
    assert cut("质量管理", 5) == "质量…"


def test_a_cell_is_one_line():
    """A line end in a question does not break the table."""
    assert format_table((Column("q"),), [("a\nb",)], width=None) == ["q", "a␊b"]


def test_a_table_without_rows_has_its_titles():
    """An empty table is still a table."""
    assert format_table((Column("q"), Column("n", right=True)), [], width=10) == ["q  n"]
