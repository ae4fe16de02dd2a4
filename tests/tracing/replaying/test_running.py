"""A recorded request run again in this process: pins, overrides, the injected chunk, every sort of function."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import goldrank
import pytest
from goldrank.model import StageKind, wire
from goldrank.model.replay import (
    Injection,
    Override,
    Pin,
    PlaceRan,
    RecordedCall,
    ReplayOutcome,
    ReplayPlan,
    ReplayStatus,
)
from goldrank.tracing.recorder import SWITCH
from goldrank.tracing.replaying.running import run_replay, run_replay_here

OF = "0" * 31 + "1-" + "0" * 15 + "1"


@dataclass(frozen=True)
class Hit:
    """A hit."""

    chunk_id: str
    text: str
    score: float


CORPUS = [Hit(f"c{number}", f"Passage number {number} of the corpus.", 1 / number) for number in range(1, 9)]
GOLD = Injection(chunk_id="gold", text="Refunds take 14 days.", position=2)


class Bot:
    """A pipeline whose stages count how often they really run."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.prompts: list[str] = []

        @goldrank.rewrite
        def rewrite(question: str) -> str:
            self.ran.append("rewrite")
            return question.upper()

        @goldrank.retrieve(index="docs")
        def search(query: str, top_k: int = 3) -> list[Hit]:
            self.ran.append("search")
            return CORPUS[:top_k]

        @goldrank.filter
        def allowed(hits: list[Hit], least: float = 0.0) -> list[Hit]:
            self.ran.append("allowed")
            return [hit for hit in hits if hit.score >= least]

        @goldrank.rerank
        def rerank(query: str, hits: list[Hit]) -> list[Hit]:
            self.ran.append("rerank")
            return hits[::-1]

        @goldrank.assemble
        def build(question: str, hits: list[Hit]) -> str:
            self.ran.append("build")
            return "\n".join(hit.text for hit in hits[:3])

        @goldrank.generate
        def generate(prompt: str) -> str:
            self.ran.append("generate")
            self.prompts.append(prompt)
            return f"{len(prompt)} characters"

        @goldrank.request
        def answer(question: str, user: str = "", groups: tuple[str, ...] = ()) -> str:
            query = rewrite(question)
            return generate(build(question, rerank(query, allowed(search(query)))))

        self.answer = answer


@pytest.fixture
def bot() -> Bot:
    """A fresh one."""
    return Bot()


def plan(**different: Any) -> ReplayPlan:
    """A replay of one question."""
    call = different.pop("call", RecordedCall(question="refunds?"))
    return ReplayPlan(replay_of=OF, call=call, **different)


def run(target: Callable[..., Any], asked: ReplayPlan) -> ReplayOutcome:
    """As a worker does."""
    outcome, _ = run_replay(target, asked)
    assert SWITCH.replays is None, "no replay is active afterwards"
    return outcome


def pin(kind: str, name: str, **fields: Any) -> Pin:
    """A pin with its stage."""
    return Pin(stage_id="0" * 16, kind=StageKind(kind), name=name, **fields)


def notes(outcome: ReplayOutcome) -> dict[str, tuple[PlaceRan, str]]:
    """Stage -> what it did, and its note."""
    return {stage.name: (stage.ran, stage.note) for stage in outcome.stages}


def test_the_request_is_linked_and_answered(bot, kept):
    """The new request says what it replays, and its id comes back."""
    outcome = run(bot.answer, plan(batch="b7"))
    assert outcome.status is ReplayStatus.DONE
    assert outcome.answer == "95 characters"
    assert outcome.request_id == kept.attributes("answer")[wire.REQUEST_ID]
    assert kept.attributes("answer")[wire.REPLAY_OF] == OF
    assert kept.attributes("answer")[wire.REPLAY_BATCH] == "b7"
    assert [stage.name for stage in outcome.stages] == ["rewrite", "search", "allowed", "rerank", "build", "generate"]
    assert {stage.ran for stage in outcome.stages} == {PlaceRan.LIVE}
    assert outcome.unused == ()


def test_a_request_outside_of_replays_is_as_ever(bot, kept):
    """Afterwards nothing of it is left."""
    run(bot.answer, plan())
    kept.spans.clear()
    assert bot.answer("refunds?") == "95 characters"
    assert wire.REPLAY_OF not in kept.attributes("answer")


