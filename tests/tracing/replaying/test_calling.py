"""The recorded question, and who asked it, as arguments of whatever the entry point takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import goldrank
import pytest
from goldrank.model.replay import Override, RecordedCall, ReplayPlan
from goldrank.model.stage import Message
from goldrank.tracing.replaying.calling import bind
from goldrank.tracing.replaying.refusals import CannotReplay
from goldrank.tracing.replaying.running import plan_of
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

HISTORY = (Message(role="user", text="hi"), Message(role="assistant", text="hello"))
CALL = RecordedCall(
    question="refunds?",
    history=HISTORY,
    user="42",
    session="s1",
    groups=("staff", "eu"),
    filters={"lang": "en"},
    as_of="2026-03-01T09:30:00+00:00",
)


class Turn(TypedDict):
    """A message with other names."""

    type: str
    text: str


@dataclass
class Said:
    """A message as an object."""

    role: str
    content: str


def called(function: Callable[..., Any], call: RecordedCall = CALL, *overrides: Override) -> tuple[Any, Any]:
    """(args, kwargs) of the new call."""
    bound = bind(function, plan_of(function), ReplayPlan(replay_of="r", call=call, overrides=overrides))
    return bound.args, bound.kwargs


def test_parameters_go_by_the_usual_names():
    """The same table as the recording."""

    def answer(q: str, *, uid: int, groups: frozenset[str], where: dict, as_of_date: dt.date, depth: int = 5): ...

    assert called(answer) == (
        (),
        {
            "q": "refunds?",
            "uid": 42,
            "groups": frozenset({"staff", "eu"}),
            "where": {"lang": "en"},
            "as_of_date": dt.date(2026, 3, 1),
        },
    )


def test_what_no_parameter_takes_is_said():
    """Nothing is dropped silently."""
    left_out = bind(lambda question: None, None, ReplayPlan(replay_of="r", call=CALL)).left_out
    assert [sentence.removesuffix(": <lambda> has no parameter for it") for sentence in left_out] == [
        "the history (2 messages)",
        'user "42"',
        'session "s1"',
        'groups ["staff", "eu"]',
        'filters {"lang": "en"}',
        'as of "2026-03-01T09:30:00+00:00"',
    ]


def test_options_of_the_decorator_name_the_parameters():
    """As they did for the recording."""

    @goldrank.request(question="words", user="who")
    def answer(words: str, who: str, question: str = "untouched") -> str: ...

    assert called(answer)[1] == {"words": "refunds?", "who": "42"}


def test_a_parameter_by_place():
    """Positional-only ones are given by place."""

    def answer(question, user="nobody", /, history=()): ...

    assert called(answer) == (("refunds?", "42"), {"history": DICTS})


DICTS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def no_annotation(question, history):
    """No annotation."""


def of_dicts(question: str, history: Sequence[dict[str, str]]):
    """Of dicts."""


def of_mappings(question: str, history: list[Mapping[str, str]] | None):
    """Of mappings."""


def of_pairs(question: str, history: list[tuple[str, str]]):
    """Of pairs."""


def of_turns(question: str, history: list[Turn]):
    """Of turns."""


def of_objects(question: str, history: tuple[Said, ...]):
    """Of objects."""


def of_texts(question: str, history: list[str]):
    """Of texts."""


def one_text(question: str, history: str):
    """One text."""


def of_langchain(question: str, history: list[BaseMessage]):
    """Of langchain."""


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (no_annotation, DICTS),
        (of_dicts, DICTS),
        (of_mappings, DICTS),
        (of_pairs, [("user", "hi"), ("assistant", "hello")]),
        (of_turns, [{"type": "user", "text": "hi"}, {"type": "assistant", "text": "hello"}]),
        (of_objects, (Said("user", "hi"), Said("assistant", "hello"))),
        (of_texts, ["hi", "hello"]),
        (one_text, "user: hi\nassistant: hello"),
        (of_langchain, [HumanMessage(content="hi"), AIMessage(content="hello")]),
    ],
)
def test_the_history_is_made_as_it_is_annotated(function, expected):
    """Dicts with role and content where nothing is said."""
    assert called(function)[1]["history"] == expected


def test_a_chat_function_gets_the_question_as_its_last_message():
    """There is no parameter for the question alone."""

    def answer(messages: list[dict[str, str]]): ...

    assert called(answer)[1] == {"messages": [*DICTS, {"role": "user", "content": "refunds?"}]}


def test_a_required_parameter_without_a_recording_is_refused_with_the_remedy():
    """A factory closes over clients and sessions."""

    def answer(question, client, tracer): ...

    with pytest.raises(CannotReplay, match=r"needs client, tracer.*module:factory\(\)"):
        called(answer)


def test_an_override_can_give_it():
    """By the parameter's name, or by the standard word."""

    def answer(question, user_groups, depth): ...

    assert called(
        answer,
        RecordedCall(question="q", groups=("staff",)),
        Override(target="request", parameter="depth", value=9),
        Override(target="request", parameter="groups", value=["guests"]),
    ) == ((), {"question": "q", "user_groups": ["guests"], "depth": 9})


def test_groups_that_were_not_recorded_are_left_at_the_default():
    """Not recorded is not the same as none."""

    def answer(question, groups=("everyone",)): ...

    assert called(answer, RecordedCall(question="q"))[1] == {"question": "q"}
    assert called(answer, RecordedCall(question="q", groups=()))[1] == {"question": "q", "groups": []}


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda payload: None, "No parameter of <lambda> is known as the question"),
        (goldrank.request(question=lambda bound: bound["body"]["q"])(lambda body: None), "read by a function"),
    ],
)
def test_a_question_that_has_no_place_is_refused(function, reason):
    """With what the function has, and what to do."""
    with pytest.raises(CannotReplay, match=reason):
        called(function)
