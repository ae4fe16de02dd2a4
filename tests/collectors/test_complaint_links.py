"""Tickets are linked to the request that they name, and to no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from goldrank.collectors import Ingester
from goldrank.model import Complaint
from goldrank.store.duckdb import DuckStore
from wire_spans import T0_NS, TRACE, make_request, make_stage, span_id

Write = Callable[..., None]
ROOT = f"{TRACE}-{span_id(1)}"


def ticket(text: str, request_id: str | None = None) -> Complaint:
    """A ticket as it comes."""
    return Complaint(complaint_id="T-1", app="bot", text=text, at_ns=T0_NS, request_id=request_id)


@pytest.mark.parametrize(
    "text",
    [
        f"wrong answer, see {ROOT}.",
        f"trace {TRACE}: wrong",
        f"traceparent 00-{TRACE}-{span_id(2)}-01",
        f"span {span_id(2)}",
        f"{ROOT} and again {TRACE}",
    ],
)
def test_a_ticket_that_names_one_request_is_linked(
    ingester: Ingester, write: Write, store: DuckStore, text: str
) -> None:
    """In every form of an id that names a request and nothing else."""
    write(make_request(1), make_stage(2, 1), ticket(text))
    ingester.run_once()
    assert [one.complaint_id for one in store.complaints.of(ROOT)] == ["T-1"]


def test_a_ticket_that_comes_before_its_request_is_linked_later(
    ingester: Ingester, write: Write, store: DuckStore, spool: Path
) -> None:
    """Also when the ingester was started anew in between."""
    write(ticket(f"see {ROOT}"))
    ingester.run_once()
    assert store.complaints.of(ROOT) == ()
    write(make_stage(2, 1))
    ingester.run_once()
    assert store.complaints.list()[0].request_id is None, "the request span has not come: its id is not settled"
    write(make_request(1))
    Ingester(spool, store).run_once()
    assert len(store.complaints.of(ROOT)) == 1
    assert store.intake.counts()["rows"]["complaints"] == 1, "linking adds a revision, and still it is one complaint"


@pytest.mark.parametrize(
    "text",
    ["my invoice 00000000", "it is wrong", f"{ROOT} or {'ab' * 16}", f"{'cd' * 16}"],
    ids=["prefix", "none", "two", "unknown"],
)
def test_a_ticket_is_never_linked_by_a_guess(ingester: Ingester, write: Write, store: DuckStore, text: str) -> None:
    """A prefix may be an invoice number, two ids are two requests."""
    write(make_request(1), make_request(1, trace="ab" * 16), ticket(text))
    ingester.run_once()
    assert [one.request_id for one in store.complaints.list()] == [None]


def test_a_link_that_came_with_the_ticket_stays(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """A person or tool that linked it knew better."""
    write(make_request(1), make_request(1, trace="ab" * 16), ticket(f"see {ROOT}", f"{'ab' * 16}-{span_id(1)}"))
    ingester.run_once()
    assert store.complaints.of(ROOT) == ()
