"""What keeping costs: spool to queryable for goldrank spans, and bytes a request.

    python tests/benchmarks/ingest.py [--requests 2000]

Records neutral requests through the decorators, then runs the ingester over the spool once. CPU time of the process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pipeline import build, neutral_requests

SPANS_A_REQUEST = 7


def main() -> None:
    """Records, ingests, prints."""
    import goldrank
    from goldrank.collectors import Ingester
    from goldrank.store import RequestFilter, open_store

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    ask = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="goldrank-bench-"))
    goldrank.init(app="bench", directory=directory, queue_size=1_000_000)
    kinds = {kind: getattr(goldrank, kind) for kind in ("request", "rewrite", "retrieve", "fuse", "rerank", "generate")}
    run = build(kinds.__getitem__)
    for neutral in neutral_requests(ask.requests):
        run(neutral)
    goldrank.shutdown()
    spool_bytes = sum(path.stat().st_size for path in (directory / "spool").iterdir() if path.is_file())
    with open_store(directory / "store.duckdb") as store:
        cpu, wall = time.process_time(), time.perf_counter()
        ingester = Ingester(directory / "spool", store)
        while ingester.run_once():
            pass
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        stored = store.requests.page(RequestFilter(), limit=1).stored
    store_bytes = (directory / "store.duckdb").stat().st_size
    assert stored == ask.requests, f"{stored} of {ask.requests} requests arrived"
    print(f"requests                     {stored}")
    print(f"requests/s of CPU            {stored / cpu:9.0f}   (wall {stored / wall:.0f})")
    print(f"spans/s of CPU               {stored * SPANS_A_REQUEST / cpu:9.0f}")
    print(f"ingest CPU a request         {cpu / stored * 1e3:9.3f} ms")
    print(f"spool bytes a request        {spool_bytes / stored:9.0f}")
    print(f"store bytes a request        {store_bytes / stored:9.0f}")


if __name__ == "__main__":
    main()
