"""What a request's telemetry lacks decides which verdicts can be told, and which change is named first."""

from __future__ import annotations

import pytest
from goldrank.diagnosis import examine
from goldrank.diagnosis.checkup import NEEDS, Observed, changes, observe, told
from goldrank.model import Completeness, Outcome, Verdict
from goldrank.model.checkup import Lack, Standing

GENAI_LANGCHAIN = "opentelemetry.instrumentation.genai.langchain"


def seen(recorded, *, writers=("goldrank",), corpus_known=True) -> Observed:
    """The request as a checkup sees it."""
    return observe(recorded, examine(recorded), writers=writers, corpus_known=corpus_known)


def whole(make, **fields):
    """A request that lacks nothing."""
    return make.recorded(
        make.stage("bm25", "a b g"),
        make.stage("dense", "g c"),
        make.stage("rrf", "g a b c", kind="fuse", inputs=["bm25", "dense"]),
        make.stage("rerank", "a g", kind="rerank", inputs=["rrf"]),
        make.prompt("a g"),
        **{"answer": "30 days", **fields},
    )


def test_a_whole_recording_lacks_nothing(make):
    """Every verdict can be told, but for a filter that the app does not have; there is nothing to change."""
    one = seen(whole(make))
    assert one.lacks == frozenset()
    standings = {each.verdict: each.standing for each in told([one])}
    assert standings.pop(Verdict.FILTERED) is Standing.ABSENT
    assert set(standings.values()) == {Standing.YES}
    assert changes([one], app="bot") == ()


@pytest.mark.parametrize(
    ("lack", "recorded"),
    [
        (Lack.SEARCH, lambda make: make.recorded(make.prompt("a"), answer="x")),
        (Lack.LIST, lambda make: make.recorded(make.stage("dense"), make.prompt("a"), answer="x")),
        (
            Lack.RANKS,
            lambda make: make.recorded(
                make.stage("dense", "a b", first_rank=28, missing_top=27, completeness=Completeness.TOP_MISSING),
                make.prompt("a"),
                answer="x",
            ),
        ),
        (Lack.REQUEST, lambda make: whole(make, provisional=True)),
        (Lack.QUESTION, lambda make: whole(make, question=None)),
        (Lack.CONTEXT, lambda make: make.recorded(make.stage("dense", "a b"), answer="x")),
        (Lack.ANSWER, lambda make: whole(make, answer=None)),
        (Lack.TEXT, lambda make: make.recorded(make.stage("dense", [("a", {"text": None})]), answer="x")),
        (Lack.ID, lambda make: make.recorded(make.stage("dense", [("a", {"id_source": "derived"})]), make.prompt("a"))),
    ],
)
def test_each_lack_is_seen(make, lack, recorded):
    """And a recording that has it is not said to lack it: `test_a_whole_recording_lacks_nothing`."""
    assert lack in seen(recorded(make)).lacks


def test_a_failed_stage_owes_no_list_and_a_failed_request_no_answer(make):
    """What the app never made is no lack of its telemetry."""
    one = seen(make.recorded(make.failed("dense", "TimeoutError: no answer"), outcome=Outcome.ERROR))
    assert one.lacks.isdisjoint({Lack.LIST, Lack.RANKS, Lack.CONTEXT, Lack.ANSWER})


def test_a_prompt_without_a_search_lacks_the_search_alone(make):
    """Nothing in it can be recognised, and to record it again would not help."""
    assert Lack.CONTEXT not in seen(make.recorded(make.prompt("a"), answer="x")).lacks


def test_a_verdict_is_told_in_those_requests_that_lack_nothing_it_needs(make):
    """One of two requests has its prompt."""
    both = [seen(whole(make)), seen(make.recorded(make.stage("dense", "a b"), answer="x"))]
    found = {one.verdict: one for one in told(both)}
    delivered = found[Verdict.DELIVERED]
    assert (delivered.standing, delivered.requests) == (Standing.PARTLY, 1)
    assert delivered.why == "what the prompt held is not recorded in 1 of 2"
    assert found[Verdict.NOT_RETRIEVED].standing is Standing.YES


