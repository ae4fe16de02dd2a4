"""Requests with every list and text of a RAG app, in batches, as fast as they are taken."""

from __future__ import annotations

import gzip
import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def rag_requests(root: Path) -> Any:
    """The load generator; GOLDRANK_LOAD says where else it is."""
    path = Path(os.environ.get("GOLDRANK_LOAD") or root.parent / "shared" / "bench" / "rag_requests.py")
    if not path.exists():
        pytest.skip(f"NO LOAD GENERATOR at {path}: the load of whole RAG requests was not sent")
    spec = importlib.util.spec_from_file_location("rag_requests", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_load_of_rag_requests_is_stored_whole(start_collector: Any, rag_requests: Any, stored: Any):
    """200 requests of 80 kB in batches, half of them gzipped: each is in the store with its five stages and lists."""
    running = start_collector().wait_until_up()
    made = list(rag_requests.requests(200))
    for start in range(0, len(made), 20):
        body = rag_requests.to_otlp(made[start : start + 20], "load").SerializeToString()
        if start % 40:
            answer = running.post("/v1/traces", gzip.compress(body, 1), Content_Encoding="gzip")
        else:
            answer = running.post("/v1/traces", body)
        assert answer.status == 200
    assert running.stop() == (0, "")
    found = stored(running.directory)
    assert found.spans == 200 * 6
    assert sorted(found.questions) == sorted(one["question"] for one in made)
    ranks = dict(
        found.query(
            "select r.question, h.rank from requests r join stages s using (rid) join hits h using (rid, stage_id) "
            "join chunks c using (chunk_key) where s.name = 'dense' and c.chunk_id = 'doc00000#c0'"
        )
    )
    expected = {
        one["question"]: hit["rank"] for one in made for hit in one["dense"] if hit["chunk_id"] == "doc00000#c0"
    }
    assert ranks == expected
