"""What a million spans cost: memory and bytes on the way, from the spool to a store that is kept for `reads.py`.

    python tests/benchmarks/scale.py FOLDER [--requests 150000]

One process records requests through the decorators, seven spans each, and waits while the spool holds 100 MB; this one
ingests. Every five seconds a line goes to FOLDER/samples.csv, and each tenth of the way is printed: requests, memory of
the ingester's process, CPU a request, bytes a request on disk.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from pipeline import build, neutral_requests

SPANS_A_REQUEST = 7
PORTION = 250
SPOOL_BYTES = 100_000_000
USERS = 500
FAILING = 97
"""Every 97th request ends in an error."""
KINDS = ("request", "rewrite", "retrieve", "fuse", "rerank", "generate")
T0 = time.monotonic()


def main() -> None:
    """Records in a child, ingests here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--requests", type=int, default=150_000)
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)
    ask = parser.parse_args()
    if ask.record:
        record(ask.folder, ask.requests)
        return
    command = [sys.executable, __file__, str(ask.folder), "--requests", str(ask.requests), "--record"]
    with subprocess.Popen(command) as recorder:
        ingest(ask.folder, ask.requests, recorder)


def record(folder: Path, requests: int) -> None:
    """Records the requests in portions, so that the spool never holds all of them."""
    import goldrank

    goldrank.init(app="bench", directory=folder, queue_size=1_000_000)
    run = build(decorators().__getitem__)
    neutral = neutral_requests(requests)
    while portion := list(itertools.islice(neutral, PORTION)):
        for one in portion:
            try:
                run(one)
            except TimeoutError:
                continue
        goldrank.flush()
        while size_of(folder / "spool") > SPOOL_BYTES:
            time.sleep(0.5)
    goldrank.shutdown()


def decorators() -> dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """goldrank's, with a user for each request and an error for some."""
    import goldrank

    numbers = itertools.count()

    def request(function: Callable[..., str]) -> Callable[..., str]:
        @goldrank.request
        def answer(question: str, session: str, user: str, number: int) -> str:
            found = function(question, session=session)
            if number % FAILING == FAILING - 1:
                raise TimeoutError("the model did not answer")
            return found

        def called(question: str, session: str) -> str:
            number = next(numbers)
            return answer(question, session=session, user=f"user-{number % USERS}", number=number)

        return called

    return {kind: getattr(goldrank, kind) for kind in KINDS} | {"request": request}


def ingest(folder: Path, requests: int, recorder: subprocess.Popen[bytes]) -> None:
    """Ingests until the recorder has ended and nothing waits; memory is looked at on the way."""
    from goldrank.collectors import Ingester
    from goldrank.store import open_store

    store_file = folder / "store.duckdb"
    stop = threading.Event()
    with open_store(store_file) as store:
        ingester = Ingester(folder / "spool", store)

        def count() -> int:
            return int(store.query("select count(*) from requests", limit=1).rows[0][0])

        sampler = threading.Thread(target=sample, args=(folder / "samples.csv", store_file, count, stop))
        sampler.start()
        printed = -1
        while True:
            running = recorder.poll() is None
            if ingester.run_once() == 0:
                if not running:
                    break
                time.sleep(0.2)
            stored = count()
            if stored * 10 // requests > printed:
                printed = stored * 10 // requests
                print(line(stored, store_file), flush=True)
        stop.set()
        sampler.join()
        stored = count()
    print(line(stored, store_file), flush=True)
    if stored != requests:
        sys.exit(f"{stored} of {requests} requests arrived")


def sample(samples: Path, store_file: Path, count: Callable[[], int], stop: threading.Event) -> None:
    """A line every five seconds."""
    with samples.open("w") as out:
        print("seconds,requests,resident_mb,cpu_s,store_bytes", file=out)
        while not stop.wait(5):
            seconds, size = time.monotonic() - T0, bytes_of(store_file)
            print(f"{seconds:.0f},{count()},{resident_mb():.0f},{time.process_time():.1f},{size}", file=out, flush=True)


def line(stored: int, store_file: Path) -> str:
    """How far it is, and what it took."""
    each = max(stored, 1)
    return (
        f"{time.monotonic() - T0:6.0f} s {stored:8} requests {stored * SPANS_A_REQUEST:9} spans  "
        f"resident {resident_mb():6.0f} MB  CPU {time.process_time() / each * 1e3:6.2f} ms  "
        f"{bytes_of(store_file) / each:8.0f} bytes a request"
    )


def bytes_of(store_file: Path) -> int:
    """The store and its log on disk."""
    return sum(path.stat().st_size for path in (store_file, Path(f"{store_file}.wal")) if path.exists())


def size_of(folder: Path) -> int:
    """Bytes of the spool."""
    size = 0
    for path in folder.iterdir():
        try:
            size += path.stat().st_size
        except FileNotFoundError:  # the ingester is done with it
            continue
    return size


def resident_mb() -> float:
    """Memory of this process that is in RAM."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