def test_depth_by_the_standard_word(bot, kept):
    """`retrieve.top_k` is the parameter that the decorator reads as top_k, of every retrieve stage."""
    outcome = run(bot.answer, plan(overrides=(Override(target="retrieve", parameter="top_k", value=8),)))
    assert notes(outcome)["search"] == (PlaceRan.LIVE, "top_k: 3 -> 8")
    assert len(kept.hits("search")) == 8
    assert kept.attributes("search")[wire.TOP_K] == 8
    assert json.loads(kept.attributes("answer")[wire.REPLAY_OVERRIDES]) == ["retrieve.top_k=8"]


def test_a_parameter_by_the_functions_own_name(bot, kept):
    """Of one stage, by its name."""
    outcome = run(bot.answer, plan(overrides=(Override(target="allowed", parameter="least", value=0.5),)))
    assert notes(outcome)["allowed"][1] == "least: 0.0 -> 0.5"
    assert kept.ids("allowed") == ["c1", "c2"]


@pytest.mark.parametrize(
    ("target", "parameter", "reason"),
    [
        ("retrieve", "exact", "search: it has no parameter exact (it has query, top_k)"),
        ("retrieve", "index", "search: its index is fixed by the decorator and no parameter"),
        ("dense", "top_k", "no stage of that kind or name (dense) was called"),
        ("generate", "off", "generate: only a rewrite, a filter or a rerank can be left out"),
        ("request", "tenant", "answer has no parameter tenant (it has question, user, groups)"),
    ],
)
def test_an_override_that_nothing_takes_is_said(bot, kept, target, parameter, reason):
    """Never silent."""
    outcome = run(bot.answer, plan(overrides=(Override(target=target, parameter=parameter, value=1),)))
    assert outcome.status is ReplayStatus.DONE
    assert len(outcome.unused) == 1
    assert outcome.unused[0].endswith(reason)


@pytest.mark.parametrize(("target", "stage"), [("rewrite", "rewrite"), ("rerank", "rerank"), ("filter", "allowed")])
def test_a_stage_that_is_off_gives_its_input(bot, kept, target, stage):
    """It does not run; what it was given goes on."""
    outcome = run(bot.answer, plan(overrides=(Override(target=target, parameter="off", value=True),)))
    assert stage not in bot.ran
    assert notes(outcome)[stage] == (PlaceRan.LIVE, "off: it gave what it was given")
    assert outcome.status is ReplayStatus.DONE


def test_the_recorded_candidates_with_todays_reranker(bot, kept):
    """Pinned stages do not run, say so on their spans, and hand on equal objects."""
    bot.answer("refunds?")
    pins = (
        pin("rewrite", "rewrite", query="refunds?", texts=("REFUNDS?",)),
        pin("retrieve", "search", query="REFUNDS?", shape=shape(kept, "search"), hits=recorded(CORPUS[4:6])),
    )
    bot.ran.clear()
    kept.spans.clear()
    outcome = run(bot.answer, plan(pins=pins))
    assert bot.ran == ["allowed", "rerank", "build", "generate"]
    assert kept.ids("rerank") == ["c6", "c5"]
    assert kept.attributes("search")[wire.REPLAY_PINNED] is True
    assert wire.REPLAY_PINNED not in kept.attributes("rerank")
    assert notes(outcome)["search"] == (PlaceRan.PINNED, "")
    assert outcome.unused == ()


def shape(kept: Any, name: str) -> str:
    """The recorded shape of a stage's list."""
    return str(kept.json(name, wire.HITS)[wire.HITS_SHAPE])


def recorded(hits: list[Hit]) -> tuple[dict[str, Any], ...]:
    """As they are in the store."""
    return tuple(
        {"rank": rank, "chunk_id": hit.chunk_id, "text": hit.text, "score": hit.score, "text_state": "known"}
        for rank, hit in enumerate(hits, 1)
    )


def test_a_call_without_a_recording_runs_and_says_so(bot, kept):
    """Another query, or more calls than were recorded."""
    bot.answer("refunds?")
    other = pin("retrieve", "search", query="other", shape=shape(kept, "search"), hits=recorded(CORPUS[:1]))
    bot.ran.clear()
    outcome = run(bot.answer, plan(pins=(other,)))
    assert "search" in bot.ran
    assert notes(outcome)["search"] == (
        PlaceRan.UNMATCHED,
        "no recording for this call: the query 'REFUNDS?' was not recorded for it",
    )
    assert outcome.unused == ("the recording of retrieve search with the query 'other': no call took it",)


