"""Spans as received: packed on the way in, put together again on the way out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import duckdb

from ...model import Span, SpanEvent
from .cards import Dealt, make_card
from .columns import insert, registered
from .encoding import dumps, dumps_filled, loads
from .numbers import Dictionaries, digest_of
from .packing import Packed, numbers_in, pack, unpack
from .row import rows_of
from .rows import ResourceRecord, SpanRecord
from .texts import TextBatch, texts_of

SPAN_COLUMNS = """s.trace_id, s.span_id, s.parent_span_id, s.name, s.kind, s.start_ns, s.end_ns, s.status,
    s.status_message, s.attributes, r.body, s.scope, s.events, s.links, s.dropped_attributes, s.dropped_events,
    s.repaired"""


class SpanKey(NamedTuple):
    """What names a span."""

    trace_id: str
    span_id: str


class SpanOwner(NamedTuple):
    """A span and the request it belongs to now."""

    trace_id: str
    span_id: str
    rid: int


class SpanBatch:
    """The spans of one transaction; of a span that came twice the last one counts."""

    def __init__(
        self, spans: Iterable[Span], texts: TextBatch, dictionaries: Dictionaries, answers: frozenset[str] = frozenset()
    ) -> None:
        """`answers` are texts that stay where they stand: no other request has them."""
        self._answers = answers
        self._spans = {SpanKey(span.trace_id, span.span_id): span for span in spans}
        self._texts = texts
        self._dictionaries = dictionaries
        self._attributes: dict[SpanKey, Packed] = {}
        self._events: dict[SpanKey, Packed] = {}
        self._cards: dict[tuple[str, str | None], int] = {}
        """Head and text -> the place of the card that they make among the texts."""

    @property
    def keys(self) -> frozenset[SpanKey]:
        """Which spans these are."""
        return frozenset(self._spans)

    def name(self) -> None:
        """Names the long texts in attributes and events."""
        for key, span in self._spans.items():
            self._attributes[key] = pack(span.attributes, self._answers)
            if span.events:
                self._events[key] = pack({"events": [list(event) for event in span.events]}, self._answers)
            for packed in (self._attributes[key], self._events.get(key)):
                if packed is not None:
                    self._name(packed)

    def _name(self, packed: Packed) -> None:
        texts, lists = packed.out()
        for text in texts:
            self._texts.name(text)
        known = self._cards
        for dealt in lists:
            for parts in zip(dealt.heads, dealt.texts, strict=True):
                if parts not in known:
                    known[parts] = self._name_card(*parts)

    def _name_card(self, head: str, body: str | None) -> int:
        card = make_card(head, body)
        if body is not None:
            self._texts.name(body)
        self._texts.name(card, passages=() if body is None else (body,))
        return self._texts.place_of(card)

    def _card_keys(self, dealt: Dealt) -> list[int | None]:
        keys, known = self._texts.keys, self._cards
        return [keys[known[parts]] for parts in zip(dealt.heads, dealt.texts, strict=True)]

    def insert(
        self, cursor: duckdb.DuckDBPyConnection, owners: dict[SpanKey, int], stored: Collection[tuple[str, str]]
    ) -> None:
        """Replaces the spans. `owners` holds the number of the request of each; `stored` names those to replace."""
        if not self._spans:
            return
        resources = self._resources(cursor)
        if stored:
            delete_spans(cursor, [SpanKey(*key) for key in stored])
        rows = [self._row(key, span, owners[key], resources[id(span.resource)]) for key, span in self._spans.items()]
        insert(cursor, "spans", rows)

    def _resources(self, cursor: duckdb.DuckDBPyConnection) -> dict[int, int]:
        """`id(resource)` -> its number. Spans of one message share the resource."""
        bodies = {identity: dumps(resource) for identity, resource in self._distinct_resources().items()}
        digests = {body: digest_of(body) for body in bodies.values()}
        settled = self._dictionaries.resources.settle(cursor, digests.values())
        insert(
            cursor,
            "resources",
            [
                ResourceRecord(settled.keys[digest], digest, body)
                for body, digest in digests.items()
                if digest in settled.new
            ],
        )
        return {identity: settled.keys[digests[body]] for identity, body in bodies.items()}

    def _distinct_resources(self) -> dict[int, dict[str, Any]]:
        return {id(span.resource): span.resource for span in self._spans.values()}

    def _row(self, key: SpanKey, span: Span, rid: int, resource_key: int) -> SpanRecord:
        events = self._events.get(key)
        return SpanRecord(
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_span_id,
            rid=rid,
            name=span.name,
            kind=span.kind,
            start_ns=span.start_ns,
            end_ns=span.end_ns,
            status=span.status,
            status_message=span.status_message or None,
            resource_key=resource_key,
            scope=span.scope,
            attributes=self._attributes[key].numbered(self._texts.key, self._card_keys),
            events=None if events is None else events.numbered(self._texts.key, self._card_keys),
            links=dumps_filled([list(link) for link in span.links]),
            dropped_attributes=span.dropped_attributes,
            dropped_events=span.dropped_events,
            repaired=span.repaired,
        )


def delete_spans(cursor: duckdb.DuckDBPyConnection, keys: Sequence[SpanKey]) -> None:
    """Deletes these spans where they are stored."""
    with registered(cursor, "going", keys):
        cursor.execute(
            "delete from spans using going where spans.trace_id = going.trace_id and spans.span_id = going.span_id"
        )


def give_spans(cursor: duckdb.DuckDBPyConnection, owners: Sequence[SpanOwner]) -> None:
    """Says of stored spans to which request they belong now; those that belong there already are left alone."""
    if not owners:
        return
    with registered(cursor, "owners", owners):
        cursor.execute(
            "update spans set rid = owners.rid from owners where spans.trace_id = owners.trace_id "
            "and spans.span_id = owners.span_id and spans.rid <> owners.rid"
        )


def spans_of_traces(cursor: duckdb.DuckDBPyConnection, trace_ids: Iterable[str]) -> tuple[Span, ...]:
    """Every stored span of these traces, by trace, start and span id."""
    wanted = sorted(set(trace_ids))
    rows = rows_of(
        cursor,
        f"select {SPAN_COLUMNS} from spans s join resources r on r.resource_key = s.resource_key "
        "where s.trace_id in (select unnest(?::varchar[])) order by s.trace_id, s.start_ns, s.span_id",
        [wanted],
    )
    return received(cursor, rows)


def received(cursor: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]]) -> tuple[Span, ...]:
    """Rows of SPAN_COLUMNS as the spans that were received."""
    bodies = [body for row in rows for body in (row[9], row[12]) if body is not None]
    texts = texts_of(cursor, set().union(*map(numbers_in, bodies)))
    resources = {body: loads(body) for body in {row[10] for row in rows}}
    return tuple(_span(row, texts, resources) for row in rows)


def _span(row: tuple[Any, ...], texts: dict[int, str], resources: dict[str, dict[str, Any]]) -> Span:
    events, links = row[12], row[13]
    return Span(
        trace_id=row[0],
        span_id=row[1],
        parent_span_id=row[2],
        name=row[3],
        kind=row[4],
        start_ns=row[5],
        end_ns=row[6],
        status=row[7],
        status_message=row[8] or "",
        attributes=unpack(row[9], texts),
        resource=dict(resources[row[10]]),
        scope=row[11],
        events=() if events is None else tuple(SpanEvent(*event) for event in unpack(events, texts)["events"]),
        links=() if links is None else tuple((trace_id, span_id) for trace_id, span_id in loads(links)),
        dropped_attributes=row[14],
        dropped_events=row[15],
        repaired=row[16],
    )
