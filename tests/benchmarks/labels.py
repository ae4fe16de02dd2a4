"""The label that benchmarks of the store put on a request."""

from __future__ import annotations

from goldrank.model import Hit, Judgement, Label, LabelTarget, Level


def gold(request_id: str, hit: Hit) -> Label:
    """Marks the chunk of this hit as gold."""
    return Label(
        label_id=f"label {request_id}",
        request_id=request_id,
        app="bench",
        environment="",
        judgement=Judgement.GOLD,
        evidence=1,
        target=LabelTarget(level=Level.CHUNK, chunk_id=hit.chunk_id, doc_id=hit.doc_id, text=hit.text),
        who="bench",
        at_ns=1,
    )
