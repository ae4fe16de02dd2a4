"""The span processor of the shim: takes ended spans, and a thread of its own writes them to the spool.

processor = SpoolProcessor(Path(".goldrank/spool"), app="support-bot")
provider.add_span_processor(processor)
lifecycle.install(processor)              # the last requests of a process that ends
processor.flush(2.0)                      # True: all that was handed over is on the disk

Handing over never waits: a bounded queue takes the span, or the loss is counted. The path of the app's
threads (`on_end`, `put`, `count`) takes no lock that could be held by anyone else, because a signal handler,
a destructor or a fork may interrupt it at any line: it appends to a deque, and wakes by a semaphore.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from ..model.frame_kind import FrameKind
from .guest import INTERNAL_ERROR, say_once, strict
from .own_spans import ends_request
from .spool.frames import MAX_PAYLOAD, encode
from .spool.losses import Losses, drops_json
from .spool.otlp import encode_spans
from .spool.writer import TOO_LARGE, SpoolLimits, SpoolWriter

QUEUE_FULL: Final = "queue full"
NOT_ENCODABLE: Final = "not encodable"
AFTER_SHUTDOWN: Final = "after shutdown"

BATCH: Final = "batch"
REQUEST: Final = "request"

_BATCH: Final = 128
"""Spans a frame. More make a span dearer, fewer make a frame dearer."""
_GATHER_S: Final = 0.01
"""Between two writes the thread waits so long: a busy app's requests then share a write and a wait for the disk."""
_LINGER_S: Final = 1.0
"""A span that wakes nobody (no request ends with it) is written after this time at the latest."""
_GIVE_WAY_S: Final = 0.5
"""How long an app's thread waits for its turn to write its own request; then the writer thread does it."""
_REPORT_S: Final = 10.0
"""Losses are reported at most this often, unless somebody flushes."""
_SHUTDOWN_S: Final = 5.0
_EXIT_S: Final = 10.0
_LOOK_S: Final = 0.1
"""Who waits for the writer thread looks this often whether it still runs."""


class _Framed(NamedTuple):
    """Something in the queue that is no span."""

    kind: FrameKind
    payload: bytes


class _Ticket:
    """Somebody waits until all that was queued before it is written."""

    def __init__(self) -> None:
        self._done = threading.Lock()
        self._done.acquire()
        self.ok = False

    def wait(self, timeout_s: float) -> bool:
        return self._done.acquire(timeout=max(timeout_s, 0))

    def release(self, *, ok: bool) -> None:
        self.ok = ok
        self._done.release()


def _release(semaphore: threading.Lock) -> None:
    if semaphore.locked():
        try:
            semaphore.release()
        except RuntimeError:  # someone else did, between these two lines
            return


