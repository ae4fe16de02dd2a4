"""Records the samples of goldrank.sample_traces from the entries of samples.json."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import goldrank
from goldrank.model import CorpusManifest, FrameKind
from goldrank.sample_traces import DIRECTORY, otlp_json
from goldrank.tracing.spool import list_segments, read_frames

from . import app
from .corpus import DOCS
from .demo import manifest
from .half_watched import bare_numbers, search_only
from .library import INDEX, SOURCES, VERSION, library
from .settings import Settings

ENTRIES = Path(__file__).parent / "samples.json"
BOTS: dict[str, Callable[..., str]] = {
    "answer": app.answer,
    "search_only": search_only,
    "bare_numbers": bare_numbers,
}
REBUILT = "2026-03"
PAGES_OF_REBUILT = ("cancel", "change-plan", "plan-annual", "refunds-v3", "refunds-v4", "refunds-v5")
REWRITTEN = ("the period is 30 days from the renewal", "the period is 60 days from the renewal")
LIMIT = 64_000_000
"""Bytes read from a segment; the samples have about one million."""


def record(target: Path = DIRECTORY) -> int:
    """Records every sample into the folder `target`; returns how many."""
    entries = json.loads(ENTRIES.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        SOURCES[REBUILT] = rebuild(folder / "docs")
        goldrank.init(app="support-bot", environment="samples", version="2.3.1", directory=folder / "data")
        for version in (VERSION, REBUILT):
            goldrank.corpus(manifest(version), index=INDEX, version=version)
        ids = {entry["name"]: ask(entry) for entry in entries}
        goldrank.shutdown()
        traces, corpora = read_spool(folder / "data" / "spool")
    for corpus in corpora:
        text = corpus.model_dump_json(indent=1, exclude_defaults=True)
        (target / f"corpus-{corpus.version}.json").write_text(text + "\n", "utf-8")
    for entry in entries:
        sample = as_sample(entry, traces[ids[entry["name"]].partition("-")[0]])
        text = json.dumps(sample, indent=1, ensure_ascii=False)
        (target / f"sample-{entry['name'].replace('_', '-')}.json").write_text(text + "\n", "utf-8")
    return len(entries)


def rebuild(folder: Path) -> Path:
    """The pages of the next build of the index: a few of them, one rewritten after it had been labelled."""
    folder.mkdir()
    for name in PAGES_OF_REBUILT:
        shutil.copy(DOCS / f"{name}.md", folder)
    page = folder / "refunds-v5.md"
    before = page.read_text("utf-8")
    if REWRITTEN[0] not in before:
        raise ValueError(f"{page.name} does not say {REWRITTEN[0]!r} any more; choose another sentence to rewrite")
    page.write_text(before.replace(*REWRITTEN), "utf-8")
    return folder


def ask(entry: dict[str, Any]) -> str:
    """Runs the request of a sample; returns its id."""
    ids: list[str] = []
    settings = Settings(**entry["settings"])
    bot = BOTS[entry.get("app", "answer")]
    who = {"user": "mara", "session": entry["name"]} if bot is app.answer else {}
    with contextlib.suppress(TimeoutError):
        bot(entry["question"], groups=tuple(entry["groups"]), settings=settings, tell_id=ids.append, **who)
    return ids[0]


def read_spool(spool: Path) -> tuple[dict[str, dict[str, Any]], list[CorpusManifest]]:
    """(trace id -> its OTLP/JSON, corpus manifests) of everything in the spool."""
    spans: dict[str, list[dict[str, Any]]] = {}
    corpora: list[CorpusManifest] = []
    for kind, payload in frames(spool):
        if kind == FrameKind.CORPUS:
            corpora.append(CorpusManifest.model_validate_json(payload))
        elif kind == FrameKind.TRACES:
            for trace_id, group in otlp_json.by_trace(payload):
                spans.setdefault(trace_id, []).append(group)
    return {trace_id: {"resourceSpans": groups} for trace_id, groups in spans.items()}, corpora


def frames(spool: Path) -> Iterator[tuple[int, bytes]]:
    """(kind, payload) of every frame."""
    for segment in list_segments(spool):
        for frame in read_frames(segment.path, 0, limit_bytes=LIMIT):
            yield frame.kind, frame.payload


def as_sample(entry: dict[str, Any], trace: dict[str, Any]) -> dict[str, Any]:
    """What is shipped: what goldrank must say, the labels with the text that was labelled, the trace."""
    texts = {chunk.chunk_id: chunk for chunk in library().chunks}
    chunks = [
        {
            "level": "chunk",
            "chunk_id": gold,
            "doc_id": texts[gold].page.doc_id,
            "index": INDEX,
            "text": texts[gold].text,
        }
        for gold in entry["gold_chunks"]
    ]
    documents = [{"level": "document", "doc_id": name, "index": INDEX} for name in entry["gold_documents"]]
    return {
        "name": entry["name"],
        "shows": entry["shows"],
        "verdict": entry["verdict"],
        "sentence": entry["sentence"],
        "expect": entry["expect_phrases"],
        "gold": chunks + documents,
        "corpus": f"corpus-{entry['settings'].get('index_version', VERSION)}.json",
        "trace": trace,
    }
