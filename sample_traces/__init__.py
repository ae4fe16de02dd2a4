"""Sample traces: one recorded request for each way to fail, with what goldrank says of it beside it.

from goldrank.sample_traces import load_corpus, load_samples

for sample in load_samples():
    print(sample.name, sample.sentence)
    payload, corpus = sample.payload(), load_corpus(sample.corpus)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from ..model import CorpusManifest, LabelTarget, Verdict
from . import otlp_json

__all__ = ["DIRECTORY", "Sample", "load_corpus", "load_samples"]

DIRECTORY = Path(__file__).parent
"""Where the files are."""


class Sample(BaseModel):
    """One sample."""

    model_config = ConfigDict(frozen=True)

    name: str
    """The verdict that it shows."""
    shows: str
    """What happened, in a sentence for people."""
    verdict: Verdict
    sentence: str
    """What goldrank says of it, letter for letter."""
    gold: tuple[LabelTarget, ...]
    """What is to be labelled as gold, each with an evidence number of its own."""
    expect: tuple[str, ...]
    """Phrases that a right answer contains."""
    corpus: str
    """File of the manifest of the index version that was searched."""
    trace: dict[str, Any]
    """OTLP/JSON."""

    def payload(self) -> bytes:
        """The trace as an app would have sent it: an OTLP ExportTraceServiceRequest, protobuf."""
        return otlp_json.to_protobuf(self.trace)

    @property
    def request_id(self) -> str:
        """The id of the recorded request."""
        root = next(span for span in otlp_json.spans_of(self.trace) if not span.get("parentSpanId"))
        return f"{root['traceId']}-{root['spanId']}"


def load_samples() -> tuple[Sample, ...]:
    """Every sample, by name."""
    return tuple(Sample.model_validate_json(path.read_bytes()) for path in sorted(DIRECTORY.glob("sample-*.json")))


def load_corpus(name: str) -> CorpusManifest:
    """The manifest in the file that `Sample.corpus` names."""
    return CorpusManifest.model_validate_json((DIRECTORY / name).read_bytes())
