"""uvicorn: one process, and a parent with workers."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

QUESTIONS = sorted(f"q{number}" for number in range(20))
UVICORN = ("uvicorn", "asgi_app:app", "--port", "0")
ADDRESS = r"Uvicorn running on (http://[\d.:]+)"


def test_one_process_that_is_told_to_stop_has_recorded_what_it_answered(host: Callable) -> None:
    """Twenty answers and SIGTERM at once: twenty requests; it ends by the signal, as uvicorn does by itself."""
    server = host(*UVICORN)
    answers = server.ask(QUESTIONS, server.wait_for(ADDRESS))
    assert {pid for pid, _ in answers} == {server.process.pid}
    assert server.stop() == -signal.SIGTERM
    assert server.complaints() == []
    assert server.recorded() == QUESTIONS


@pytest.mark.parametrize("durability", ["batch", "request"])
def test_workers_run_no_hook_and_have_recorded_what_they_answered(host: Callable, durability: str) -> None:
    """With "request" every answered request is stored when it is answered; else milliseconds later, before any end.

    The exit code of uvicorn's parent is its own, 0.
    """
    server = host(*UVICORN, "--workers", "2", durability=durability)
    address = server.wait_for(ADDRESS)
    server.wait_for("Application startup complete", times=2)
    answers = server.ask(QUESTIONS, address)
    assert server.process.pid not in {pid for pid, _ in answers}
    if durability == "batch":
        server.wait_for_recorded(QUESTIONS)
    assert server.stop() == 0
    assert server.complaints() == []
    assert server.recorded() == QUESTIONS


def test_killed_workers_have_recorded_what_they_answered(host: Callable) -> None:
    """durability="request" and kill -9 of everything right after the answers."""
    server = host(*UVICORN, "--workers", "2", durability="request")
    address = server.wait_for(ADDRESS)
    server.wait_for("Application startup complete", times=2)
    server.ask(QUESTIONS, address)
    server.kill()
    assert server.recorded() == QUESTIONS
