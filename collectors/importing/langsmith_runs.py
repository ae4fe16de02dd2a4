"""Runs of LangSmith, as its SDK lists them and its bulk export writes them, as its exporter's spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import Span, wire
from ..dialects.values import as_text
from .export_values import attribute, first, made_span, mapping, required, text_of

SCOPE: Final = "langsmith"
MARKS: Final = frozenset({"run_type", "dotted_order"})
_MODELS: Final = ("ls_model_name", "model_name", "model")


def is_run(record: Mapping[str, Any]) -> bool:
    """Whether a record is a run: its type and its place in the trace, or its parent."""
    return isinstance(record.get("run_type"), str) and (
        "dotted_order" in record or "parent_run_id" in record or "trace_id" in record
    )


def run_spans(record: Mapping[str, Any], *, app: str) -> tuple[Span, ...]:
    """One run as one span; runs inside it (`child_runs`) as well."""
    inner = record.get("child_runs")
    children = [one for one in inner if isinstance(one, Mapping)] if isinstance(inner, list) else []
    own = _span(record, app)
    return (own, *(span for child in children for span in run_spans(_below(child, record), app=app)))


def _below(child: Mapping[str, Any], parent: Mapping[str, Any]) -> Mapping[str, Any]:
    known = {"trace_id": first(parent, "trace_id", "id"), "parent_run_id": parent.get("id")}
    return {**known, **{key: value for key, value in child.items() if value is not None}}


def _span(record: Mapping[str, Any], app: str) -> Span:
    metadata = {**mapping(mapping(record.get("extra")).get("metadata")), **mapping(record.get("metadata"))}
    inputs, outputs = mapping(record.get("inputs")), mapping(record.get("outputs"))
    run_id = required(record, "id", "run_id")
    error = as_text(record.get("error"))
    attributes: dict[str, Any] = {
        "langsmith.span.kind": as_text(required(record, "run_type")),
        "langsmith.trace.name": as_text(record.get("name")),
        "langsmith.run.id": str(run_id),
        "langsmith.trace.session_name": as_text(first(record, "session_name", "project_name")),
        "gen_ai.prompt": text_of(inputs or record.get("inputs")),
        "gen_ai.completion": text_of(outputs) if outputs else None,
        "gen_ai.request.model": next((text for key in _MODELS if (text := as_text(metadata.get(key)))), None),
        "langsmith.span.tags": ", ".join(map(str, tags)) if isinstance(tags := record.get("tags"), list) else None,
    }
    attributes |= {f"langsmith.metadata.{key}": attribute(value) for key, value in metadata.items()}
    return made_span(
        trace=first(record, "trace_id") or run_id,
        span=run_id,
        parent=record.get("parent_run_id"),
        name=record.get("name"),
        start=required(record, "start_time"),
        end=record.get("end_time"),
        error=error.partition("\n")[0] if error else None,
        attributes=attributes,
        resource={wire.APP: app or as_text(first(record, "session_name", "project_name")) or "langsmith"},
        scope=SCOPE,
    )
