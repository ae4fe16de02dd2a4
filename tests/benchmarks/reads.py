"""What looking costs in a store that is there: each read behind a page or a command, on requests chosen by chance.

    python tests/benchmarks/reads.py FOLDER [--runs 30] [--labels 1000] [--only WORD]

FOLDER is a data folder such as `scale.py` makes; no hub may hold it. Where it has no labels, some requests are given
one first, and a diagnosis with it. Median CPU and wall ms of so many runs, each on another request, after two that warm
up; with the 95th percentile of CPU and the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from goldrank.actions import FindCandidates, ShowRequest, Workspace, find_candidates, show
from goldrank.collectors import examine_request
from goldrank.model import IdForm, IdMention, Outcome, RecordedRequest
from goldrank.store import ChunkQuery, RequestFilter, Store, open_store
from labels import gold

WARM = 2
EVERYTHING = RequestFilter()


def main() -> None:
    """Opens, labels where nothing is labelled, measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--labels", type=int, default=1000)
    parser.add_argument("--only", default="", help="only reads whose name holds this")
    ask = parser.parse_args()
    rng = random.Random(7)
    with open_store(ask.folder / "store.duckdb") as store:
        ids = store.intake.request_ids()
        if store.intake.counts()["rows"]["labels"] == 0:
            for request_id in rng.sample(ids, min(ask.labels, len(ids))):
                label_one(store, request_id, rng)
        print(f"{len(ids):,} requests; load {os.getloadavg()[0]:.1f}")
        chosen = [one for one in map(store.requests.get, rng.sample(ids, ask.runs + WARM)) if one is not None]
        for name, run in reads(store, len(ids)):
            if ask.only in name:
                measure(name, run, chosen)


def label_one(store: Store, request_id: str, rng: random.Random) -> None:
    """Marks some hit of the request as gold and keeps the verdict."""
    recorded = store.requests.get(request_id)
    assert recorded is not None
    label = gold(request_id, rng.choice([hit for stage in recorded.stages for hit in stage.hits or ()]))
    with store.writing():
        store.labels.save((label,))
        examine_request(store, request_id, recorded)


def reads(store: Store, count: int) -> Iterator[tuple[str, Callable[[RecordedRequest], object]]]:
    """Name -> what to do with a request chosen by chance."""

    def page(which: Callable[[RecordedRequest], RequestFilter], offset: int = 0) -> Callable[[RecordedRequest], object]:
        return lambda one: store.requests.page(which(one), limit=25, offset=offset)

    def about(one: RecordedRequest) -> list[str]:
        words = (one.request.question or "").rstrip("?").split() or ["nothing"]
        return words[3:] or words

    def passage(one: RecordedRequest) -> list[str]:
        return next((hit.text or "" for stage in one.stages for hit in stage.hits or ()), "nothing found").split()

    yield "list, first page", page(lambda _: EVERYTHING)
    yield "list, the middle", page(lambda _: EVERYTHING, count // 2)
    yield "list, three words", page(lambda one: RequestFilter(words=" ".join(about(one)[-3:])))
    yield "list, part of a word", page(lambda one: RequestFilter(words=max(about(one), key=len)[:4]))
    yield "list, a user", page(lambda one: RequestFilter(user=one.request.user or ""))
    yield "list, failed ones", page(lambda _: RequestFilter(outcome=Outcome.ERROR))
    yield "list, a verdict", page(lambda _: RequestFilter(verdict="below_cut"))
    yield "list, without a label", page(lambda _: RequestFilter(verdict="no_label"))
    yield "list, the queue", page(lambda _: RequestFilter(queue="open"))
    yield "facets", lambda _: store.requests.facets()
    yield "neighbours", lambda one: store.requests.neighbours(one.request.request_id, EVERYTHING)
    yield "request with texts", lambda one: store.requests.get(one.request.request_id)
    yield "request without texts", lambda one: store.requests.get(one.request.request_id, texts=False)
    yield "its diagnosis", lambda one: store.requests.diagnosis(one.request.request_id)
    yield "its spans", lambda one: store.requests.spans(one.request.request_id, limit=100)
    yield "resolve a request id", lambda one: store.requests.resolve(_whole(one))
    yield (
        "resolve 8 digits",
        lambda one: store.requests.resolve(IdMention(form=IdForm.PREFIX, prefix=one.request.request_id[:8])),
    )
    yield (
        "resolve a span id",
        lambda one: store.requests.resolve(IdMention(form=IdForm.SPAN, span_id=one.stages[0].stage_id)),
    )
    yield "action show, by id", lambda one: show(_workspace(store), ShowRequest(request=one.request.request_id))
    yield (
        "action show, by 8 digits",
        lambda one: show(_workspace(store), ShowRequest(request=one.request.request_id[:8])),
    )
    yield "chunks, two words", lambda one: store.chunks.search(ChunkQuery(text=" ".join(passage(one)[2:4])))
    yield "chunks, a sentence", lambda one: store.chunks.search(ChunkQuery(text=" ".join(passage(one)[5:20])))
    yield "chunks, an id", lambda one: store.chunks.search(ChunkQuery(text=_hit_of(one)))
    yield "where a chunk appeared", lambda one: store.chunks.appearances("bench", _hit_of(one))
    yield (
        "ticket, words of a question",
        lambda one: find_candidates(
            _workspace(store), FindCandidates(text=f"The answer about {' '.join(about(one)[:6])} is wrong.", others=0)
        ),
    )
    yield (
        "ticket, with user",
        lambda one: find_candidates(
            _workspace(store),
            FindCandidates(text=f"{one.request.user} says that {' '.join(about(one)[:4])} is wrong.", others=0),
        ),
    )
    yield (
        "ticket, with a quotation",
        lambda one: find_candidates(
            _workspace(store),
            FindCandidates(
                text=f'It said "{" ".join((one.request.answer or "").split()[:12])}", which is wrong.', others=0
            ),
        ),
    )


def measure(name: str, run: Callable[[RecordedRequest], object], chosen: list[RecordedRequest]) -> None:
    """Prints median CPU and wall."""
    cpu, wall = [], []
    for one in chosen:
        before, started = time.process_time(), time.perf_counter()
        run(one)
        cpu.append((time.process_time() - before) * 1e3)
        wall.append((time.perf_counter() - started) * 1e3)
    cpu, wall = sorted(cpu[WARM:]), sorted(wall[WARM:])
    print(
        f"{name:28} CPU {statistics.median(cpu):7.1f} ms (p95 {cpu[int(len(cpu) * 0.95)]:7.1f})   "
        f"wall {statistics.median(wall):7.1f} ms   load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def _workspace(store: Store) -> Workspace:
    return Workspace(store=store, spool=Path("none"))


def _whole(one: RecordedRequest) -> IdMention:
    trace_id, _, span_id = one.request.request_id.partition("-")
    return IdMention(form=IdForm.REQUEST, trace_id=trace_id, span_id=span_id)


def _hit_of(one: RecordedRequest) -> str:
    return next(hit.chunk_id for stage in one.stages for hit in stage.hits or ())


if __name__ == "__main__":
    sys.exit(main())
