"""Recordings of real telemetry, each with the truth beside it: where they are, what is in them.

The folder is GOLDRANK_CAPTURES, by default ../shared/captures beside the repository. Per recording: `<name>.jsonl`
(an OTLP trace request a line), sometimes `<name>.pb` (the same as protobuf) and `<name>.logs.json`, and
`truth/<name>.json`; `not_recoverable.json` says of which the telemetry lacks a part of the truth.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from goldrank.collectors.otlp import decode_traces
from goldrank.collectors.otlp_json import logs_from_json, traces_from_json
from goldrank.collectors.otlp_logs import decode_logs
from goldrank.model import Span

FOLDER = Path(os.environ.get("GOLDRANK_CAPTURES") or Path(__file__).parents[2] / ".." / "shared" / "captures").resolve()


class Recording(NamedTuple):
    """One file of the folder, as received. It never holds the truth."""

    name: str
    spans: tuple[Span, ...]
    strings: frozenset[str]
    """Every text in it, those inside JSON texts included."""

    def says(self, text: str) -> bool:
        """Whether the telemetry holds this text anywhere."""
        return any(text in one for one in self.strings)


def names() -> list[str]:
    """Of all recordings, in order; none where the folder is absent."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


@cache
def load(name: str) -> Recording:
    """A recording, its log records included."""
    spans: list[Span] = []
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        if line.strip():
            spans += decode_traces(traces_from_json(line))
    logs = FOLDER / f"{name}.logs.json"
    if logs.exists():
        for line in logs.read_text("utf-8").splitlines():
            spans += decode_logs(logs_from_json(line)) if line.strip() else ()
    return Recording(name, tuple(spans), frozenset(_strings(spans)))


def load_protobuf(name: str) -> tuple[Span, ...] | None:
    """The same spans from `<name>.pb`; None where there is no such file."""
    path = FOLDER / f"{name}.pb"
    return decode_traces(path.read_bytes()) if path.exists() else None


def truth(name: str) -> dict[str, Any]:
    """What really happened."""
    found: dict[str, Any] = json.loads((FOLDER / "truth" / f"{name}.json").read_text("utf-8"))
    return found


def not_recoverable() -> dict[str, str]:
    """Recordings that lack a part of the truth, and which."""
    path = FOLDER / "not_recoverable.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value[:1] in ("[", "{", '"') and depth < 12:
            try:
                inner = json.loads(value)
            except ValueError:
                return
            yield from _strings(inner, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item, depth + 1)
