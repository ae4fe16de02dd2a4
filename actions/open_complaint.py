"""Open one complaint: what was said, where it stands, and what became of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import Complaint
from .complaint_change import required_complaint, row_of
from .complaints import ComplaintRow
from .workspace import Workspace


class OpenComplaint(BaseModel):
    """Which complaint."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    """Its id, or the beginning of it."""


class OpenedComplaint(BaseModel):
    """One complaint."""

    model_config = ConfigDict(frozen=True)

    row: ComplaintRow
    history: tuple[Complaint, ...]
    """All revisions, oldest first; the last one is current."""


def open_complaint(workspace: Workspace, ask: OpenComplaint) -> OpenedComplaint:
    """The complaint with its state and its revisions."""
    complaint_id = required_complaint(workspace.store, ask.complaint_id).complaint_id
    return OpenedComplaint(
        row=row_of(workspace.store, complaint_id), history=workspace.store.complaints.history(complaint_id)
    )
