"""A demo that was interrupted starts over, and deletes nothing that it did not record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from goldrank.actions import Ingest, hub_lock, ingest, open_session
from goldrank.model import CorpusChunk, CorpusManifest, FrameKind, Refused, StoreLocked
from goldrank.sample_traces import load_samples
from goldrank.tracing.spool import SpoolWriter, encode
from support_bot.demo import APP, COMPLAINTS_FILE, ENVIRONMENT, run
from support_bot.fresh_start import MARKER, begin, finish

Start = Callable[[], bool]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def start(directory: Path) -> Start:
    """Begins a demo there."""
    return lambda: begin(directory, app=APP, environment=ENVIRONMENT)


def record(directory: Path, app: str = APP, *, traces: bool = False) -> None:
    """What a process leaves in the spool: a corpus of one chunk, or the request of a sample."""
    writer = SpoolWriter(directory / "spool", app=app)
    chunk = CorpusChunk(chunk_id="a", text="Text.")
    corpus = CorpusManifest(app=app, environment=ENVIRONMENT, index="help", version="1", chunks=(chunk,))
    payload = load_samples()[0].payload() if traces else corpus.model_dump_json().encode()
    assert writer.write([encode(FrameKind.TRACES if traces else FrameKind.CORPUS, payload)]) is None
    writer.close()


def take_in(directory: Path) -> None:
    """Moves the spool into the store."""
    with open_session(directory, create=True) as session:
        session.perform(ingest, Ingest())


def test_a_folder_that_is_new_is_marked(directory: Path, start: Start) -> None:
    """The marker is there before anything is recorded, and goes when the demo is complete."""
    assert start() is False
    assert (directory / MARKER).exists()

    finish(directory)

    assert not (directory / MARKER).exists()


def test_what_an_interrupted_demo_recorded_is_deleted(directory: Path, start: Start) -> None:
    """Segments that were read into the store and segments that were not; other files stay."""
    start()
    record(directory)
    take_in(directory)
    record(directory)
    (directory / "notes.txt").write_text("mine")

    assert start() is True

    assert not list((directory / "spool").glob("*.seg"))
    assert not (directory / "store.duckdb").exists()
    assert (directory / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("in_store", [False, True])
def test_a_folder_without_the_marker_is_left_alone(directory: Path, start: Start, in_store: bool) -> None:
    """Somebody recorded here: the demo neither deletes it nor adds to it."""
    record(directory)
    if in_store:
        take_in(directory)

    with pytest.raises(Refused, match="holds recordings that this demo did not make"):
        start()

    assert (directory / "store.duckdb").exists() is in_store
    assert bool(list((directory / "spool").glob("*.seg"))) is not in_store
    assert not (directory / MARKER).exists()


def test_a_store_that_holds_nothing_is_no_obstacle(directory: Path, start: Start) -> None:
    """The dashboard was opened before anything was recorded."""
    take_in(directory)

    assert start() is False


def test_recordings_of_another_app_are_never_deleted(directory: Path, start: Start) -> None:
    """The marker is there, and another app has written into the same spool."""
    start()
    record(directory)
    record(directory, app="shop-bot")

    with pytest.raises(Refused, match=r"recordings of shop-bot \(PID \d+\).*nothing was deleted"):
        start()

    assert len(list((directory / "spool").glob("*.seg"))) == 2


def test_requests_of_another_app_in_the_store_are_never_deleted(directory: Path, start: Start) -> None:
    """They were read into the store already; the samples are of the environment `samples`."""
    start()
    record(directory, traces=True)
    take_in(directory)

    with pytest.raises(Refused, match="requests of another app"):
        start()

    assert (directory / "store.duckdb").exists()


def test_recordings_of_another_process_are_not_the_demos(directory: Path, start: Start) -> None:
    """An app of the same name: the marker names the process that recorded the demo."""
    start()
    record(directory)
    marker = json.loads((directory / MARKER).read_text())
    (directory / MARKER).write_text(json.dumps({**marker, "pid": marker["pid"] + 1}))

    with pytest.raises(Refused, match="recordings of support-bot"):
        start()


def test_a_demo_that_still_runs_is_not_disturbed(directory: Path, start: Start) -> None:
    """Its open segment says that it lives."""
    start()
    writer = SpoolWriter(directory / "spool", app=APP)
    writer.write([encode(FrameKind.FEEDBACK, b"{}")])
    try:
        with pytest.raises(Refused, match="still runs"):
            start()
    finally:
        writer.close()


def test_nothing_is_deleted_below_a_hub(directory: Path, start: Start) -> None:
    """Whoever has the folder open keeps it."""
    start()
    record(directory)

    with hub_lock(directory), pytest.raises(StoreLocked):
        start()

    assert len(list((directory / "spool").glob("*.seg"))) == 1


def test_a_complete_demo_is_left_as_it_is(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file of the complaints is there: nothing is recorded, nothing deleted."""
    record(directory)
    (directory / COMPLAINTS_FILE).write_text("[]")

    run(directory)

    assert "recorded already" in capsys.readouterr().out
    assert len(list((directory / "spool").glob("*.seg"))) == 1
