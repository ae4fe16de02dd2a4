"""What other tools have exported: the same requests as their own telemetry would give."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from goldrank.collectors.importing import export_values
from goldrank.model import Outcome, StageKind

QUESTION = "How long may I return an item?"
DOCS = [
    {"id": "refunds#0", "score": 0.52, "content": "Refund within 30 days.", "metadata": {"doc_id": "refunds"}},
    {"id": "shipping#0", "score": 0.31, "content": "Shipping takes 3 days.", "metadata": {"doc_id": "shipping"}},
]
START = datetime(2026, 11, 29, 10, tzinfo=UTC)


def at(ms: int) -> datetime:
    """So many milliseconds after the start."""
    return START + timedelta(milliseconds=ms)


def runs() -> list[dict]:
    """A chain with a retriever and a model, made by LangSmith's own SDK."""
    from langsmith.run_trees import RunTree

    root = RunTree(name="rag", run_type="chain", inputs={"question": QUESTION}, start_time=at(0), extra={})
    root.extra = {"metadata": {"user_id": "u1", "session_id": "s1"}}
    search = root.create_child(name="kb", run_type="retriever", inputs={"query": QUESTION, "k": 2}, start_time=at(1))
    documents = [
        {"page_content": doc["content"], "type": "Document", "metadata": {"chunk_id": doc["id"], **doc["metadata"]}}
        for doc in DOCS
    ]
    search.end(outputs={"output": documents}, end_time=at(20))
    model = root.create_child(
        name="llm", run_type="llm", inputs={"messages": [{"role": "user", "content": QUESTION}]}, start_time=at(30)
    )
    model.end(outputs={"choices": [{"message": {"role": "assistant", "content": "30 days."}}]}, end_time=at(80))
    root.end(outputs={"output": "30 days."}, end_time=at(90))
    return [json.loads(json.dumps(one._get_dicts_safe(), default=str)) for one in (root, search, model)]


def check_rag(recorded, lists, *, retriever: str) -> None:
    """The request that all of these tell."""
    assert (recorded.request.question, recorded.request.answer) == (QUESTION, "30 days.")
    assert (recorded.request.user, recorded.request.session) == ("u1", "s1")
    assert lists(recorded)[retriever] == ["refunds#0", "shipping#0"]
    assert StageKind.GENERATE in {stage.kind for stage in recorded.stages}
    assert recorded.request.missing == ()


def test_langsmith(desk, write, lists):
    """Runs as JSON lines, the children first; the id of the trace is that of the root run."""
    made = runs()
    for one in made:
        one.setdefault("trace_id", made[0]["id"])
    desk(write("runs.jsonl", *reversed(made)), "--app", "bot")

    recorded = desk.one()
    check_rag(recorded, lists, retriever="kb")
    assert recorded.request.trace_id == uuid.UUID(made[0]["id"]).hex
    assert recorded.request.app == "bot"
    assert "How long may I" in desk.run("show", made[0]["id"]).out


def test_langsmith_with_runs_inside_and_an_error(desk, write):
    """A run tree in one object; inputs as texts, as the bulk export has them."""
    root, search, _ = runs()
    search |= {"error": "TimeoutError('5 s')\nTraceback (most recent call last): …", "outputs": None}
    search["inputs"] = json.dumps(search["inputs"])
    desk(write("runs.json", json.dumps([{**root, "child_runs": [search]}]).encode()))

    (stage,) = desk.one().stages
    assert (stage.outcome, stage.query) == (Outcome.ERROR, QUESTION)
    assert stage.error == "TimeoutError: 5 s"


def test_mlflow(desk, exports, lists):
    """`Trace.to_json`, as MLflow wrote it."""
    desk(exports / "mlflow_trace.json")

    recorded = desk.one()
    check_rag(recorded, lists, retriever="kb_search")
    assert lists(recorded)["rerank"] == ["shipping#0", "refunds#0"]
    assert QUESTION in desk.run("show", "tr-5f0e3a1b2c4d5e6f708192a3b4c5d6e7").out


def test_mlflow_as_rows_of_a_search(desk, exports, write):
    """Rows of `search_traces`: the trace as a text beside its columns; the same trace as before."""
    text = (exports / "mlflow_trace.json").read_text()
    desk(exports / "mlflow_trace.json")

    row = {"trace_id": "tr-5f0e3a1b2c4d5e6f708192a3b4c5d6e7", "trace": text, "spans": []}
    done = desk(write("traces.jsonl", row), "--json").json

    assert (done["files"][0]["spans"], done["new"]) == (4, 0)


