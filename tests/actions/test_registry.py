"""Actions by name: JSON in, JSON out, errors that keep their kind."""

import inspect
import json
import typing

import pytest
from goldrank.actions import ACTIONS, run_action
from goldrank.actions.failures import Failed, Failure, error_of, failure_of
from goldrank.model import BadInput, GoldrankError, NotFound, Refused, StoreError, StoreLocked, UsageError


def test_every_action_has_the_name_of_its_function_and_the_types_it_declares():
    """The table cannot drift from the functions it names."""
    assert list(ACTIONS) == sorted(ACTIONS)
    for name, action in ACTIONS.items():
        hints = typing.get_type_hints(action.run)
        assert (name, action.run.__name__) == (action.name, action.name)
        parameters = list(inspect.signature(action.run).parameters)
        assert parameters == ["workspace", "ask"]
        assert (hints["ask"], hints["return"]) == (action.ask, action.answer)


def test_an_action_runs_on_json(desk):
    """The question's fields, and who asks beside them."""
    request_id = desk.record()
    labels = [{"judgement": "gold", "target": {"chunk_id": "a"}}]
    body = json.dumps({"request_id": request_id, "labels": labels, "who": "ben"}).encode()

    answer = json.loads(run_action(desk.workspace, "save_labels", body))

    assert answer["verdict"] == "delivered"
    assert desk.store.labels.of(request_id)[0].who == "ben"


@pytest.mark.parametrize(
    ("name", "body", "kind", "message"),
    [
        ("fly", b"{}", "NotFound", "There is no action 'fly'"),
        ("resolve", b"{", "UsageError", "Invalid JSON"),
        ("resolve", b"{}", "UsageError", "text: Field required"),
        ("find_requests", b'{"limit": 0}', "UsageError", "limit: Input should be greater than or equal to 1"),
        ("show", b'{"request": "deadbeef01"}', "NotFound", "No request with the id deadbeef01"),
        ("query_sql", b'{"sql": "drop table requests"}', "UsageError", ""),
    ],
)
def test_what_goes_wrong_is_an_answer_too(desk, name, body, kind, message):
    """The answer names the kind of error and says in words what happened."""
    answer = json.loads(run_action(desk.workspace, name, body))

    assert answer["error"]["kind"] == kind
    assert message in answer["error"]["message"]


@pytest.mark.parametrize("kind", [GoldrankError, UsageError, NotFound, Refused, StoreError, StoreLocked, BadInput])
def test_an_error_comes_back_as_the_same_class(kind):
    """Every class of the tree survives the way through JSON."""
    error = error_of(failure_of(kind("words")))

    assert (type(error), str(error)) == (kind, "words")


def test_an_error_of_a_newer_hub_is_still_an_error():
    """A kind that this goldrank does not know becomes the base class."""
    assert type(error_of(Failed(error=Failure(kind="Tired", message="words")))) is GoldrankError


def test_a_defect_is_no_answer(desk, monkeypatch):
    """What is no GoldrankError goes through, so that the hub logs it with its traceback."""
    monkeypatch.setitem(ACTIONS, "ping", ACTIONS["ping"]._replace(run=lambda _workspace, _ask: 1 / 0))

    with pytest.raises(ZeroDivisionError):
        run_action(desk.workspace, "ping", b"{}")
