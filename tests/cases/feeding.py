"""From spans to a store, the way that every app goes: frames in a spool, read by the ingester."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from goldrank.collectors import Ingester
from goldrank.model import CorpusManifest, FrameKind, Span
from goldrank.store import Store
from goldrank.store.duckdb import open_store
from goldrank.tracing.spool import SpoolWriter
from goldrank.tracing.spool import encode as encode_frame
from wire_spans import encode

SPANS_A_FRAME = 64
BYTES_A_FRAME = 4 * 1024 * 1024


class Feed:
    """A spool that is written by hand, and the store behind it."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.store = store
        self.ingester = Ingester(folder / "spool", store)
        self._writer = SpoolWriter(folder / "spool", app="case")

    def send(self, spans: Iterable[Span]) -> None:
        """Writes the spans, some to a frame, as exporters batch them."""
        for batch in _batches(spans):
            self._write(FrameKind.TRACES, encode(batch))

    def send_corpus(self, manifest: CorpusManifest) -> None:
        """Writes a corpus manifest."""
        self._write(FrameKind.CORPUS, manifest.model_dump_json().encode())

    def ingest(self) -> None:
        """Reads everything that was written."""
        while self.ingester.run_once():
            pass

    def close(self) -> None:
        """Ends the writer; its segment is read to the end and goes."""
        self._writer.close()
        self.ingest()

    def _write(self, kind: FrameKind, payload: bytes) -> None:
        refused = self._writer.write([encode_frame(kind, payload)])
        if refused:
            raise RuntimeError(f"the spool refused a frame of {len(payload):,} bytes: {refused}")


@contextmanager
def feeding(folder: Path) -> Iterator[Feed]:
    """An empty store in `folder`, with its feed."""
    with open_store(folder / "store.duckdb") as store:
        feed = Feed(folder, store)
        try:
            yield feed
        finally:
            feed.close()


def _batches(spans: Iterable[Span]) -> Iterator[list[Span]]:
    batch: list[Span] = []
    size = 0
    for span in spans:
        batch.append(span)
        size += sum(len(value) for value in span.attributes.values() if isinstance(value, str))
        if len(batch) >= SPANS_A_FRAME or size >= BYTES_A_FRAME:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
