"""Link a complaint to the request it is about, or take the link away: a person's decision."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import Refused, short_id
from .complaint_change import ComplaintChanged, change_complaint
from .lookup import required_request
from .workspace import Workspace


class LinkComplaint(BaseModel):
    """Which request a complaint is about."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    request: str
    """An id in any form."""


class UnlinkComplaint(BaseModel):
    """A complaint that is about another request than it is linked to."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str


def link_complaint(workspace: Workspace, ask: LinkComplaint) -> ComplaintChanged:
    """Links the complaint; a link that it has is replaced. A replay is refused: no user saw its answer."""
    request = required_request(workspace.store, ask.request, texts=False).request
    if request.replay_of is not None:
        raise Refused(
            f"{short_id(request.request_id)} is a replay of {short_id(request.replay_of)}, and no user saw its answer. "
            f"Link {short_id(request.replay_of)} instead."
        )
    update = {"request_id": request.request_id, "linked_by": workspace.who}
    return change_complaint(
        workspace,
        ask.complaint_id,
        lambda one: one if one.request_id == request.request_id else one.model_copy(update=update),
    )


def unlink_complaint(workspace: Workspace, ask: UnlinkComplaint) -> ComplaintChanged:
    """Takes the link away. Nothing links the complaint by itself again."""
    update = {"request_id": None, "linked_by": workspace.who, "verdict_at_ns": None}
    return change_complaint(
        workspace, ask.complaint_id, lambda one: one if one.request_id is None else one.model_copy(update=update)
    )