class SpoolProcessor(SpanProcessor):
    """`durability` "batch": a request is written by the writer thread within milliseconds of its end.

    "request": the app's thread writes it before the request's end returns, for processes that are killed
    right after it (celery's children); the wait for the disk itself is left to the thread even then.
    """

    def __init__(
        self,
        directory: Path,
        *,
        app: str,
        queue_size: int = 8192,
        durability: str = BATCH,
        limits: SpoolLimits | None = None,
    ) -> None:
        self.app = app
        self._queue_size = queue_size
        self._writer = SpoolWriter(directory, app=app, limits=limits)
        self._write_through = durability == REQUEST
        self._closed = False
        self._start_afresh()

    @property
    def exit_s(self) -> float:
        """Seconds: milliseconds are the rule, but many processes that end at once on a busy disk need more."""
        return _EXIT_S

    @property
    def directory(self) -> Path:
        """The spool's folder, absolute."""
        return self._writer.directory

    def _start_afresh(self) -> None:
        self._queue: deque[ReadableSpan | _Framed] = deque()
        self._tickets: deque[_Ticket] = deque()
        self._losses = Losses()
        self._flushed = threading.local()
        self._gate = threading.Lock()  # held while items are taken from the queue and written
        self._gate_owner: int | None = None
        self._after_gate: Callable[[], None] | None = None
        self._wake = threading.Lock()  # a semaphore: released by whoever has work, taken by the thread
        self._wake.acquire()
        self._hurry = threading.Lock()  # another one: released by whoever cannot wait until enough is gathered
        self._hurry.acquire()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._idle = True
        self._stopping = False
        self._report_at = 0.0

    def after_fork(self) -> None:
        """In a forked child: what is queued is the parent's to write; locks, files and thread are new."""
        self._start_afresh()
        self._writer.after_fork()

    # What the app's threads call.

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing: a span is recorded when it ends."""

    def on_end(self, span: ReadableSpan) -> None:
        """Takes an ended span. Where the queue is full the newest, this one, is dropped and counted."""
        try:
            if self._accept(span) and ends_request(span):
                self._after_request()
        except Exception:  # noqa: BLE001 - the app must not see it; what was taken is counted where it is lost
            self._internal_error()

    def put(self, kind: FrameKind, payload: bytes) -> bool:
        """Takes a frame of another kind. False: it is empty, too large, or the queue is full; and counted."""
        if not 1 <= len(payload) <= MAX_PAYLOAD:
            self.count(TOO_LARGE if payload else NOT_ENCODABLE)
            return False
        accepted = self._accept(_Framed(kind, payload))
        try:
            if accepted:
                self._after_request()
        except Exception:  # noqa: BLE001 - as above
            self._internal_error()
        return accepted

    def count(self, reason: str, n: int = 1) -> None:
        """Counts `n` spans as lost for `reason`; the count goes to the spool with the next write."""
        self._losses.add(reason, n)
        if self._idle:
            self._wake_up()

    def _accept(self, item: ReadableSpan | _Framed) -> bool:
        queue = self._queue
        length = len(queue)
        if length >= self._queue_size or self._closed:
            self.count(AFTER_SHUTDOWN if self._closed else QUEUE_FULL)
            return False
        queue.append(item)
        if self._idle:
            self._wake_up()
        elif 2 * length >= self._queue_size:
            self._hurry_up()
        return True

    def _after_request(self) -> None:
        if self._write_through:
            self._drain_here(_GIVE_WAY_S)
        self._wake_up()

    def _wake_up(self) -> None:
        if self._thread is None and not self._closed:
            self._start_thread()
        _release(self._wake)

    def _hurry_up(self) -> None:
        """Wakes the thread also from gathering."""
        _release(self._hurry)
        self._wake_up()

    def _internal_error(self) -> None:
        """Called while an exception of ours is handled."""
        if strict():
            raise  # noqa: PLE0704 - see above
        say_once(
            "internal", "goldrank: an error inside goldrank; the app goes on, this is not recorded", traceback=True
        )

    # Ends: waiting until all is written.

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits until all that was handed over before is on the disk.

        False: it took longer than `timeout_s`, or something handed over since this thread's last flush was
        lost (queue or disk full); the count says how much. May be called from a signal handler.
        """
        deadline = time.monotonic() + timeout_s
        done = self._flush_by_thread(deadline)
        if done is None:
            done = self._drain_here(max(deadline - time.monotonic(), 0), report=True) and self._writer.sync()
            if self._closed:  # nobody would ever seal the segment that the last counts went into
                self._writer.close()
        lost = self._losses.total()
        complete = lost == getattr(self._flushed, "lost", 0)
        self._flushed.lost = lost
        return done and complete

    def _flush_by_thread(self, deadline: float) -> bool | None:
        """None: there is no thread that could do it."""
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return None
        ticket = _Ticket()
        self._tickets.append(ticket)
        self._hurry_up()
        while thread.is_alive():
            left = deadline - time.monotonic()
            if ticket.wait(min(left, _LOOK_S)):
                return ticket.ok
            if left <= 0:
                return False
        return None

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """`flush`, as OpenTelemetry calls it."""
        return self.flush(timeout_millis / 1000)

    def shutdown(self) -> None:
        """Writes what is queued and closes the segment. What comes later is counted, not recorded."""
        if self._closed:
            return
        self.flush(_SHUTDOWN_S)
        self._closed = True
        self._stopping = True
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            self._hurry_up()
            thread.join(_SHUTDOWN_S)
        self._drain_here(_GIVE_WAY_S, report=True)
        self._writer.close()

    def write_through(self) -> None:
        """From now on requests are written before their end returns: the process may stop at any moment."""
        self._write_through = True

    def postpone(self, callback: Callable[[], None]) -> bool:
        """True: this very thread is inside a write, and calls `callback` after it. False: it is not."""
        if self._gate_owner != threading.get_ident():
            return False
        self._after_gate = callback
        return True

    # The writer thread.

    def _start_thread(self) -> None:
        if not self._starting.acquire(blocking=False):
            return
        try:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="goldrank-spool", daemon=True)
                thread.start()
                self._thread = thread
        except RuntimeError as error:  # no more threads, or the interpreter ends; flush and exit hooks still write
            say_once(
                "thread", f"goldrank: the spool's writer thread cannot start ({error}); requests are written at exit"
            )
        finally:
            self._starting.release()

    def _run(self) -> None:
        self._idle = False
        try:
            while not self._stopping:
                self._wait_for_work()
                self._work()
                self._hurry.acquire(timeout=_GATHER_S)
        finally:
            self._thread = None
            self._idle = True
            while self._tickets:
                self._tickets.popleft().release(ok=False)

    def _wait_for_work(self) -> None:
        if self._queue or self._wake.acquire(timeout=_LINGER_S):
            self._wake.acquire(blocking=False)
            return
        if self._has_work():
            return
        self._idle = True  # whoever appends from here on wakes us; what was appended before, we see now
        if not self._has_work():
            self._wake.acquire(timeout=self._next_look_s())
        self._idle = False

    def _has_work(self) -> bool:
        return bool(self._queue or self._tickets or self._stopping) or self._may_report()

    def _next_look_s(self) -> float:
        """When there is something to do though nobody calls, in seconds; -1: never."""
        looks = [self._writer.tend()]
        if self._losses:
            looks.append(self._report_at - time.monotonic())
        times = [look for look in looks if look is not None]
        return max(*times, _LOOK_S) if times else -1

    def _work(self) -> None:
        tickets = [self._tickets.popleft() for _ in range(len(self._tickets))]
        ok = False
        try:
            ok = self._drain_here(-1, report=bool(tickets))
            ok = self._writer.sync() and ok
            self._writer.tend()
        except Exception:  # noqa: BLE001 - the thread must live on
            self._internal_error()
        finally:
            for ticket in tickets:
                ticket.release(ok=ok)

    # Taking from the queue and writing; by the thread, or by the app's thread that must be sure.

    def _drain_here(self, timeout_s: float, *, report: bool = False) -> bool:
        """Writes all that is queued now. False: another thread held the gate for so long (-1: no limit).

        `report`: and what was lost, though it was reported a moment ago.
        """
        todo = len(self._queue)
        while True:
            if self._gate_owner == threading.get_ident():
                return False  # we interrupted our own write: it takes what is queued when it goes on
            if not self._gate.acquire(timeout=timeout_s):
                return False
            try:
                self._gate_owner = threading.get_ident()
                todo -= self._write_batch()
                if todo <= 0 and (self._losses if report else self._may_report()):
                    self._report_losses()
            finally:
                self._gate_owner = None
                self._gate.release()
                self._call_postponed()
            if todo <= 0 or not self._queue:
                return True

    def _call_postponed(self) -> None:
        callback, self._after_gate = self._after_gate, None
        if callback is not None:
            callback()

    def _write_batch(self) -> int:
        """Takes up to a batch from the queue and writes or counts it; returns how many it took."""
        batch = self._take()
        if not batch:
            return 0
        lost_as = INTERNAL_ERROR
        kept = len(batch)
        try:
            refused = self._writer.refusal()
            if refused is None:
                framed, kept = self._frame(batch)
                refused = self._writer.write(framed) if framed else None
            lost_as = refused or ""
        finally:
            # Also when an exception (a signal handler's, say) cuts this short: what was taken is counted.
            if lost_as and kept:
                self._losses.add(lost_as, kept)
        return len(batch)

    def _take(self) -> list[ReadableSpan | _Framed]:
        batch: list[ReadableSpan | _Framed] = []
        while len(batch) < _BATCH:
            try:
                batch.append(self._queue.popleft())
            except IndexError:
                break
        return batch

    def _frame(self, batch: list[ReadableSpan | _Framed]) -> tuple[list[bytes], int]:
        """The batch as frames, and how many of its items are in them; the others are counted here."""
        encoded = encode_spans([item for item in batch if isinstance(item, ReadableSpan)])
        framed = [encode(FrameKind.TRACES, message) for message in encoded.messages]
        others = [encode(item.kind, item.payload) for item in batch if isinstance(item, _Framed)]
        for reason, spans in ((TOO_LARGE, encoded.too_large), (NOT_ENCODABLE, encoded.not_encodable)):
            if spans:
                self._losses.add(reason, spans)
                say_once(
                    reason, f"goldrank: a span could not be recorded: {reason}; it is counted, its neighbours are kept"
                )
        return framed + others, sum(encoded.counts) + len(others)

    def _may_report(self) -> bool:
        """Losses go out at once; further ones, of a disk that stays full, are gathered for a while."""
        return bool(self._losses) and time.monotonic() >= self._report_at and self._writer.refusal() is None

    def _report_losses(self) -> None:
        counts = self._losses.counts()
        framed = [encode(FrameKind.DROPS, drops_json(self.app, counts))]
        if counts and self._writer.write(framed, beyond_limits=True) is None:
            self._losses.reported(counts)
        self._report_at = time.monotonic() + _REPORT_S
