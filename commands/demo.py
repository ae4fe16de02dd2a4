"""`goldrank demo`: one small recorded request for each way to fail, from the installed package."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from typing import NamedTuple

from ..actions import Folder, Ingest, Session, ShowRequest, ingest, show, target_name
from ..model import FrameKind, StoreError, short_id
from ..sample_traces import Sample, load_corpus, load_samples
from .command import NOTHING, OK, Call, Command
from .table import Column


class _Said(NamedTuple):
    sample: Sample
    gold: tuple[str, ...]
    sentence: str


def add_arguments(parser: ArgumentParser) -> None:
    """How it answers."""
    parser.add_argument("--json", action="store_true", help="the names of the samples and their requests as JSON lines")


def run(call: Call) -> int:
    """Writes the samples into the spool, reads them, and says what goldrank says of each."""
    samples = load_samples()
    _record(call, samples)
    with call.session(create=True) as session:
        session.perform(ingest, Ingest())
        said = [_say(session, sample) for sample in samples]
    if call.arguments.json:
        call.terminal.raw("".join(f"{_as_json(one)}\n" for one in said))
    else:
        _tell(call, said)
    return OK if said else NOTHING


def _record(call: Call, samples: tuple[Sample, ...]) -> None:
    """The way that an app's own recordings take: through the spool."""
    from ..tracing.spool import SpoolWriter, encode

    # The index version that most samples searched comes last: it is the newest one, by which cases are stale or not.
    counts = Counter(sample.corpus for sample in samples)
    manifests = [load_corpus(name) for name in sorted(counts, key=lambda name: (counts[name], name))]
    frames = [encode(FrameKind.CORPUS, manifest.model_dump_json().encode()) for manifest in manifests]
    frames += [encode(FrameKind.TRACES, sample.payload()) for sample in samples]
    folder = Folder(call.directory)
    folder.make()
    writer = SpoolWriter(folder.spool, app="goldrank-demo")
    refused = writer.write(frames)
    writer.sync()
    writer.close()
    if refused:
        raise StoreError(f"{folder.spool} cannot be written: {refused}.")


def _say(session: Session, sample: Sample) -> _Said:
    gold = tuple(target_name(target) for target in sample.gold)
    view = session.perform(show, ShowRequest(request=sample.request_id, targets=sample.gold, expect=sample.expect))
    return _Said(sample, gold, view.diagnosis.headline.sentence)


def _tell(call: Call, said: list[_Said]) -> None:
    columns = (Column("request"), Column("gold"), Column("what goldrank says", shrinks=True))
    rows = [(short_id(one.sample.request_id), ", ".join(one.gold), one.sentence) for one in said]
    call.terminal.table(columns, rows)
    call.terminal.line()
    call.terminal.line(f"{len(said)} requests are in {call.directory}. Look at one:")
    first = said[0]
    golds = " ".join(f"--gold {name}" for name in first.gold)
    call.terminal.line(f"  goldrank show {short_id(first.sample.request_id)} {golds}")
    call.terminal.line("or open the dashboard:")
    call.terminal.line("  goldrank up")


def _as_json(said: _Said) -> str:
    import json

    return json.dumps(
        {
            "name": said.sample.name,
            "request_id": said.sample.request_id,
            "gold": list(said.gold),
            "sentence": said.sentence,
        },
        ensure_ascii=False,
    )


DEMO = Command(
    name="demo",
    summary="load one recorded request for each way to fail, and see what goldrank says of it",
    examples=("goldrank demo", "goldrank demo --directory /tmp/goldrank-demo"),
    add_arguments=add_arguments,
    run=run,
)
