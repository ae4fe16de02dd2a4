"""What one request and one label cost when nothing else comes: the CPU of a commit and of a verdict.

    python tests/benchmarks/at_once.py [--requests 1000] [--rounds 15]

A store with some requests; then one request at a time through the spool, and one label at a time with its verdict.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import goldrank
from goldrank.collectors import Ingester, examine_request
from goldrank.store import RequestFilter, RequestRow, Store, open_store
from labels import gold
from pipeline import build, neutral_requests

KINDS = ("request", "rewrite", "retrieve", "fuse", "rerank", "generate")


def main() -> None:
    """Fills, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    ask = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="goldrank-bench-"))
    goldrank.init(app="bench", directory=directory, queue_size=1_000_000)
    kinds = {kind: getattr(goldrank, kind) for kind in KINDS}
    run = build(kinds.__getitem__)
    neutral = neutral_requests(ask.requests + ask.rounds)
    for _ in range(ask.requests):
        run(next(neutral))
    goldrank.flush()
    with open_store(directory / "store.duckdb") as store:
        ingester = Ingester(directory / "spool", store)
        while ingester.run_once():
            pass
        commits = []
        for _ in range(ask.rounds):
            run(next(neutral))
            goldrank.flush()
            commits.append(cpu_ms(ingester.run_once))
        labels = [label_one(store, row.request_id) for row in newest(store, ask.rounds)]
        goldrank.shutdown()
    print(f"commit of one request        {statistics.median(commits):9.1f} ms of CPU")
    print(f"label and verdict            {statistics.median(labels):9.1f} ms of CPU")


def newest(store: Store, count: int) -> tuple[RequestRow, ...]:
    """The newest requests."""
    return store.requests.page(RequestFilter(), limit=count).rows


def label_one(store: Store, request_id: str) -> float:
    """CPU of saving a label with what it makes of the verdict, the request being at hand as for the page."""
    recorded = store.requests.get(request_id)
    assert recorded is not None
    label = gold(request_id, next(stage.hits for stage in recorded.stages if stage.hits)[3])

    def save() -> None:
        with store.writing():
            store.labels.save((label,))
            examine_request(store, request_id, recorded)

    return cpu_ms(save)


def cpu_ms(run: Callable[[], object]) -> float:
    """CPU of this process in milliseconds."""
    before = time.process_time()
    run()
    return (time.process_time() - before) * 1e3


if __name__ == "__main__":
    main()
