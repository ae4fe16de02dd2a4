"""Text from traces is shown letter for letter."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from goldrank.dashboard import amounts, marks, times
from goldrank.dashboard.text import around, cell, escaped, in_badge, in_figure, literal, shortened

BERLIN = times.zone_named("Europe/Berlin")


def test_controls_and_overrides_become_visible_marks():
    """A control character, an override and an invisible character each show as a mark; line feeds stay."""
    assert literal("a\x00b\x1b[31m") == "a␀b␛[31m"
    assert literal("\u202egnp\u2066x") == "⟦RLO⟧gnp⟦LRI⟧x"
    assert literal("a\u200bb\ufeff") == "a⟦ZWSP⟧b⟦BOM⟧"
    assert literal("one\r\ntwo\tthree") == "one\ntwo\tthree"


def test_joiners_stay_because_scripts_need_them():
    """An emoji made of several stays one."""
    assert literal("👩‍💻") == "👩‍💻"


def test_every_sign_of_markdown_is_escaped():
    """No sign that Markdown gives a meaning stands without its backslash."""
    for sign in "\\`*_{}[]()#+-.!|>~$<&^=/\"'":
        assert escaped(f"a{sign}b") == f"a\\{sign}b"


def test_bare_addresses_are_split_as_backslashes_do_not_stop_them():
    """www, http and a mail address are cut into two text nodes: links are made of finished text."""
    assert escaped("www.x") == r"w:small[]ww\.x"
    assert escaped("http://x") == r"http\::small[]\/\/x"
    assert escaped("me@x") == r"me\@:small[]x"


def test_a_badge_holds_no_directive():
    """A badge is a directive and cannot hold another, so an invisible joiner cuts its addresses."""
    assert in_badge("me@x: y") == "me\\@\u2060x\\:\u2060 y"
    assert ":small" not in in_badge("www.x http://x -> :smile:")


def test_emoji_names_and_arrows_stay_text():
    """:smile: and -> are replaced in finished text nodes, so they are cut, too."""
    assert escaped(":smile:") == r"\::small[]smile\::small[]"
    assert escaped("->") == r"\-:small[]\>"


def test_line_feeds_in_a_heading_are_shown():
    """A heading is one line; where the text breaks, a mark says so."""
    assert escaped("one\ntwo") == "one ↵ two"


def test_runs_of_spaces_survive():
    """Two spaces stay two: all but the last do not collapse."""
    assert escaped("a  b") == "a\N{NO-BREAK SPACE} b"


def test_a_figure_takes_no_tags():
    """Plotly's few tags, entities and TeX come out as text."""
    assert in_figure("<b>&amp; $x$") == "&lt;b&gt;&amp;amp; &#36;x&#36;"


def test_cells_are_one_line_of_bounded_length():
    """A cell has no line feed, and says by dots that there is more."""
    assert cell("a\n b") == "a b"
    assert cell(None) == ""
    assert cell("x" * 400, 10) == "x" * 9 + "…"
    assert shortened("short", 10) == "short"


def test_the_part_around_the_searched_word_is_shown():
    """A long passage is shown where the searched word stands, not from its beginning."""
    text = "filler " * 100 + "refund window " + "filler " * 100
    assert "refund window" in around(text, "refund", 80)
    assert around(text, "absent", 80).startswith("filler")


@pytest.mark.parametrize(
    ("utc", "shown"), [("23:30", "25 Oct 01:30"), ("00:30", "25 Oct 02:30 CEST"), ("01:30", "25 Oct 02:30 CET")]
)
def test_an_hour_that_comes_twice_names_its_zone(utc: str, shown: str):
    """When summer time ends, half past two comes twice, and the two can be told apart."""
    day = 24 if utc == "23:30" else 25
    moment = datetime.fromisoformat(f"2026-10-{day}T{utc}+00:00")
    assert times.minute(int(moment.timestamp()) * times.SECOND_NS, BERLIN) == shown


def test_a_day_is_the_day_of_the_viewers_zone():
    """The day on which clocks go back has 25 hours in Berlin."""
    start, end = times.day_range(date(2026, 10, 25), date(2026, 10, 25), BERLIN)
    assert (end - start) // times.HOUR_NS == 25


def test_an_unknown_zone_is_utc():
    """A browser may name a zone that this machine does not know."""
    assert times.zone_name(times.zone_named("Mars/Olympus")) == "UTC"
    assert times.zone_name(times.zone_named(None)) == "UTC"
    assert times.zone_name(BERLIN) == "Europe/Berlin"


def test_scores_of_a_column_share_their_decimals():
    """Two decimals from ten on, three around one, four where all are small; print's minus sign."""
    assert amounts.score_decimals([14.2, 0.1]) == 2
    assert amounts.score_decimals([0.83]) == 3
    assert amounts.score_decimals([0.03]) == 4
    assert amounts.score(-0.5, 3) == "−0.500"
    assert amounts.score(None, 3) == ""


def test_numbers_are_written_for_people():
    """Thousands are set apart, one is singular, sizes have units."""
    assert amounts.counted(1, "hit") == "1 hit"
    assert amounts.counted(12480, "hit") == "12,480 hits"
    assert amounts.size(31_400_000) == "31.4 MB"
    assert amounts.milliseconds(1912.4) == "1,912"
    assert amounts.milliseconds(None) == ""


def test_verdicts_have_one_colour_each():
    """Green is delivered, yellow is half of it, violet a label out of date; an unknown word is gray."""
    assert marks.verdict_colour("delivered") == "green"
    assert marks.verdict_colour("partly_found") == "yellow"
    assert marks.verdict_colour("stale_label") == "violet"
    assert marks.verdict_colour("demoted") == "red"
    assert marks.verdict_colour("from a newer version") == "gray"
    assert marks.verdict_words("below_cut") == "below cut"
