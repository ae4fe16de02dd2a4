"""What is too much is refused in time, says when to come again, and costs nobody else anything."""

from __future__ import annotations

import socket
import zlib
from pathlib import Path
from typing import Any

import pytest
from goldrank.collectors.receiving.inflating import inflated
from goldrank.collectors.receiving.limits import Rate, Waiting
from goldrank.collectors.receiving.refusal import NotTaken, Reason

MIB = 1024 * 1024


class Clock:
    """Seconds, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_rate_holds_on_average_and_lets_one_large_body_through():
    """What was taken is waited for; a second's worth is saved up at most."""
    clock = Clock()
    rate = Rate(100, clock)
    rate.charge(100)
    assert rate.wait_s() == 0
    rate.charge(250)
    assert rate.wait_s() == 2.5
    clock.now = 2.0
    assert rate.wait_s() == 0.5
    clock.now = 100.0
    rate.charge(100)
    assert rate.wait_s() == 0
    rate.charge(1)
    assert rate.wait_s() > 0
    taken = 0
    for _ in range(1000):
        clock.now += 0.01
        while not rate.wait_s():
            rate.charge(30)
            taken += 30
    assert 900 <= taken <= 1100


def test_without_a_rate_nothing_waits():
    """None is no limit."""
    rate = Rate(None)
    rate.charge(10**12)
    assert rate.wait_s() == 0


def test_the_waiting_room_is_given_back():
    """Whoever asked for more than there was: both requests leave nothing behind."""
    waiting = Waiting(100)
    with waiting.room() as first, waiting.room() as second:
        first.take(60)
        with pytest.raises(NotTaken) as caught:
            second.take(50)
        assert (waiting.held, waiting.requests) == (60, 2)
    assert (caught.value.reason, caught.value.retry_s) == (Reason.BUSY, 1)
    assert (waiting.held, waiting.requests) == (0, 0)


@pytest.mark.parametrize("limit", [0, 1, 999, 1000, 1001])
def test_inflating_stops_at_the_limit(limit: int):
    """To the byte; and over all members of a gzip body together."""
    body = zlib.compress(b"x" * 1000)
    if limit < 1000:
        with pytest.raises(NotTaken) as caught:
            inflated(body, "deflate", limit)
        assert caught.value.reason is Reason.TOO_LARGE
    else:
        assert inflated(body, "deflate", limit) == b"x" * 1000
    member = zlib.compressobj(wbits=31)
    gzipped = member.compress(b"x" * 600) + member.flush()
    with pytest.raises(NotTaken):
        inflated(gzipped * 2, "gzip", 1199)
    assert len(inflated(gzipped * 2, "gzip", 1200)) == 1200


def test_a_full_spool_is_503_and_says_when_to_come_again(start_collector: Any, otlp: Any, wait_for: Any):
    """Nothing is acknowledged, health tells it, and what is small enough goes on."""
    running = start_collector("--max-spool", "1").wait_until_up()
    refused = running.post("/v1/traces", otlp("Full?", padding=2 * MIB))
    assert (refused.status, refused.headers["retry-after"]) == (503, "30")
    assert "spool full" in refused.text
    health = running.call("GET", "/healthz")
    assert (health.status, health.json["state"], health.json["refused"]) == (503, "spool full", {"spool full": 1})
    wait_for(lambda: running.post("/v1/traces", otlp("Small?")).status == 200)
    assert running.call("GET", "/healthz").json["state"] == "ok"


def test_a_spool_that_cannot_be_written_is_503(start_collector: Any, otlp: Any, tmp_path: Path):
    """Its folder is in the way: the sender is told to come again."""
    running = start_collector().wait_until_up()
    spool = running.directory / "spool"
    spool.rmdir()
    spool.write_text("in the way of the folder")
    refused = running.post("/v1/traces", otlp("Is it live?"))
    assert (refused.status, refused.headers["retry-after"]) == (503, "30")
    assert "not taken" in refused.text


def test_more_than_the_rate_is_429(start_collector: Any, otlp: Any):
    """With the seconds after which the next is taken."""
    running = start_collector("--rate-spans", "1").wait_until_up()
    assert running.post("/v1/traces", otlp("Many?", spans=8)).status == 200
    refused = running.post("/v1/traces", otlp("More?"))
    assert refused.status == 429
    assert 5 <= int(refused.headers["retry-after"]) <= 7
    running = start_collector("--rate", "0.5").wait_until_up()
    assert running.post("/v1/traces", otlp("Large?", padding=2 * MIB)).status == 200
    assert running.post("/v1/traces", otlp("Next?")).status == 429


def test_too_much_at_once_is_503(start_collector: Any, otlp: Any):
    """Bodies that wait are memory."""
    running = start_collector("--max-waiting", "1").wait_until_up()
    refused = running.post("/v1/traces", otlp("Large?", padding=2 * MIB))
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert running.post("/v1/traces", otlp("Small?")).status == 200


def test_a_body_that_stops_coming_is_given_up(start_collector: Any):
    """408, and its memory is given back."""
    running = start_collector("--body-timeout", "0.2").wait_until_up()
    with socket.create_connection(("127.0.0.1", running.http_port), timeout=30) as slow:
        slow.sendall(
            b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
            b"Content-Length: 1000\r\n\r\nabc"
        )
        assert slow.recv(12) == b"HTTP/1.1 408"
    assert running.call("GET", "/healthz").json["waiting"] == {"requests": 0, "bytes": 0}
