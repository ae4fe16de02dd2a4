"""How telemetry gets in: frames of the spool become spans, spans become requests, requests go to the store.

from goldrank.collectors import Ingester
from goldrank.store.duckdb import open_store

with open_store(folder / "store.duckdb") as store:
    ingester = Ingester(folder / "spool", store)
    while ingester.run_once():
        pass
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .composition import Composed, compose
    from .examiner import diagnose, examine_request, reindex
    from .ingester import Ingester, IngesterState
    from .otlp import decode_traces
    from .recomposition import recompose_all
    from .used_labels import UsedLabels, cases_of, inherited, labels_in_force

_HOMES: Final = {
    "composition": ("Composed", "compose"),
    "examiner": ("diagnose", "examine_request", "reindex"),
    "ingester": ("Ingester", "IngesterState"),
    "otlp": ("decode_traces",),
    "recomposition": ("recompose_all",),
    "used_labels": ("UsedLabels", "cases_of", "inherited", "labels_in_force"),
}
"""Module -> what is taken from it, when first asked for."""

__all__ = [
    "Composed",
    "Ingester",
    "IngesterState",
    "UsedLabels",
    "cases_of",
    "compose",
    "decode_traces",
    "diagnose",
    "examine_request",
    "inherited",
    "labels_in_force",
    "recompose_all",
    "reindex",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
