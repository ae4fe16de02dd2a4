"""Write a note on a complaint."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import UsageError
from ..model.complaint import ComplaintNote
from .complaint_change import ComplaintChanged, change_complaint
from .human_text import redactor
from .workspace import Workspace


class NoteComplaint(BaseModel):
    """A note; it is appended and never changed."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    text: str


def note_complaint(workspace: Workspace, ask: NoteComplaint) -> ComplaintChanged:
    """Appends the note, redacted, with who wrote it and when."""
    if not ask.text.strip():
        raise UsageError("The note is empty.")
    note = ComplaintNote(text=redactor(workspace)(ask.text.strip()), who=workspace.who, at_ns=workspace.now_ns())
    return change_complaint(
        workspace, ask.complaint_id, lambda one: one.model_copy(update={"notes": (*one.notes, note)})
    )
