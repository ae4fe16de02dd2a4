"""Recorded, stored, planned, run again in a worker, ingested: the support bot, and an app with LangChain's objects."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import goldrank
import pytest
from goldrank.collectors.ingester import Ingester
from goldrank.evals.replay import PinChoice, Replayer, parse_override, plan_replay
from goldrank.model import RecordedRequest, Stage
from goldrank.model.replay import Injection, PlaceRan, ReplayOutcome, ReplayStatus
from goldrank.store import Store
from goldrank.store.duckdb import open_store

EXAMPLES = Path(__file__).parents[3] / "examples"
QUESTION = "How long can I return an annual plan?"


class Shop(NamedTuple):
    """A data folder with one recorded request, and how it is run again."""

    spool: Path
    store: Store
    replayer: Replayer
    request_id: str

    def get(self, request_id: str | None) -> RecordedRequest:
        """A stored request, after everything was taken in."""
        ingester = Ingester(self.spool, self.store)
        while ingester.run_once():
            pass
        assert request_id is not None
        found = self.store.requests.get(request_id)
        assert found is not None
        return found

    def replay(self, **different: object) -> tuple[ReplayOutcome, RecordedRequest]:
        """The outcome and the new request."""
        outcome = self.replayer.run(plan_replay(self.get(self.request_id), **different).plan)
        assert outcome.status is ReplayStatus.DONE, outcome.detail
        return outcome, self.get(outcome.request_id)


def stage(recorded: RecordedRequest, name: str) -> Stage:
    """The one stage of that name."""
    (found,) = [stage for stage in recorded.stages if stage.name == name]
    return found


def ids(recorded: RecordedRequest, name: str) -> list[str]:
    """The chunk ids of a stage's list."""
    return [hit.chunk_id for hit in stage(recorded, name).hits or ()]


def ran(outcome: ReplayOutcome) -> dict[str, PlaceRan]:
    """Stage -> what it did."""
    return {stage.name: stage.ran for stage in outcome.stages}


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The example app: it answers once in this process, as it would in production."""
    directory = tmp_path_factory.mktemp("bot")
    sys.path.insert(0, str(EXAMPLES))
    from support_bot.app import answer

    told: list[str] = []
    goldrank.init(app="support-bot", directory=directory)
    try:
        answer(QUESTION, user="ann", session="s1", groups=("staff",), tell_id=told.append)
    finally:
        goldrank.shutdown()
        sys.path.remove(str(EXAMPLES))
    replayer = Replayer("support_bot.app:answer", directory=directory, cwd=EXAMPLES, app="support-bot")
    with open_store(directory / "store.duckdb") as store, replayer:
        yield Shop(directory / "spool", store, replayer, told[0])


def test_the_bot_searches_deeper(bot):
    """ "retrieve.top_k=200" says how deep a chunk really is; the request is linked and says what was different."""
    outcome, now = bot.replay(overrides=[parse_override("retrieve.top_k=200")], batch="b7")
    then = bot.get(bot.request_id)
    assert len(ids(then, "bm25")) <= 30 < len(ids(now, "bm25"))
    assert ids(now, "bm25")[:30] == ids(then, "bm25")
    assert stage(now, "bm25").top_k == 200
    assert now.request.replay_of == bot.request_id
    assert now.request.notes == {"replay.batch": "b7", "replay.overrides": ["retrieve.top_k=200"]}
    assert (now.request.user, now.request.session, now.request.groups) == ("ann", "s1", ("staff",))
    assert now.request.app == then.request.app
    assert outcome.answer == now.request.answer
    assert outcome.unused == ()


def test_the_recorded_candidates_with_todays_reranker(bot):
    """Its own frozen dataclass is made again; what is reranked is what was recorded, and gives the same."""
    outcome, now = bot.replay(pins=PinChoice.CANDIDATES)
    assert ran(outcome)["bm25"] is ran(outcome)["groups"] is PlaceRan.PINNED
    assert ran(outcome)["rerank"] is ran(outcome)["generate"] is PlaceRan.LIVE
    assert stage(now, "bm25").notes == {"replay.pinned": True}
    then = bot.get(bot.request_id)
    assert [hit.text for hit in stage(now, "rerank").hits or ()] == [
        hit.text for hit in stage(then, "rerank").hits or ()
    ]
    assert now.request.answer == then.request.answer


def test_the_recorded_context_with_todays_model(bot):
    """The prompt is the recorded one, whatever the index holds now."""
    outcome, now = bot.replay(pins=PinChoice.CONTEXT)
    assert {place for name, place in ran(outcome).items() if name != "generate"} == {PlaceRan.PINNED}
    then = bot.get(bot.request_id)
    assert stage(now, "generate").prompt == stage(then, "generate").prompt


def test_the_gold_is_put_into_the_context(bot):
    """The model sees it first, and it is said where it stands."""
    gold = Injection(chunk_id="gold#1", doc_id="gold", text="The moon is made of refunds.", position=1)
    outcome, now = bot.replay(pins=PinChoice.CANDIDATES, injection=gold)
    assert outcome.unused == ()
    prompt = stage(now, "generate").prompt
    assert prompt is not None
    assert "[S1]" in prompt[-1].text.split(gold.text)[0]
    assert "[S2]" in prompt[-1].text.split(gold.text)[1]
    assert any("gold#1 was put at 1 of" in stage.note for stage in outcome.stages)


def test_another_users_groups(bot):
    """What the filter leaves is what that user may see."""
    _, now = bot.replay(overrides=[parse_override('request.groups=["partners"]')])
    assert now.request.groups == ("partners",)


LANGCHAIN = """
import goldrank
from langchain_core.documents import Document
import numpy

