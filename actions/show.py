"""Show one request: what was recorded, what diagnosis says of it, and what people said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ..collectors.examiner import examined
from ..collectors.used_labels import UsedLabels, key_of, labels_in_force, oldest_first
from ..model import Complaint, Diagnosis, EvalCase, Feedback, Label, LabelFacts, LabelTarget, RecordedRequest
from ..store import Store
from .complaints import complaints_about
from .lookup import one_request_id, required_request
from .passages import asked_labels, named_target
from .workspace import Workspace

if TYPE_CHECKING:
    from ..diagnosis import ShortAnswer


class ShowRequest(BaseModel):
    """Which request to show, and with which labels."""

    model_config = ConfigDict(frozen=True)

    request: str
    """An id in any form, or a text that contains one."""
    gold: tuple[str, ...] = ()
    """Chunk ids (or `doc:ID`) to look at as gold, without saving a label. Replaces the stored labels."""
    targets: tuple[LabelTarget, ...] = ()
    """The same for passages that are more than a name: with the text that was labelled, say. After `gold`."""
    expect: tuple[str, ...] = ()
    """Phrases that a right answer contains, with `gold`."""


class Answer(BaseModel):
    """One of the three questions, answered: in the corpus? retrieved? in the prompt?"""

    model_config = ConfigDict(frozen=True)

    value: str
    """"Yes", "No", "Rank 1", "2 of 3", "Not recorded", "Not seen"."""
    evidence: str


class RequestView(BaseModel):
    """Everything that the request page, `goldrank show` and a ticket need."""

    model_config = ConfigDict(frozen=True)

    recorded: RecordedRequest
    diagnosis: Diagnosis
    labels: tuple[Label, ...]
    """The labels that the diagnosis used: the request's own, else inherited ones, else the ones asked for."""
    facts: tuple[LabelFacts, ...]
    """One for each label, in their order."""
    in_corpus: Answer | None = None
    retrieved: Answer | None = None
    in_prompt: Answer | None = None
    """None without a gold."""
    complaints: tuple[Complaint, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    cases: tuple[EvalCase, ...] = ()
    """Cases with this request's key, or that name it as a source."""


def show(workspace: Workspace, ask: ShowRequest) -> RequestView:
    """The request with its diagnosis under the labels asked for, else its own, else those of a case with its key."""
    with workspace.store.reading():
        return _view(workspace.store, ask)


def _view(store: Store, ask: ShowRequest) -> RequestView:
    from ..diagnosis import three_questions

    request_id = one_request_id(store, ask.request)
    recorded = required_request(store, request_id)
    key = key_of(recorded.request)
    cases = store.cases.naming(request_id, case_key=key)
    same_key = oldest_first(case for case in cases if key and case.case_key == key)
    used = labels_in_force(store, recorded, same_key)
    asked = (*(named_target(name) for name in ask.gold), *ask.targets)
    if asked:
        used = UsedLabels(asked_labels(store, recorded, asked), ())
    used = used._replace(expected=ask.expect or used.expected)
    diagnosis, facts = examined(store, recorded, used)
    answers = three_questions(diagnosis, used.labels, facts)
    return RequestView(
        recorded=recorded,
        diagnosis=diagnosis,
        labels=used.labels,
        facts=facts,
        in_corpus=_answer(answers.in_corpus),
        retrieved=_answer(answers.retrieved),
        in_prompt=_answer(answers.in_prompt),
        complaints=complaints_about(store, request_id),
        feedback=store.complaints.feedback(request_id),
        cases=(*same_key, *(case for case in cases if case not in same_key)),
    )


def _answer(short: ShortAnswer | None) -> Answer | None:
    return None if short is None else Answer(value=short.value, evidence=short.evidence)
