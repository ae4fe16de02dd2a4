"""Labels: revisions, contradictions, evidence numbers, undo."""

import pytest
from goldrank.actions import (
    NewLabel,
    RemoveLabel,
    SaveLabels,
    ShowRequest,
    UndoLabel,
    remove_label,
    save_labels,
    show,
    undo_label,
)
from goldrank.model import CorpusChunk, CorpusManifest, Judgement, NotFound, Refused, UsageError


def gold(target, **more):
    """A gold label to save."""
    return NewLabel(judgement=Judgement.GOLD, target=target, **more)


def names(saved):
    """What the labels say, in short."""
    return [(one.judgement.value, one.target.chunk_id or one.target.doc_id, one.evidence) for one in saved.labels]


def test_saving_a_gold_answers_with_the_verdict(desk, make_target):
    """Marking the passage that answers is followed at once by what became of it."""
    request_id = desk.record(prompt="a b")

    saved = save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("a")),)))

    assert names(saved) == [("gold", "a", 1)]
    assert saved.verdict == "delivered"
    assert saved.sentence.startswith("It reached the prompt")
    assert desk.store.requests.diagnosis(request_id).headline.verdict.value == "delivered"


def test_a_label_keeps_what_the_passage_held(desk, make_target):
    """Text, document and index are taken from the list that the person saw."""
    request_id = desk.record()

    saved = save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("a")),)))

    target = saved.labels[0].target
    assert (target.doc_id, target.index) == ("a", "docs")
    assert target.text == "The passage a says in its own words what a is about."
    assert len(target.text_hash) == 32
    assert (saved.labels[0].who, saved.labels[0].revision) == ("anna", 1)


def test_each_new_gold_gets_a_number_of_its_own(desk, make_target):
    """Several golds are all needed unless somebody says that they are alternatives."""
    request_id = desk.record()
    save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("a")),)))

    ask = SaveLabels(request_id=request_id, labels=(gold(make_target("b")), gold(make_target("c"), evidence=1)))
    saved = save_labels(desk.workspace, ask)

    assert names(saved) == [("gold", "a", 1), ("gold", "b", 2), ("gold", "c", 1)]


def test_the_same_judgement_again_changes_nothing(desk, make_target):
    """A double click leaves one label in one revision."""
    request_id = desk.record()
    ask = SaveLabels(request_id=request_id, labels=(gold(make_target("a")),))
    save_labels(desk.workspace, ask)

    save_labels(desk.by("ben"), ask)

    assert [(one.revision, one.who) for one in desk.store.labels.history(request_id)] == [(1, "anna")]


def test_another_judgement_of_the_same_passage_is_a_new_revision(desk, make_target):
    """Who changes their mind keeps the history: gold 1 by anna, then not relevant by ben."""
    request_id = desk.record()
    save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("a")),)))

    not_relevant = NewLabel(judgement=Judgement.NOT_RELEVANT, target=make_target("a"))
    saved = save_labels(desk.by("ben"), SaveLabels(request_id=request_id, labels=(not_relevant,)))

    assert names(saved) == [("not_relevant", "a", None)]
    history = desk.store.labels.history(request_id)
    assert [(one.judgement.value, one.grade, one.who, one.revision) for one in history] == [
        ("gold", 1, "anna", 1),
        ("not_relevant", None, "ben", 2),
    ]
    assert saved.verdict == "no_label"


def test_gold_and_forbidden_at_once_is_refused_and_nothing_is_stored(desk, make_target):
    """One passage cannot be needed and banned; the whole save is refused."""
    request_id = desk.record()
    labels = (
        gold(make_target("b")),
        gold(make_target("a")),
        NewLabel(judgement=Judgement.FORBIDDEN, target=make_target("a")),
    )

    with pytest.raises(Refused, match="a cannot be both forbidden and gold"):
        save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=labels))

    assert desk.store.labels.of(request_id) == ()


def test_a_gold_passage_of_a_forbidden_document_is_refused(desk, make_target):
    """A document that the user must not see cannot hold the passage that should have answered."""
    request_id = desk.record()
    desk.label(request_id, forbidden=("doc:a",))

    with pytest.raises(Refused, match="its document a is forbidden \\(by anna\\)"):
        save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("a")),)))


def test_nothing_to_save_is_said(desk):
    """An empty save is a slip, not a success."""
    with pytest.raises(UsageError, match="at least one passage"):
        save_labels(desk.workspace, SaveLabels(request_id=desk.record(), labels=()))


