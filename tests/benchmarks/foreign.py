"""What keeping another writer's telemetry costs: OTLP bytes to queryable, for flattened OpenInference spans.

    python tests/benchmarks/foreign.py [--requests 2000] [--profile]

Encodes the requests of `rag_requests.py` (folder GOLDRANK_BENCH, default ../shared/bench) as OTLP protobuf, 20 requests
a batch, writes them to a spool, and runs the ingester over it once. CPU time of the ingester's process. `--profile`
prints where it goes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pipeline import shared_generator

SPANS_A_REQUEST = 6
A_BATCH = 20


def main() -> None:
    """Encodes, ingests, prints."""
    from goldrank.collectors import Ingester
    from goldrank.model import FrameKind
    from goldrank.store import RequestFilter, open_store
    from goldrank.tracing.spool import SpoolWriter, encode

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--profile", action="store_true")
    ask = parser.parse_args()
    generator = shared_generator()
    if generator is None:
        sys.exit("NOT MEASURED: there is no rag_requests.py; GOLDRANK_BENCH names its folder.")
    directory = Path(tempfile.mkdtemp(prefix="goldrank-bench-"))
    writer, sent, batch = SpoolWriter(directory / "spool", app="bench"), 0, []
    for number, request in enumerate(generator.requests(ask.requests), start=1):
        batch.append(request)
        if len(batch) == A_BATCH or number == ask.requests:
            payload = generator.to_otlp(batch).SerializeToString()
            sent += len(payload)
            assert writer.write([encode(FrameKind.TRACES, payload)]) is None
            batch = []
    writer.close()
    with open_store(directory / "store.duckdb") as store:
        ingester = Ingester(directory / "spool", store)
        profile = cProfile.Profile(time.process_time)
        cpu = time.process_time()
        if ask.profile:
            profile.enable()
        while ingester.run_once():
            pass
        profile.disable()
        cpu = time.process_time() - cpu
        stored = store.requests.page(RequestFilter(), limit=1).stored
    assert stored == ask.requests, f"{stored} of {ask.requests} requests arrived"
    size = (directory / "store.duckdb").stat().st_size
    print(f"requests                     {stored}")
    print(f"requests/s of CPU            {stored / cpu:9.0f}")
    print(f"spans/s of CPU               {stored * SPANS_A_REQUEST / cpu:9.0f}")
    print(f"ingest CPU a request         {cpu / stored * 1e3:9.3f} ms")
    print(f"bytes sent a request         {sent / stored:9.0f}")
    print(f"store bytes a request        {size / stored:9.0f}")
    if ask.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    main()
