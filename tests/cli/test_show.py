"""One request as text and as Markdown: sentence first, and nothing of a trace is interpreted."""

from __future__ import annotations

import re

import pytest
from goldrank.actions import RequestView
from goldrank.commands.path_table import path_table
from goldrank.commands.show_markdown import inline, literal, show_markdown
from goldrank.commands.show_text import show_text
from goldrank.diagnosis import examine
from goldrank.model import (
    Completeness,
    Hit,
    Judgement,
    Label,
    LabelTarget,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    Stage,
    StageKind,
)

HOSTILE = "**b** <script>x</script> $a$ [l](http://evil.example) www.evil.example a@evil.example | ` \x1b[2J \u202e"


def view(*stages, golds=("g",), forbidden=(), question="How?", answer="So.", **request):
    """A view as `show` gives it, from stages alone."""
    recorded = RecordedRequest(
        request=Request(
            request_id="a" * 32 + "-" + "b" * 16,
            trace_id="a" * 32,
            app="bot",
            question=question,
            answer=answer,
            start_ns=0,
            end_ns=1_912_000_000,
            **request,
        ),
        stages=stages,
    )
    judged = [(Judgement.GOLD, one) for one in golds] + [(Judgement.FORBIDDEN, one) for one in forbidden]
    labels = tuple(
        Label(
            label_id=f"l{number}",
            request_id=recorded.request.request_id,
            app="bot",
            judgement=kind,
            grade=1 if kind is Judgement.GOLD else None,
            evidence=number if kind is Judgement.GOLD else None,
            target=LabelTarget(chunk_id=one),
            who="anna",
            at_ns=0,
        )
        for number, (kind, one) in enumerate(judged, start=1)
    )
    return RequestView(recorded=recorded, diagnosis=examine(recorded, labels, ()), labels=labels, facts=())


def stage(number, kind, name, ids, **fields):
    """A stage whose list is these chunk ids, each with a text of its own."""
    hits = tuple(
        Hit(rank=rank, chunk_id=one, text=f"The text of {one}, long enough to be found in a prompt.")
        for rank, one in enumerate(ids, start=1)
    )
    return Stage(stage_id=f"{number:016x}", kind=kind, name=name, start_ns=number, hits=hits, **fields)


def prompt(number, ids):
    """A generate stage whose prompt holds the texts of these chunks."""
    sent = "\n\n".join(f"The text of {one}, long enough to be found in a prompt." for one in ids)
    messages = (Message(role="user", text=sent),)
    return Stage(stage_id=f"{number:016x}", kind=StageKind.GENERATE, name="llm", start_ns=number, prompt=messages)


def without_code(markdown):
    """The text without its code spans: from a run of backticks to the next run of the same length (CommonMark 6.1)."""
    kept, runs, place = [], list(re.finditer("`+", markdown)), 0
    while runs:
        opening = runs.pop(0)
        closing = next((one for one in runs if len(one.group()) == len(opening.group())), None)
        if closing is not None:
            kept.append(markdown[place : opening.start()])
            place = closing.end()
            runs = [one for one in runs if one.start() >= place]
    return "".join((*kept, markdown[place:]))


def below_cut(gold="g"):
    """The gold at rank 3 of a list of which the prompt takes 2."""
    return (stage(1, StageKind.RETRIEVE, "dense", ("x", "y", gold)), prompt(2, ("x", "y")))


