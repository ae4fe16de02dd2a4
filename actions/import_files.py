"""Import files: logs, OTLP, exports of other tools, TREC runs.

The files are read by the process that was called, whoever holds the store: what they hold goes into the spool as
everything else does, and is read from there by the hub or by this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pydantic import BaseModel, ConfigDict

from ..collectors.importing.forms import Form
from ..collectors.importing.guessing import NoLog
from ..collectors.importing.logged import LoggedRequest
from ..collectors.importing.mapping import Declared, declare
from ..collectors.importing.protobuf_files import ExportRequest
from ..collectors.importing.reading import Bad, Foreign, Options, Seen, look, read
from ..collectors.importing.sources import Source, find_sources
from ..collectors.importing.spans import request_spans
from ..collectors.importing.trec import (
    FORM,
    BadPart,
    Collection,
    Run,
    check_is_run,
    read_collection,
    run_name,
)
from ..diagnosis.ticket.calendar import zone_of
from ..model import BadInput, GoldrankError, UsageError
from .bad_line import BadLine
from .import_out import ImportOut
from .import_seen import FileSeen, SeenColumn, SeenRow, file_seen, logged_row, seen_rows
from .local import Session
from .show import ShowRequest, show

MOST_BAD = 1000
"""Bad lines of one file that are named; all are counted."""


class ImportFiles(BaseModel):
    """Files, and what a person says of them."""

    model_config = ConfigDict(frozen=True)

    paths: tuple[str, ...] = ()
    """Files and folders; `-` is stdin."""
    form: Form | None = None
    """What they are; None: seen by their content."""
    mapping: dict[str, Any] = {}
    """Field -> column, see `collectors.importing.mapping.declare`."""
    guess: bool = True
    """Guess the columns that are not declared."""
    app: str = ""
    environment: str = ""
    zone: str = ""
    """Of times without one; empty is the machine's."""
    encoding: str = ""
    """Of text files; empty is UTF-8, or what a file says itself."""
    alternatives: bool | None = None
    """One gold of a request is enough. None: of qrels one is, of expected ids all are needed."""
    trec_runs: tuple[str, ...] = ()
    """A run each, as a file or as `name=file`; each is a stage."""
    qrels: str = ""
    queries: str = ""
    corpus: str = ""


class FileImported(BaseModel):
    """What became of one file."""

    model_config = ConfigDict(frozen=True)

    file: str
    form: str
    requests: int = 0
    """Of logs and TREC runs."""
    spans: int = 0
    """Of everything else."""
    bad_count: int = 0
    bad: tuple[BadLine, ...] = ()
    """The first MOST_BAD."""
    remarks: dict[str, int] = {}
    """What contradicts itself, in words -> how many requests it is so in."""
    skipped: str = ""
    """Why nothing of it was read; empty where something was."""


class FilesImported(BaseModel):
    """What became of all files."""

    model_config = ConfigDict(frozen=True)

    files: tuple[FileImported, ...]
    new: int
    """How many more requests the store holds now."""
    stored: int
    """Requests in the store now."""
    labels: int = 0
    labels_known: int = 0
    """Passages that were labelled before: they stay as they are."""
    labels_refused: tuple[str, ...] = ()
    feedback: int = 0
    message: str = ""
    """What still waits, in words."""

    @property
    def bad(self) -> int:
        """Bad lines and skipped files together."""
        return sum(one.bad_count + bool(one.skipped) for one in self.files)


class Watcher(NamedTuple):
    """Whom progress is told."""

    seen: Callable[[FileSeen], None] = lambda _seen: None
    """Each file, before anything of it is stored."""
    tell: Callable[[str], None] = lambda _text: None
    """A line of progress, again and again."""


class _Tally:
    """What was read of one file so far."""

    def __init__(self, name: str, form: str) -> None:
        self.name = name
        self.form = form
        self.requests = 0
        self.spans = 0
        self.bad_count = 0
        self.bad: list[BadLine] = []
        self.remarks: dict[str, int] = {}

    def add_bad(self, bad: Bad) -> None:
        """One more bad line."""
        self.bad_count += 1
        if len(self.bad) < MOST_BAD:
            self.bad.append(BadLine(line=bad.line, reason=bad.reason))

    def imported(self) -> FileImported:
        """The result."""
        return FileImported(
            file=self.name,
            form=self.form,
            requests=self.requests,
            spans=self.spans,
            bad_count=self.bad_count,
            bad=tuple(self.bad),
            remarks=self.remarks,
        )


