"""The file of a backup: a zip of JSON lines, one file a kind, and a manifest with versions, counts and checksums.

manifest.json   {"format": "goldrank backup", "version": 1, "schema_version": 7, "created_ns": …,
                 "files": {"labels.jsonl": {"lines": 2, "sha256": "…"}, …}}
labels.jsonl    {"name": "7f3a…", "revisions": [{"label_id": "7f3a…", "judgement": "gold", …}]}
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from ..model import BadInput, StoreError
from ..store.handmade import History, Made

FORMAT: Final = "goldrank backup"
VERSION: Final = 1
_MANIFEST: Final = "manifest.json"
_LARGEST: Final = 2 * 1024**3
"""Bytes that one file of an archive may unpack to."""


class FileEntry(BaseModel):
    """One file of an archive."""

    model_config = ConfigDict(frozen=True)

    lines: int
    sha256: str


class Manifest(BaseModel):
    """What an archive says of itself."""

    model_config = ConfigDict(frozen=True)

    format: str
    version: int
    schema_version: int
    created_ns: int
    files: dict[str, FileEntry]


def write_archive(
    target: Path, histories: Mapping[Made, Iterable[History]], *, schema_version: int, created_ns: int
) -> Manifest:
    """Writes the archive beside its place and renames it: whoever is killed leaves no half of one."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    entries: dict[str, FileEntry] = {}
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for made, found in histories.items():
                    lines = [_line(one) for one in found]
                    data = "".join(lines).encode()
                    name = f"{made.value}.jsonl"
                    archive.writestr(name, data)
                    entries[name] = FileEntry(lines=len(lines), sha256=hashlib.sha256(data).hexdigest())
                manifest = Manifest(
                    format=FORMAT, version=VERSION, schema_version=schema_version, created_ns=created_ns, files=entries
                )
                archive.writestr(_MANIFEST, manifest.model_dump_json(indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        raise StoreError(f"The backup {target} could not be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def read_archive(path: Path) -> tuple[Manifest, tuple[History, ...]]:
    """All histories of an archive whose checksums and counts are right; BadInput says what is wrong, and nothing is
    read of it then.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(path, archive)
            histories = [
                one for made in Made for one in _histories(path, archive, f"{made.value}.jsonl", made, manifest)
            ]
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}.") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError) as error:
        # the last one is what zipfile says of a compression that it does not know
        raise BadInput(f"{path} is no backup of goldrank, or it is damaged: {error}.") from error
    return manifest, tuple(histories)


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        said = json.loads(_read(path, archive, _MANIFEST))
    except (KeyError, ValueError) as error:
        raise BadInput(f"{path} is no backup of goldrank: it has no {_MANIFEST} that can be read.") from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise BadInput(f"{path} is no backup of goldrank: its {_MANIFEST} says something else.")
    if said.get("version") != VERSION:
        raise BadInput(
            f"{path} is a backup of version {said.get('version')}; this goldrank reads version {VERSION}. Upgrade it."
        )
    try:
        return Manifest.model_validate(said)
    except ValidationError as error:
        raise BadInput(f"{path}: its {_MANIFEST} is damaged ({error.error_count()} fields are wrong).") from error


def _histories(path: Path, archive: zipfile.ZipFile, name: str, made: Made, manifest: Manifest) -> list[History]:
    entry = manifest.files.get(name)
    if entry is None:
        return []
    try:
        data = _read(path, archive, name)
    except KeyError as error:
        raise BadInput(f"{path}: {name} is missing.") from error
    lines = data.splitlines()
    if hashlib.sha256(data).hexdigest() != entry.sha256 or len(lines) != entry.lines:
        raise BadInput(f"{path}: {name} is damaged: its checksum or its {entry.lines:,} lines are not what it says.")
    try:
        return [History.model_validate({"made": made, **_object(line)}) for line in lines]
    except ValueError as error:
        raise BadInput(f"{path}: a line of {name} cannot be read.") from error


def _read(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST:
        raise BadInput(f"{path}: {name} would unpack to more than {_LARGEST:,} bytes.")
    return archive.read(name)


def _object(line: bytes) -> dict[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError(line)
    return value


def _line(history: History) -> str:
    return json.dumps({"name": history.name, "revisions": history.revisions}, ensure_ascii=False) + "\n"
