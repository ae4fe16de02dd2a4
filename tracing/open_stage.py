"""A stage (or request) while it runs: what is known of it so far, and how it ends.

`with goldrank.stage("retrieve", query=q) as s:` gives one; `goldrank.current_stage()` gives the innermost one.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import RLock
from typing import Any, Final

from opentelemetry import context as otel
from opentelemetry.trace import Span, StatusCode

from ..model import wire
from ..model.stage_words import Completeness, Outcome, StageKind
from . import endings
from .flow import FlowInput, ReturnedList
from .guest import Guard, say_once, swallow
from .hits import HitList, LaterHits, hits_json, read_list, unreadable_json
from .jsons import dump
from .messages import RoleText, messages_of
from .open_request import OpenRequest
from .own_spans import OwnSpan
from .recognisers import reading_of
from .recorder import Recorder
from .rows import Columns, RowReader, row_reader
from .sorts import Sort
from .texts import SentText, TextBook
from .values import is_a

_RECORDING: Final = Guard("recording a value")
_NO_BOOK: Final = TextBook("")
_NOTHING: Final[frozenset[str]] = frozenset()
_NO_CONTEXT: Final = otel.Context()
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})
"""Types that are no evidence of flow; most arguments are of these."""


class OpenStage:
    """One stage that runs. Its methods never raise and never change what they are given."""

    __slots__ = (
        "_attributes",
        "_cuts",
        "_ended",
        "_inputs",
        "_plain_chars",
        "_recorder",
        "_rules",
        "context",
        "found",
        "is_root",
        "name",
        "outer",
        "recording",
        "request",
        "sort",
        "span",
    )

    context: otel.Context
    """In which it is the open stage; set as it begins. It lets go of it as it ends: each holds the other, and what
    the stage read would stay until the garbage collector looks."""

    def __init__(  # noqa: PLR0917 - by position, because it is called for every stage
        self,
        recorder: Recorder,
        sort: Sort,
        name: str,
        span: Span,
        request: OpenRequest | None = None,
        outer: OpenStage | None = None,
        *,
        is_root: bool = False,
    ) -> None:
        rules = recorder.rules
        self.sort = sort
        self.name = name
        self.span = span
        self.request = request
        self.outer = outer
        """The stage (or request) around it."""
        self.is_root = is_root
        """Whether this is the request itself."""
        self.recording = type(span) is OwnSpan or span.is_recording()
        """False: the app's sampler left it out, and nothing is read."""
        self._recorder = recorder
        self._rules = rules
        self._plain_chars = rules.max_chars if rules.as_is and self.recording else -1
        """A plain ASCII text up to this length leaves as it is: told without asking the rules."""
        self._cuts: dict[str, int] | None = None
        self.found: HitList | None = None
        """The list that it gave, once one was read."""
        self._inputs: tuple[FlowInput, ...] = ()
        self._ended = False
        self._attributes: dict[str, Any] = {wire.VERSION: wire.WIRE_VERSION, wire.KIND: sort.word}
        if request is not None:
            self._attributes[wire.REQUEST_ID] = request.id
        if not rules.capture:
            self._attributes[wire.TEXT_OFF] = True

    @property
    def kind(self) -> StageKind:
        """What it does; `other` for a request."""
        return self.sort.kind

    @property
    def span_id(self) -> str:
        """Its stage id: 16 hex digits."""
        span = self.span
        number = span.span_id if type(span) is OwnSpan else span.get_span_context().span_id
        return number.to_bytes(8).hex()

    # What an app may say about the stage it is in.

    def hits(self, found: Any, columns: Columns | None = None) -> None:
        """The list that this stage gives: whatever `goldrank.retrieve` would read from a return value.

        `columns` says what is where in the rows of a database, as `hits=` of the decorators does.
        """
        with _RECORDING:
            row = None if columns is None else row_reader(columns)
            self.put_list(found, mapped=row is not None, row=row)

    def query(self, text: str) -> None:
        """The text that was sent to the retriever, reranker or rewriter."""
        with _RECORDING:
            self.put_text(wire.QUERY, text)

    def queries(self, texts: Iterable[str]) -> None:
        """What a rewrite stage gives, in order."""
        with _RECORDING:
            self.put_queries(texts)

    def text(self, text: str) -> None:
        """What this stage gives, where that is a text: an assembled context, a generated answer."""
        with _RECORDING:
            self.put_text(wire.ANSWER if self.is_root else wire.TEXT, text)

    def prompt(self, messages: Any) -> None:
        """The messages sent to the model, in order: a text, or messages with role and content."""
        with _RECORDING:
            self.put_messages(wire.PROMPT, messages_of(messages))

    def top_k(self, count: int) -> None:
        """How deep the list was asked to be."""
        with _RECORDING:
            self.put(wire.TOP_K, int(count))

    def filters(self, value: Any) -> None:
        """The filter that the search was given, as anything JSON can hold."""
        with _RECORDING:
            self.put_json(wire.FILTERS, value)

    def inputs(self, *lists: Any) -> None:
        """The lists (or their hits) that went into this stage, or names of stages; said instead of recognised."""
        with _RECORDING:
            self.declare_inputs(lists)

    def note(self, key: str, value: Any) -> None:
        """A note of your own on this stage."""
        with _RECORDING:
            self.put_note(key, value)

    # How values get on the span. These may raise; who calls them guards.

    def put(self, key: str, value: Any) -> None:
        """Sets an attribute that needs no care: a number, an id, a fixed word."""
        self._attributes[key] = value

    def put_text(self, key: str, text: Any) -> bool:
        """Sets an attribute that holds what people wrote. False: `text` is none."""
        if type(text) is str and len(text) <= self._plain_chars and text.isascii():
            self._attributes[key] = text
            return True
        if not is_a(text, str):
            return False
        rules = self._rules
        if not (self.recording and rules.capture):
            return True
        sent = rules.apply(text)
        if sent.hidden and key == wire.ANSWER:
            self._attributes[wire.ANSWER_NOTE] = "redacted"
            return True
        self._attributes[key] = sent.text
        self._note_changes(key, sent)
        return True

    def put_text_always(self, key: str, text: str) -> bool:
        """Sets an attribute that names something (a user, an index); recorded also where texts are not."""
        if self.recording:
            self._attributes[key] = self._rules.apply(text).text
        return True

    def set_length(self, length: int) -> None:
        """Says how long the list really was, where only its beginning was kept."""
        if self.found is not None and length > self.found.length:
            self.found.length = length
            self.found.state = Completeness.TRUNCATED

    @property
    def max_text_chars(self) -> int:
        """Texts longer than this are cut."""
        return self._rules.max_chars

    def put_messages(self, key: str, messages: list[RoleText] | None) -> bool:
        """Sets an attribute that holds messages. False: there are none."""
        if messages is None:
            return False
        if self.recording and self._rules.capture:
            self._attributes[key] = dump([{"role": role, "text": self._clean(key, text)} for role, text in messages])
        return True

    def put_queries(self, texts: Iterable[str]) -> bool:
        """Sets what a rewrite gave. False: not all of it is text."""
        found = list(texts)
        if not all(is_a(text, str) for text in found):
            return False
        if self.recording and self._rules.capture:
            self._attributes[wire.QUERIES] = dump([self._clean(wire.QUERIES, text) for text in found])
        return True

    def put_json(self, key: str, value: Any) -> None:
        """Sets an attribute that holds JSON; texts inside are redacted."""
        if self.recording:
            self._attributes[key] = dump(self._rules.plain(value))

    def put_settings(self, found: dict[str, Any]) -> None:
        """Sets numbers, switches and short words among the other parameters: thresholds, constants, modes."""
        if not self._rules.capture:
            found = {name: value for name, value in found.items() if type(value) is not str}
        if found:
            self.put_json(wire.SETTINGS, found)

    def put_note(self, key: Any, value: Any) -> None:
        """Sets a note; a value that is neither text nor number nor switch is kept as JSON."""
        if not is_a(key, str) or not key:
            what = "empty" if key == "" else f"a {type(key).__name__}"  # an odd key's own words stay out of the log
            say_once("note", f"goldrank.note: the key is {what}; a text is expected. The note is left out.")
        elif is_a(value, str):
            self.put_text(wire.NOTE_PREFIX + key, value)
        elif is_a(value, bool | int | float):
            self.put(wire.NOTE_PREFIX + key, value)
        else:
            self.put_json(wire.NOTE_PREFIX + key, value)

    def put_list(self, value: Any, *, mapped: bool = False, strict: bool = False, row: RowReader | None = None) -> bool:
        """Reads `value` as the list of this stage. False: nothing recognises it (and nothing is changed)."""
        if not self.recording:
            return True
        request = self.request
        reading = reading_of(self.sort.word, self.name, mapped, strict)
        reading = reading if row is None else reading._replace(row=row)
        if request is None:
            found = read_list(value, reading, _NO_BOOK)
            self.found = found or self.found
            return found is not None
        with request.lock:
            found = read_list(value, reading, request.book)
            if found is None:
                return False
            flow = request.flow
            self.found = found
            request.book.remember(found)
            span_id = self.span_id
            if not self._inputs and flow.has_lists_inside(span_id):
                self._set_inputs(flow.made_inside(span_id, value), "recorded")
            before = flow.before(self._inputs) if self._inputs else _NOTHING
            around = _NOTHING if self.outer is None or self.outer.is_root else self._stages_around()
            # `_make` takes a third of the time of calling a NamedTuple's class.
            made = ReturnedList._make((span_id, self.name, found.length, before, around, found.ids))
            flow.add(made, value, found.elements, found.inners)
        return True

    def say_unreadable(self, value: Any) -> None:
        """Says that this stage gave something in which nothing recognises a list."""
        if self.recording and self.found is None:
            self._attributes[wire.HITS] = unreadable_json(value)

    def put_context(self, value: Any) -> bool:
        """Sets the chunk ids that the app declares as the context. False: no list is recognised in `value`."""
        ids = self.ids_in(value)
        if ids is None:
            return False
        self.put_json(wire.CONTEXT, ids)
        return True

    def ids_in(self, value: Any) -> list[str] | None:
        """The chunk ids in a list of hits, of ids, or of texts that this request has seen."""
        request = self.request
        if request is None:
            return None
        with request.lock:
            found = read_list(value, reading_of(StageKind.RETRIEVE.value, self.name), request.book)
            if found is None:
                return None
            book = request.book
            pairs = zip(found.ids(), found.texts, strict=True)
            known = [chunk_id or book.id_of(text or "") for chunk_id, text in pairs]
        return [chunk_id for chunk_id in known if chunk_id is not None]

    def recognise_inputs(self, arguments: tuple[Any, ...]) -> None:
        """Looks for lists of this request among the arguments of a call, unless the app declared them."""
        request = self.request
        if request is None or not self.recording or self._inputs or _PLAIN.issuperset(map(type, arguments)):
            return
        objects = [argument for argument in arguments if type(argument) not in _PLAIN]
        with request.lock:
            inputs = request.flow.inputs_of(objects, works_on_lists=self.sort.works_on_lists)
        self._set_inputs(inputs, "recorded")

    def declare_inputs(self, values: Iterable[Any]) -> None:
        """Sets what the app says went into this stage: names of stages, lists, or hits."""
        request = self.request
        if request is None or not self.recording:
            return
        found: list[FlowInput] = []
        with request.lock:
            for value in values:
                if is_a(value, str):
                    made = request.flow.named(value)
                    found += [] if made is None else [FlowInput(made.span_id, None)]
                else:
                    found += request.flow.inputs_of((value,), works_on_lists=True)
        self._set_inputs(tuple({flow_input.span_id: flow_input for flow_input in found}.values()), "declared")

    def _set_inputs(self, inputs: tuple[FlowInput, ...], source: str) -> None:
        if inputs:
            self._inputs = inputs
            self._attributes[wire.INPUTS] = dump([[found.span_id, found.depth] for found in inputs])
            self._attributes[wire.INPUTS_SOURCE] = source

    @property
    def has_inputs(self) -> bool:
        """Whether lists that went into this stage are known."""
        return bool(self._inputs)

    @property
    def ended(self) -> bool:
        """Whether it has ended; nothing can be added then."""
        return self._ended

    def has(self, key: str) -> bool:
        """Whether the attribute is set."""
        return key in self._attributes

    def _clean(self, key: str, text: str) -> str:
        if type(text) is str and len(text) <= self._plain_chars and text.isascii():
            return text
        sent = self._rules.apply(text)
        self._note_changes(key, sent)
        return sent.text

    def _note_changes(self, key: str, sent: SentText) -> None:
        if sent.cut is not None:
            cuts = self._cuts = self._cuts or {}
            cuts[key] = max(sent.cut, cuts.get(key, 0))
        if sent.repaired:
            self._attributes[wire.REPAIRED] = True

    def _stages_around(self) -> frozenset[str]:
        around: set[str] = set()
        stage = self.outer
        while stage is not None and not stage.is_root:
            around.add(stage.span_id)
            stage = stage.outer
        return frozenset(around)

    # How it ends.

    def end(self, outcome: Outcome = Outcome.OK, error: BaseException | None = None) -> None:
        """Ends the span, once; later calls do nothing."""
        if self._ended:
            return
        self._ended = True
        try:
            span = self.span
            if type(span) is OwnSpan:
                found = self.found
                later = None if found is None else self._list_for_later(found)
                span.end_with(self._said(outcome, error, later), later)
            else:
                if self.recording:
                    self._set_on(span, self._said(outcome, error, None))
                span.end()
        except Exception as failure:  # noqa: BLE001 - the app goes on without this recording
            swallow("ending a stage", failure)
        self.context = _NO_CONTEXT
        if self.is_root and self.request is not None:
            self.request.close()

    def end_with(self, error: BaseException) -> None:
        """Ends as `error`, which goes on to the app, says: cancelled, closed early, or failed."""
        self.end(endings.outcome_of(error), error)

    def _said(self, outcome: Outcome, error: BaseException | None, later: LaterHits | None) -> dict[str, Any]:
        """Everything that the span is to carry, apart from the list that goes with it as `later`."""
        attributes = self._attributes
        if later is None and self.found is not None:
            self._write_list(self.found)
        if self._cuts:
            attributes[wire.TEXT_CUT] = dump(self._cuts)
        attributes[wire.OUTCOME] = outcome._value_
        if outcome is Outcome.ERROR and error is not None:
            self._write_error(error)
        operation = self.sort.operation
        if operation is not None:
            attributes["gen_ai.operation.name"] = operation
            for ours, theirs in self.sort.standard:
                if ours in attributes:
                    attributes[theirs] = attributes[ours]
        return attributes

    def _write_error(self, error: BaseException) -> None:
        said = endings.describe(error, self._rules)
        self._attributes[wire.ERROR] = said
        self._attributes["error.type"] = type(error).__name__
        self.span.set_status(StatusCode.ERROR, said)

    def _set_on(self, span: Span, attributes: dict[str, Any]) -> None:
        """On a span of the app's provider."""
        if self._recorder.limits is None:
            span.set_attributes(attributes)
        else:
            self._recorder.relay.set_limited(self.span, attributes, *self._recorder.limits)

    def _list_for_later(self, found: HitList) -> LaterHits | None:
        """The list, where its JSON can wait for the thread that writes the span: nobody else sees a span of ours."""
        if found.columns is None or not self._rules.as_is:
            return None
        request = self.request
        if request is None:
            return LaterHits(found, TextBook(self.span_id[:8]), RLock(), self._rules)
        return LaterHits(found, request.book, request.lock, self._rules)

    def _write_list(self, found: HitList) -> None:
        rules = self._rules
        request = self.request
        if request is None:
            said, repaired = hits_json(found, TextBook(self.span_id[:8]), rules)
        else:
            with request.lock:
                said, repaired = hits_json(found, request.book, rules)
        self._attributes[wire.HITS] = said
        if repaired:
            self._attributes[wire.REPAIRED] = True
