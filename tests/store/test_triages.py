"""The queue: what is put off, who looks at what."""

from __future__ import annotations

from typing import Any

from goldrank.model.triage import Triage, TriageState
from goldrank.store import RequestFilter, Store


def _triage(request_id: str, **fields: Any) -> Triage:
    return Triage(**{"request_id": request_id, "who": "ann", "at_ns": 1, **fields})


def test_the_newest_revision_counts_and_the_others_are_kept(store: Store) -> None:
    """Put off, then given up."""
    store.triages.save(_triage("r1", state=TriageState.LATER))
    store.triages.save(_triage("r1", state=TriageState.CANNOT_TELL, revision=2))
    current = store.triages.get("r1")
    assert current is not None
    assert current.state is TriageState.CANNOT_TELL
    assert [one.state for one in store.triages.history("r1")] == [TriageState.LATER, TriageState.CANNOT_TELL]
    assert store.triages.get("r2") is None


def test_a_list_can_be_what_is_open_put_off_or_given_up(store: Store, make: Any) -> None:
    """The three parts are all of it."""
    made = [make.request(number) for number in (1, 2, 3)]
    store.intake.commit(make.batch(*made))
    ids = [one.request_id for one in made]
    store.triages.save(_triage(ids[0], state=TriageState.LATER))
    store.triages.save(_triage(ids[1], state=TriageState.CANNOT_TELL, assigned_to="bo"))

    def listed(**fields: Any) -> list[str]:
        return [row.request_id for row in store.requests.page(RequestFilter(**fields), limit=10).rows]

    assert listed(queue="open") == [ids[2]]
    assert listed(queue="later") == [ids[0]]
    assert listed(queue="cannot_tell") == [ids[1]]
    assert listed(assigned_to="bo") == [ids[1]]
    assert store.triages.people() == ("bo",)
    row = store.requests.page(RequestFilter(queue="cannot_tell"), limit=1).rows[0]
    assert (row.queue, row.assigned_to) == ("cannot_tell", "bo")


def test_replays_can_be_left_out_and_never_count(store: Store, make: Any) -> None:
    """They are in the list where asked for, and in no count of verdicts."""
    first = make.request(1)
    store.intake.commit(make.batch(first, make.request(2, replay_of=first.request_id)))
    assert store.requests.page(RequestFilter(replays=False), limit=10).matching == 1
    assert store.requests.page(RequestFilter(replays=True), limit=10).rows[0].replay_of == first.request_id
    assert sum(store.requests.facets().verdicts.values()) == 1