def preview_files(ask: ImportFiles, stdin: Callable[[], BinaryIO], rows: int = 3) -> Iterator[FileSeen]:
    """Each file as an import would read it, with its first requests. Nothing is stored."""
    options = _options(ask, time.time_ns(), lambda _request_id: 0)
    if ask.trec_runs:
        yield _trec_preview(ask, options, rows)
    for source in find_sources(ask.paths, stdin):
        looked = _look(source, options) if source.inside else look(source, options)
        if isinstance(looked, FileImported):
            yield FileSeen(file=source.name, form="", carrier="", skipped=looked.skipped)
        else:
            yield file_seen(looked, tuple(seen_rows(looked, options, rows)))
        source.forget()


def import_files(
    session: Session,
    spool: Path,
    ask: ImportFiles,
    stdin: Callable[[], BinaryIO],
    watch: Watcher | None = None,
) -> FilesImported:
    """Everything that the files hold, stored when this returns. The same files again change nothing.

    All files are looked at before anything is stored: UsageError where one's columns are not clear. A file that cannot
    be read, one in a folder that is no log, and a line that cannot be read are named; the rest goes on.
    """
    watch = watch or Watcher()
    now_ns = time.time_ns()
    options = _options(ask, now_ns, lambda request_id: _known_start(session, request_id) or now_ns)
    sources = list(find_sources(ask.paths, stdin))
    try:
        looked = [_look(source, options) for source in sources]
        alternatives = bool(ask.trec_runs) if ask.alternatives is None else ask.alternatives
        with ImportOut(session, spool, alternatives=alternatives, tell=watch.tell) as out:
            files = _trec(ask, options, out, watch) if ask.trec_runs else []
            for one in looked:
                if isinstance(one, FileImported):
                    files.append(one)
                else:
                    watch.seen(file_seen(one))
                    files.append(_file(one, options, out, watch))
        done = out.done
    finally:
        for source in sources:
            source.forget()
    return FilesImported(
        files=tuple(files),
        new=done.new,
        stored=done.stored,
        labels=done.labels,
        labels_known=done.labels_known,
        labels_refused=done.labels_refused,
        feedback=done.feedback,
        message=done.message,
    )


def _options(ask: ImportFiles, now_ns: int, base_ns: Callable[[str], int]) -> Options:
    declared = declare(ask.mapping) if ask.mapping else Declared()
    zone_of(ask.zone)  # a zone that is none is said also where every time has one of its own
    return Options(
        form=ask.form,
        declared=declared,
        guess=ask.guess,
        app=ask.app,
        environment=ask.environment,
        zone=ask.zone,
        encoding=ask.encoding,
        now_ns=now_ns,
        base_ns=base_ns,
    )


def _known_start(session: Session, request_id: str) -> int | None:
    """When a request of an earlier import of the same file was said to have begun; None: it is the first import."""
    try:
        return session.perform(show, ShowRequest(request=request_id)).recorded.request.start_ns
    except GoldrankError:
        return None


def _look(source: Source, options: Options) -> Seen | FileImported:
    """What a file is, or that nothing of it can be imported; of a file that nobody named, also that it is no log."""
    try:
        return look(source, options)
    except BadInput as error:
        return FileImported(file=source.name, form="", skipped=str(error))
    except NoLog as error:
        if not source.inside:
            raise
        return FileImported(file=source.name, form="", skipped=str(error))


def _file(seen: Seen, options: Options, out: ImportOut, watch: Watcher) -> FileImported:
    tally = _Tally(seen.source.name, seen.form.value)
    progress = _Progress(seen.source, tally, watch.tell)
    for piece in read(seen, options):
        if isinstance(piece, Bad):
            tally.add_bad(piece)
        elif isinstance(piece, LoggedRequest):
            _take(piece, Form.ROWS.value, tally, out)
        elif isinstance(piece, Foreign):
            out.add_spans(piece.spans)
            tally.spans += len(piece.spans)
        elif isinstance(piece, ExportRequest):
            out.add_payload(piece.kind, piece.payload)
            tally.spans += piece.spans
        progress.step()
    return tally.imported()


