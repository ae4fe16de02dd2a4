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
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..model import Complaint, CorpusManifest, Drops, Feedback, FrameKind, GoldrankError, Span, StoreError
from ..model.redaction import Redaction
from ..model.sieve import Cause, Sieve
from ..store import BadFrame, IntakeBatch, Progress, Store
from ..tracing.spool import Frame, sweep
from .assembly import Assembled, assemble
from .complaint_links import ComplaintLinks
from .examiner import examine_older, examine_touched
from .frames import Content, decode_frame
from .pause import collector_paused
from .reading import SpoolBatch, UnreadFrame, read_batch
from .redaction import redact_complaint, redact_corpus, redact_feedback, redact_span
from .set_aside import set_frame_aside, set_tail_aside
from .sifting import (
    OfForgottenUsers,
    find_forgotten,
    losses,
    sift_complaint,
    sift_corpus,
    sift_feedback,
    sift_spans,
    without,
)
from .thumbs_down import ThumbsDown

LOG: Final = logging.getLogger("goldrank.ingester")

FEW_FRAMES: Final = 64
"""Below this it is worth waiting for more: a commit costs the same whatever it holds."""
WAIT_S: Final = 0.075
IDLE_WAIT_S: Final = 0.25
BACKOFF_S: Final = (1.0, 30.0)
"""First and longest wait after trouble with the disk or the store."""
WITNESSES: Final = 8
"""How many other frames are tried before the store is held to be at fault, and not the frame."""
ATTEMPTS: Final = 5
"""After so many a frame that fails with no other one to try is set aside."""
ROOM_BYTES: Final = 64 * 1024 * 1024
"""With less free on the disk, what the store refuses is put down to the disk."""
OLDER_AT_ONCE: Final = 5
"""How many requests that older rules judged are examined between two looks at the spool."""
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


class _ErasedMeanwhile(Exception):
    """Something was erased between reading the store and writing to it."""


