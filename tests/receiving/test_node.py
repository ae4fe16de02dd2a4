"""What OpenTelemetry's exporters for Node.js send reaches the store: JSON, protobuf and gRPC."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PACKAGES = (
    "@opentelemetry/api@1",
    "@opentelemetry/resources@2",
    "@opentelemetry/sdk-trace-base@2",
    "@opentelemetry/exporter-trace-otlp-http@0",
    "@opentelemetry/exporter-trace-otlp-proto@0",
    "@opentelemetry/exporter-trace-otlp-grpc@0",
    "@grpc/grpc-js@1",
)


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages, installed by npm. Without node, npm or a registry the tests skip."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("NO NODE: the exporters of Node.js were not tried. On Debian: apt install nodejs npm")
    folder = tmp_path_factory.mktemp("node")
    (folder / "package.json").write_text('{"private": true}')
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error", *PACKAGES]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("NO NPM REGISTRY: the exporters of Node.js were not tried (npm install took over 2 minutes)")
    if done.returncode:
        pytest.skip(f"NO NPM REGISTRY: the exporters of Node.js were not tried: {done.stderr.strip()[-300:]}")
    return folder


@pytest.mark.timeout(300)
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http", "proto", "grpc"])
def test_the_exporters_of_node(start_collector: Any, show: Any, modules: Path, kind: str):
    """Three requests each, with a token: listed with their text, and shown with their lists."""
    running = start_collector("--token", "s3cret").wait_until_up()
    script = modules / "exporters.cjs"
    shutil.copy(Path(__file__).with_name("exporters.cjs"), script)
    url = f"http://127.0.0.1:{running.grpc_port if kind == 'grpc' else running.http_port}"
    done = subprocess.run(
        ["node", str(script), kind, url, "s3cret"], cwd=modules, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert running.stop() == (0, "")
    show(running.directory, "ingest")
    listed = show(running.directory, "requests")["rows"]
    assert sorted(row["question"] for row in listed) == [f"Question {number} from {kind}?" for number in range(3)]
    request = show(running.directory, "show", listed[0]["request_id"])["recorded"]
    assert request["request"]["answer"] == "Ja, natürlich ✓."
    (stage,) = [stage for stage in request["stages"] if stage["kind"] == "retrieve"]
    assert [hit["chunk_id"] for hit in stage["hits"]] == ["doc-0", "doc-1", "doc-2"]
