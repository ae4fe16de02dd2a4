"""A running `goldrank collect`, apps that send to it as real ones do, and what goldrank then shows."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

APPS = Path(__file__).parent / "apps"
LIMIT_S = 180
NEEDS = {
    "hybrid": ("langchain_classic",),
    "engine": ("llama_index.core",),
    "pipeline": ("haystack",),
    "openinference-langchain": ("openinference.instrumentation.langchain",),
    "openinference-llama_index": ("openinference.instrumentation.llama_index",),
    "openinference-haystack": ("openinference.instrumentation.haystack",),
    "traceloop-langchain": ("opentelemetry.instrumentation.langchain",),
    "traceloop-llama_index": ("opentelemetry.instrumentation.llamaindex",),
    "haystack-own": ("haystack_integrations.tracing.opentelemetry",),
}
"""What an app and an instrumentation import."""


class Seen(NamedTuple):
    """One app's request: what really happened, and what goldrank shows of it."""

    truth: dict[str, Any]
    request: dict[str, Any]
    stages: list[dict[str, Any]]
    view: dict[str, Any]
    directory: Path

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Its stages of that kind, in order."""
        return [stage for stage in self.stages if stage["kind"] == kind]


def _run(*command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _skip_without(*names: str) -> None:
    for name in names:
        for module in NEEDS[name]:
            try:
                found = importlib.util.find_spec(module)
            except ModuleNotFoundError:
                found = None
            if found is None:
                pytest.skip(f"NOT TRIED: {name} needs {module}, which is not installed: pip install -e '.[dev]'")


@pytest.fixture(scope="session")
def see(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Seen]:
    """Runs an app under an instrumentation, sending to a collector of its own; once for all tests."""
    known: dict[tuple[str, str], Seen] = {}

    def run(app: str, instrumentation: str) -> Seen:
        _skip_without(app, instrumentation)
        if (app, instrumentation) not in known:
            known[app, instrumentation] = _see(tmp_path_factory.mktemp("sent"), app, instrumentation)
        return known[app, instrumentation]

    return run


def _see(folder: Path, app: str, instrumentation: str) -> Seen:
    directory = folder / ".goldrank"
    environment = {**os.environ, "GOLDRANK_DIR": str(directory)}
    goldrank = (sys.executable, "-m", "goldrank")
    collector = subprocess.Popen(
        [*goldrank, "collect", "--http-port", "0", "--grpc-port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert collector.stdout is not None
    try:
        address, said = "", ""
        for line in collector.stdout:
            said += line
            if found := re.match(r"HTTP: +(http://.*:\d+)", line):
                address = found[1]
            if line.startswith("stop:"):
                break
        assert address, said
        sending = {**environment, "OTEL_EXPORTER_OTLP_ENDPOINT": address, "HAYSTACK_TELEMETRY_ENABLED": "False"}
        truth = json.loads(_run(sys.executable, str(APPS / f"{app}.py"), instrumentation, environment=sending))
        collector.send_signal(signal.SIGTERM)
        collector.wait(LIMIT_S)
    finally:
        collector.kill()
        collector.wait(LIMIT_S)
        collector.stdout.close()
    _run(*goldrank, "ingest", environment=environment)
    rows = json.loads(_run(*goldrank, "requests", "--json", environment=environment))["rows"]
    assert len(rows) == 1, [(row["question"], row["request_id"]) for row in rows]
    view = json.loads(
        _run(*goldrank, "show", rows[0]["request_id"], "--gold", "refunds#2", "--json", environment=environment)
    )
    recorded = view["recorded"]
    return Seen(truth, recorded["request"], recorded["stages"], view, directory)
