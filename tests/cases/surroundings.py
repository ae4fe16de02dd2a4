"""Cases about what is around the store: who holds it, links to a request, texts and tables beyond any page."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from feeding import feeding
from goldrank.actions import Resolve, Workspace, resolve
from goldrank.model import GoldrankError
from ranked import make_spans
from reporting import describe_request, list_requests

APP = """
import sys, goldrank
goldrank.init(app="case")
@goldrank.request
def ask(question):
    with goldrank.stage("retrieve", name="vector") as s:
        s.hits([{"id": "c1", "score": 0.5}])
for line in sys.stdin:
    for number in range(int(line)):
        ask(question=f"question {number}")
    goldrank.flush()
    print("recorded", flush=True)
"""
OPENS = """
import sys
from pathlib import Path
from goldrank.model import StoreError
from goldrank.store.duckdb import open_store
try:
    open_store(Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""


def run_lock(_case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Two apps record while this process holds the store as a dashboard does; a third one tries to open it."""
    with _app(folder) as first:
        first_seen = _record(first, 2)
        with feeding(folder) as feed:
            feed.ingest()
            opened = list_requests(feed.store)["stored"]
            _record(first, 5)
            began = time.perf_counter()
            feed.ingest()
            refreshed, seconds = list_requests(feed.store)["stored"], time.perf_counter() - began
            other = subprocess.run(
                [sys.executable, "-c", OPENS, str(folder / "store.duckdb")], capture_output=True, text=True, check=False
            )
            with _app(folder) as second:
                _record(second, 3)
            feed.ingest()
            at_end = list_requests(feed.store)["stored"]
        return {
            "recorded_before": first_seen,
            "seen_when_opened": opened,
            "seen_after_refresh": refreshed,
            "refresh_seconds": seconds,
            "seen_at_end": at_end,
            "message": other.stdout.strip(),
            "message_stderr": other.stderr,
            "holder_pid": os.getpid(),
        }


def run_links(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What every link means, in a store that holds one request; and again after it was opened anew."""
    request = {"question": "Where?", "stages": [{"name": "vector", "kind": "retrieve", "hits": [{"id": "c1"}]}]}
    sent = make_spans(request)
    known = f"{0x11:032x}"
    spans = [span._replace(trace_id=known) for span in sent.spans]
    with feeding(folder) as feed:
        feed.send(spans)
        feed.ingest()
        links = [_follow(Workspace(store=feed.store, spool=folder / "spool"), link) for link in case["links"]]
    with feeding(folder) as feed:
        workspace = Workspace(store=feed.store, spool=folder / "spool")
        again = [_follow(workspace, link) for link in case["links"]]
        stored = list_requests(feed.store)["stored"]
    return {"links": links, "links_after_restart": again, "stored": stored, "known": known}


def run_limits(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A text and a table beyond what one message to a browser may hold."""
    size = case["make"]["one_text_chars"]
    request = {
        "question": "long?",
        "stages": [{"name": "vector", "kind": "retrieve", "hits": [{"id": "c1"}]}],
        "prompt": "z" * size,
    }
    sent = make_spans(request)
    with feeding(folder) as feed:
        feed.send(sent.spans)
        feed.ingest()
        listed = list_requests(feed.store)
        described = describe_request(feed.store, sent.request_id)
        began = time.perf_counter()
        bare = feed.store.requests.get(sent.request_id, texts=False)
        seconds = time.perf_counter() - began
        table = feed.store.query(f"select * from range({int(case['make']['rows'])})", limit=1000)
        assert bare is not None
        return {
            "listed": listed,
            "prompt_chars": described["stages"][-1]["prompt_chars"],
            "bytes_without_texts": len(bare.model_dump_json()),
            "seconds_without_texts": seconds,
            "table_rows": len(table.rows),
            "table_more": table.more,
        }


def _follow(workspace: Workspace, link: str) -> dict[str, Any]:
    """A link as a page reads it: its first `trace`."""
    pairs = parse_qsl(link.removeprefix("?"), keep_blank_values=True)
    text = next((value for key, value in pairs if key == "trace"), "")
    result: dict[str, Any] = {
        "link": link,
        "text": text,
        "same_after_copying": parse_qsl(urlencode(pairs)) == [pair for pair in pairs if pair[1]],
    }
    try:
        found = resolve(workspace, Resolve(text=text))
    except GoldrankError as error:
        return result | {"requests": [], "message": str(error)}
    return result | {"requests": list(found.request_ids), "message": found.message}


def _app(folder: Path) -> Any:
    return subprocess.Popen(
        [sys.executable, "-c", APP],
        env={**os.environ, "GOLDRANK_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _record(app: Any, count: int) -> int:
    app.stdin.write(f"{count}\n")
    app.stdin.flush()
    assert app.stdout.readline().strip() == "recorded"
    return count