class _Found:
    """The contents of some frames, by kind."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.feedback: list[Feedback] = []
        self.complaints: list[Complaint] = []
        self.corpora: list[CorpusManifest] = []
        self.drops: list[Drops] = []
        self.dropped: Counter[tuple[str, Cause]] = Counter()
        self.bad: list[BadFrame] = []


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
        self._links = ComplaintLinks(store, now_ns=now_ns)
        self._thumbs = ThumbsDown(store, now_ns=now_ns)
        self._progress: dict[str, int] | None = None
        self._waiting_since_ns: dict[str, int] = {}
        self._proved = False
        """The store has taken in frames of the batch in hand."""
        self._attempts: dict[tuple[str, int], int] = {}
        """(segment, offset) -> how often that frame failed with no other one to try."""
        self._swept_at: float | None = None
        self._older: list[str] | None = None
        """Requests that older rules judged and that wait to be judged anew; None: not asked yet."""
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
            with collector_paused():
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
                    if not frames:
                        self._judge_older()
                except Exception as error:  # noqa: BLE001 - this thread must outlive whatever happens in it
                    self._tell(error, wait_s)
                    stop.wait(wait_s)
                    wait_s = min(wait_s * 2, BACKOFF_S[1])
                    continue
                if frames < FEW_FRAMES:
                    stop.wait(WAIT_S if frames else IDLE_WAIT_S)
        finally:
            self._running = False

    def _judge_older(self) -> None:
        """While nothing comes: some of the requests that older rules judged, the newest first."""
        if self._older is None:
            self._older = list(self._store.requests.judged_by_older_rules())
        if self._older:
            some, self._older = self._older[:OLDER_AT_ONCE], self._older[OLDER_AT_ONCE:]
            examine_older(self._store, some)

    def _take_in(self, batch: SpoolBatch) -> None:
        """Commits the frames, then sets unreadable ends aside and deletes what is read."""
        self._proved = False
        self._commit_frames(batch.frames, batch.frames)
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

    def _commit_frames(self, frames: Sequence[UnreadFrame], others: Sequence[UnreadFrame]) -> None:
        """Commits `frames` in one transaction, or finds those that cannot be taken in and sets them aside.

        `others` are all frames of this batch: by them the store can show that it works.
        """
        if not frames:
            return
        try:
            self._commit_together(frames)
        except OSError:
            raise
        except Exception as error:
            if len(frames) == 1 and self._is_to_blame(frames[0], others):
                self._commit_aside(frames[0], error)
            elif len(frames) == 1:
                raise
            else:
                middle = len(frames) // 2
                self._commit_frames(frames[:middle], others)
                self._commit_frames(frames[middle:], others)

    def _is_to_blame(self, unread: UnreadFrame, others: Sequence[UnreadFrame]) -> bool:
        """Whether a frame that failed alone is at fault, and not the disk, the store or goldrank itself.

        It is when the store takes in another one. With none to try, after some attempts.
        """
        if not self._store_answers():
            return False
        if self._proved:
            return True
        witnesses = [other for other in others if other is not unread and other.frame.kind == FrameKind.TRACES]
        for witness in witnesses[:WITNESSES]:
            try:
                found, sieve = _Found(), self._store.erasures.sieve()
                self._sort_in(decode_frame(witness.frame.kind, witness.frame.payload), found, sieve)
                assembled = assemble(found.spans, self._store.intake)
                gone = find_forgotten(assembled, sieve)
                found.drops.clear()
                # Without its progress: it is taken in again at its turn, which changes nothing about spans.
                self._commit(_make_batch(found, without(assembled, gone), {}), gone=gone)
            except OSError:
                raise
            except Exception:  # noqa: BLE001, S112 - it is only asked whether it fails; its turn comes
                continue
            return True
        key = (unread.segment, unread.frame.offset)
        self._attempts[key] = self._attempts.get(key, 0) + 1
        return not witnesses and self._attempts[key] >= ATTEMPTS

    def _commit_together(self, frames: Sequence[UnreadFrame]) -> None:
        upto = {unread.segment: unread.frame.end for unread in frames}
        while True:
            erased, sieve = self._store.erasures.times, self._store.erasures.sieve()
            found = self._decode(frames, sieve)
            assembled = assemble(found.spans, self._store.intake)
            gone = find_forgotten(assembled, sieve)
            assembled = without(assembled, gone)
            batch = _make_batch(found, assembled, upto)
            try:
                self._commit(batch, examine=tuple(assembled.members), gone=gone, erased=erased)
            except _ErasedMeanwhile:
                continue
            break
        self._proved = True
        self._frames_read += len(frames)
        self._count_bad(found.bad)
        self._links.settle(found.complaints, assembled.members)
        self._thumbs.settle(found.feedback, assembled.members)

    def _decode(self, frames: Sequence[UnreadFrame], sieve: Sieve) -> _Found:
        found = _Found()
        for segment, frame in frames:
            try:
                content = decode_frame(frame.kind, frame.payload)
            except Exception as error:  # noqa: BLE001 - one frame must not stop the others, whatever is in it
                found.bad.append(self._set_aside(segment, frame, error))
            else:
                self._sort_in(content, found, sieve)
        found.drops += losses(found.dropped, self._now_ns())
        return found

    def _sort_in(self, content: Content, found: _Found, sieve: Sieve) -> None:
        """Adds the content, redacted, without what was erased before."""
        sifted = sift_spans((redact_span(span, self._redact) for span in content.spans), sieve)
        found.spans.extend(sifted.spans)
        found.dropped.update(sifted.dropped)
        match content.message:
            case Feedback() as feedback:
                kept = sift_feedback(redact_feedback(feedback, self._redact), sieve)
                found.feedback += [kept] if kept is not None else []
            case Complaint() as complaint:
                staying = sift_complaint(redact_complaint(complaint, self._redact), sieve)
                found.complaints += [staying] if staying is not None else []
            case CorpusManifest() as manifest:
                found.corpora.append(sift_corpus(redact_corpus(manifest, self._redact), sieve))
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

    def _commit(
        self,
        batch: IntakeBatch,
        examine: tuple[str, ...] = (),
        *,
        gone: OfForgottenUsers | None = None,
        erased: int | None = None,
    ) -> None:
        """Commits the batch, and with it what is to be said now of these requests: no list shows one half-judged.

        `gone` is taken out with it. `erased` is how often something had been erased when the batch was begun.
        """
        try:
            with self._store.writing():
                self._commit_unless_erased(batch, gone, erased)
                examine_touched(self._store, examine)
        except _ErasedMeanwhile:
            raise
        except Exception:
            if not examine:
                raise
            # Whoever is at fault: the batch goes in without its verdicts, or says itself why it cannot.
            with self._store.writing():
                self._commit_unless_erased(batch, gone, erased)
            examine_touched(self._store, examine)
        self._known_progress().update({one.segment: one.upto for one in batch.progress})
        self._last_commit_ns = self._now_ns()

    def _commit_unless_erased(self, batch: IntakeBatch, gone: OfForgottenUsers | None, erased: int | None) -> None:
        if erased is not None and erased != self._store.erasures.times:
            raise _ErasedMeanwhile
        self._store.intake.commit(batch)
        if gone is not None and gone.request_ids:
            self._store.erasures.strike(gone.request_ids, gone.spans, now_ns=self._now_ns())

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

    def _store_answers(self) -> bool:
        """Whether the store commits at all just now and has room."""
        if shutil.disk_usage(self._store.path.parent).free < ROOM_BYTES:
            return False
        try:
            self._store.intake.commit(IntakeBatch())
        except StoreError:
            return False
        return True

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


def _make_batch(found: _Found, assembled: Assembled, upto: dict[str, int]) -> IntakeBatch:
    return IntakeBatch(
        spans=assembled.spans,
        requests=assembled.requests,
        lists=assembled.lists,
        stored=assembled.stored,
        members=dict(assembled.members),
        renamed=dict(assembled.renamed),
        feedback=tuple(found.feedback),
        complaints=tuple(found.complaints),
        corpora=tuple(found.corpora),
        drops=tuple(found.drops),
        bad_frames=tuple(found.bad),
        progress=_progress(upto),
    )


def _progress(upto: dict[str, int]) -> tuple[Progress, ...]:
    return tuple(Progress(segment=name, upto=offset) for name, offset in upto.items())
