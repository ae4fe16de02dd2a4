"""Documents of a list, flattened over the keys that OpenInference gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

RETRIEVED: Final = "retrieval.documents"
RERANKED: Final = "reranker.output_documents"
TO_RERANK: Final = "reranker.input_documents"


def document_at(
    where: str,
    place: int,
    *,
    chunk_id: str | None = None,
    text: str | None = None,
    score: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The attributes of the document at a place of a list, counted from 0; what is None or empty has no key."""
    said = {"id": chunk_id, "content": text, "score": score}
    said["metadata"] = json.dumps(metadata, ensure_ascii=False, default=str) if metadata else None
    return {f"{where}.{place}.document.{name}": value for name, value in said.items() if value is not None}
