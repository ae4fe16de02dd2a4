"""Golden tests of the shipped samples: one recorded request for each way to fail, and what goldrank says of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from goldrank.actions import ShowRequest, Workspace, show
from goldrank.model import FrameKind, Judgement, Label, LabelTarget, Verdict
from goldrank.sample_traces import Sample, load_corpus, load_samples
from goldrank.store import Store
from goldrank.store.duckdb import open_store
from goldrank.tracing.spool import SpoolWriter, encode
from support_bot.samples import ENTRIES

SAMPLES = [pytest.param(sample, id=sample.name) for sample in load_samples()]
SMALL_BYTES = 100_000


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, ingest: Callable[[Path, Store], None]) -> Iterator[Store]:
    """A store that took in all samples and their corpora from a spool."""
    directory = tmp_path_factory.mktemp("samples")
    samples = load_samples()
    corpora = [load_corpus(name) for name in sorted({sample.corpus for sample in samples})]
    writer = SpoolWriter(directory / "spool", app="samples")
    writer.write([encode(FrameKind.CORPUS, corpus.model_dump_json().encode()) for corpus in corpora])
    writer.write([encode(FrameKind.TRACES, sample.payload()) for sample in samples])
    writer.close()
    with open_store(directory / "store.duckdb") as opened:
        ingest(directory / "spool", opened)
        yield opened


def as_label(sample: Sample, target: LabelTarget, evidence: int) -> Label:
    """The label that a supporter saved when the text was what the sample says."""
    return Label(
        label_id=f"{sample.name}-{evidence}",
        request_id=sample.request_id,
        app="support-bot",
        environment="samples",
        judgement=Judgement.GOLD,
        grade=1,
        evidence=evidence,
        target=target,
        who="test",
        at_ns=1_790_000_000_000_000_000,
    )


@pytest.mark.parametrize("sample", SAMPLES)
def test_sentence(store: Store, sample: Sample, tmp_path: Path) -> None:
    """The recorded request with its labels gives the verdict and the sentence that stand beside it."""
    store.labels.save(tuple(as_label(sample, target, n) for n, target in enumerate(sample.gold, 1)))

    view = show(Workspace(store, tmp_path), ShowRequest(request=sample.request_id, expect=sample.expect))

    assert view.diagnosis.headline.sentence == sample.sentence
    assert view.diagnosis.headline.verdict == sample.verdict


def test_every_verdict_has_a_sample() -> None:
    """There is a sample for each verdict that exists, under its name."""
    assert {sample.verdict for sample in load_samples()} == set(Verdict)
    assert all(sample.name == sample.verdict.value for sample in load_samples())


def test_sentences_are_those_written_by_hand() -> None:
    """What stands beside a trace is what samples.json says, so recording anew cannot change an expectation."""
    written = {entry["name"]: entry["sentence"] for entry in json.loads(ENTRIES.read_text("utf-8"))}

    assert {sample.name: sample.sentence for sample in load_samples()} == written


@pytest.mark.parametrize("sample", SAMPLES)
def test_small_and_about_one_request(sample: Sample) -> None:
    """A sample is one trace, small enough to read."""
    traces = {
        span["traceId"]
        for resource in sample.trace["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    }

    assert len(traces) == 1
    assert len(sample.payload()) < SMALL_BYTES
