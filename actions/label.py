"""Label passages of a request: gold with a grade, not relevant, forbidden; undo."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, ConfigDict, Field

from ..collectors.complaint_verdicts import note_verdict
from ..model import (
    Diagnosis,
    Judgement,
    Label,
    LabelTarget,
    Level,
    NotFound,
    RecordedRequest,
    Refused,
    UsageError,
    text_hash,
)
from ..store import Store
from .human_text import redactor
from .lookup import required_request
from .near_miss import near_misses
from .passages import complete_target
from .reexamine import reexamine
from .workspace import Workspace


class NewLabel(BaseModel):
    """One judgement to save."""

    model_config = ConfigDict(frozen=True)

    judgement: Judgement
    target: LabelTarget
    """`text` and `doc_id` are filled in from the store where they are absent and known."""
    grade: int = Field(default=1, ge=1, le=4)
    """Of gold; ignored otherwise."""
    evidence: int | None = Field(default=None, ge=1)
    """Of gold. None gives it a number of its own; the number of another gold makes the two alternatives."""


class SaveLabels(BaseModel):
    """Judgements about one request, saved together or not at all."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    labels: tuple[NewLabel, ...]
    """A target that is labelled already gets a new revision, with its history kept."""


class RemoveLabel(BaseModel):
    """Takes a label back; the revision that removes it stays in the history."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    label_id: str


class UndoLabel(BaseModel):
    """Undoes the newest change of labels of a request (one save or one removal)."""

    model_config = ConfigDict(frozen=True)

    request_id: str


class LabelsSaved(BaseModel):
    """The labels of the request after the change."""

    model_config = ConfigDict(frozen=True)

    labels: tuple[Label, ...]
    verdict: str
    sentence: str
    warnings: tuple[str, ...] = ()
    """"No list and no manifest holds refunds#9; close to it: refunds#2.\""""


def save_labels(workspace: Workspace, ask: SaveLabels) -> LabelsSaved:
    """Saves judgements together or not at all, and says what the verdict is now.

    Refused when one passage would be both gold and forbidden. A judgement that says what is stored changes nothing.
    """
    store = workspace.store
    if not ask.labels:
        raise UsageError("Nothing to save: name at least one passage.")
    recorded = required_request(store, ask.request_id)
    request_id = recorded.request.request_id
    wanted = tuple(_completed(workspace, recorded, new) for new in ask.labels)
    _refuse_contradictions(wanted)
    with store.writing():
        revisions = _revisions(workspace, recorded, wanted, at_ns=workspace.now_ns())
        _refuse_gold_in_forbidden_document(store.labels.of(request_id), revisions)
        store.labels.save(revisions)
        diagnosis = reexamine(store, request_id, recorded)
        note_verdict(store, request_id, workspace.now_ns())
    return _saved(store, request_id, diagnosis, _unseen(store, recorded, revisions))


def remove_label(workspace: Workspace, ask: RemoveLabel) -> LabelsSaved:
    """Takes one label back, and says what the verdict is now."""
    store = workspace.store
    request_id = required_request(store, ask.request_id, texts=False).request.request_id
    with store.writing():
        current = next((one for one in store.labels.of(request_id) if one.label_id == ask.label_id), None)
        if current is None:
            raise NotFound(f"Request {request_id} has no label {ask.label_id}: it may have been removed already.")
        store.labels.save((_next(current, workspace.who, workspace.now_ns(), removed=True),))
        diagnosis = reexamine(store, request_id)
        note_verdict(store, request_id, workspace.now_ns())
    return _saved(store, request_id, diagnosis)


