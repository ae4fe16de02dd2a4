"""From a ticket to its request: how often the right question is first, and among the first five.

    python tests/benchmarks/tickets.py FOLDER [--requests 1000] [--each 10]

FOLDER holds data sets in BEIR's form (`ticket_requests`). Requests are made of their questions by fixed rules, tickets
from requests by two sets of rules (`ticket_texts`, `ticket_texts_other`); the search was not set by the second one.
Without hints many requests of one question are alike: then the very request is a matter of luck, and its question is
what counts.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import ticket_texts
import ticket_texts_other
from goldrank.actions import FindCandidates, Workspace, find_candidates
from goldrank.model import RecordedRequest, Request
from goldrank.store import IntakeBatch, Store, open_store
from ticket_requests import Made, make_requests, read_pairs
from ticket_texts import Ticket

BATCH = 2000
GENERATORS: dict[str, Callable[[list[Made], int], list[Ticket]]] = {
    "first rules": ticket_texts.make_tickets,
    "other rules": ticket_texts_other.make_tickets,
}


class Outcome(NamedTuple):
    """What became of one ticket."""

    rules: str
    kind: str
    hint: str
    first: bool
    """The right question is first."""
    among_five: bool
    itself: bool
    """The very request is first."""
    wall_ms: float
    cpu_ms: float


def main() -> None:
    """Fills a store, asks it for every ticket, and prints the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--each", type=int, default=10, help="tickets of each kind and hint")
    ask = parser.parse_args()
    pairs = read_pairs(ask.folder) if ask.folder.is_dir() else []
    if not pairs:
        print(f"SKIPPED: {ask.folder} holds no data set, so nothing was measured.")
        return
    made = make_requests(pairs, ask.requests)
    with open_store(Path(tempfile.mkdtemp(prefix="goldrank-bench-")) / "store.duckdb") as store:
        fill(store, made)
        print(f"{len(made):,} requests of {len(pairs):,} questions")
        report([one for name in GENERATORS for one in measure(store, made, name, ask.each)])


def fill(store: Store, made: Sequence[Made]) -> None:
    """Stores the requests, without stages: only questions and answers are searched."""
    for begin in range(0, len(made), BATCH):
        recorded = tuple(RecordedRequest(request=_request(one)) for one in made[begin : begin + BATCH])
        store.intake.commit(IntakeBatch(requests=recorded))


def measure(store: Store, made: list[Made], rules: str, each: int) -> list[Outcome]:
    """Asks for every ticket that one set of rules makes."""
    pair_of = {request_id(one): one.pair for one in made}
    workspace = Workspace(store=store, spool=Path("none"))
    return [_outcome(workspace, rules, ticket, pair_of) for ticket in GENERATORS[rules](made, each)]


def report(outcomes: Sequence[Outcome]) -> None:
    """A table for each grouping."""
    print(f"{'':32}tickets  first  among 5  the request")
    for rules in dict.fromkeys(one.rules for one in outcomes):
        ours = [one for one in outcomes if one.rules == rules]
        _print_row(rules, ours)
        for hint in dict.fromkeys(one.hint for one in ours):
            _print_row(f"  hint: {hint}", [one for one in ours if one.hint == hint])
        for kind in dict.fromkeys(one.kind for one in ours):
            _print_row(f"  {kind}", [one for one in ours if one.kind == kind])
    for name, values in (("wall", [o.wall_ms for o in outcomes]), ("CPU", [o.cpu_ms for o in outcomes])):
        ordered = sorted(values)
        print(f"{name} ms a ticket: p50 {statistics.median(ordered):.0f}, p95 {ordered[int(0.95 * len(ordered))]:.0f}")


def request_id(made: Made) -> str:
    """Of a made request; from 1, a trace id of nothing but 0 is none."""
    return f"{made.number + 1:032x}-{made.number + 1:016x}"


def _request(made: Made) -> Request:
    return Request(
        request_id=request_id(made),
        trace_id=f"{made.number + 1:032x}",
        app="bot",
        question=made.question,
        answer=made.answer,
        user=made.user,
        start_ns=made.start_ns,
        end_ns=made.start_ns + 10**9,
    )


def _outcome(workspace: Workspace, rules: str, ticket: Ticket, pair_of: dict[str, int]) -> Outcome:
    wall, cpu = time.perf_counter(), time.process_time()
    ask = FindCandidates(text=ticket.text, opened_ns=ticket.opened_ns, zone="UTC", others=0)
    found = find_candidates(workspace, ask).candidates
    wall_ms, cpu_ms = (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3
    right = [pair_of[one.request_id] == ticket.about.pair for one in found]
    itself = bool(found) and found[0].request_id == request_id(ticket.about)
    return Outcome(rules, ticket.kind, ticket.hint, any(right[:1]), any(right[:5]), itself, wall_ms, cpu_ms)


def _print_row(name: str, outcomes: Sequence[Outcome]) -> None:
    def share(values: Sequence[bool]) -> str:
        return f"{sum(values) / len(values):.3f}"

    first, five, itself = ([getattr(one, field) for one in outcomes] for field in ("first", "among_five", "itself"))
    print(f"{name:32}{len(outcomes):7}  {share(first)}    {share(five)}  {share(itself):>11}")


if __name__ == "__main__":
    main()
