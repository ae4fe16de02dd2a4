"""How telemetry gets in: frames of the spool become spans, spans become requests, requests go to the store.

from goldrank.collectors import Ingester
from goldrank.store.duckdb import open_store

with open_store(folder / "store.duckdb") as store:
    ingester = Ingester(folder / "spool", store)
    while ingester.run_once():
        pass
"""

from __future__ import annotations

from .composition import Composed, compose
from .examiner import diagnose, examine_request, reindex
from .ingester import Ingester, IngesterState
from .otlp import decode_traces
from .used_labels import UsedLabels, cases_of, inherited, labels_in_force

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
    "reindex",
]
