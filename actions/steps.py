"""Step replay: one recorded request stage by stage, without running anything."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..diagnosis.steps import steps_of
from ..model import Finding, Request
from ..model.step import Step
from .show import ShowRequest, show
from .workspace import Workspace


class Steps(BaseModel):
    """The stages of a request in the order of the flow."""

    model_config = ConfigDict(frozen=True)

    request: Request
    headline: Finding
    steps: tuple[Step, ...]
    """Empty where no stage was recorded."""


def steps(workspace: Workspace, ask: ShowRequest) -> Steps:
    """Each stage with what went in, what came out and what moved, under the labels that `show` would use."""
    view = show(workspace, ask)
    return Steps(
        request=view.recorded.request,
        headline=view.diagnosis.headline,
        steps=steps_of(view.recorded, view.diagnosis),
    )
