"""After labels changed: the diagnosis anew."""

from __future__ import annotations

from ..model import Diagnosis
from ..store import Store


def examine_request(store: Store, request_id: str) -> Diagnosis:
    """The diagnosis under the labels that count now; it is saved."""
    from ..collectors.examiner import examine_request as examine

    return examine(store, request_id)
