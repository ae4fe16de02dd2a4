"""No action stores what GOLDRANK_REDACT hides, wherever a person can type it."""

import json

import pytest
from goldrank.actions import (
    AskStatus,
    ExportCases,
    ImportCases,
    Ingest,
    ListCases,
    NewLabel,
    Promote,
    SaveLabels,
    export_cases,
    import_cases,
    ingest,
    list_cases,
    promote,
    save_labels,
    status,
)
from goldrank.model import (
    Complaint,
    Feedback,
    FrameKind,
    Judgement,
    LabelTarget,
    UsageError,
    make_case_key,
    text_hash,
)
from goldrank.tracing.spool import SpoolWriter, encode

WRITTEN = "Write to ann@example.org or call +49 30 1234567."
HIDDEN = "Write to [e-mail] or call [phone]."


@pytest.fixture
def office(desk, monkeypatch):
    """A desk whose hub hides mail addresses and telephone numbers."""
    monkeypatch.setenv("GOLDRANK_REDACT", "email, phone")
    desk.workspace = desk.workspace._replace(redact=None)
    return desk


def test_a_label_keeps_no_address(office):
    """The quoted sentence of a chunk, and the words of a passage that nobody wrote yet."""
    request_id = office.record(1)
    quoted = NewLabel(judgement=Judgement.GOLD, target=LabelTarget(chunk_id="a", quote=WRITTEN))
    unwritten = NewLabel(judgement=Judgement.GOLD, target=LabelTarget(text=WRITTEN))
    save_labels(office.workspace, SaveLabels(request_id=request_id, labels=(quoted, unwritten)))

    one, two = office.store.labels.of(request_id)
    assert one.target.quote == HIDDEN
    assert one.target.text == office.text_of("a"), "the words of a chunk are not a person's"
    assert (two.target.text, two.target.text_hash) == (HIDDEN, text_hash(HIDDEN))


def test_a_promoted_case_keeps_no_address(office):
    """Every field of the promote dialog that takes text."""
    request_id = office.record(1)
    office.label(request_id, "a")
    case = promote(
        office.workspace,
        Promote(
            request_id=request_id,
            question=WRITTEN,
            standalone=WRITTEN,
            note=WRITTEN,
            ticket=WRITTEN,
            kind=WRITTEN,
            expected_answer_contains=(WRITTEN,),
        ),
    ).case

    assert {case.question, case.standalone, case.note, case.ticket, case.kind} == {HIDDEN}
    assert case.expected_answer_contains == (HIDDEN,)


def test_an_imported_case_keeps_no_address(office):
    """Whatever a line of a file can hold; its key is that of the question as it is stored."""
    line = {
        "question": WRITTEN,
        "app": "bot",
        "conversation_history": [WRITTEN],
        "history": [{"role": "user", "text": WRITTEN}],
        "relevant_chunk_ids": ["a"],
        "expected_answer_contains": [WRITTEN],
        "note": WRITTEN,
        "kind": WRITTEN,
        "filters": {"by": WRITTEN},
        "remark of another tool": {"said": [WRITTEN]},
    }
    assert import_cases(office.workspace, ImportCases(text=json.dumps(line), source="seed")).created == 1

    (state,) = list_cases(office.workspace, ListCases()).rows
    assert "ann@" not in state.case.model_dump_json()
    assert "1234567" not in state.case.model_dump_json()
    assert state.case.question == HIDDEN
    assert state.case.case_key == make_case_key(
        app="bot", question=HIDDEN, history=state.case.history, tenant=None, groups=()
    )
    exported = export_cases(office.workspace, ExportCases()).text
    again = import_cases(office.workspace, ImportCases(text=exported, source="export"))
    assert (again.created, again.updated, again.unchanged, again.bad) == (0, 0, 1, ())


def test_tickets_and_comments_keep_no_address(office):
    """They come through the spool, also from apps that hide nothing themselves."""
    request_id = office.record(1)
    writer = SpoolWriter(office.workspace.spool, app="bot")
    complaint = Complaint(complaint_id="T-1", text=WRITTEN, at_ns=1, request_id=request_id)
    feedback = Feedback(feedback_id="f", request_id=request_id, score=-1.0, comment=WRITTEN, at_ns=1)
    refused = writer.write(
        [
            encode(FrameKind.COMPLAINT, complaint.model_dump_json().encode()),
            encode(FrameKind.FEEDBACK, feedback.model_dump_json().encode()),
        ]
    )
    writer.close()
    assert not refused
    ingest(office.workspace, Ingest())

    assert [one.text for one in office.store.complaints.of(request_id)] == [HIDDEN]
    assert [one.comment for one in office.store.complaints.feedback(request_id)] == [HIDDEN]


def test_status_says_what_is_hidden(office, monkeypatch):
    """By the names that the variable takes; a function of one's own by its name."""
    assert status(office.workspace, AskStatus()).redaction == ("email", "phone")
    monkeypatch.delenv("GOLDRANK_REDACT")
    assert status(office.workspace, AskStatus()).redaction == ()

    def hide_plates(text):
        return text

    assert status(office.workspace._replace(redact=(hide_plates,)), AskStatus()).redaction == ("hide_plates",)


def test_a_slip_in_the_variable_stores_nothing(office, monkeypatch):
    """Text that should be hidden must not be kept because of a typing error; the message names the word."""
    request_id = office.record(1)
    monkeypatch.setenv("GOLDRANK_REDACT", "emial")
    quoted = NewLabel(judgement=Judgement.GOLD, target=LabelTarget(chunk_id="a", quote=WRITTEN))

    with pytest.raises(UsageError, match="GOLDRANK_REDACT names 'emial'"):
        save_labels(office.workspace, SaveLabels(request_id=request_id, labels=(quoted,)))
    assert office.store.labels.of(request_id) == ()
