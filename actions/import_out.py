"""The way of imported requests into the store: through the spool, read from there now and then, and labelled after."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from ..collectors.importing.logged import LoggedRequest
from ..collectors.importing.spans import encode
from ..model import Feedback, FrameKind, Span, StoreError, wire
from ..tracing.spool import MAX_PAYLOAD, SPOOL_FULL, SpoolWriter
from ..tracing.spool import encode as frame
from .ingest import Ingest, Ingested, ingest
from .label_imported import ImportedGold, ImportedLabels, LabelImported, label_imported
from .local import Session

_SPANS_AT_ONCE: Final = 2000
_WRITE_BYTES: Final = 4 * 1024 * 1024
_READ_AFTER: Final = 128 * 1024 * 1024
"""Bytes that may wait in the spool before they are read into the store."""
_LABELS_AT_ONCE: Final = 50
_LABELS_WAITING: Final = 5000
_NOTHING_READ: Final = Ingested(frames_read=0, frames_bad=0, requests=0)


class Done(NamedTuple):
    """What came of it."""

    new: int
    stored: int
    labels: int
    labels_known: int
    labels_refused: tuple[str, ...]
    feedback: int
    message: str


class ImportOut:
    """Takes spans, payloads, labels and feedback; everything is in the store when its `with` ends."""

    def __init__(self, session: Session, spool: Path, *, alternatives: bool, tell: Callable[[str], None]) -> None:
        self._session = session
        self._writer = SpoolWriter(spool, app="goldrank-import")
        self._alternatives = alternatives
        self._tell = tell
        self._spans: list[Span] = []
        self._said: list[bytes] = []
        """Frames of feedback, which follow the requests that they are about."""
        self._frames: list[bytes] = []
        self._frame_bytes = 0
        self._unread = 0
        self._labels: list[ImportedLabels] = []
        self._refused: list[str] = []
        self._saved = self._known = self._feedback = 0
        self._last = _NOTHING_READ
        self._before = 0
        self._done: Done | None = None

    def __enter__(self) -> Self:
        self._before = self._read().requests
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """After an error what was read before it stays: it is acknowledged by nobody, and whole requests go in."""
        try:
            self._write(all_of_it=True)
            self._writer.sync()
        finally:
            self._writer.close()
        if kind is None:
            self._settle()
            self._done = Done(
                new=self._last.requests - self._before,
                stored=self._last.requests,
                labels=self._saved,
                labels_known=self._known,
                labels_refused=tuple(self._refused),
                feedback=self._feedback,
                message=self._last.message,
            )

    @property
    def done(self) -> Done:
        """What came of it, once it has ended."""
        if self._done is None:
            raise StoreError("The import was not finished.")
        return self._done

    def add_spans(self, spans: Sequence[Span]) -> None:
        """Spans that belong together."""
        self._spans.extend(spans)
        if len(self._spans) >= _SPANS_AT_ONCE:
            self._write(all_of_it=False)

    def add_payload(self, kind: FrameKind, payload: bytes) -> None:
        """An OTLP message as it came. One that is too long for a frame is refused."""
        if len(payload) > MAX_PAYLOAD:
            self._refused.append(f"a message of {len(payload):,} bytes is longer than {MAX_PAYLOAD:,}")
            return
        self._add_frame(frame(kind, payload))

    def add_said(self, logged: LoggedRequest) -> None:
        """What the log says of the worth of an answer."""
        if logged.golds:
            golds = tuple(ImportedGold(**one._asdict()) for one in logged.golds)
            self._labels.append(ImportedLabels(request_id=logged.request_id, golds=golds))
        if logged.feedback is not None:
            self._add_feedback(logged, logged.feedback)
        if len(self._labels) >= _LABELS_WAITING:
            self._write(all_of_it=True)
            self._settle()

    def _add_feedback(self, logged: LoggedRequest, score: float) -> None:
        resource = dict(logged.resource)
        feedback = Feedback(
            feedback_id=hashlib.blake2b(f"import\0{logged.request_id}".encode(), digest_size=8).hexdigest(),
            request_id=logged.request_id,
            app=resource.get(wire.APP, ""),
            environment=resource.get(wire.ENVIRONMENT, ""),
            score=score,
            comment=logged.comment,
            at_ns=logged.start_ns + (logged.duration_ns or 0),
        )
        self._feedback += 1
        self._said.append(frame(FrameKind.FEEDBACK, feedback.model_dump_json().encode("utf-8", "replace")))

    def _add_frame(self, framed: bytes) -> None:
        self._frames.append(framed)
        self._frame_bytes += len(framed)
        if self._frame_bytes >= _WRITE_BYTES:
            self._flush()

    def _write(self, *, all_of_it: bool) -> None:
        """Makes frames of the spans; `all_of_it` also writes them."""
        if self._spans:
            encoded = encode(self._spans)
            self._spans = []
            if encoded.too_large:
                self._refused.append(f"{encoded.too_large} spans are longer than a frame of the spool may be")
            for message in encoded.messages:
                self._add_frame(frame(FrameKind.TRACES, message))
        said, self._said = self._said, []
        for framed in said:
            self._add_frame(framed)
        if all_of_it and self._frames:
            self._flush()

    def _flush(self) -> None:
        refused = self._writer.write(self._frames)
        if refused == SPOOL_FULL:
            self._read()
            refused = self._writer.write(self._frames)
        if refused:
            raise StoreError(f"{self._writer.directory} cannot be written: {refused}. What was read before is kept.")
        self._unread += self._frame_bytes
        self._frames, self._frame_bytes = [], 0
        if self._unread >= _READ_AFTER:
            self._read()

    def _read(self) -> Ingested:
        """Reads the spool into the store."""
        self._writer.sync()
        self._tell("reading into the store")
        self._last = self._session.perform(ingest, Ingest())
        self._unread = 0
        return self._last

    def _settle(self) -> None:
        """Everything is read; then labels find their requests."""
        self._read()
        labels, self._labels = self._labels, []
        for place in range(0, len(labels), _LABELS_AT_ONCE):
            self._tell(f"labelling: {place:,} of {len(labels):,} requests")
            some = tuple(labels[place : place + _LABELS_AT_ONCE])
            done = self._session.perform(label_imported, LabelImported(requests=some, alternatives=self._alternatives))
            self._saved += done.saved
            self._known += done.known
            self._refused.extend(done.refused)