def undo_label(workspace: Workspace, ask: UndoLabel) -> LabelsSaved:
    """Brings back the labels as they were before the newest change; a second undo goes one change further back."""
    store = workspace.store
    request_id = required_request(store, ask.request_id, texts=False).request.request_id
    with store.writing():
        history = store.labels.history(request_id)
        changes = standing_changes(history)
        if not changes:
            raise NotFound(f"Nothing to undo: no change of the labels of request {request_id} stands.")
        at_ns = workspace.now_ns()
        store.labels.save(tuple(_undone(history, one, workspace.who, at_ns) for one in changes[-1]))
        diagnosis = reexamine(store, request_id)
        note_verdict(store, request_id, workspace.now_ns())
    return _saved(store, request_id, diagnosis)


def target_name(target: LabelTarget) -> str:
    """A passage as people name it: its chunk id, or `doc:` and the document."""
    return f"doc:{target.doc_id}" if target.level is Level.DOCUMENT else target.chunk_id or ""


def same_target(one: LabelTarget, other: LabelTarget) -> bool:
    """Whether two labels are about the same passage. An index that one of them does not name fits any."""
    if one.level is not other.level:
        return False
    if one.index and other.index and one.index != other.index:
        return False
    if one.level is Level.DOCUMENT:
        return one.doc_id == other.doc_id
    return (one.chunk_id or _words(one)) == (other.chunk_id or _words(other))


def _words(target: LabelTarget) -> str | None:
    """What a label without a chunk id is about: the sentence that the documents should have held."""
    return None if target.chunk_id else target.quote or target.text


def _completed(workspace: Workspace, recorded: RecordedRequest, new: NewLabel) -> NewLabel:
    redact, target = redactor(workspace), new.target
    if target.quote is not None:
        target = target.model_copy(update={"quote": redact(target.quote)})
    if target.text is not None and not target.chunk_id:
        # A passage that nobody wrote yet: these words are the person's. Those of a chunk are the corpus's.
        text = redact(target.text)
        target = target.model_copy(update={"text": text, "text_hash": text_hash(text)})
    return new.model_copy(update={"target": complete_target(workspace.store, recorded, target)})


def _refuse_contradictions(wanted: tuple[NewLabel, ...]) -> None:
    for number, one in enumerate(wanted):
        for other in wanted[number + 1 :]:
            if same_target(one.target, other.target) and one.judgement is not other.judgement:
                kinds = " and ".join(sorted(kind.value.replace("_", " ") for kind in (one.judgement, other.judgement)))
                raise Refused(f"{target_name(one.target)} cannot be both {kinds}: choose one.")


def _refuse_gold_in_forbidden_document(current: tuple[Label, ...], revisions: tuple[Label, ...]) -> None:
    """A gold passage of a document that the user must not see contradicts itself, whoever said which."""
    changed = {one.label_id for one in revisions}
    after = [one for one in (*(one for one in current if one.label_id not in changed), *revisions) if not one.removed]
    forbidden = {
        one.target.doc_id: one
        for one in after
        if one.judgement is Judgement.FORBIDDEN and one.target.level is Level.DOCUMENT
    }
    for one in after:
        ban = forbidden.get(one.target.doc_id)
        if one.judgement is Judgement.GOLD and one.target.level is Level.CHUNK and ban:
            raise Refused(
                f"{target_name(one.target)} cannot be gold: its document {one.target.doc_id} is forbidden "
                f"(by {ban.who}). Take back one of the two labels first."
            )


def _revisions(
    workspace: Workspace, recorded: RecordedRequest, wanted: tuple[NewLabel, ...], *, at_ns: int
) -> tuple[Label, ...]:
    """The revisions that make the stored labels say what is wanted; without those that say so already."""
    latest = {one.label_id: one for one in workspace.store.labels.history(recorded.request.request_id)}
    numbers = [one.evidence or 0 for one in latest.values() if not one.removed]
    free = max([*numbers, *(new.evidence or 0 for new in wanted)], default=0)
    revisions: dict[str, Label] = {}
    for new in wanted:
        before = next((one for one in latest.values() if same_target(one.target, new.target)), None)
        evidence = new.evidence or _kept_evidence(before)
        if evidence is None and new.judgement is Judgement.GOLD:
            free += 1
            evidence = free
        label = _label(recorded, new, before, evidence).model_copy(update={"who": workspace.who, "at_ns": at_ns})
        if before is None or not _says_the_same(before, label):
            revisions[label.label_id] = label
    return tuple(revisions.values())


