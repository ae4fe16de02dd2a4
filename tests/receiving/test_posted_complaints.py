"""What an app or a help desk posts: JSON of a declared model, and mistakes by the path of the field."""

from __future__ import annotations

import json

import pytest
from goldrank.collectors.receiving.json_bodies import MOST
from goldrank.collectors.receiving.posted_complaints import read_posted
from goldrank.collectors.ticket_time import ticket_time
from goldrank.model import BadInput, Complaint
from goldrank.model.complaint import ComplaintSource

NOW = 1_793_280_000_000_000_000


def read(value: object) -> tuple[Complaint, ...]:
    """The complaints of a value."""
    return read_posted(json.dumps(value).encode(), now_ns=NOW)


def test_one_or_a_list() -> None:
    """With the fields of the model, in their order."""
    whole = {
        "id": "T-1",
        "text": " wrong ",
        "user": "u-17",
        "session": "s",
        "app": "bot",
        "environment": "prod",
        "at": "2026-10-29T12:00:00+01:00",
        "request_id": "7f" * 16 + "-" + "1" * 16,
    }
    (one,) = read(whole)
    assert (one.complaint_id, one.text, one.who, one.session) == ("T-1", "wrong", "u-17", "s")
    assert (one.at_ns, one.source) == (1_793_271_600_000_000_000, ComplaintSource.APP)
    two = read([whole, {"text": "x", "who": 17}])
    assert [complaint.who for complaint in two] == ["u-17", "17"]
    assert two[1].at_ns == NOW
    assert two[1].complaint_id.startswith("c-")


def test_what_the_shim_posts_is_taken() -> None:
    """`goldrank.complaint()` with an endpoint sends the stored model; what people decide is not taken from it."""
    sent = Complaint(complaint_id="T-9", text="x", who="u", at_ns=NOW - 5, owner="mallory", linked_by="mallory")
    (one,) = read_posted(sent.model_dump_json().encode(), now_ns=NOW)
    assert (one.complaint_id, one.at_ns, one.who) == ("T-9", NOW - 5, "u")
    assert (one.owner, one.linked_by, one.source) == (None, None, ComplaintSource.APP)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b"{", "no JSON"),
        (b"\xff", "UTF-8"),
        (b"[]", "empty"),
        (b'"text"', "the body"),
        (b"{}", "text: "),
        (b'{"text": ""}', "text: "),
        (b'{"text": "x", "sesion": "s"}', "sesion: "),
        (b'[{"text": "x"}, {"text": "y", "at": "whenever"}]', r"\[1\]\.at: "),
        (b'[{"text": "x"}, {"text": [1]}]', r"\[1\]\.text: "),
        (b'{"text": "x", "request_id": "7f3a9c12"}', "request_id: "),
        (b'{"text": "x", "at": true}', "at: "),
    ],
)
def test_a_mistake_is_named_by_its_path(body: bytes, path: str) -> None:
    """And the value is not repeated."""
    with pytest.raises(BadInput, match=path):
        read_posted(body, now_ns=NOW)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"null", "the body: a JSON object was expected"),
        (b'[{"text": "x"}, 3]', r"\[1\]: a JSON object was expected"),
        (b"{}", "text: the field is missing"),
        (b'{"text": "x", "sesion": "s"}', "sesion: there is no such field"),
    ],
)
def test_a_mistake_is_said_in_words_of_the_sender(body: bytes, said: str) -> None:
    """Names of our classes mean nothing to them."""
    with pytest.raises(BadInput, match=said):
        read_posted(body, now_ns=NOW)


def test_a_list_is_taken_whole_or_not_at_all() -> None:
    """Up to a limit; the first mistakes are named, the others counted."""
    with pytest.raises(BadInput, match=f"at most {MOST:,}"):
        read([{"text": "x"}] * (MOST + 1))
    with pytest.raises(BadInput, match=r"\[4\]\.text.* and 2 more"):
        read([{}] * 7)


@pytest.mark.parametrize(
    "value",
    [
        *("2026-10-29T12:00:00Z", "20261029T120000Z", 1793275200, "1793275200", 1793275200000, 1793275200 * 10**9),
        *("Thu, 29 Oct 2026 12:00:00 +0000", "29.10.2026 12:00", "10/29/2026 12:00 PM", "2026-10-29 12:00"),
    ],
)
def test_times_in_many_forms(value: object) -> None:
    """What help desks write."""
    assert ticket_time(value, zone="UTC", now_ns=NOW) == 1_793_275_200 * 10**9


@pytest.mark.parametrize("value", ["whenever", "", "nan", "1e400", -5, 12, None, [], "2" * 30])
def test_what_is_no_time(value: object) -> None:
    """Is said."""
    with pytest.raises(BadInput, match="no time"):
        ticket_time(value, zone="UTC", now_ns=NOW)
