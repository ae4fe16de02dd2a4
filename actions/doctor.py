"""What each app sends, which verdicts that allows, and the change that helps most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from ..collectors.examiner import diagnose
from ..collectors.used_labels import UsedLabels
from ..model import ContextSource, LabelTarget, NotFound, RecordedRequest, StageKind
from ..model.checkup import Checkup, Lack, Sent
from ..store import RequestFilter, RequestRow, Store
from .workspace import Workspace

if TYPE_CHECKING:
    from ..diagnosis.checkup import Observed

_ANY = LabelTarget(chunk_id="")
"""A passage that no corpus holds: asked about only to learn whether the corpus is known."""


_LOOKED_THROUGH = 1000
"""Newest requests of an app among which those without an environment are looked for, where others have one."""


class AskDoctor(BaseModel):
    """Which apps to look at, and how far back."""

    model_config = ConfigDict(frozen=True)

    app: str = ""
    """Empty: every app."""
    environment: str = ""
    last: int = Field(default=50, ge=1, le=1000)
    """How many requests of each app and environment, the newest first. Replays are left out."""


class DoctorSays(BaseModel):
    """One checkup for each app and environment, the one with most requests first."""

    model_config = ConfigDict(frozen=True)

    checkups: tuple[Checkup, ...]


def doctor(workspace: Workspace, ask: AskDoctor) -> DoctorSays:
    """The checkups; empty where nothing is stored. NotFound names the apps that are there."""
    store = workspace.store
    facets = store.requests.facets()
    if ask.app and ask.app not in facets.apps:
        known = ", ".join(facets.apps) or "none"
        raise NotFound(f"No request of an app named {ask.app!r} is stored. Apps here: {known}.")
    found: list[Checkup] = []
    for app in (ask.app,) if ask.app else facets.apps:
        found += _of_app(store, app, ask)
    return DoctorSays(checkups=tuple(sorted(found, key=lambda one: (-one.stored, one.app, one.environment))))


def _of_app(store: Store, app: str, ask: AskDoctor) -> list[Checkup]:
    """One for each environment that the app names, and one for its requests that name none."""
    names = (ask.environment,) if ask.environment else store.requests.facets().environments
    found, named = [], 0
    for name in names:
        which = RequestFilter(app=app, environment=name, replays=False)
        page = store.requests.page(which, limit=ask.last)
        named += page.matching
        if page.rows:
            found.append(_checkup(store, which, page.rows, page.matching))
    if not ask.environment:
        which = RequestFilter(app=app, replays=False)
        page = store.requests.page(which, limit=ask.last if not named else _LOOKED_THROUGH)
        rows = [row for row in page.rows if not row.environment][: ask.last]
        if rows:
            found.append(_checkup(store, which, rows, page.matching - named))
    return found


def _checkup(store: Store, which: RequestFilter, rows: Sequence[RequestRow], stored: int) -> Checkup:
    from ..diagnosis.checkup import changes, observe, told

    read = [store.requests.get(row.request_id) for row in rows]
    requests = [one for one in read if one is not None]
    scopes = _scopes(store, requests)
    observed = [
        observe(
            one,
            diagnose(store, one, UsedLabels((), ())),
            writers=scopes[one.request.trace_id],
            corpus_known=_corpus_known(store, one),
        )
        for one in requests
    ]
    writers = dict(Counter(scope for trace in scopes.values() for scope in sorted(trace)).most_common())
    index, version = _searched(requests)
    return Checkup(
        app=which.app,
        environment=which.environment,
        looked_at=len(requests),
        stored=stored,
        since_ns=min(row.start_ns for row in rows),
        until_ns=max(row.start_ns for row in rows),
        writers=writers,
        stages=_stages(observed),
        sent=_sent(requests, observed),
        told=told(observed),
        changes=changes(observed, app=which.app, writers=writers, index=index, version=version),
    )


def _stages(observed: Sequence[Observed]) -> dict[str, int]:
    """Stage -> in how many of the requests, in the order in which they usually follow each other."""
    places: dict[str, list[int]] = defaultdict(list)
    for one in observed:
        for place, stage in enumerate(one.stages):
            places[stage].append(place)
    usual = sorted(places, key=lambda stage: (sum(places[stage]) / len(places[stage]), stage))
    return {stage: len(places[stage]) for stage in usual}


def _corpus_known(store: Store, recorded: RecordedRequest) -> bool:
    return store.chunks.facts(recorded.request.request_id, (_ANY,))[0].corpus_known


def _scopes(store: Store, requests: Sequence[RecordedRequest]) -> dict[str, set[str]]:
    """Trace id -> the names of the instrumentations that wrote its spans."""
    scopes: dict[str, set[str]] = {one.request.trace_id: set() for one in requests}
    for span in store.intake.spans_of(tuple(scopes)):
        scopes[span.trace_id].add(span.scope or "an instrumentation without a name")
    return scopes


def _searched(requests: Sequence[RecordedRequest]) -> tuple[str, str]:
    """Index and version that are searched most; empty where they are not recorded."""
    stages = [stage for one in requests for stage in one.stages if stage.kind is StageKind.RETRIEVE and stage.index]
    pairs = Counter((stage.index or "", stage.index_version or "") for stage in stages)
    return pairs.most_common(1)[0][0] if pairs else ("", "")


def _sent(requests: Sequence[RecordedRequest], observed: Sequence[Observed]) -> tuple[Sent, ...]:
    def without(*which: Lack) -> int:
        return sum(1 for one in observed if not one.lacks & set(which))

    inferred = sum(1 for one in observed if one.question_source is not None and Lack.QUESTION not in one.lacks)
    note = f"inferred in {inferred:,}" if inferred else ""
    return (
        Sent(what="question", requests=without(Lack.QUESTION), note=note),
        Sent(what="history", requests=sum(1 for one in requests if one.request.history)),
        Sent(what="user", requests=sum(1 for one in requests if one.request.user is not None)),
        Sent(what="groups", requests=sum(1 for one in requests if one.request.groups is not None)),
        Sent(what="whole lists", requests=without(Lack.SEARCH, Lack.LIST, Lack.RANKS)),
        Sent(what="chunk ids", requests=without(Lack.SEARCH, Lack.LIST, Lack.ID), note="the app's own"),
        Sent(what="chunk texts", requests=without(Lack.SEARCH, Lack.LIST, Lack.TEXT)),
        Sent(what="scores", requests=sum(1 for one in requests if _has_scores(one))),
        Sent(what="prompt", requests=sum(1 for one in observed if one.has_prompt), note=_instead(observed)),
        Sent(what="answer", requests=sum(1 for one in requests if one.request.answer is not None)),
        Sent(what="corpus", requests=without(Lack.CORPUS)),
    )


def _has_scores(recorded: RecordedRequest) -> bool:
    return any(hit.score is not None for stage in recorded.stages for hit in stage.hits or ())


def _instead(observed: Sequence[Observed]) -> str:
    """What says which chunks were sent where the prompt does not."""
    contexts = Counter(one.context for one in observed)
    others = ((ContextSource.ASSEMBLE, "what was put together for it"), (ContextSource.DECLARED, "what was declared"))
    return ", ".join(f"{words} in {contexts[source]:,}" for source, words in others if contexts[source])