@goldrank.retrieve
def search(query):
    return [(Document(page_content=f"{query} passage {n}", metadata={"chunk_id": f"c{n}"}), numpy.float32(1 / n))
            for n in range(1, 4)]

@goldrank.rerank
def rerank(query, pairs):
    assert all(type(score) is numpy.float32 for _, score in pairs)
    return [document for document, _ in reversed(pairs)]

@goldrank.generate
def generate(prompt):
    return prompt.upper()

@goldrank.request
def answer(question):
    return generate(" / ".join(document.page_content for document in rerank(question, search(question))))
"""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """An app with LangChain's objects; its first request is recorded by a worker."""
    directory = tmp_path_factory.mktemp("chain")
    (directory / "chain.py").write_text(LANGCHAIN, "utf-8")
    replayer = Replayer("chain:answer", directory=directory, cwd=directory, app="chain")
    from goldrank.model.replay import RecordedCall, ReplayPlan

    with open_store(directory / "store.duckdb") as store, replayer:
        first = replayer.run(ReplayPlan(replay_of="none", call=RecordedCall(question="refund")))
        assert first.request_id is not None, first.detail
        yield Shop(directory / "spool", store, replayer, first.request_id)


def test_langchains_pairs_are_pinned(chain):
    """Documents, and scores of numpy's type."""
    outcome, now = chain.replay(pins=PinChoice.CANDIDATES)
    assert ran(outcome) == {"search": PlaceRan.PINNED, "rerank": PlaceRan.LIVE, "generate": PlaceRan.LIVE}
    assert ids(now, "rerank") == ["c3", "c2", "c1"]
    assert outcome.answer == "REFUND PASSAGE 3 / REFUND PASSAGE 2 / REFUND PASSAGE 1"


def test_a_document_of_langchain_is_injected(chain):
    """Without an assemble stage the last list takes it."""
    gold = Injection(chunk_id="gold", text="the gold", position=2)
    outcome, now = chain.replay(injection=gold)
    assert outcome.answer == "REFUND PASSAGE 3 / THE GOLD / REFUND PASSAGE 2 / REFUND PASSAGE 1"
    assert ids(now, "rerank") == ["c3", "gold", "c2", "c1"]
    assert outcome.unused == ()
