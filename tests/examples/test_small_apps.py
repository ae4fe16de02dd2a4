"""The small examples run as their READMEs say, and `goldrank show --json` tells what they did."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT_S = 120
QUESTION = "Can I return an annual plan?"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A data folder of its own."""
    return {**os.environ, "GOLDRANK_DIR": str(tmp_path / ".goldrank")}


@pytest.fixture
def run(environment: dict[str, str]) -> Callable[..., str]:
    """Runs a module to its end; what it printed."""

    def to_end(*arguments: str) -> str:
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return to_end


@pytest.fixture
def shown(run: Callable[..., str]) -> Callable[[], dict[str, Any]]:
    """The only request of the data folder, with refunds#2 as gold."""

    def show() -> dict[str, Any]:
        run("goldrank", "ingest")
        (row,) = json.loads(run("goldrank", "requests", "--json"))["rows"]
        view: dict[str, Any] = json.loads(run("goldrank", "show", row["request_id"], "--gold", "refunds#2", "--json"))
        return view

    return show


def stages(view: dict[str, Any]) -> dict[str, Any]:
    """Stages by kind; those here have one of a kind."""
    return {stage["kind"]: stage for stage in view["recorded"]["stages"]}


def ids(stage: dict[str, Any]) -> list[str]:
    """Chunk ids in order of rank."""
    assert [hit["rank"] for hit in stage["hits"]] == list(range(1, len(stage["hits"]) + 1))
    return [hit["chunk_id"] for hit in stage["hits"]]


@pytest.mark.slow
def test_langchain_app(run, shown):
    """One line records the retriever's list with ids and scores, the prompt and the answer; the decorator who asked."""
    assert run("examples.langchain_app", QUESTION) == "Yes, within 30 days of the payment.\n"
    view = shown()
    request = view["recorded"]["request"]
    assert (request["question"], request["answer"], request["user"]) == (
        QUESTION,
        "Yes, within 30 days of the payment.",
        "ann",
    )
    retrieved = stages(view)["retrieve"]
    assert ids(retrieved)[:2] == ["plans#2", "refunds#2"]
    assert len(ids(retrieved)) == 4
    scores = [hit["score"] for hit in retrieved["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[0] < 1
    assert retrieved["query"] == QUESTION
    assert retrieved["hits"][0]["doc_id"] == "plans"
    assert "Annual plans can be returned" in stages(view)["generate"]["prompt"][0]["text"]
    assert view["diagnosis"]["headline"]["verdict"] == "delivered"


@pytest.mark.slow
def test_llama_index_app(run, shown):
    """Retriever, the app's own reranker, and prompt are recorded; the filling of the index is no request."""
    assert run("examples.llama_index_app", QUESTION).startswith("text text")
    view = shown()
    request = view["recorded"]["request"]
    assert (request["question"], request["user"]) == (QUESTION, "ann")
    found = stages(view)
    assert ids(found["retrieve"])[:2] == ["plans#2", "refunds#2"]
    assert len(ids(found["retrieve"])) == 4
    assert ids(found["rerank"]) == ["refunds#2", "plans#2"]
    assert found["rerank"]["hits"][0]["score"] == 11.0
    assert view["diagnosis"]["headline"]["verdict"] == "delivered"


@pytest.fixture
def server(environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The FastAPI app in uvicorn on a free port: its process and address."""
    command = [sys.executable, "-m", "uvicorn", "examples.fastapi_streaming.app:app", "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if found := re.search(r"running on (http://\S+)", line):
            yield process, found[1]
            break
    else:
        pytest.fail(said)
    process.kill()
    process.wait(LIMIT_S)
    process.stderr.close()


def ask(address: str, question: str, *, words: int | None = None) -> tuple[str, str]:
    """(request id, answer) from the stream of one question; of `words` words, then the reader goes away."""
    import httpx

    request_id, answer = "", ""
    with httpx.stream("POST", f"{address}/ask", json={"text": question, "user": "ann"}, timeout=LIMIT_S) as response:
        assert response.status_code == 200
        event = ""
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                if event == "request":
                    request_id = value
                else:
                    answer += json.loads(value)
                event = ""
            if words is not None and answer.count(" ") >= words:
                break
    return request_id, answer


def test_fastapi_streaming(server, run, shown):
    """The request ends with the last word of its stream; its id came first, and a thumb finds it."""
    import httpx

    process, address = server
    request_id, answer = ask(address, QUESTION)
    thumb = {"request_id": request_id, "score": -1, "comment": "that is the price"}
    assert httpx.post(f"{address}/thumb", json=thumb).status_code == 204
    process.send_signal(signal.SIGTERM)
    process.wait(LIMIT_S)
    view = shown()
    request = view["recorded"]["request"]
    assert request["request_id"] == request_id
    assert (request["question"], request["user"], request["outcome"]) == (QUESTION, "ann", "ok")
    assert request["answer"] == answer
    found = stages(view)
    assert ids(found["retrieve"]) == ["plans#2", "refunds#2", "refunds#1", "refunds#3"]
    assert found["retrieve"]["index"] == "handbook"
    assert found["generate"]["text"] == answer
    assert view["diagnosis"]["headline"]["verdict"] == "delivered"
    assert "that is the price" in json.dumps(view["feedback"])


@pytest.mark.slow
def test_fastapi_under_load(server, run, environment):
    """Many streams at once stay apart: each answer is recorded under the id that its reader was told."""
    from concurrent.futures import ThreadPoolExecutor

    process, address = server
    with ThreadPoolExecutor(8) as pool:
        told = dict(pool.map(lambda n: ask(address, f"{QUESTION} number {n}"), range(24)))
    process.send_signal(signal.SIGTERM)
    process.wait(LIMIT_S)
    run("goldrank", "ingest")
    rows = json.loads(run("goldrank", "requests", "--json", "--limit", "100"))["rows"]
    assert {row["request_id"] for row in rows} == set(told)
    assert len({row["question"] for row in rows}) == 24
