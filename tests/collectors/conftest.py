"""A store, a spool and an ingester between them; helpers of this folder importable by name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from goldrank.collectors import Ingester
from goldrank.model import FrameKind, Span
from goldrank.store import RequestFilter, RequestRow
from goldrank.store.duckdb import DuckStore, open_store
from goldrank.tracing.spool import SpoolWriter
from goldrank.tracing.spool import encode as encode_frame
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parent))

NOW_NS = 1_793_280_000_000_000_000


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """Where the frames are."""
    return tmp_path / "spool"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckStore]:
    """An empty store."""
    with open_store(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.fixture
def writer(spool: Path) -> Iterator[SpoolWriter]:
    """An app's writer, alive until it is closed."""
    opened = SpoolWriter(spool, app="bot")
    yield opened
    opened.close()


@pytest.fixture
def write(writer: SpoolWriter) -> Callable[..., None]:
    """Writes spans (one frame), or messages (a frame each)."""
    from wire_spans import encode

    kinds = {"Feedback": FrameKind.FEEDBACK, "Complaint": FrameKind.COMPLAINT}
    kinds |= {"CorpusManifest": FrameKind.CORPUS, "Drops": FrameKind.DROPS}

    def write_frames(*what: Span | BaseModel | bytes) -> None:
        spans = [item for item in what if isinstance(item, Span)]
        frames = [encode_frame(FrameKind.TRACES, encode(spans))] if spans else []
        for item in what:
            if isinstance(item, BaseModel):
                frames.append(encode_frame(kinds[type(item).__name__], item.model_dump_json().encode()))
            elif isinstance(item, bytes):
                frames.append(encode_frame(FrameKind.TRACES, item))
        assert writer.write(frames) is None

    return write_frames


@pytest.fixture
def ingester(spool: Path, store: DuckStore) -> Ingester:
    """With a fixed clock."""
    return Ingester(spool, store, now_ns=lambda: NOW_NS)


@pytest.fixture
def rows(store: DuckStore) -> Callable[[], tuple[RequestRow, ...]]:
    """The list of requests."""
    return lambda: store.requests.page(RequestFilter(), limit=100).rows
