"""Files as people have them, and `goldrank import` on a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from goldrank.collectors.importing.logged import LoggedRequest
from goldrank.collectors.importing.mapping import declare
from goldrank.collectors.importing.reading import Bad, Options, look, read
from goldrank.collectors.importing.sources import Source
from goldrank.model import RecordedRequest
from goldrank.store import RequestFilter
from goldrank.store.duckdb import open_store
from shell import Done, Shell

EXPORTS = Path(__file__).parent / "exports"


class Desk:
    """Commands on one data folder, and what is in its store after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._shell = Shell(folder)

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Done:
        """`goldrank import …`."""
        return self.run("import", *arguments, "--zone", "UTC", stdin=stdin)

    def run(self, *arguments: str | Path, stdin: bytes = b"") -> Done:
        """Any command."""
        return self._shell(*arguments, stdin=stdin)

    def stored(self) -> list[RecordedRequest]:
        """Every request with its lists, oldest first."""
        with open_store(self.folder / "store.duckdb") as store:
            rows = store.requests.page(RequestFilter(), limit=1000).rows
            found = [store.requests.get(row.request_id) for row in reversed(rows)]
        return [one for one in found if one is not None]

    def one(self) -> RecordedRequest:
        """The one request that is stored."""
        (only,) = self.stored()
        return only


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty data folder."""
    return Desk(tmp_path / "data")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file: JSON lines of dicts, or bytes."""

    def write_file(name: str, *rows: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows]
        path.write_bytes(b"".join(lines))
        return path

    return write_file


@pytest.fixture
def exports() -> Path:
    """Files that other tools really wrote."""
    return EXPORTS


@pytest.fixture
def rows_of() -> Callable[..., list[LoggedRequest | Bad]]:
    """What a file of rows holds, without storing it."""

    def rows(path: Path, **mapping: str) -> list[Any]:
        options = Options(declared=declare({key.replace("__", "."): value for key, value in mapping.items()}))
        return list(read(look(Source(path), options), options))

    return rows


@pytest.fixture
def lists() -> Callable[[RecordedRequest], dict[str, list[str]]]:
    """Stage name -> its chunk ids by rank."""

    def of(recorded: RecordedRequest) -> dict[str, list[str]]:
        return {stage.name: [hit.chunk_id for hit in stage.hits] for stage in recorded.stages if stage.hits is not None}

    return of


@pytest.fixture
def no_leftovers(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files, which must be empty when the test ends."""
    import tempfile

    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []
