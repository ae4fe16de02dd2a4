"""Filters that people keep under a name, so that a list of requests is found again."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel, ConfigDict, Field

from ..model import NotFound, UsageError
from ..model.saved_filter import SavedFilter
from .human_text import redactor
from .workspace import Workspace


class SaveFilter(BaseModel):
    """A name for the parameters of a list's address. A name that is there already gets these parameters."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(max_length=80)
    params: str = Field(max_length=4000)


class RemoveFilter(BaseModel):
    """Takes a name away."""

    model_config = ConfigDict(frozen=True)

    name: str


class AskFilters(BaseModel):
    """Which there are."""

    model_config = ConfigDict(frozen=True)


class SavedFilters(BaseModel):
    """All that are kept, by name."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[SavedFilter, ...]


def save_filter(workspace: Workspace, ask: SaveFilter) -> SavedFilters:
    """Keeps the filter. An empty name is refused."""
    name = redactor(workspace)(" ".join(ask.name.split()))
    if not name:
        raise UsageError("A saved filter needs a name: type what the list is for.")
    params = _redacted(ask.params, redactor(workspace))
    saved = SavedFilter(name=name, params=params, who=workspace.who, at_ns=workspace.now_ns())
    workspace.store.saved_filters.save(saved)
    return saved_filters(workspace, AskFilters())


def _redacted(params: str, redact: Callable[[str], str]) -> str:
    """The parameters with what people typed redacted; as they were where nothing is hidden."""
    pairs = parse_qsl(params, keep_blank_values=True)
    hidden = [(name, redact(value)) for name, value in pairs]
    return params if hidden == pairs else urlencode(hidden)


def remove_filter(workspace: Workspace, ask: RemoveFilter) -> SavedFilters:
    """Takes the name away; NotFound where there is none such."""
    with workspace.store.writing():
        found = next((one for one in workspace.store.saved_filters.all() if one.name == ask.name), None)
        if found is None:
            raise NotFound(f"There is no saved filter {ask.name!r}: it may have been removed already.")
        update = {"removed": True, "who": workspace.who, "at_ns": workspace.now_ns()}
        workspace.store.saved_filters.save(found.model_copy(update=update))
    return saved_filters(workspace, AskFilters())


def saved_filters(workspace: Workspace, ask: AskFilters) -> SavedFilters:  # noqa: ARG001 - every action has this shape
    """Those that are kept now."""
    return SavedFilters(rows=workspace.store.saved_filters.all())
