"""A row of a log, by its mapping, as a request."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...model import BadInput, Message, StageKind, wire
from ...model.external_id import trace_id_of
from ..dialects.json_text import load
from ..dialects.messages import messages_in, prompt_from
from ..dialects.talk import question_in
from ..dialects.values import as_text
from .expected import FeedbackScale, golds_in_texts, golds_of
from .hit_values import HitReader, HitValues
from .ids import cell_id
from .leftovers import Leftovers
from .logged import Gold, LoggedRequest, LoggedStage
from .long_rows import LISTS, long_stages
from .mapping import LITERAL, UNITS, Columns, StageColumns
from .moments import length_ns, moment_ns
from .nested_stages import nested_stages
from .paths import Path, parse_path
from .stage_attributes import dumped, stage_attributes

LOG: Final = "log."
"""Begins the name of an attribute that stands for a column of the log."""
_LIST_FIELDS: Final = ("hits", "scores", "texts", "docs", "metadata", "ranks")
_REQUEST_TEXTS: Final = {"user": wire.USER, "session": wire.SESSION, "tenant": wire.TENANT, "as_of": wire.AS_OF}
_RESOURCE: Final = (("app", wire.APP), ("environment", wire.ENVIRONMENT), ("version", wire.APP_VERSION))
_ERROR_LENGTH: Final = 2000


class Surroundings(NamedTuple):
    """What a row does not say itself."""

    app: str
    environment: str = ""
    zone: str = ""
    now_ns: int = 0
    digest: Callable[[], str] = str
    """Of the file; asked for only where a row has no id."""
    base_ns: Callable[[str], int] = lambda _request_id: 0
    """When rows without a time happened, from the id of the first of them."""
    declared_lists: bool = False
    """A person named the columns of hits."""


_ReadStage = Callable[[Mapping[str, Any], Mapping[str, Any], list[str]], LoggedStage | None]
"""From a row, what the row says of all stages, and the remarks to add to."""


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, columns: Columns, around: Surroundings) -> None:
        self.columns = columns
        self._around = around
        self._paths = {name: _reader(path) for name, path in columns.fields.items()}
        self._stages = [self._stage_reader(stage) for stage in columns.stages]
        used = columns.used_paths | ({LISTS} if columns.long else set())
        self._leftovers = Leftovers(used, keep=columns.fields.get("id", ""))
        self._scale = FeedbackScale(columns.feedback_scale)
        self._base_ns: int | None = None
        has_docs = any("docs" in stage.fields for stage in columns.stages)
        self._gold_documents = has_docs and "doc" in columns.fields.get("expected", "").casefold()

    def read(self, record: Mapping[str, Any], line: int) -> LoggedRequest:
        """The row as a request; BadInput says why it is none."""
        said = {name: find(record) for name, find in self._paths.items()}
        remarks: list[str] = []
        question, history = self._asked(said)
        stages = self._read_stages(record, said, remarks)
        if question is None and not stages:
            raise BadInput("it has neither a question nor a list of hits.")
        external = _id_text(said.get("id"))
        start_ns = self._time(said.get("time"))
        trace_id, span_id = self._ids(external, question, start_ns, line)
        if start_ns is None:
            if self._base_ns is None:
                self._base_ns = self._around.base_ns(f"{trace_id}-{span_id}") - line * 1000
            start_ns = self._base_ns + line * 1000
        attributes = self._attributes(said, question, history, remarks)
        error = as_text(said.get("error")) or ""
        attributes |= {LOG + key: value for key, value in self._leftovers.of(record, remarks).items()}
        return LoggedRequest(
            trace_id=trace_id,
            span_id=span_id,
            line=line,
            start_ns=start_ns,
            duration_ns=self._duration(said, start_ns),
            attributes=attributes,
            resource=self._resource(said),
            stages=tuple(stages),
            error=error[:_ERROR_LENGTH],
            golds=self._golds(said, stages, remarks),
            feedback=self._feedback(said.get("feedback"), remarks),
            comment=as_text(said.get("comment")),
            remarks=tuple(remarks),
        )

    def _asked(self, said: Mapping[str, Any]) -> tuple[str | None, tuple[Message, ...]]:
        """The question and what was said before it; a conversation is both."""
        value = said.get("question")
        given = messages_in(said.get("history")) or ()
        if isinstance(value, bool | int | float):
            return str(value), given
        if isinstance(value, str) and (value.lstrip()[:1] not in ("[", "{") or messages_in(value) is None):
            return (value if value.strip() else None), given  # a text that looks like JSON is a text
        asked = question_in(value)
        return asked.question, given or asked.history

    def _time(self, value: Any) -> int | None:  # noqa: ANN401 - a value of a log
        if value is None or value == "":
            return None
        order = self.columns.slash_order
        return moment_ns(value, zone=self._around.zone, now_ns=self._around.now_ns, order=order)

    def _duration(self, said: Mapping[str, Any], start_ns: int) -> int | None:
        latency = length_ns(said.get("latency"), UNITS[self.columns.latency_unit])
        if latency is not None or said.get("end_time") in (None, ""):
            return latency
        return max(0, (self._time(said["end_time"]) or start_ns) - start_ns)

    def _ids(self, external: str, question: str | None, start_ns: int | None, line: int) -> tuple[str, str]:
        """Trace and span id. An id of the log's own makes the trace; without one the file and the line do."""
        if external:
            key = f"request\0{external}\0{question or ''}\0{start_ns or ''}"
            return trace_id_of(external), _digits(key, 8)
        place = f"{self._around.digest()}\0{line}"
        return _digits(f"trace\0{place}", 16), _digits(f"request\0{place}", 8)

    def _resource(self, said: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        default = {"app": self._around.app, "environment": self._around.environment}
        named = ((key, as_text(said.get(name)) or default.get(name, "")) for name, key in _RESOURCE)
        return tuple((key, value) for key, value in named if value)

    def _attributes(
        self, said: Mapping[str, Any], question: str | None, history: tuple[Message, ...], remarks: list[str]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if question is not None:
            found[wire.QUESTION] = question
        else:
            remarks.append("rows without a question")
        if history:
            found[wire.HISTORY] = dumped([message.model_dump() for message in history])
        answer = said.get("answer")
        if answer is not None and answer != "":
            found[wire.ANSWER] = answer if isinstance(answer, str) else dumped(answer)
        for name, key in _REQUEST_TEXTS.items():
            text = as_text(said.get(name))
            if text:
                found[key] = text
        groups = self._texts(said.get("groups"))
        if groups is not None:
            found[wire.GROUPS] = groups or "[]"
        return found

    def _texts(self, value: Any) -> list[str] | None:  # noqa: ANN401 - a value of a log
        """A list of texts from a list, or from a cell."""
        loaded = load(value)
        if loaded is None or loaded == "":
            return None
        if isinstance(loaded, str):
            parts = loaded.split(self.columns.separator) if self.columns.separator else [loaded]
            return [part.strip() for part in parts if part.strip()]
        if not isinstance(loaded, list):
            return [cell_id(loaded) or str(loaded)]
        return [text for one in loaded if (text := cell_id(one)) is not None]

    def _golds(self, said: Mapping[str, Any], stages: Sequence[LoggedStage], remarks: list[str]) -> tuple[Gold, ...]:
        chunks = golds_in_texts(said.get("expected"), stages, remarks)
        if chunks is None:
            chunks = golds_of(said.get("expected"), self._texts, document=self._gold_documents)
        return chunks + golds_of(said.get("expected_docs"), self._texts, document=True)

    def _feedback(self, value: Any, remarks: list[str]) -> float | None:  # noqa: ANN401 - a value of a log
        if value is None or value == "":
            return None
        score = self._scale.score(value)
        if score is None:
            remarks.append(f"feedback that is no score, as {str(value)[:40]!r}; a number, or words like up and down")
        return score

    def _read_stages(self, record: Mapping[str, Any], said: Mapping[str, Any], remarks: list[str]) -> list[LoggedStage]:
        shared = _shared(said)
        stages = _rewrites(said)
        for read in self._stages:
            stage = read(record, shared, remarks)
            if stage is not None:
                stages.append(stage)
        lists = record.get(LISTS) if self.columns.long else None
        for one in long_stages(lists or {}):
            stage = self._stage_reader(one)(lists[one.name], shared, remarks) if lists else None
            if stage is not None:
                stages.append(stage)
        stages += nested_stages(said.get("stages"), shared, remarks)
        generate = _generate(said)
        return [*stages, generate] if generate is not None else stages

    def _stage_reader(self, stage: StageColumns) -> _ReadStage:
        places = {name: _list_reader(path) for name, path in stage.fields.items() if name in _LIST_FIELDS}
        others = {name: _reader(path) for name, path in stage.fields.items() if name not in _LIST_FIELDS}
        reader = HitReader(
            stage.name,
            separator=self.columns.separator,
            declared=self._around.declared_lists,
            score_kind=score_kind(stage.fields.get("scores", "")),
        )

        def read(record: Mapping[str, Any], shared: Mapping[str, Any], remarks: list[str]) -> LoggedStage | None:
            values = HitValues(**{name: find(record) for name, find in places.items()})
            found = reader.read(values)
            remarks.extend(found.remarks)
            said = {name: find(record) for name, find in others.items()}
            known = any(value not in (None, "") for value in said.values())
            if found.wire is None and not known and not found.remarks:
                return None
            attributes = stage_attributes(stage.kind, {**shared, **said})
            if found.wire is not None:
                attributes[wire.HITS] = dumped(found.wire)
            elif found.remarks:
                attributes[wire.HITS] = dumped({wire.HITS_STATE: "not_recorded"})
            length = length_ns(said.get("latency"), UNITS[self.columns.latency_unit])
            ids = None if found.wire is None else found.ids
            return LoggedStage(stage.name, stage.kind, attributes, ids, length, as_text(said.get("error")) or "")

        return read


def _shared(said: Mapping[str, Any]) -> dict[str, Any]:
    """What the request's own columns say of every stage that searches."""
    names = ("top_k", "filters", "index", "index_version", "embedding_model")
    found = {name: said[name] for name in names if said.get(name) not in (None, "")}
    query = said.get("query")
    query = query if query not in (None, "") else said.get("rewritten")
    return found | ({"query": query} if query not in (None, "") else {})


def _rewrites(said: Mapping[str, Any]) -> list[LoggedStage]:
    """A rewritten question in a column of its own is what a rewrite made."""
    rewritten = load(said.get("rewritten"))
    queries = [rewritten] if isinstance(rewritten, str) else rewritten
    if not isinstance(queries, list) or not queries or not all(isinstance(one, str) and one for one in queries):
        return []
    attributes: dict[str, Any] = {wire.QUERIES: dumped(queries)}
    question = as_text(said.get("question"))
    if question:
        attributes[wire.QUERY] = question
    return [LoggedStage("rewrite", StageKind.REWRITE, attributes)]


def _generate(said: Mapping[str, Any]) -> LoggedStage | None:
    """The model's call, where the log has its prompt or its name."""
    prompt = prompt_from(said.get("prompt")) if said.get("prompt") not in (None, "") else None
    model = as_text(said.get("model"))
    if prompt is None and not model:
        return None
    attributes: dict[str, Any] = {}
    if prompt is not None:
        attributes[wire.PROMPT] = dumped([message.model_dump() for message in prompt])
    if model:
        attributes[wire.MODEL] = model
    answer = said.get("answer")
    if isinstance(answer, str) and answer:
        attributes[wire.TEXT] = answer
    return LoggedStage("generate", StageKind.GENERATE, attributes)


def score_kind(path: str) -> str:
    """What a column of scores measures, where its name says it."""
    name = path.casefold()
    kinds = {"distance": "distance", "simil": "similarity", "rrf": "rrf", "rerank": "rerank"}
    return next((kind for word, kind in kinds.items() if word in name), "")


def _reader(path: str) -> Callable[[Mapping[str, Any]], Any]:
    if path.startswith(LITERAL):
        literal = path.removeprefix(LITERAL)
        return lambda _record: literal
    return _finder(parse_path(path))


def _finder(path: Path) -> Callable[[Mapping[str, Any]], Any]:
    if len(path.parts) == 1 and isinstance(path.parts[0], str):
        name = path.text
        return lambda record: record.get(name)
    return path.find


def _list_reader(path: str) -> Callable[[Mapping[str, Any]], Any]:
    """A list whose elements are meant as a whole (`results[]`) is the list itself."""
    if path.startswith(LITERAL):
        return _reader(path)
    parsed = parse_path(path)
    inner = parsed.list_part
    if inner is not None and not parsed.inside.parts:
        return _finder(inner)
    return _finder(parsed)


def _id_text(value: Any) -> str:  # noqa: ANN401 - a value of a log
    if isinstance(value, float) and value == int(value):
        value = int(value)  # pandas makes 42.0 of 42 where a value is missing elsewhere
    return (as_text(value) or "").strip()


def _digits(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()
