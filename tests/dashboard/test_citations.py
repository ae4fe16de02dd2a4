"""Which chunks of the prompt an answer cites."""

from __future__ import annotations

import pytest
from goldrank.dashboard.frames.citations import citations
from goldrank.model import Context, ContextEntry, ContextSource, InPrompt


def context(before: list[str], *, text_known: bool = True) -> Context:
    """A prompt with a chunk after each of these texts: "passage 1" of doc-1, "passage 2" of doc-2."""
    prompt = "Name the source of every statement, for example [S1].\n\nSources:"
    entries = []
    for number, gap in enumerate(before, start=1):
        prompt += f"\n\n{gap}"
        start = len(prompt)
        prompt += f"The passage number {number}."
        entries.append(
            ContextEntry(
                position=number,
                chunk_id=f"chunk#{number}",
                doc_id=f"doc-{number}",
                form=InPrompt.WHOLE,
                span=(start, len(prompt)) if text_known else None,
            )
        )
    return Context(source=ContextSource.PROMPT, entries=tuple(entries), prompt_text=prompt if text_known else None)


def words(before: list[str], answer: str) -> list[str]:
    """What is said of each chunk."""
    return [one.words for one in citations(context(before), answer)]


@pytest.mark.parametrize(
    ("before", "answer", "cited"),
    [
        (["[S1] ", "[S2] "], "Within 14 days [S2].", "S2"),
        (["[1]\n", "[2]\n"], "Within 14 days [2].", "2"),
        (["Source 1: ", "Source 2: "], "As source 2 says.", "2"),
        (['<doc id="a">\n', '<doc id="b">\n'], "Within 14 days [b].", "b"),
        (["1. ", "2. "], "Within 14 days [2].", "2"),
        (["[7] Refunds > Annual\n", "[9] Refunds > Monthly\n"], "Within 14 days [9].", "9"),
        (["[1] ", "[2] "], "Within 14 days 【2†docs】.", "2"),
    ],
)
def test_the_mark_before_a_chunk_is_what_the_answer_cites(before: list[str], answer: str, cited: str):
    """Whatever form the prompt builder and the model use, the cited chunk is found and the other one is not."""
    assert words(before, answer) == ["not cited", f"cited as [{cited}]"]


def test_several_marks_in_one_bracket_and_ranges_count_each():
    """[S1, S2] cites two chunks; [1-3] three."""
    assert words(["[S1] ", "[S2] "], "a [S1, S2] b [S2]") == ["cited as [S1]", "cited as [S2], 2 times"]
    assert words(["[1] ", "[2] ", "[3] ", "[4] "], "a [1-3]")[2:] == ["cited as [3]", "not cited"]


def test_the_example_of_the_instruction_is_no_mark():
    """The system text says "for example [S1]"; a chunk without a mark of its own does not take it."""
    assert words(["[S1] ", ""], "a [S1]") == ["cited as [S1]", "not cited"]
    assert words(["", ""], "nothing") == ["not cited", "not cited"]


def test_ids_and_documents_are_found_by_their_letters():
    """An app that lets the model write the id or the document."""
    assert words(["[S1] ", "[S2] "], "see chunk#1 and doc-2") == [
        "its id stands in the answer",
        "its document is named in the answer",
    ]


def test_without_the_prompts_text_a_number_is_a_guess():
    """It is said to be one."""
    found = citations(context(["", ""], text_known=False), "a [2]")
    assert [one.words for one in found] == ["not cited", "perhaps cited as [2], its place in the prompt"]
