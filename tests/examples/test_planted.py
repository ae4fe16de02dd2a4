"""Every planted complaint, from the bot through spool, ingester and store to its sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from goldrank.model import StageKind
from goldrank.model.complaint import ComplaintSource
from goldrank.store import ChunkQuery, RequestFilter
from support_bot.library import VERSION, library
from support_bot.planted import planted
from support_bot.questions import conversations

if TYPE_CHECKING:
    from conftest import Demo

TICKETS = [pytest.param(entry.ticket, id=f"{entry.ticket}-{entry.fields['verdict']}") for entry in planted()]


@pytest.mark.parametrize("ticket", TICKETS)
def test_sentence(demo: Demo, ticket: str) -> None:
    """The ticket alone leads to its request, and the sentence is the one written before there was code to say it."""
    entry = demo.complaints[ticket]

    view = demo.view(entry["ticket"])

    assert view.recorded.request.request_id == entry["request_id"]
    assert view.diagnosis.headline.sentence == entry["sentence"]
    assert view.diagnosis.headline.verdict == entry["verdict"]


@pytest.mark.parametrize("ticket", TICKETS)
def test_recorded_as_asked(demo: Demo, ticket: str) -> None:
    """Question, history, user, groups and every list are recorded as they were, complaint included."""
    entry = demo.complaints[ticket]

    view = demo.view(entry["ticket"])

    request = view.recorded.request
    assert (request.question, request.user, request.groups) == (
        entry["question"],
        entry["user"],
        tuple(entry["groups"]),
    )
    assert [(turn.role, turn.text) for turn in request.history] == [
        (turn["role"], turn["content"]) for turn in entry["history"]
    ]
    lengths = {stage.name: len(stage.hits) for stage in view.recorded.stages if stage.hits is not None}
    expected = {name: length for name, length in entry["lengths"].items() if name != "prompt"}
    assert lengths == expected
    complaint = demo.workspace.store.complaints.get(ticket)
    assert complaint is not None
    assert (complaint.text, complaint.who) == (entry["text"], entry["who"])
    assert complaint.request_id in {None, entry["request_id"]}  # linked only where the text names it exactly


@pytest.mark.parametrize("ticket", TICKETS)
def test_typed_words_find_the_gold(demo: Demo, ticket: str) -> None:
    """The words that a person types bring each gold to the top of the search; the page nobody wrote is not found."""
    entry = demo.complaints[ticket]
    typed = [entry["search_words"], *entry.get("more_search_words", [])]

    found = [demo.workspace.store.chunks.search(ChunkQuery(text=words, app="support-bot", limit=3)) for words in typed]

    if entry["gold_chunks"]:
        assert [page.rows[0].chunk_id for page in found] == entry["gold_chunks"]
    else:
        assert not {row.doc_id for row in found[0].rows} & set(entry["gold_documents"])


def test_superseded_version_is_named(demo: Demo) -> None:
    """Where an edition that is out of force stands above the one in force, a modifier says so."""
    (entry,) = [entry for entry in demo.complaints.values() if entry.get("modifier") == "superseded_above"]

    view = demo.view(entry["ticket"])

    assert "superseded_above" in [modifier.kind for modifier in view.diagnosis.modifiers]


def test_prompt_is_recorded(demo: Demo) -> None:
    """The prompt of each answered request is there, so what reached it is a fact."""
    for entry in demo.complaints.values():
        view = demo.view(entry["ticket"])
        generates = [stage for stage in view.recorded.stages if stage.kind is StageKind.GENERATE]

        assert all(stage.prompt for stage in generates)
        assert len(generates) == (0 if entry["settings"].get("outage") == "rerank" else 1)


def test_the_demo_is_recorded_once(demo: Demo) -> None:
    """About 300 questions with their answers, none lost and none twice; the corpus and thumbs came along."""
    store = demo.workspace.store
    asked = sum(len(conversation.questions) for conversation in conversations())

    page = store.requests.page(RequestFilter(), limit=1)

    assert page.stored == asked + len(TICKETS)
    assert 280 <= asked <= 340
    complaints = store.complaints.list(limit=100)
    assert sum(one.source is ComplaintSource.TICKET for one in complaints) == len(TICKETS)
    assert all(one.source is ComplaintSource.FEEDBACK for one in complaints if one.complaint_id[:3] != "QM-")
    assert [(corpus.version, corpus.chunks, corpus.complete) for corpus in store.corpora.list()] == [
        (VERSION, len(library().chunks), True)
    ]
