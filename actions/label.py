"""Label passages of a request: gold with a grade, not relevant, forbidden; undo."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..model import Judgement, Label, LabelTarget


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
