"""Label what a file said should have been found: qrels, expected ids of a log."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import GoldrankError, Judgement, Label, LabelTarget, Level, NotFound
from .label import NewLabel, SaveLabels, same_target, save_labels
from .lookup import required_request
from .workspace import Workspace


class ImportedGold(BaseModel):
    """One passage of one request."""

    model_config = ConfigDict(frozen=True)

    passage: str
    """Id of a chunk, or of a document."""
    grade: int = 1
    """1 to 4; 0: not relevant."""
    document: bool = False


class ImportedLabels(BaseModel):
    """What a file said of one request."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    golds: tuple[ImportedGold, ...]


class LabelImported(BaseModel):
    """What a file said of some requests."""

    model_config = ConfigDict(frozen=True)

    requests: tuple[ImportedLabels, ...]
    alternatives: bool = False
    """One of the golds of a request is enough; else all of them are needed."""


class ImportedLabelled(BaseModel):
    """What became of it."""

    model_config = ConfigDict(frozen=True)

    saved: int
    """New labels."""
    known: int
    """Passages that were labelled before, or whose label a person took back: they stay as they are."""
    refused: tuple[str, ...] = ()
    """Why some requests were not labelled."""


def label_imported(workspace: Workspace, ask: LabelImported) -> ImportedLabelled:
    """Saves labels for passages that nobody has judged yet; what people said since stays."""
    saved = known = 0
    refused: list[str] = []
    for one in ask.requests:
        try:
            recorded = required_request(workspace.store, one.request_id, texts=False)
            history = workspace.store.labels.history(recorded.request.request_id)
            fresh = [label for label in map(_label, one.golds) if not _is_known(label, history)]
            known += len(one.golds) - len(fresh)
            if fresh:
                number = _shared_number(history) if ask.alternatives else None
                labels = tuple(_numbered(label, number) for label in fresh)
                save_labels(workspace, SaveLabels(request_id=one.request_id, labels=labels))
                saved += len(fresh)
        except NotFound:
            refused.append(f"{one.request_id[:8]}: it is not in the store; it may be read in later: import again.")
        except GoldrankError as error:
            refused.append(f"{one.request_id[:8]}: {error}")
    return ImportedLabelled(saved=saved, known=known, refused=tuple(refused))


def _label(gold: ImportedGold) -> NewLabel:
    target = (
        LabelTarget(level=Level.DOCUMENT, doc_id=gold.passage)
        if gold.document
        else LabelTarget(level=Level.CHUNK, chunk_id=gold.passage)
    )
    judgement = Judgement.GOLD if gold.grade >= 1 else Judgement.NOT_RELEVANT
    return NewLabel(judgement=judgement, target=target, grade=max(1, min(4, gold.grade)))


def _is_known(label: NewLabel, history: tuple[Label, ...]) -> bool:
    return any(same_target(one.target, label.target) for one in history)


def _shared_number(history: tuple[Label, ...]) -> int:
    """The number under which golds are alternatives: that of an earlier one, else 1."""
    return next((one.evidence for one in history if one.evidence and not one.removed), 1)


def _numbered(label: NewLabel, number: int | None) -> NewLabel:
    if number is None or label.judgement is not Judgement.GOLD:
        return label
    return label.model_copy(update={"evidence": number})