def _kept_evidence(before: Label | None) -> int | None:
    return before.evidence if before and not before.removed else None


def _label(recorded: RecordedRequest, new: NewLabel, before: Label | None, evidence: int | None) -> Label:
    request = recorded.request
    gold = new.judgement is Judgement.GOLD
    return Label(
        label_id=before.label_id if before else _label_id(request.request_id, new.target),
        request_id=request.request_id,
        app=request.app,
        environment=request.environment,
        judgement=new.judgement,
        grade=new.grade if gold else None,
        evidence=evidence if gold else None,
        target=new.target,
        who="",
        at_ns=0,
        revision=before.revision + 1 if before else 1,
    )


def _label_id(request_id: str, target: LabelTarget) -> str:
    """The same passage of the same request always has the same label id, so two people at once make one label."""
    passage = target.chunk_id or _words(target) or ""
    parts = "\0".join((request_id, target.level, passage, target.doc_id or "", target.index or ""))
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:16]


def _says_the_same(before: Label, after: Label) -> bool:
    unlike = {"who": "", "at_ns": 0, "revision": 0, "by_undo": False}
    return before.model_copy(update=unlike) == after.model_copy(update=unlike)


def _next(current: Label, who: str, at_ns: int, *, removed: bool, by_undo: bool = False) -> Label:
    update = {"removed": removed, "by_undo": by_undo, "revision": current.revision + 1, "who": who, "at_ns": at_ns}
    return current.model_copy(update=update)


def standing_changes(history: tuple[Label, ...]) -> list[tuple[Label, ...]]:
    """The changes that no undo took back, oldest first. A change is what one save or one removal stored."""
    standing: list[tuple[Label, ...]] = []
    for change in _changes(history):
        if not change[0].by_undo:
            standing.append(change)
        elif standing:
            standing.pop()
    return standing


def _changes(history: tuple[Label, ...]) -> list[tuple[Label, ...]]:
    """Revisions that were saved together: by one person, at one time, each label once."""
    changes: list[list[Label]] = []
    for one in history:
        last = changes[-1] if changes else []
        together = last and (last[0].at_ns, last[0].who, last[0].by_undo) == (one.at_ns, one.who, one.by_undo)
        if together and all(other.label_id != one.label_id for other in last):
            last.append(one)
        else:
            changes.append([one])
    return [tuple(change) for change in changes]


def _undone(history: tuple[Label, ...], change: Label, who: str, at_ns: int) -> Label:
    """The next revision of the label that says what it said before `change`."""
    of_label = [one for one in history if one.label_id == change.label_id]
    before = [one for one in of_label if one.revision < change.revision]
    says = before[-1] if before else change.model_copy(update={"removed": True})
    current = says.model_copy(update={"revision": of_label[-1].revision})
    return _next(current, who, at_ns, removed=says.removed, by_undo=True)


def _unseen(store: Store, recorded: RecordedRequest, revisions: tuple[Label, ...]) -> tuple[str, ...]:
    """A warning for each labelled chunk that goldrank has never met: a slip of the pen, or a page nobody wrote."""
    return tuple(
        f"No list and no manifest holds {one.target.chunk_id}{near_misses(store, recorded, one.target.chunk_id)}."
        for one in revisions
        if one.target.level is Level.CHUNK
        and one.target.chunk_id
        and not store.chunks.is_known(one.app, one.target.chunk_id)
    )


def _saved(store: Store, request_id: str, diagnosis: Diagnosis, warnings: tuple[str, ...] = ()) -> LabelsSaved:
    headline = diagnosis.headline
    return LabelsSaved(
        labels=store.labels.of(request_id),
        verdict=headline.verdict.value,
        sentence=headline.sentence,
        warnings=warnings,
    )