def test_legs_are_matched_by_query_and_equal_ones_in_order(kept):
    """Threads may finish in another order; equal calls get their recordings in turn, the third runs."""

    @goldrank.retrieve
    def leg(query: str) -> list[str]:
        return [f"live {query}"]

    @goldrank.request
    def answer(question: str) -> str:
        found: dict[int, str] = {}

        def look(place: int, query: str) -> None:
            found[place] = leg(query)[0]

        threads = [threading.Thread(target=look, args=(place, query)) for place, query in enumerate(["b", "a"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return " ".join([found[0], found[1], *(leg("same")[0] for _ in range(3))])

    pins = [
        pin("retrieve", "leg", query=query, shape="list[str]", hits=({"rank": 1, "chunk_id": f"{query}-{number}"},))
        for query, number in (("a", 1), ("b", 1), ("same", 1), ("same", 2))
    ]
    outcome = run(answer, plan(pins=tuple(pins)))
    assert outcome.answer == "b-1 a-1 same-1 same-2 live same"
    assert outcome.stages[-1].note == "no recording for this call: it was recorded 4 times, and each is used"


def test_what_cannot_be_rebuilt_is_refused_before_anything_runs(bot, kept):
    """With the type, and the remedy."""
    cannot = pin("retrieve", "search", query="REFUNDS?", shape="set", hits=recorded(CORPUS[:1]))
    outcome = run(bot.answer, plan(pins=(cannot,)))
    assert outcome.status is ReplayStatus.REFUSED
    assert outcome.detail.startswith("retrieve search cannot be pinned: it returned a set")
    assert "rebuild=" in outcome.detail
    assert bot.ran == []


def test_the_apps_own_rebuild_is_used(kept):
    """It makes what the recording cannot."""

    @goldrank.retrieve(rebuild=lambda hits: {hit["id"] for hit in hits}, hits=sorted)
    def find(query: str) -> set[str]:
        return {"live"}

    @goldrank.request
    def answer(question: str) -> str:
        return " ".join(sorted(find(question)))

    asked = pin("retrieve", "find", query="refunds?", shape="set", hits=recorded(CORPUS[:2]))
    assert run(answer, plan(pins=(asked,))).answer == "c1 c2"


def test_a_block_cannot_be_pinned(kept):
    """Its body runs; that is said."""

    @goldrank.request
    def answer(question: str) -> str:
        with goldrank.stage("retrieve", name="bm25", query=question) as stage:
            stage.hits(["c1"])
        return "ok"

    asked = pin("retrieve", "bm25", query="refunds?", shape="list[str]", hits=({"rank": 1, "chunk_id": "c9"},))
    outcome = run(answer, plan(pins=(asked,), overrides=(Override(target="bm25", parameter="top_k", value=3),)))
    assert outcome.answer == "ok"
    assert notes(outcome)["bm25"] == (
        PlaceRan.UNMATCHED,
        "a `with goldrank.stage(...)` block cannot be pinned: its body runs",
    )
    assert any("block" in sentence for sentence in outcome.unused)


# ---- every sort of function -------------------------------------------------------------------------

PINNED = {"rank": 1, "chunk_id": "c9"}


def make_plain() -> Callable[..., Any]:
    """Plain functions."""

    @goldrank.retrieve
    def find(query: str) -> list[str]:
        return ["live"]

    @goldrank.request
    def answer(question: str) -> str:
        return find(question)[0]

    return answer


def make_async() -> Callable[..., Any]:
    """Coroutines."""

    @goldrank.retrieve
    async def find(query: str) -> list[str]:
        return ["live"]

    @goldrank.request
    async def answer(question: str) -> str:
        return (await asyncio.gather(find(question)))[0][0]

    return answer


def make_generator() -> Callable[..., Any]:
    """Generators: a streamed list, a streamed answer."""

    @goldrank.retrieve
    def find(query: str) -> Iterator[str]:
        yield "live"

    @goldrank.request
    def answer(question: str) -> Iterator[str]:
        yield from find(question)
        yield from ()

    return answer


def make_async_generator() -> Callable[..., Any]:
    """Async generators."""

    @goldrank.retrieve
    async def find(query: str) -> AsyncIterator[str]:
        yield "live"

    @goldrank.request
    async def answer(question: str) -> AsyncIterator[str]:
        async for found in find(question):
            yield found

    return answer


def make_bare_thread() -> Callable[..., Any]:
    """A thread that carries nothing."""
    find = make_find()

    @goldrank.request
    def answer(question: str) -> str:
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.extend(find(question)))
        thread.start()
        thread.join()
        return found[0]

    return answer


def make_find() -> Callable[..., Any]:
    """A retriever."""

    @goldrank.retrieve
    def find(query: str) -> list[str]:
        return ["live"]

    return find


def make_pool() -> Callable[..., Any]:
    """goldrank's own executor."""
    find = make_find()

    @goldrank.request
    def answer(question: str) -> str:
        with goldrank.ThreadPoolExecutor(1) as pool:
            return pool.submit(find, question).result()[0]

    return answer


def make_to_thread() -> Callable[..., Any]:
    """asyncio's threads."""
    find = make_find()

    @goldrank.request
    async def answer(question: str) -> str:
        return (await asyncio.to_thread(find, question))[0]

    return answer


SORTS = [make_plain, make_async, make_generator, make_async_generator, make_pool, make_to_thread]
FIND = Pin(stage_id="0" * 16, kind=StageKind.RETRIEVE, name="find", query="refunds?", shape="list[str]", hits=(PINNED,))


@pytest.mark.parametrize("make", [*SORTS, make_bare_thread])
def test_pins_hold_everywhere_in_a_worker(kept, make):
    """Every thread of the process is inside the replay."""
    outcome = run(make(), plan(pins=(FIND,)))
    assert outcome.status is ReplayStatus.DONE
    assert outcome.answer == "c9"
    assert [stage.ran for stage in outcome.stages] == [PlaceRan.PINNED]


def test_a_stage_in_a_lost_thread_is_a_stage_of_the_new_request(kept):
    """In a worker nothing else runs: alone it would count as a request that no user asked."""
    outcome = run(make_bare_thread(), plan())
    assert outcome.answer == "live"
    assert kept.attributes("find")[wire.REQUEST_ID] == outcome.request_id


@pytest.mark.parametrize("make", SORTS)
def test_pins_hold_in_a_servers_context(kept, make):
    """Where OpenTelemetry's context goes, the replay goes."""
    outcome = asyncio.run(run_replay_here(make(), plan(pins=(FIND,))))
    assert outcome.status is ReplayStatus.DONE
    assert outcome.answer == "c9"


def test_a_thread_that_lost_the_context_is_refused(kept):
    """In a live server the stage ran for real; that is said, and how to mend it."""
    outcome = asyncio.run(run_replay_here(make_bare_thread(), plan(pins=(FIND,))))
    assert outcome.status is ReplayStatus.REFUSED
    assert "retrieve find" in outcome.detail
    assert "goldrank.carry" in outcome.detail


def test_other_requests_of_a_server_do_not_notice(kept):
    """Beside a replay they run live, without its pins and its mark."""
    find = make_find()
    there, go_on = threading.Event(), threading.Event()

    @goldrank.request
    def answer(question: str) -> str:
        if question == "refunds?":
            there.set()
            assert go_on.wait(60)
        return find("refunds?")[0]

    async def both() -> tuple[ReplayOutcome, str]:
        replay = asyncio.create_task(run_replay_here(answer, plan(pins=(FIND,))))
        await asyncio.to_thread(there.wait, 60)
        live = await asyncio.to_thread(answer, "another")
        go_on.set()
        return await replay, live

    replayed, live = asyncio.run(both())
    assert (replayed.answer, live) == ("c9", "live")
    assert replayed.status is ReplayStatus.DONE
    marked = [wire.REPLAY_OF in span.attributes for span in kept.spans if span.name == "answer"]
    assert sorted(marked) == [False, True]


# ---- the injected chunk -----------------------------------------------------------------------------


def test_the_gold_is_put_into_what_assemble_is_given(bot, kept):
    """At its place, of its neighbours' type, and it is said whether the prompt has it."""
    outcome = run(bot.answer, plan(injection=GOLD))
    assert bot.prompts == [f"{CORPUS[2].text}\n{GOLD.text}\n{CORPUS[1].text}"]
    assert notes(outcome)["build"][1] == "gold was put at 2 of 4"
    assert notes(outcome)["generate"][1] == "the injected text is in its prompt"
    assert outcome.unused == ()


def test_beyond_the_end_is_the_last_place_and_may_be_cut_off(bot, kept):
    """The prompt takes three: what stands at 4 is not in it."""
    outcome = run(bot.answer, plan(injection=GOLD.model_copy(update={"position": 99})))
    assert notes(outcome)["build"][1] == "gold was put at 4 of 4"
    assert outcome.unused == (
        "the injected chunk was put into the list, and its text is not in the prompt: what follows cut it off",
    )


def test_a_chunk_that_is_there_is_moved(bot, kept):
    """It is not there twice."""
    moved = Injection(chunk_id="c1", text=CORPUS[0].text, position=1)
    outcome = run(bot.answer, plan(injection=moved))
    assert notes(outcome)["build"][1] == "c1 was put at 1 of 3 (it was there at 3)"
    assert bot.prompts[0].count(CORPUS[0].text) == 1


@pytest.mark.parametrize(
    "element",
    [
        {"id": "c1", "text": "One passage.", "score": 0.5, "metadata": {"title": "T", "doc_id": "d"}},
        ("c1", 0.5, "One passage of some words."),
        "One passage of several words.",
        ({"id": "c1", "text": "One passage."}, 0.5),
    ],
)
def test_any_make_of_neighbour(kept, element):
    """Dicts, pairs and texts get one more of their make."""
    seen: list[Any] = []

    @goldrank.retrieve
    def find(query: str) -> list[Any]:
        return [element]

    @goldrank.assemble
    def build(hits: list[Any]) -> str:
        seen.extend(hits)
        return "prompt"

    @goldrank.request
    def answer(question: str) -> str:
        return build(find(question))

    outcome = run(answer, plan(injection=GOLD))
    assert len(seen) == 2
    assert type(seen[1]) is type(element)
    assert GOLD.text in str(seen[1])
    assert "no generate stage" in outcome.unused[0]


def test_without_an_assemble_stage_the_context_of_generate_takes_it(kept):
    """Its list is the context."""
    seen: list[Any] = []

    @goldrank.generate
    def generate(question: str, context: list[str]) -> str:
        seen.extend(context)
        return "ok"

    @goldrank.request
    def answer(question: str) -> str:
        return generate(question, ["One passage of several words."])

    outcome = run(answer, plan(injection=GOLD))
    assert seen == ["One passage of several words.", GOLD.text]
    assert outcome.unused == ()


def test_a_list_stage_can_be_named(kept):
    """Where the context is a text, the last list takes it."""

    @goldrank.retrieve
    def find(query: str) -> list[Hit]:
        return CORPUS[:2]

    @goldrank.generate
    def generate(prompt: str) -> str:
        return prompt

    @goldrank.request
    def answer(question: str) -> str:
        return generate(" ".join(hit.text for hit in find(question)))

    refused = run(answer, plan(injection=GOLD))
    assert "given no list as its context" in refused.unused[0]
    outcome = run(answer, plan(injection=GOLD.model_copy(update={"stage": "find", "position": 1})))
    assert outcome.answer is not None
    assert outcome.answer.startswith(GOLD.text)
    assert outcome.unused == ()


def test_an_empty_list_takes_a_hit_like_those_seen_before(kept):
    """The filter left nothing; the retriever's hits show the type."""
    seen: list[Any] = []

    @goldrank.retrieve
    def find(query: str) -> list[Hit]:
        return CORPUS[:2]

    @goldrank.assemble
    def build(hits: list[Hit]) -> str:
        seen.extend(hits)
        return "prompt"

    @goldrank.request
    def answer(question: str) -> str:
        find(question)
        return build([])

    run(answer, plan(injection=GOLD))
    assert [(type(hit), hit.chunk_id, hit.text) for hit in seen] == [(Hit, "gold", GOLD.text)]


# ---- how it ends ------------------------------------------------------------------------------------


def test_an_error_is_told_without_goldranks_frames(kept):
    """The app's traceback, and the request that failed."""

    @goldrank.request
    def answer(question: str) -> str:
        raise ValueError("no index")

    outcome = run(answer, plan())
    assert outcome.status is ReplayStatus.FAILED
    assert outcome.detail.rstrip().endswith("ValueError: no index")
    assert "driving.py" not in outcome.detail
    assert "test_running.py" in outcome.detail
    assert outcome.request_id is not None


def test_exit_is_a_failure(kept):
    """It ends the replay, not the process."""

    @goldrank.request
    def answer(question: str) -> str:
        raise SystemExit(3)

    outcome, left = run_replay(answer, plan())
    assert (outcome.status, left) == (ReplayStatus.FAILED, True)
    assert outcome.detail.startswith("The app called exit(3).")


def test_without_init_it_is_refused():
    """Nothing would be recorded."""
    outcome, _ = run_replay(lambda question: question, plan())
    assert outcome.status is ReplayStatus.REFUSED
    assert "goldrank.init" in outcome.detail


def test_importing_goldrank_does_not_load_it(root):
    """An app that only records does not pay for replays."""
    import subprocess
    import sys

    code = "import sys, goldrank; print([name for name in sys.modules if 'replaying' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
