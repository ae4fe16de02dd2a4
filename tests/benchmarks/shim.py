"""What recording costs the app: a call and a six-stage request, beside bare OpenTelemetry and OpenInference.

    python tests/benchmarks/shim.py [--requests 400] [--rounds 5]
    python tests/benchmarks/shim.py --turns 20 [--requests 60]

CPU time in microseconds, of the calling thread and of the whole process (background writers included). The
contestants take turns, a process for each contestant and round, so that ratios hold when the machine's speed drifts.
With --turns they take that many turns inside one process, of the calling thread alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from pipeline import Decorate, build, neutral_requests

CONTESTANTS = ("nothing", "bare OpenTelemetry", "goldrank", "OpenInference")


def _nothing() -> Decorate:
    return lambda kind: lambda function: function


def _bare() -> Decorate:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(_Discard()))
    tracer = provider.get_tracer("bench")

    def decorate(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                with tracer.start_as_current_span(function.__name__, attributes={"kind": kind}):
                    return function(*args, **kwargs)

            return call

        return wrap

    return decorate


class _Discard:
    """An exporter that takes everything and keeps nothing."""

    def export(self, spans: Any) -> Any:
        from opentelemetry.sdk.trace.export import SpanExportResult

        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        return None

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


def _openinference() -> Decorate:
    from openinference.instrumentation import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(_Discard()))
    tracer = provider.get_tracer("bench")
    by_kind = {"retrieve": tracer.retriever, "generate": tracer.llm, "request": tracer.chain}

    def decorate(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        return by_kind.get(kind, tracer.chain)

    return decorate


def _goldrank() -> Decorate:
    import goldrank

    goldrank.init(app="bench", directory=tempfile.mkdtemp(prefix="goldrank-bench-"), queue_size=100_000)
    kinds = {
        "request": goldrank.request,
        "rewrite": goldrank.rewrite,
        "retrieve": goldrank.retrieve,
        "fuse": goldrank.fuse,
        "rerank": goldrank.rerank,
        "generate": goldrank.generate,
    }
    return kinds.__getitem__


MAKERS = dict(zip(CONTESTANTS, (_nothing, _bare, _goldrank, _openinference), strict=True))


def by_turns(turns: int, requests: int) -> dict[str, list[float]]:
    """Contestant -> CPU microseconds of the calling thread a request, for each turn after a first one."""
    runs = {contestant: build(make()) for contestant, make in MAKERS.items()}
    inputs = list(neutral_requests(requests))
    spent: dict[str, list[float]] = {contestant: [] for contestant in runs}
    for turn in range(turns + 1):
        for contestant, run in runs.items():
            start = time.thread_time()
            for neutral in inputs:
                run(neutral)
            if turn:
                spent[contestant].append((time.thread_time() - start) / requests * 1e6)
    return spent


def measure(contestant: str, requests: int) -> dict[str, float]:
    """CPU microseconds a request and a one-stage call, of the thread and of the process."""
    decorate = MAKERS[contestant]()
    run = build(decorate)
    inputs = list(neutral_requests(requests))
    twenty = inputs[0].dense

    @decorate("retrieve")
    def call(query: str) -> Any:
        return twenty

    for neutral in inputs[:50]:
        run(neutral)
        call("warm up")
    result = {}
    for name, work in (
        ("request", lambda: [run(neutral) for neutral in inputs]),
        ("call returning 20 chunks", lambda: [call("how long") for _ in inputs]),
    ):
        thread, process = time.thread_time(), time.process_time()
        work()
        result[f"{name}, thread"] = (time.thread_time() - thread) / requests * 1e6
        if contestant == "goldrank":
            import goldrank

            goldrank.flush(60)
        result[f"{name}, process"] = (time.process_time() - process) / requests * 1e6
    return result


def main() -> None:
    """Runs every contestant in turn and prints medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, help="take turns inside one process")
    parser.add_argument("--one", choices=CONTESTANTS, help=argparse.SUPPRESS)
    ask = parser.parse_args()
    if ask.one:
        print(json.dumps(measure(ask.one, ask.requests)))
        return
    if ask.turns:
        show(f"request, thread, {ask.turns} turns in one process", by_turns(ask.turns, ask.requests))
        return
    figures: dict[str, dict[str, list[float]]] = {}
    for _ in range(ask.rounds):
        for contestant in CONTESTANTS:
            command = [sys.executable, __file__, "--one", contestant, "--requests", str(ask.requests)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for name, value in json.loads(out.splitlines()[-1]).items():
                figures.setdefault(name, {}).setdefault(contestant, []).append(value)
    for name, by_contestant in figures.items():
        show(name, by_contestant)


def show(name: str, by_contestant: dict[str, list[float]]) -> None:
    """Prints medians, and what share of OpenInference's cost above doing nothing they are."""
    base = statistics.median(by_contestant["nothing"])
    openinference = statistics.median(by_contestant["OpenInference"]) - base
    print(f"\n{name}: CPU µs, median of {len(by_contestant['nothing'])} (min to max)")
    for contestant, values in by_contestant.items():
        median = statistics.median(values)
        share = f"{(median - base) / openinference:6.2f} of OpenInference" if openinference else ""
        print(f"  {contestant:20} {median:9.1f} ({min(values):.1f} to {max(values):.1f})  {share}")


if __name__ == "__main__":
    main()
