"""`init(endpoint=)`: spans go to a collector by OpenTelemetry's standard OTLP/HTTP exporter, frames by a POST.

A thread sends; the app's threads only append to a bounded queue. What does not fit, or is not taken, is counted.
"""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections import Counter, deque
from collections.abc import Callable
from http.client import HTTPException
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from ..model.errors import UsageError
from ..model.frame_kind import FrameKind
from .guest import Guard, say_once
from .own_spans import ends_request
from .settings import Settings
from .spool.losses import drops_json

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

QUEUE_FULL: Final = "queue full"
NOT_TAKEN: Final = "endpoint did not take it"
BATCH: Final = 256
WAIT_S: Final = 5.0
"""A span that wakes nobody is sent after this time at the latest."""
SEND_S: Final = 10.0
"""How long one sending may take, in seconds."""
EXIT_S: Final = 2.0

ROUTES: Final = {
    FrameKind.FEEDBACK: "/v1/feedback",
    FrameKind.COMPLAINT: "/v1/complaints",
    FrameKind.CORPUS: "/v1/corpus",
    FrameKind.DROPS: "/v1/drops",
}
"""Kind of a frame -> where its JSON is posted."""

_SENDING: Final = Guard("sending to the endpoint")


class _Frame(NamedTuple):
    kind: FrameKind
    payload: bytes


class EndpointProcessor(SpanProcessor):
    """Sends ended spans and frames to `settings.endpoint`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._address = settings.endpoint.rstrip("/")
        if not self._address.startswith(("http://", "https://")):
            raise UsageError(
                f"init(endpoint=) is {settings.endpoint!r}; an address like http://collector:4318 is expected."
            )
        self._headers = {"Authorization": f"Bearer {settings.token}"} if settings.token else {}
        self._exporter = self._make_exporter()
        self._closed = False
        self._start_afresh()

    def _make_exporter(self) -> OTLPSpanExporter:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ImportError:
            raise UsageError(
                "init(endpoint=) needs OpenTelemetry's OTLP/HTTP exporter: pip install 'goldrank[otlp]'"
            ) from None
        return OTLPSpanExporter(endpoint=f"{self._address}/v1/traces", headers=self._headers, timeout=SEND_S)

    def after_fork(self) -> None:
        """In a forked child: what is queued is the parent's to send, and its connection is the parent's alone."""
        self._start_afresh()
        self._exporter = self._make_exporter()

    def write_through(self) -> None:
        """Nothing: a request's end wakes the sender as it is."""

    def postpone(self, callback: Callable[[], None]) -> bool:  # noqa: ARG002 - lifecycle's protocol
        """False: no thread of the app ever sends."""
        return False

    def _start_afresh(self) -> None:
        self._queue: deque[ReadableSpan | _Frame] = deque()
        self._drops: Counter[str] = Counter()
        self._drops_lock = threading.Lock()
        self._wake = threading.Event()
        self._idle = threading.Condition()
        self._busy = False
        self._lost = 0
        self._thread: threading.Thread | None = None
        self._start_lock = threading.RLock()  # a signal handler's flush may interrupt the start

    def on_end(self, span: ReadableSpan) -> None:
        """Takes an ended span; the end of a request wakes the sender."""
        context = span.context
        if context is None or not context.trace_flags.sampled:
            return
        self._take(span)
        if ends_request(span):
            self._wake.set()

    def put(self, kind: FrameKind, payload: bytes) -> bool:
        """Takes a frame. False: the queue is full."""
        taken = self._take(_Frame(kind, payload))
        self._wake.set()
        return taken

    def count(self, reason: str, n: int = 1) -> None:
        """Counts what was lost; the counts are posted with the next sending."""
        with self._drops_lock:
            self._drops[reason] += n

    def _take(self, item: ReadableSpan | _Frame) -> bool:
        if self._closed or len(self._queue) >= self._settings.queue_size:
            self._lose(QUEUE_FULL, 1)
            return False
        self._queue.append(item)
        if self._thread is None:
            self._start_thread()
        return True

    def _lose(self, reason: str, n: int) -> None:
        self._lost += n
        self.count(reason, n)

    def _start_thread(self) -> None:
        with self._start_lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="goldrank-endpoint", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed or self._queue:
            self._wake.wait(WAIT_S)
            self._wake.clear()
            with self._idle:
                self._busy = True
            with _SENDING:
                self._send_all()
            with self._idle:
                self._busy = False
                self._idle.notify_all()

    def _send_all(self) -> None:
        while self._queue:
            batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
            spans = [item for item in batch if isinstance(item, ReadableSpan)]
            if spans and not self._export(spans):
                self._lose(NOT_TAKEN, len(spans))
            for item in batch:
                if isinstance(item, _Frame) and not self._post(item):
                    self._lose(NOT_TAKEN, 1)
        self._post_drops()

    def _export(self, spans: list[ReadableSpan]) -> bool:
        from opentelemetry.sdk.trace.export import SpanExportResult

        return self._exporter.export(spans) is SpanExportResult.SUCCESS

    def _post(self, frame: _Frame) -> bool:
        headers = {"Content-Type": "application/json", **self._headers}
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked at the start
            self._address + ROUTES[frame.kind], frame.payload, headers, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=SEND_S):  # noqa: S310
                return True
        except (urllib.error.URLError, HTTPException, OSError) as error:
            said = getattr(error, "code", None) or type(error).__name__
            say_once("endpoint", f"goldrank: {self._address}{ROUTES[frame.kind]} did not take it ({said}); counted.")
            return False

    def _post_drops(self) -> None:
        with self._drops_lock:
            drops, self._drops = self._drops, Counter()
        if not drops:
            return
        if not self._post(_Frame(FrameKind.DROPS, drops_json(self._settings.app, dict(drops)))):
            with self._drops_lock:
                self._drops.update(drops)

    @property
    def exit_s(self) -> float:
        """Seconds: a dead collector must not hold the app's end up."""
        return EXIT_S

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits until what is queued was sent. False: it took longer, or something was not taken meanwhile."""
        lost = self._lost
        if self._queue or self._drops:
            self._start_thread()
        self._wake.set()
        with self._idle:
            done = self._idle.wait_for(lambda: not self._queue and not self._busy, timeout_s)
        return done and lost == self._lost

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """`flush`, as OpenTelemetry calls it."""
        return self.flush(timeout_millis / 1000)

    def shutdown(self) -> None:
        """Sends what is queued, for at most two seconds; what comes later is counted."""
        if self._closed:
            return
        self.flush(EXIT_S)
        self._closed = True
        self._wake.set()