def test_langfuse_observations(desk, exports, lists):
    """A page of the API of observations, as Langfuse's own client writes it."""
    desk(exports / "langfuse_observations.json")

    recorded = desk.one()
    check_rag(recorded, lists, retriever="kb_search")
    assert (recorded.request.environment, recorded.request.app_version) == ("production", "1.4")
    assert recorded.request.trace_id == "0af7651916cd43dd8448eb211c80319c"


def trace_of_langfuse(ids) -> dict:
    """A trace with its observations as the pages of Langfuse download it."""
    trace_id, first, second, third = ids
    asked = [{"role": "user", "content": QUESTION}]

    def one(own: str, kind: str, name: str, times: tuple[int, int], parent: str | None, **said: object) -> dict:
        begin, end = (at(ms).isoformat() for ms in times)
        about = {"id": own, "traceId": trace_id, "type": kind, "name": name, "startTime": begin, "endTime": end}
        return {**about, "parentObservationId": parent, "level": "DEFAULT", "metadata": {}, **said}

    return {
        "id": trace_id,
        "timestamp": START.isoformat(),
        "name": "rag",
        "input": {"question": QUESTION},
        "output": "30 days.",
        "userId": "u1",
        "sessionId": "s1",
        "observations": [
            one(second, "RETRIEVER", "kb", (1, 20), first, input={"query": QUESTION}, output=DOCS),
            one(third, "GENERATION", "llm", (30, 80), first, input=asked, output="30 days."),
            one(first, "SPAN", "rag", (0, 90), None, input=None, output=None),
        ],
    }


@pytest.mark.parametrize(
    "ids",
    [
        ("0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", "00f067aa0ba902b8", "00f067aa0ba902b9"),
        tuple(f"3f2b8c1e-aaaa-4bbb-8ccc-01234567890{n}" for n in range(4)),
        ("my trace", "one", "two", "three"),
    ],
)
def test_langfuse_traces(desk, write, lists, ids):
    """With ids of any of its SDKs; what the trace says and its root does not stands on a span of its own."""
    trace = trace_of_langfuse(ids)
    desk(write("trace.json", json.dumps(trace, indent=2).encode()))
    check_rag(desk.one(), lists, retriever="kb")

    again = desk(write("traces.jsonl", trace), "--json").json
    assert again["new"] == 0


def test_phoenix_dataframe(desk, exports, lists):
    """A dataframe of spans as Phoenix's client gives it, in Parquet: two requests of two frameworks."""
    desk(exports / "phoenix_spans.parquet")

    first, second = desk.stored()
    assert lists(first)["ContextualCompressionRetriever"] == ["refunds#0", "refunds#1", "shipping#1"]
    assert lists(second)["OverlapRanker"] == ["refunds#0", "refunds#1", "shipping#1"]
    assert first.request.answer == second.request.answer == "You have 30 days to return an unopened item."


def test_phoenix_api_gives_the_same_spans(desk, exports):
    """A page of its API holds the same request as its dataframe."""
    desk(exports / "phoenix_spans.parquet")
    before = [one.request.request_id for one in desk.stored()]

    done = desk(exports / "phoenix_spans.json", "--json").json

    assert (done["new"], done["files"][0]["bad_count"]) == (0, 0)
    assert [one.request.request_id for one in desk.stored()] == before


def test_a_record_of_something_else_is_named(desk, write):
    """Among runs stands a row of a log; the runs go in."""
    made = runs()
    done = desk(write("runs.jsonl", *made, {"question": "q?", "retrieved_ids": ["a"]}))

    assert "line 4: it is no record of LangSmith, as the first ones are." in done.err
    assert (done.code, len(desk.stored())) == (1, 1)


@pytest.mark.parametrize(
    ("given", "trace", "span"),
    [
        ("0AF7651916CD43DD8448EB211C80319C", "0af7651916cd43dd8448eb211c80319c", None),
        ("0x0af7651916cd43dd8448eb211c80319c", "0af7651916cd43dd8448eb211c80319c", None),
        ("3f2b8c1e-aaaa-4bbb-8ccc-0123456789ab", "3f2b8c1eaaaa4bbb8ccc0123456789ab", None),
        ("Xw46GyxNXm9wgZKjtMXW5w==", "5f0e3a1b2c4d5e6f708192a3b4c5d6e7", None),
        ("AAAAAAAAABE=", None, "0000000000000011"),
        ("0x11", "00000000000000000000000000000011", "0000000000000011"),
    ],
)
def test_ids_in_any_writing(given, trace, span):
    """Hex, UUIDs, base64: the same id however it is written."""
    if trace is not None:
        assert export_values.trace_id(given) == trace
    if span is not None:
        assert export_values.span_id(given) == span