def test_the_text_has_the_sentence_the_path_and_what_is_known():
    """The whole report, letter for letter."""
    shown = show_text(view(*below_cut()), width=None)

    assert shown == (
        "It stayed below the cut: rank 3 in dense; the prompt takes 2.\n"
        "Verdict: below cut. Certainty: derived.\n"
        "\n"
        "stage   kind      hits  g\n"
        "dense   retrieve     3  3\n"
        "prompt               2  not in it ✕\n"
        "\n"
        "Labels:\n"
        "  gold 1, evidence 1: g (anna, 1970-01-01 00:00)\n"
        "\n"
        f"{'a' * 32}-{'b' * 16}  1970-01-01 00:00:00 UTC  bot  1,912 ms  ok\n"
        "Question  How?\n"
        "Answer    So.\n"
    )


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    """The same times on every machine."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_leak_is_said_before_everything_else():
    """An alarm stands first, then the sentence."""
    shown = show_text(view(*below_cut(), forbidden=("x",)), width=None)

    assert shown.startswith("LEAK: x stands in 1 of the lists (labelled forbidden); in the prompt.\n\nIt stayed")


def test_several_golds_have_a_column_and_a_sentence_each():
    """What is missing is said for each."""
    shown = view(*below_cut(), golds=("g", "x"))

    assert path_table(shown).titles == ("stage", "kind", "hits", "g", "x")
    assert path_table(shown).rows == (
        ("dense", "retrieve", "3", "3", "1"),
        ("prompt", "", "2", "not in it ✕", "position 1"),
    )
    assert "x (evidence 2): It reached the prompt" in show_text(shown, width=None)


def test_lists_that_are_not_complete_say_so():
    """Depth asked for, missing top ranks, truncation, failure: each in the column of hits."""
    rows = path_table(
        view(
            stage(1, StageKind.RETRIEVE, "short", ("x",), top_k=50),
            stage(2, StageKind.RETRIEVE, "cut", ("x", "y"), length=120, completeness=Completeness.TRUNCATED),
            stage(3, StageKind.RETRIEVE, "top", ("x",), missing_top=27, completeness=Completeness.TOP_MISSING),
            Stage(
                stage_id=f"{4:016x}",
                kind=StageKind.RETRIEVE,
                name="down",
                start_ns=4,
                outcome=Outcome.ERROR,
                error="TimeoutError: no answer in 2 s",
            ),
        )
    ).rows

    assert {row[0]: row[2] for row in rows} == {
        "short": "1 of 50 asked",
        "cut": "120, 2 recorded",
        "top": "28, 1 to 27 missing",
        "down": "failed",
        "prompt": "not recorded",
    }


def test_a_long_answer_is_cut_with_its_length():
    """A page of text does not hide the sentence; `--full` shows all of it."""
    shown = view(*below_cut(), answer="x" * 1000)

    assert "… (400 more characters; --full shows all)" in show_text(shown, width=None)
    assert "x" * 1000 in show_text(shown, width=None, full=True)


def test_nothing_of_a_trace_steers_the_terminal():
    """Names, ids, question and answer: every control is a mark."""
    stages = (stage(1, StageKind.RETRIEVE, HOSTILE, (HOSTILE, "y", "g")), prompt(2, (HOSTILE, "y")))

    shown = show_text(view(*stages, golds=("g", HOSTILE), question=HOSTILE, answer=HOSTILE), width=100)

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "␛[2J" in shown


def test_the_markdown_holds_a_trace_letter_for_letter():
    """In a fence or a code span nothing is a link, a formula, an element or emphasis."""
    stages = (stage(1, StageKind.RETRIEVE, HOSTILE, (HOSTILE, "y", "g")), prompt(2, (HOSTILE, "y")))

    shown = show_markdown(view(*stages, golds=("g", HOSTILE), question=HOSTILE, answer=f"```\n{HOSTILE}\n```"))

    outside = without_code(re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", shown))
    for mark in ("<script", "evil.example", "$a$", "\x1b", "\u202e"):
        assert mark not in outside
    assert "````text" in shown
    rows = [line for line in shown.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_the_markdown_is_a_ticket():
    """Sentence in bold, the path as a table, question and answer below."""
    shown = show_markdown(view(*below_cut("refunds_v5#2"), golds=("refunds_v5#2",)))

    sentence = "**It stayed below the cut**: rank 3 in dense; the prompt takes 2."
    assert shown.startswith(f"{sentence}\n\n| stage | kind | hits | `refunds_v5#2` |\n")
    assert "| `dense` | retrieve | 3 | 3 |" in shown
    assert "| prompt |  | 2 | not in it ✕ |" in shown
    assert "Question:\n\n```text\nHow?\n```" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rank 1 in bm25, 14 in dense; the prompt takes 5", "rank 1 in bm25, 14 in dense; the prompt takes 5"),
        ("refunds_v5*2", "refunds\\_v5\\*2"),
        ("see www.evil.example", "`see www.evil.example`"),
        ("a@evil.example", "`a@evil.example`"),
        ("<b>$x$", "\\<b\\>\\$x\\$"),
    ],
)
def test_words_inside_a_line_of_markdown_are_words(text, shown):
    """Escaped, or a code span where something would become a link by itself."""
    assert inline(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), (" a ", "`  a  `"), ("a|b", "`a|b`"), ("", "`  `")],
)
def test_a_code_span_holds_any_text(text, shown):
    """Backticks inside, and spaces at the ends."""
    assert literal(text) == shown