def _take(logged: LoggedRequest, form: str, tally: _Tally, out: ImportOut) -> None:
    out.add_spans(request_spans(logged, form))
    out.add_said(logged)
    tally.requests += 1
    for remark in logged.remarks:
        tally.remarks[remark] = tally.remarks.get(remark, 0) + 1


class _Progress:
    """How far a file is read, told now and then."""

    def __init__(self, source: Source, tally: _Tally, tell: Callable[[str], None]) -> None:
        self._source = source
        self._tally = tally
        self._tell = tell
        self._steps = 0

    def step(self) -> None:
        """One more piece."""
        self._steps += 1
        if self._steps % 500 == 0:
            share = min(1.0, self._source.read_bytes / max(1, self._source.size))
            filled = round(share * 20)
            bar = "█" * filled + "░" * (20 - filled)
            self._tell(f"{self._source.name}  {bar} {share:4.0%}  {self._tally.requests or self._tally.spans:,} read")


def _collection(ask: ImportFiles) -> Collection:
    runs = []
    for text in ask.trec_runs:
        name, equals, path = text.partition("=")
        source = _trec_source(path if equals else text)
        check_is_run(source)
        runs.append(Run(name if equals else run_name(text), source))
    if len({run.name for run in runs}) != len(runs):
        raise UsageError("Two runs have the same name; name them: --trec-run bm25=FILE --trec-run dense=FILE")
    return Collection(
        runs=tuple(runs),
        qrels=_trec_source(ask.qrels) if ask.qrels else None,
        queries=_trec_source(ask.queries) if ask.queries else None,
        corpus=_trec_source(ask.corpus) if ask.corpus else None,
    )


def _trec_source(path: str) -> Source:
    if not Path(path).expanduser().is_file():
        raise UsageError(f"There is no file {path}.")
    return Source(Path(path).expanduser())


def _trec(ask: ImportFiles, options: Options, out: ImportOut, watch: Watcher) -> list[FileImported]:
    """All runs together; after them each file that has bad lines."""
    collection = _collection(ask)
    watch.seen(_trec_seen(collection, ()))
    whole = _Tally(", ".join(run.source.name for run in collection.runs), FORM)
    bad: dict[str, _Tally] = {}
    for piece in _read_trec(collection, options):
        if isinstance(piece, BadPart):
            bad.setdefault(piece.file, _Tally(piece.file, FORM)).add_bad(piece.bad)
        else:
            _take(piece, FORM, whole, out)
            if whole.requests % 50 == 0:
                watch.tell(f"{whole.name}  {whole.requests:,} topics read")
    return [one.imported() for one in (whole, *bad.values())]


def _read_trec(collection: Collection, options: Options) -> Iterator[LoggedRequest | BadPart]:
    return read_collection(collection, app=options.app, environment=options.environment, base_ns=options.base_ns)


def _trec_seen(collection: Collection, rows: tuple[SeenRow, ...]) -> FileSeen:
    columns: Mapping[str, str] = {f"{run.name} ({run.kind.value})": run.source.name for run in collection.runs}
    beside = {"qrels": collection.qrels, "queries": collection.queries, "corpus": collection.corpus}
    columns = {**columns, **{name: source.name for name, source in beside.items() if source is not None}}
    return FileSeen(
        file=", ".join(run.source.name for run in collection.runs),
        form=FORM,
        carrier="TREC",
        columns=tuple(SeenColumn(field=field, column=column) for field, column in columns.items()),
        rows=rows,
    )


def _trec_preview(ask: ImportFiles, options: Options, rows: int) -> FileSeen:
    collection = _collection(ask)
    found: list[SeenRow] = []
    for piece in _read_trec(collection, options):
        if len(found) >= rows:
            break
        if isinstance(piece, LoggedRequest):
            found.append(logged_row(piece))
    return _trec_seen(collection, tuple(found))