def test_a_stage_that_only_some_requests_have_is_asked_of_those(make):
    """The reranker of one request is whole: that the other has none takes nothing away."""
    both = [seen(whole(make)), seen(make.recorded(make.stage("dense", "a"), make.prompt("a"), answer="x"))]
    found = {one.verdict: one for one in told(both)}
    assert (found[Verdict.DEMOTED].standing, found[Verdict.DEMOTED].requests) == (Standing.YES, 1)


def test_the_change_that_brings_most_verdicts_comes_first(make):
    """Without a prompt and without a corpus: the prompt is needed for five verdicts, the corpus for one."""
    one = seen(make.recorded(make.stage("dense", "a b"), answer="x"), corpus_known=False)
    first, second = changes([one], app="bot", index="docs", version="v3")
    assert first.lack is Lack.CONTEXT
    assert set(first.brings) == {verdict for verdict, needs in NEEDS.items() if Lack.CONTEXT in needs}
    assert second.lack is Lack.CORPUS
    assert second.how == "goldrank corpus add chunks.jsonl --app bot --index docs --version v3"


def test_many_requests_outweigh_many_verdicts(make):
    """What is lacking once is not the first thing to change."""
    often = [seen(whole(make), corpus_known=False) for _ in range(9)]
    once = seen(make.recorded(make.stage("dense", "a b"), answer="x"))
    assert [one.lack for one in changes([*often, once], app="bot")] == [Lack.CORPUS, Lack.CONTEXT]


def test_an_instrumentation_that_hides_inner_searches_is_replaced_by_one_line(make):
    """It answers for all that it does not send, once."""
    one = seen(make.recorded(make.stage("retrieval", [("a", {"text": None})])), writers=[GENAI_LANGCHAIN])
    assert Lack.INNER in one.lacks
    lost = next(each for each in told([one]) if each.verdict is Verdict.LOST_IN_FUSION)
    assert (lost.standing, lost.why) == (Standing.NO, "searches inside another one are not recorded")
    [change] = changes([one], app="bot", writers=[GENAI_LANGCHAIN])
    assert 'goldrank.instrument("langchain")' in change.how
    assert {Verdict.LOST_IN_FUSION, Verdict.DELIVERED, Verdict.IGNORED} <= set(change.brings)


def test_the_reason_that_the_reader_found_is_the_advice(make):
    """Nobody knows better what the exporter dropped."""
    reason = "ranks 1 to 27 are missing; raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"
    stage = make.stage(
        "dense",
        "a b",
        first_rank=28,
        missing_top=27,
        completeness=Completeness.TOP_MISSING,
        notes={"completeness": reason},
    )
    [change] = changes([seen(make.recorded(stage, make.prompt("a"), answer="x"))], app="bot")
    assert change.lack is Lack.RANKS
    assert change.what == f"A list is incomplete: {reason}."


def test_a_decorated_search_without_a_list_is_told_how_to_give_one(make):
    """It has its decorator: what it returns could not be read."""
    one = seen(make.recorded(make.stage("dense"), make.prompt("a"), answer="x"))
    assert "hits=" in changes([one], app="bot", writers=["goldrank"])[0].how
    assert "hits=" not in changes([one], app="bot", writers=["another"])[0].how


def test_every_lack_has_words_and_a_way():
    """A new one without them would be seen only when it is met."""
    from goldrank.diagnosis.checkup.advice import _WAYS
    from goldrank.diagnosis.checkup.telling import WORDS

    assert set(WORDS) == set(_WAYS) == set(Lack)


def test_of_a_log_the_change_is_a_column(make):
    """What was imported has no function to decorate; beside spans of an app it has."""
    one = seen(make.recorded(make.stage("bm25", "a b"), answer="x"), writers=("goldrank.import",))
    (best, *_) = changes([one], app="bot", writers=("goldrank.import",))
    assert (best.lack, "context_ids" in best.how, "@goldrank" in best.how) == (Lack.CONTEXT, True, False)
    (best, *_) = changes([one], app="bot", writers=("goldrank.import", "goldrank"))
    assert best.how.startswith("@goldrank.generate")


def test_a_log_is_called_as_its_importer_calls_it():
    """The rooms do not know each other: the name stands in both."""
    from goldrank.collectors.importing.spans import SCOPE
    from goldrank.diagnosis.checkup.advice import LOG

    assert LOG == SCOPE
