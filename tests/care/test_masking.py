"""What redaction is to hide stands in no column and no file, wherever it came in; without it the same search finds it.

Each way in carries a secret of its own, so that a failure names the way. Own spans are redacted by `init(redact=…)` in
the app, everything else by GOLDRANK_REDACT where it is stored.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from goldrank.actions import Workspace
from goldrank.actions.saved_filters import SaveFilter, save_filter
from goldrank.model import Complaint, Feedback, FrameKind
from goldrank.store import open_store
from goldrank.tracing.spool import encode
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IBAN, CARD = "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111"
OWN = (
    *("question", "history", "answer", "prompt", "chunktext", "metadata", "filters", "appnote", "exception"),
    *("query", "settings", "generated"),
)
FOREIGN = ("attribute", "listed", "event", "status", "foreignexception", "nested", "spanname", "resource")
MESSAGES = ("feedback", "ticket", "ticketnote", "closing")
TYPED = ("quote", "casenote", "casequestion", "expected", "imported", "filtername", "filterparams", "corpus")
ALL = (*OWN, *FOREIGN, *MESSAGES, *TYPED)

APP = """
import sys
import goldrank
from goldrank.model.redaction import BUILT_INS
def say(way): return f"{way}@secret-{way}.org"
goldrank.init(app="bot", directory=sys.argv[1], redact=list(BUILT_INS.values()) if sys.argv[2] == "on" else [])
@goldrank.retrieve(index="docs")
def find(query, top_k=3, filters=None, tenant_name=""):
    return [{"id": "a", "text": f"chunk {say('chunktext')}", "metadata": {"by": say("metadata")}, "score": 1.0}]
@goldrank.generate
def write(prompt): return f"generated {say('generated')}"
@goldrank.filter
def fails(hits): raise ValueError(f"cannot serve {say('exception')}")
@goldrank.request
def answer(question, history=()):
    goldrank.note("plan", say("appnote"))
    hits = find(f"q {say('query')}", filters={"owner": say("filters")}, tenant_name=say("settings"))
    write([{"role": "user", "content": f"prompt {say('prompt')} " + hits[0]["text"]}])
    try: fails(hits)
    except ValueError: pass
    return f"the answer {say('answer')}"
answer(f"my question {say('question')} IBAN-HERE CARD-HERE", history=[{"role": "user", "content": say("history")}])
goldrank.shutdown()
"""


def say(way: str) -> str:
    """The secret of one way in."""
    return f"{way}@secret-{way}.org"


def foreign() -> bytes:
    """A span of another writer with secrets in all that a span can hold."""
    message = ExportTraceServiceRequest()
    resource = message.resource_spans.add()
    added = resource.resource.attributes.add()
    added.key, added.value.string_value = "service.name", "other"
    added = resource.resource.attributes.add()
    added.key, added.value.string_value = "host.owner", say("resource")
    span = resource.scope_spans.add().spans.add()
    span.trace_id, span.span_id = bytes([7]) * 16, bytes([7]) * 8
    span.name = f"GET /users/{say('spanname')}"
    span.start_time_unix_nano, span.end_time_unix_nano = 1_793_275_200_000_000_000, 1_793_275_200_100_000_000
    span.status.code, span.status.message = 2, f"no {say('status')}"
    added = span.attributes.add()
    added.key, added.value.string_value = "input.value", f"ask {say('attribute')}"
    added = span.attributes.add()
    added.key = "tags"
    added.value.array_value.values.add().string_value = say("listed")
    added = span.attributes.add()
    added.key, added.value.string_value = "json", json.dumps({"deep": {"er": say("nested")}})
    for name, key, value in (
        ("log", "said", say("event")),
        ("exception", "exception.message", f"failed {say('foreignexception')}"),
    ):
        event = span.events.add()
        event.name = name
        added = event.attributes.add()
        added.key, added.value.string_value = key, value
    return encode(FrameKind.TRACES, message.SerializeToString())


def fill(home, monkeypatch, *, hidden: bool) -> None:
    """Sends a secret along every way in."""
    if hidden:
        monkeypatch.setenv("GOLDRANK_REDACT", "email,phone,card,iban")
    program = APP.replace("IBAN-HERE", IBAN).replace("CARD-HERE", CARD)
    command = [sys.executable, "-c", program, str(home.folder), "on" if hidden else "off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (home.folder / "app.log").write_text(done.stdout + done.stderr)
    home.write(foreign())
    assert home("ingest").code == 0
    rows = home("sql", "select request_id from requests where app = 'bot'", "--json").json["rows"]
    request_id = rows[0][0]
    feedback = Feedback(feedback_id="f", request_id=request_id, app="bot", score=1.0, comment=say("feedback"), at_ns=1)
    ticket = Complaint(complaint_id="T-1", text=f"help {say('ticket')}", at_ns=2, request_id=request_id)
    home.write(
        encode(FrameKind.FEEDBACK, feedback.model_dump_json().encode()),
        encode(FrameKind.COMPLAINT, ticket.model_dump_json().encode()),
    )
    assert home("ingest").code == 0
    files = home.folder.parent / "files"
    files.mkdir(exist_ok=True)
    (files / "cases.jsonl").write_text(
        json.dumps({"question": "q", "app": "x", "relevant_chunk_ids": ["a"], "remark": {"by": [say("imported")]}})
    )
    (files / "corpus.jsonl").write_text(json.dumps({"id": "z", "text": f"by {say('corpus')}"}))
    typed = (
        ("label", request_id, "--gold", "a", "--quote", say("quote")),
        ("promote", request_id, "--note", say("casenote"), "--expect", say("expected")),
        ("promote", request_id, "--set", "other", "--question", f"what of {say('casequestion')}"),
        ("cases", "import", str(files / "cases.jsonl")),
        ("corpus", "add", str(files / "corpus.jsonl"), "--app", "bot", "--index", "docs", "--version", "1"),
        ("complaints", "note", "T-1", say("ticketnote")),
        ("complaints", "close", "T-1", "--as", "not-answerable", "--reason", say("closing")),
    )
    for command in typed:
        done = home(*command)
        assert done.code == 0, (command, done.err)
    with open_store(home.store) as store:
        workspace = Workspace(store=store, spool=home.spool, who="anna")
        save_filter(
            workspace,
            SaveFilter(
                name=f"of {say('filtername')}", params=f"words={say('filterparams').replace('@', '%40')}&queue=open"
            ),
        )


def found(home) -> set[str]:
    """The ways whose secret stands in any column, or in any file beside the store."""
    beside = b"".join(data for name, data in home.bytes_of().items() if not name.startswith("store.duckdb"))
    everything = home.dump().replace("%40", "@") + beside.decode("utf-8", "replace")
    return {way for way in ALL if re.search(rf"{way}@secret|secret-{way}\.org", everything)}


@pytest.mark.timeout(300)
def test_without_redaction_the_search_finds_every_secret(home, monkeypatch):
    """A search that finds nothing when nothing is hidden would prove nothing."""
    fill(home, monkeypatch, hidden=False)

    assert found(home) == set(ALL)
    assert IBAN in home.dump()
    assert CARD in home.dump()


@pytest.mark.timeout(300)
def test_with_redaction_no_secret_is_left_anywhere(home, monkeypatch):
    """Neither in a column, nor in the spool, a log, or a file beside the store; also not after everything is remade."""
    fill(home, monkeypatch, hidden=True)

    assert found(home) == set()
    assert home("reindex").code == 0
    assert found(home) == set()
    assert IBAN not in home.dump()
    assert CARD not in home.dump()
    assert "[e-mail]" in home.dump()
    assert Path(home.store).exists()
