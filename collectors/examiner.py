"""Diagnosis of stored requests: what was recorded, the labels that count and what the corpus says, put together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ..model import Diagnosis, LabelFacts, RecordedRequest
from ..store import Store
from .used_labels import UsedLabels, labels_in_force

LOG: Final = logging.getLogger("goldrank.examiner")


def examine_request(store: Store, request_id: str, recorded: RecordedRequest | None = None) -> Diagnosis | None:
    """Examines one request under the labels that count for it and stores what comes out; None: no such request.

    `recorded` is the request with its texts, where the caller has read it already.
    """
    with store.writing():
        recorded = recorded or store.requests.get(request_id)
        if recorded is None:
            return None
        diagnosis = diagnose(store, recorded, labels_in_force(store, recorded))
        store.requests.save_diagnosis(diagnosis, recorded)
        return diagnosis


class Examined(NamedTuple):
    """A diagnosis and what it was made with."""

    diagnosis: Diagnosis
    facts: tuple[LabelFacts, ...]
    """One for each label, in their order."""


def diagnose(store: Store, recorded: RecordedRequest, used: UsedLabels) -> Diagnosis:
    """The diagnosis under these labels. Nothing is stored."""
    return examined(store, recorded, used).diagnosis


def examined(store: Store, recorded: RecordedRequest, used: UsedLabels) -> Examined:
    """The same, with what the corpus says of each label."""
    from ..diagnosis import examine  # a command that a hub answers needs none of it

    targets = tuple(label.target for label in used.labels)
    facts, manifest, whole = store.chunks.facts_and_metadata(recorded, targets)
    diagnosis = examine(
        recorded, used.labels, facts, expected=used.expected, manifest=manifest, manifest_is_whole=whole
    )
    return Examined(diagnosis, facts)


def examine_touched(store: Store, request_ids: tuple[str, ...]) -> None:
    """Examines those of the requests, and of their replays, that have labels, own or inherited.

    A failure concerns one request and is logged: it is shown again, with its cause, when the request is opened.
    """
    if not request_ids or not store.requests.may_be_labelled(request_ids):
        return
    touched = (*request_ids, *store.requests.replays_of(request_ids))
    for request_id in store.requests.labelled_ids(touched):
        try:
            examine_request(store, request_id)
        except Exception:
            LOG.exception("goldrank: request %s could not be examined; it is stored", request_id)


def examine_older(store: Store, request_ids: Sequence[str]) -> None:
    """Examines requests that older rules judged, each in a change of its own; a failure is logged, as above."""
    for request_id in request_ids:
        try:
            examine_request(store, request_id)
        except Exception:
            LOG.exception("goldrank: request %s could not be examined by the new rules", request_id)


def reindex(store: Store, progress: Callable[[int, int], None] | None = None) -> int:
    """Examines every labelled request anew, for instance after the rules changed; how many there were.

    `progress` is told how many are done of how many, after each.
    """
    request_ids = store.requests.labelled_ids()
    for done, request_id in enumerate(request_ids, start=1):
        examine_request(store, request_id)
        if progress is not None:
            progress(done, len(request_ids))
    return len(request_ids)
