"""What recording costs the app: a call and a six-stage request, beside bare OpenTelemetry and OpenInference.

    python tests/benchmarks/shim.py [--requests 400] [--rounds 5]

CPU time in microseconds, of the calling thread and of the whole process (background writers included). The
contestants take turns inside one process per contestant and round, so that ratios hold when the machine's speed drifts.
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


def measure(contestant: str, requests: int) -> dict[str, float]:
    """CPU microseconds a request and a one-stage call, of the thread and of the process."""
    makers = dict(zip(CONTESTANTS, (_nothing, _bare, _goldrank, _openinference), strict=True))
    decorate = makers[contestant]()
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
    parser.add_argument("--one", choices=CONTESTANTS, help=argparse.SUPPRESS)
    ask = parser.parse_args()
    if ask.one:
        print(json.dumps(measure(ask.one, ask.requests)))
        return
    figures: dict[str, dict[str, list[float]]] = {}
    for _ in range(ask.rounds):
        for contestant in CONTESTANTS:
            command = [sys.executable, __file__, "--one", contestant, "--requests", str(ask.requests)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for name, value in json.loads(out.splitlines()[-1]).items():
                figures.setdefault(name, {}).setdefault(contestant, []).append(value)
    for name, by_contestant in figures.items():
        print(f"\n{name}: CPU µs, median of {ask.rounds} (min to max)")
        base = statistics.median(by_contestant["nothing"])
        openinference = statistics.median(by_contestant["OpenInference"]) - base
        for contestant, values in by_contestant.items():
            cost = statistics.median(values) - base
            share = f"{cost / openinference:6.2f} of OpenInference" if openinference else ""
            print(
                f"  {contestant:20} {statistics.median(values):9.1f} ({min(values):.1f} to {max(values):.1f})  {share}"
            )


if __name__ == "__main__":
    main()
