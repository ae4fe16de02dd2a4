"""POST /v1/complaints on a real hub: acknowledged with ids once they are safe, refused with the path of the field."""

from __future__ import annotations

import gzip
import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from goldrank.actions.hub_client import call_hub
from goldrank.model import NotFound

JSON = "application/json"
REQUEST = "7f" * 16 + "-" + "1" * 16


def post(hub: Any, body: object, kind: str = JSON, **headers: str) -> tuple[int, str]:
    """Status and text; header names with underscores."""
    address = urlsplit(hub.info.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Content-Type": kind} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request("POST", "/v1/complaints", payload, given)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    finally:
        connection.close()


def stored(hub: Any, complaint_id: str) -> dict[str, Any]:
    """The complaint, as soon as the ingester has read it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            answer = call_hub(hub.directory, "open_complaint", json.dumps({"complaint_id": complaint_id}).encode())
        except NotFound:
            time.sleep(0.05)
            continue
        return json.loads(answer or b"")["row"]
    raise AssertionError(f"{complaint_id} did not come")


def test_what_is_posted_is_stored(hub: Any):
    """With its fields; the answer names the ids in the order of the body."""
    status, text = post(
        hub,
        [
            {"id": "P-1", "text": "wrong", "user": "u-17", "session": "s-1", "at": 1793275200, "app": "bot"},
            {"text": "x"},
        ],
    )
    ids = json.loads(text)["ids"]
    assert (status, ids[0], len(ids)) == (202, "P-1", 2)
    complaint = stored(hub, "P-1")["complaint"]
    assert (complaint["text"], complaint["who"], complaint["session"]) == ("wrong", "u-17", "s-1")
    assert (complaint["source"], complaint["at_ns"]) == ("app", 1793275200 * 10**9)
    assert stored(hub, ids[1])["state"] == "new"


def test_one_object_and_gzip(hub: Any):
    """A list is not needed, and compression is undone."""
    status, text = post(hub, gzip.compress(b'{"id": "P-2", "text": "zipped"}'), Content_Encoding="gzip")
    assert (status, json.loads(text)) == (202, {"ids": ["P-2"]})
    assert stored(hub, "P-2")["complaint"]["text"] == "zipped"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "text: "),
        ([{"text": "x"}, {"text": ""}], "[1].text: "),
        ({"text": "x", "usr": "u"}, "usr: "),
        (b"{", "JSON"),
    ],
)
def test_a_mistake_is_400_with_the_path_of_the_field(hub: Any, body: object, path: str):
    """And nothing of the body is stored."""
    status, text = post(hub, body)
    assert status == 400
    assert path in text
    assert "Nothing was stored" in text or "no JSON" in text


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_taken(hub: Any, kind: str):
    """What a web page can post without asking is refused."""
    assert post(hub, {"text": "x"}, kind)[0] == 415
    assert post(hub, {"text": "x"}, Content_Encoding="br")[0] == 415


def test_bodies_have_a_limit(hub: Any):
    """Announced, and after inflating."""
    assert post(hub, b"", Content_Length=str(64 * 1024 * 1024))[0] == 413
    assert post(hub, gzip.compress(b" " * (5 * 1024 * 1024)), Content_Encoding="gzip")[0] == 413


def test_other_hosts_are_refused(hub: Any):
    """A web page whose name points to 127.0.0.1 posts nothing."""
    assert post(hub, {"text": "x"}, Host="evil.example")[0] == 403
