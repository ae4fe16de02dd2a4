"""The planted complaints are what the bot really does: ranks, lengths and words, read off its own lists."""

from __future__ import annotations

import contextlib
import string
from typing import Any

import pytest
from goldrank.model import find_ids
from support_bot.app import answer
from support_bot.library import library
from support_bot.planted import Planted, planted, write_ticket

PLANTED = planted()
TEXTS = {chunk.chunk_id: chunk.text.lower() for chunk in library().chunks}
VERDICTS = {
    "not_in_corpus",
    "not_retrieved",
    "filtered",
    "lost_in_fusion",
    "demoted",
    "below_cut",
    "dropped_from_prompt",
    "partly_found",
    "ignored",
    "delivered",
    "stage_failed",
    "removed_by_stage",
}


def by_ticket(entry: Planted) -> str:
    """The name of a parametrised test."""
    return f"{entry.ticket}-{entry.fields['verdict']}"


def place(chunk_id: str, ids: list[str]) -> int | None:
    """1-based rank, or None."""
    return ids.index(chunk_id) + 1 if chunk_id in ids else None


@pytest.mark.parametrize("entry", PLANTED, ids=by_ticket)
def test_ranks(entry: Planted, watched: dict[str, list[str]]) -> None:
    """Each gold stands in each of the bot's lists at the rank that planted.json says."""
    fields: dict[str, Any] = entry.fields
    with contextlib.suppress(TimeoutError):
        answer(
            entry.question,
            user=entry.user,
            session="s",
            history=entry.history,
            groups=entry.groups,
            settings=entry.settings,
        )
    lengths = {"prompt": 0} | {name: len(ids) for name, ids in watched.items()}
    found = {
        gold: {"prompt": None} | {name: place(gold, ids) for name, ids in watched.items()} for gold in fields["ranks"]
    }

    assert lengths == fields["lengths"]
    assert found == fields["ranks"]


def test_every_way_to_fail_is_planted() -> None:
    """At least one complaint for every verdict that a supporter meets, three ways not to be retrieved among them."""
    verdicts = [entry.fields["verdict"] for entry in PLANTED]

    assert set(verdicts) == VERDICTS
    assert verdicts.count("not_retrieved") == 3
    assert any(entry.fields.get("modifier") == "superseded_above" for entry in PLANTED)


@pytest.mark.parametrize("entry", PLANTED, ids=by_ticket)
def test_words_find_the_gold(entry: Planted) -> None:
    """The words that a person would type stand in the gold, in few other chunks, and are no chunk id."""
    words = entry.fields["search_words"].lower().split()
    holders = [chunk_id for chunk_id, text in TEXTS.items() if all(word in text for word in words)]

    assert holders[:1] == entry.fields["gold_chunks"][:1] or entry.fields["gold_chunks"][0] in holders
    assert len(holders) <= 3
    assert "#" not in entry.fields["search_words"]


@pytest.mark.parametrize("entry", PLANTED, ids=by_ticket)
def test_ticket_names_its_request(entry: Planted) -> None:
    """A ticket holds exactly one id, in a form that goldrank reads."""
    request_id = "0123456789012345678901234567890a-00f067aa0ba902b7"
    ticket = write_ticket(entry.text, request_id, "http://127.0.0.1:8501/request?request_id={request_id}")

    (mention,) = find_ids(ticket)

    assert request_id.startswith(mention.trace_id or mention.prefix or "?")
    assert len([name for _, name, _, _ in string.Formatter().parse(entry.text) if name]) == 1
