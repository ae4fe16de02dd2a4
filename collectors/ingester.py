"""The ingester: frames of the spool become rows of the store, each exactly once.

Rows and the place up to which a segment is read are committed in one transaction; a segment is deleted when
its writer is gone and all of it is committed. Killed at any moment, the next run goes on where the last
commit stands.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..model import Complaint, CorpusManifest, Drops, Feedback, GoldrankError, Span, StoreError
from ..model.redaction import Redaction
from ..store import BadFrame, IntakeBatch, Progress, Store
from ..tracing.spool import Frame, sweep
from .assembly import assemble
from .complaint_links import ComplaintLinks
from .examiner import examine_touched
from .frames import Content, decode_frame
from .reading import SpoolBatch, UnreadFrame, read_batch
from .redaction import redact_complaint, redact_feedback, redact_span
from .set_aside import set_frame_aside, set_tail_aside

LOG: Final = logging.getLogger("goldrank.ingester")

FEW_FRAMES: Final = 64
"""Below this it is worth waiting for more: a commit costs the same whatever it holds."""
WAIT_S: Final = 0.075
IDLE_WAIT_S: Final = 0.25
BACKOFF_S: Final = (1.0, 30.0)
"""First and longest wait after trouble with the disk or the store."""
ROOM_BYTES: Final = 64 * 1024 * 1024
"""With less free on the disk, what the store refuses is put down to the disk."""
SWEEP_EVERY_S: Final = 60.0
"""How often leftovers of killed writers are looked for."""


class IngesterState(NamedTuple):
    """How the ingester fares."""

    running: bool
    """`run` is at work in some thread."""
    healthy: bool
    message: str
    """What is wrong and what happens next; empty when healthy."""
    last_commit_ns: int | None
    oldest_unread_s: float | None
    """Age in seconds of the oldest frame seen that is not in the store yet; None: nothing waits."""
    frames_read: int
    """Since this ingester was made, those set aside included."""
    frames_bad: int
    """Set aside since this ingester was made."""


class _Found(NamedTuple):
    """The contents of some frames, by kind."""

    spans: list[Span]
    feedback: list[Feedback]
    complaints: list[Complaint]
    corpora: list[CorpusManifest]
    drops: list[Drops]
    bad: list[BadFrame]


class Ingester:
    """Brings the spool at `spool` into `store`. One ingester a store; `state` may be asked from any thread."""

    def __init__(
        self,
        spool: Path,
        store: Store,
        *,
        redact: Sequence[Redaction] = (),
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.spool = spool
        self._store = store
        self._redact = tuple(redact)
        self._now_ns = now_ns
        self._links = ComplaintLinks(store)
        self._progress: dict[str, int] | None = None
        self._waiting_since_ns: dict[str, int] = {}
        self._swept_at: float | None = None
        self._running = False
        self._trouble = ""
        self._last_commit_ns: int | None = None
        self._frames_read = 0
        self._frames_bad = 0

    @property
    def state(self) -> IngesterState:
        """How the ingester fares now."""
        oldest_ns = min(self._waiting_since_ns.values(), default=None)
        return IngesterState(
            running=self._running,
            healthy=not self._trouble,
            message=self._trouble,
            last_commit_ns=self._last_commit_ns,
            oldest_unread_s=None if oldest_ns is None else max(0.0, (self._now_ns() - oldest_ns) / 1e9),
            frames_read=self._frames_read,
            frames_bad=self._frames_bad,
        )

    def run_once(self) -> int:
        """Reads and commits one batch; the number of frames read, 0 when nothing new is there.

        A frame that cannot be taken in alone is set aside and counted. Raises OSError and StoreError where the
        disk or the store is at fault; nothing is lost then, and the next call tries the same frames again.
        """
        self._sweep()
        batch = read_batch(self.spool, self._known_progress())
        self._note_waiting(batch)
        try:
            self._take_in(batch)
        except BaseException:
            self._progress = None  # whatever was committed is asked again
            raise
        self._trouble = "; ".join(batch.waiting)
        self._waiting_since_ns = {name: since for name, since in self._waiting_since_ns.items() if name in batch.unread}
        return len(batch.frames)

    def run(self, stop: threading.Event) -> None:
        """Takes in what comes until `stop` is set. Trouble is logged once, told by `state`, and tried again."""
        self._running = True
        wait_s = BACKOFF_S[0]
        try:
            while not stop.is_set():
                try:
                    frames = self.run_once()
                    wait_s = BACKOFF_S[0]
                except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens in it
                    self._tell(error, wait_s)
                    stop.wait(wait_s)
                    wait_s = min(wait_s * 2, BACKOFF_S[1])
                    continue
                if frames < FEW_FRAMES:
                    stop.wait(WAIT_S if frames else IDLE_WAIT_S)
        finally:
            self._running = False

    def _take_in(self, batch: SpoolBatch) -> None:
        """Commits the frames, then sets unreadable ends aside and deletes what is read."""
        self._commit_frames(batch.frames)
        bad = tuple(
            set_tail_aside(self.spool, tail.path, tail.offset, tail.reason, at_ns=self._now_ns())
            for tail in batch.tails
        )
        known = self._known_progress()
        rest = {name: upto for name, upto in batch.upto.items() if known.get(name) != upto}
        names = tuple(path.name for path in batch.finished)
        if bad or rest:
            self._commit(IntakeBatch(bad_frames=bad, progress=_progress(rest), finished=names))
            self._count_bad(bad)
        for path in batch.finished:
            path.unlink(missing_ok=True)
        if names:
            self._forget(names)

    def _commit_frames(self, frames: Sequence[UnreadFrame]) -> None:
        """Commits all frames in one transaction, or finds those that cannot be taken in and sets them aside."""
        if not frames:
            return
        try:
            self._commit_together(frames)
        except OSError:
            raise
        except Exception as error:
            if isinstance(error, StoreError) and self._store_is_at_fault():
                raise
            if len(frames) == 1:
                self._commit_aside(frames[0], error)
                return
            middle = len(frames) // 2
            self._commit_frames(frames[:middle])
            self._commit_frames(frames[middle:])

    def _commit_together(self, frames: Sequence[UnreadFrame]) -> None:
        found = self._decode(frames)
        assembled = assemble(found.spans, self._store.intake)
        self._commit(
            IntakeBatch(
                spans=assembled.spans,
                requests=assembled.requests,
                members=dict(assembled.members),
                renamed=dict(assembled.renamed),
                feedback=tuple(found.feedback),
                complaints=tuple(found.complaints),
                corpora=tuple(found.corpora),
                drops=tuple(found.drops),
                bad_frames=tuple(found.bad),
                progress=_progress({unread.segment: unread.frame.end for unread in frames}),
            )
        )
        self._frames_read += len(frames)
        self._count_bad(found.bad)
        self._links.settle(found.complaints, assembled.members)
        examine_touched(self._store, tuple(assembled.members))

    def _decode(self, frames: Sequence[UnreadFrame]) -> _Found:
        found = _Found([], [], [], [], [], [])
        for segment, frame in frames:
            try:
                content = decode_frame(frame.kind, frame.payload)
            except Exception as error:  # noqa: BLE001 - one frame must not stop the others, whatever is in it
                found.bad.append(self._set_aside(segment, frame, error))
            else:
                self._sort_in(content, found)
        return found

    def _sort_in(self, content: Content, found: _Found) -> None:
        found.spans.extend(redact_span(span, self._redact) for span in content.spans)
        match content.message:
            case Feedback() as feedback:
                found.feedback.append(redact_feedback(feedback, self._redact))
            case Complaint() as complaint:
                found.complaints.append(redact_complaint(complaint, self._redact))
            case CorpusManifest() as manifest:
                found.corpora.append(manifest)
            case Drops() as drops:
                found.drops.append(drops)
            case None:
                pass

    def _commit_aside(self, unread: UnreadFrame, error: Exception) -> None:
        """A frame that fails alone: kept beside the spool, counted, and passed."""
        bad = self._set_aside(unread.segment, unread.frame, error)
        self._commit(IntakeBatch(bad_frames=(bad,), progress=_progress({unread.segment: unread.frame.end})))
        self._frames_read += 1
        self._count_bad((bad,))

    def _set_aside(self, segment: str, frame: Frame, error: Exception) -> BadFrame:
        return set_frame_aside(self.spool, segment, frame.offset, frame.payload, error, at_ns=self._now_ns())

    def _commit(self, batch: IntakeBatch) -> None:
        self._store.intake.commit(batch)
        self._known_progress().update({one.segment: one.upto for one in batch.progress})
        self._last_commit_ns = self._now_ns()

    def _known_progress(self) -> dict[str, int]:
        """How far each segment is committed; asked from the store once, and again after trouble."""
        if self._progress is None:
            self._progress = self._store.intake.progress()
            gone = tuple(name for name in self._progress if not (self.spool / name).exists())
            if gone and self.spool.exists():
                self._forget(gone)  # killed between deleting a segment and forgetting it
        return self._progress

    def _forget(self, names: tuple[str, ...]) -> None:
        self._store.intake.forget_segments(names)
        if self._progress is not None:
            self._progress = {name: upto for name, upto in self._progress.items() if name not in names}

    def _store_is_at_fault(self) -> bool:
        """Whether the store takes in nothing at all just now, or has no room: then no frame is to blame."""
        if shutil.disk_usage(self._store.path.parent).free < ROOM_BYTES:
            return True
        try:
            self._store.intake.commit(IntakeBatch())
        except StoreError:
            return True
        return False

    def _sweep(self) -> None:
        now = time.monotonic()
        if self._swept_at is None or now - self._swept_at >= SWEEP_EVERY_S:
            self._swept_at = now
            self._forget(tuple(name for name in sweep(self.spool) if name in self._known_progress()))

    def _note_waiting(self, batch: SpoolBatch) -> None:
        now_ns = self._now_ns()
        for name in {*batch.unread, *(unread.segment for unread in batch.frames)}:
            self._waiting_since_ns.setdefault(name, now_ns)

    def _count_bad(self, bad: Sequence[BadFrame]) -> None:
        self._frames_bad += len(bad)
        for one in bad:
            LOG.warning("goldrank: a frame was set aside as %s: %s", one.saved_as, one.reason)

    def _tell(self, error: Exception, wait_s: float) -> None:
        what = str(error) if isinstance(error, GoldrankError | OSError) else f"{type(error).__name__} in the ingester"
        message = f"{what} Nothing is lost; it is tried again every {wait_s:.0f} s."
        if not self._trouble:
            LOG.warning("goldrank: %s", message, exc_info=not isinstance(error, GoldrankError | OSError))
        self._trouble = message


def _progress(upto: dict[str, int]) -> tuple[Progress, ...]:
    return tuple(Progress(segment=name, upto=offset) for name, offset in upto.items())
