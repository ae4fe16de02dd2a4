"""Load a corpus manifest: what an index version holds."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict

from ..collectors.corpus_chunks import read_chunk
from ..collectors.redaction import redact_corpus
from ..collectors.repair import repair_json, repair_text
from ..collectors.sifting import sift_corpus
from ..model import BadInput, CorpusChunk, CorpusManifest, UsageError
from .bad_line import BadLine
from .human_text import hides_anything, redactor
from .reexamine import reexamine_app
from .workspace import Workspace


class AddCorpus(BaseModel):
    """JSON lines, one chunk each, of one index version."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: str
    """Name of the file, for messages."""
    app: str
    environment: str = ""
    index: str
    version: str
    part: int = 1
    parts: int = 1


class CorpusAdded(BaseModel):
    """What was loaded."""

    model_config = ConfigDict(frozen=True)

    app: str
    index: str
    version: str
    chunks: int
    documents: int
    reexamined: int
    """Requests whose diagnosis was made anew, because the corpus is known now."""


def add_corpus(workspace: Workspace, ask: AddCorpus) -> CorpusAdded:
    """Loads the whole file or nothing: a manifest that misses a line would call a passage "not in the corpus"."""
    for name in ("app", "index", "version"):
        if not getattr(ask, name).strip():
            raise UsageError(f"A corpus belongs to an app, an index and a version; {name} is empty.")
    chunks = read_chunks(ask.text, ask.source)
    manifest = CorpusManifest(
        app=ask.app,
        environment=ask.environment,
        index=ask.index,
        version=ask.version,
        chunks=chunks,
        part=ask.part,
        parts=ask.parts,
    )
    if hides_anything(workspace):
        manifest = redact_corpus(sift_corpus(manifest, workspace.store.erasures.sieve()), (redactor(workspace),))
    workspace.store.corpora.add(manifest)
    return CorpusAdded(
        app=ask.app,
        index=ask.index,
        version=ask.version,
        chunks=len(chunks),
        documents=len({chunk.doc_id for chunk in chunks if chunk.doc_id is not None}),
        reexamined=reexamine_app(workspace.store, ask.app),
    )


def read_chunks(text: str, source: str) -> tuple[CorpusChunk, ...]:
    """The chunks of a file; BadInput that names the first bad lines where there are any."""
    chunks: dict[str, int] = {}
    found: list[CorpusChunk] = []
    bad: list[BadLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            chunk = _chunk(line)
            first = chunks.setdefault(chunk.chunk_id, number)
            if first != number:
                raise BadInput(f"chunk {chunk.chunk_id!r} stands in line {first} already.")
            found.append(chunk)
        except BadInput as error:
            bad.append(BadLine(line=number, reason=str(error)))
    if bad:
        named = " ".join(f"Line {one.line}: {one.reason}" for one in bad[:3])
        rest = f" {len(bad) - 3} more lines are bad." if len(bad) > 3 else ""
        raise BadInput(f"{source}: nothing was loaded. {named}{rest}")
    if not found:
        raise BadInput(f"{source} holds no chunk; one JSON object a line was expected.")
    return tuple(found)


def _chunk(line: str) -> CorpusChunk:
    try:
        value = json.loads(repair_json(repair_text(line)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"it is no JSON ({error}).") from error
    return read_chunk(value)
