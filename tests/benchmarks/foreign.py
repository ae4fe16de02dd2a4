"""What keeping another writer's telemetry costs: OTLP bytes to queryable, for flattened OpenInference spans.

    python tests/benchmarks/foreign.py [--requests 2000] [--profile] [--parts]

Encodes the requests of `rag_requests.py` (folder GOLDRANK_BENCH, default ../shared/bench) as OTLP protobuf, 20 requests
a batch, writes them to a spool, and runs the ingester over it once. CPU time of the ingester's process. `--profile`
prints where it goes. `--parts` prints what no design of the rest would save: the reading of the bytes (by goldrank, and
by protobuf's own classes into dictionaries, for comparison) and DuckDB's own calls.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    parser.add_argument("--parts", action="store_true")
    ask = parser.parse_args()
    generator = shared_generator()
    if generator is None:
        sys.exit("NOT MEASURED: there is no rag_requests.py; GOLDRANK_BENCH names its folder.")
    directory = Path(tempfile.mkdtemp(prefix="goldrank-bench-"))
    writer, batch = SpoolWriter(directory / "spool", app="bench"), []
    payloads: list[bytes] = []
    for number, request in enumerate(generator.requests(ask.requests), start=1):
        batch.append(request)
        if len(batch) == A_BATCH or number == ask.requests:
            payloads.append(generator.to_otlp(batch).SerializeToString())
            assert writer.write([encode(FrameKind.TRACES, payloads[-1])]) is None
            batch = []
    writer.close()
    spent = count_database() if ask.parts else []
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
    print(f"bytes sent a request         {sum(map(len, payloads)) / stored:9.0f}")
    print(f"store bytes a request        {size / stored:9.0f}")
    if ask.parts:
        print(f"of it calls of DuckDB        {sum(spent) / stored * 1e3:9.3f} ms in {len(spent)}")
        print_reading(payloads, stored)
    if ask.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)


def count_database() -> list[float]:
    """The CPU seconds of each call of DuckDB from here on."""
    from goldrank.store.duckdb.database import Database

    spent: list[float] = []
    plain = Database._cursor

    @contextmanager
    def counted(self: Database) -> Iterator[Any]:
        with plain(self) as cursor:
            yield Counted(cursor, spent)

    setattr(Database, "_cursor", counted)  # noqa: B010 - for this process alone
    return spent


class Counted:
    """A cursor whose calls are timed."""

    def __init__(self, cursor: object, spent: list[float]) -> None:
        self._cursor = cursor
        self._spent = spent

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*values: object) -> object:
            began = time.process_time()
            answer = getattr(self._cursor, name)(*values)
            self._spent.append(time.process_time() - began)
            return self if answer is self._cursor else answer

        return call


def print_reading(payloads: list[bytes], requests: int) -> None:
    """What it costs to read the bytes alone."""
    from goldrank.collectors.otlp import decode_traces
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    began = time.process_time()
    for payload in payloads:
        for _ in decode_traces(payload):
            pass
    print(f"reading the bytes alone      {(time.process_time() - began) / requests * 1e3:9.3f} ms")
    began = time.process_time()
    for payload in payloads:
        for resource in ExportTraceServiceRequest.FromString(payload).resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
    print(f"by protobuf's own classes    {(time.process_time() - began) / requests * 1e3:9.3f} ms")


if __name__ == "__main__":
    main()
