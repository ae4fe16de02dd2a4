"""What an app tells goldrank outside of spans: feedback, complaints, the corpus."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from ..model.frame_kind import FrameKind
from ..model.hit_words import IdSource
from ..model.request_id import make_request_id
from .context import open_stage
from .guest import Guard, say_once
from .jsons import dump
from .recognisers import RawHit, Reading, read_hit
from .recorder import SWITCH, Recorder
from .values import fields_of, id_text, is_a

if TYPE_CHECKING:
    from ..model.chunk import CorpusChunk

CHUNKS_A_PART: Final = 1_000
FLUSH_S: Final = 30.0

_FEEDBACK: Final = Guard("feedback")
_COMPLAINT: Final = Guard("complaint")
_CORPUS: Final = Guard("corpus")
_NOTE: Final = Guard("note")


def request_id() -> str:
    """The id of the request that is open here, for a page, a header, a log line; "" outside of any."""
    stage = open_stage() if SWITCH.recorder is not None else None
    return "" if stage is None or stage.request is None else stage.request.id


def note(key: str, value: Any) -> None:
    """A note on the request that is open here: `goldrank.note("plan", "pro")`."""
    stage = open_stage() if SWITCH.recorder is not None else None
    if stage is None:
        return
    with _NOTE:
        request = stage.request
        target = stage if request is None or request.root is None else request.root
        if target.ended or (request is not None and request.root_ended):
            say_once("late note", "goldrank.note: the request has ended; the note is left out.")
        else:
            target.put_note(key, value)


def feedback(request_id: str | None = None, *, score: float, comment: str | None = None) -> None:
    """What a user thought of an answer: `score` below 0 bad, above 0 good.

    Without an id it is for the request that is open here. An infinite score counts as 1 or -1, one that is
    no number as 0, so that the comment is kept.
    """
    recorder = SWITCH.recorder
    if recorder is None:
        return
    from ..model.complaint import Feedback

    with _FEEDBACK:
        target = request_id or _open_request_id()
        if not target:
            say_once("feedback", "goldrank.feedback: no request id was given and no request is open; it is left out.")
            return
        value = float(score)
        if not math.isfinite(value):
            told = 0.0 if math.isnan(value) else math.copysign(1.0, value)
            say_once("score", f"goldrank.feedback: a finite score is expected, {value} was given; {told} is recorded.")
            value = told
        body = Feedback(
            feedback_id=uuid.uuid4().hex,
            request_id=target,
            app=recorder.settings.app,
            environment=recorder.settings.environment,
            score=value,
            comment=None if comment is None else recorder.rules.apply(comment).text,
            at_ns=time.time_ns(),
        )
        _put(recorder, FrameKind.FEEDBACK, body.model_dump_json())


def _open_request_id() -> str:
    return request_id()


def complaint(
    text: str, *, request_id: str | None = None, who: str | None = None, complaint_id: str | None = None
) -> None:
    """A ticket about an answer. It belongs to `request_id`, else to the request whose id its text holds."""
    recorder = SWITCH.recorder
    if recorder is None:
        return
    from ..model.complaint import Complaint

    with _COMPLAINT:
        body = Complaint(
            complaint_id=complaint_id or uuid.uuid4().hex,
            app=recorder.settings.app,
            environment=recorder.settings.environment,
            text=recorder.rules.apply(text).text,
            who=who,
            at_ns=time.time_ns(),
            request_id=request_id or _mentioned(text),
        )
        _put(recorder, FrameKind.COMPLAINT, body.model_dump_json())


def _mentioned(text: str) -> str | None:
    """The request id in `text`, if it holds exactly one."""
    from ..model.identity import IdForm, find_ids

    found = [mention for mention in find_ids(text) if mention.form is IdForm.REQUEST]
    if len(found) != 1 or found[0].trace_id is None or found[0].span_id is None:
        return None
    return make_request_id(int(found[0].trace_id, 16), int(found[0].span_id, 16))


def corpus(chunks: Iterable[Any], *, index: str, version: str) -> int:
    """Loads the manifest of one index version: every chunk that it holds. Returns how many were readable.

    A chunk is anything that `goldrank.retrieve` recognises in a list; beside it section_path, previous_id,
    next_id and searchable_text are read. With a manifest "in the corpus?" has an answer.
    """
    recorder = SWITCH.recorder
    if recorder is None:
        return 0
    from ..model.chunk import CorpusManifest

    with _CORPUS:
        read = [found for chunk in chunks if (found := _read_chunk(chunk, recorder)) is not None]
        parts = [read[start : start + CHUNKS_A_PART] for start in range(0, len(read), CHUNKS_A_PART)] or [[]]
        for number, part in enumerate(parts, start=1):
            manifest = CorpusManifest(
                app=recorder.settings.app,
                environment=recorder.settings.environment,
                index=index,
                version=version,
                chunks=tuple(part),
                part=number,
                parts=len(parts),
            )
            _put(recorder, FrameKind.CORPUS, manifest.model_dump_json())
            if number % 8 == 0:
                recorder.outlet.flush(FLUSH_S)  # a large corpus must not push spans out of the queue
        return len(read)
    return 0


def _put(recorder: Recorder, kind: FrameKind, body: str) -> None:
    recorder.outlet.put(kind, body.encode("utf-8", "replace"))


_READING: Final = Reading("corpus")


def _read_chunk(chunk: Any, recorder: Recorder) -> CorpusChunk | None:
    from ..model.chunk import CorpusChunk

    if is_a(chunk, CorpusChunk):
        return chunk
    hit = read_hit(chunk, _READING._replace(is_text=_always))
    if hit is None:
        say_once(
            "corpus chunk", f"goldrank.corpus: a {type(chunk).__name__} is no chunk that is known; it is left out."
        )
        return None
    return _as_chunk(hit, fields_of(chunk) or {}, recorder)


def _as_chunk(hit: RawHit, fields: Any, recorder: Recorder) -> CorpusChunk:
    import orjson

    from ..model.chunk import CorpusChunk
    from ..model.texthash import derived_chunk_id

    rules = recorder.rules
    metadata = dict(hit.metadata or {})

    def beside(name: str) -> Any:
        return fields.get(name, metadata.get(name))

    derived = hit.chunk_id is None or hit.id_source is IdSource.DERIVED
    searchable = beside("searchable_text")
    section = beside("section_path")
    own = {"section_path", "previous_id", "next_id", "searchable_text"}
    kept = {key: value for key, value in metadata.items() if key not in own}
    return CorpusChunk(
        chunk_id=derived_chunk_id(rules.apply(hit.text or "").text) if derived else hit.chunk_id,
        doc_id=hit.doc_id,
        text=rules.apply(hit.text).text if hit.text is not None and rules.capture else None,
        searchable_text=rules.apply(searchable).text if is_a(searchable, str) and rules.capture else None,
        metadata=orjson.loads(dump(rules.plain(kept))),
        section_path=section if is_a(section, str) else None,
        parent_id=hit.parent_id,
        previous_id=id_text(beside("previous_id")),
        next_id=id_text(beside("next_id")),
    )


def _always(_text: str) -> bool:
    return True
