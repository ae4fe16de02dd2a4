"""Say who looks after a complaint."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from .complaint_change import ComplaintChanged, change_complaint
from .workspace import Workspace


class AssignComplaint(BaseModel):
    """Who looks after a complaint."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    owner: str = ""
    """Empty: nobody."""


def assign_complaint(workspace: Workspace, ask: AssignComplaint) -> ComplaintChanged:
    """Gives the complaint to its new owner, or to nobody."""
    owner = ask.owner.strip() or None
    return change_complaint(workspace, ask.complaint_id, lambda one: one.model_copy(update={"owner": owner}))