def test_a_passage_that_was_never_seen_is_labelled_with_a_warning(desk, make_target):
    """A page that nobody wrote may be the gold; a slip of the pen is pointed at."""
    request_id = desk.record(legs={"bm25": "refunds#2 other"})

    saved = save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("refunds#3")),)))

    assert names(saved) == [("gold", "refunds#3", 1)]
    assert saved.warnings == ("No list and no manifest holds refunds#3; close to it: refunds#2.",)


def test_the_same_number_in_another_writing_is_pointed_at(desk, make_target):
    """As a table calculation makes of ids: named when the label is saved, as it is beside the verdict."""
    request_id = desk.record(legs={"bm25": "10.0 other"})
    saved = save_labels(desk.workspace, SaveLabels(request_id=request_id, labels=(gold(make_target("10")),)))
    assert saved.warnings == ("No list and no manifest holds 10; close to it: 10.0.",)


def test_a_label_is_taken_back_and_stays_in_the_history(desk):
    """A removal is a revision with who and when."""
    request_id = desk.record()
    desk.label(request_id, "a")
    (label,) = desk.store.labels.of(request_id)

    saved = remove_label(desk.by("ben"), RemoveLabel(request_id=request_id, label_id=label.label_id))

    assert saved.labels == ()
    assert [(one.removed, one.who) for one in desk.store.labels.history(request_id)] == [
        (False, "anna"),
        (True, "ben"),
    ]
    with pytest.raises(NotFound, match="may have been removed already"):
        remove_label(desk.workspace, RemoveLabel(request_id=request_id, label_id=label.label_id))


def test_undo_goes_back_one_change_at_a_time(desk):
    """Two undos take back two changes, not one change and its undo."""
    request_id = desk.record()
    desk.label(request_id, "a")
    desk.label(request_id, "b", "c")

    first = undo_label(desk.workspace, UndoLabel(request_id=request_id))
    second = undo_label(desk.workspace, UndoLabel(request_id=request_id))

    assert names(first) == [("gold", "a", 1)]
    assert names(second) == []
    with pytest.raises(NotFound, match="Nothing to undo"):
        undo_label(desk.workspace, UndoLabel(request_id=request_id))


def test_undo_brings_a_removed_label_back(desk):
    """A removal is a change like any other."""
    request_id = desk.record()
    desk.label(request_id, "a")
    (label,) = desk.store.labels.of(request_id)
    remove_label(desk.workspace, RemoveLabel(request_id=request_id, label_id=label.label_id))

    saved = undo_label(desk.workspace, UndoLabel(request_id=request_id))

    assert names(saved) == [("gold", "a", 1)]


def test_a_change_after_an_undo_can_be_undone_too(desk):
    """The undone change does not come back in its place."""
    request_id = desk.record()
    desk.label(request_id, "a")
    desk.label(request_id, "b")
    undo_label(desk.workspace, UndoLabel(request_id=request_id))
    desk.label(request_id, "c")

    saved = undo_label(desk.workspace, UndoLabel(request_id=request_id))

    assert names(saved) == [("gold", "a", 1)]


def test_a_passage_that_is_marked_again_goes_on_in_its_history(desk):
    """Removed and marked again, it is the same label in its next revision."""
    request_id = desk.record()
    desk.label(request_id, "a")
    (label,) = desk.store.labels.of(request_id)
    remove_label(desk.workspace, RemoveLabel(request_id=request_id, label_id=label.label_id))
    desk.label(request_id, "a")

    (again,) = desk.store.labels.of(request_id)
    assert (again.label_id, again.revision) == (label.label_id, 3)


def test_a_request_is_meant_by_any_form_of_its_id(desk, make_target):
    """The short id of a page works wherever a request is named."""
    request_id = desk.record()

    saved = save_labels(desk.workspace, SaveLabels(request_id=request_id[:12], labels=(gold(make_target("a")),)))

    assert saved.labels[0].request_id == request_id
    assert show(desk.workspace, ShowRequest(request=request_id)).labels == saved.labels


@pytest.mark.parametrize("order", [("docs", "wiki"), ("wiki", "docs")])
def test_a_passage_in_no_list_is_the_one_of_the_index_that_was_searched(desk, order):
    """Another index of the app has a chunk of the same id, loaded earlier or later; the request searched `docs`."""
    for index in order:
        chunk = CorpusChunk(chunk_id="z", doc_id=f"{index}-page", text=f"The passage z of {index}.")
        desk.store.corpora.add(CorpusManifest(app="bot", index=index, version="1", chunks=(chunk,)))
    request_id = desk.record()
    desk.label(request_id, "z")

    (label,) = desk.store.labels.of(request_id)

    assert (label.target.index, label.target.doc_id) == ("docs", "docs-page")
    assert label.target.text == "The passage z of docs."
