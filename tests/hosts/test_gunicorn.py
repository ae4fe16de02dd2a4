"""gunicorn with threads, the app loaded before the fork."""

from __future__ import annotations

from collections.abc import Callable

QUESTIONS = sorted(f"q{number}" for number in range(20))
GUNICORN = ("gunicorn", "--preload", "--worker-class", "gthread", "--threads", "4", "--bind", "127.0.0.1:0")
ADDRESS = r"Listening at: (http://[\d.:]+)"


def test_workers_that_are_told_to_stop_have_recorded_what_they_answered(host: Callable) -> None:
    """Twenty answers of two workers and SIGTERM at once: twenty requests, and gunicorn's own exit code, 0."""
    server = host(*GUNICORN, "--workers", "2", "wsgi_app:app")
    address = server.wait_for(ADDRESS)
    server.wait_for("Booting worker", times=2)
    answers = server.ask(QUESTIONS, address)
    assert server.process.pid not in {pid for pid, _ in answers}
    assert server.stop() == 0
    assert server.complaints() == []
    assert server.recorded() == QUESTIONS


def test_workers_that_end_after_so_many_requests_have_recorded_them_all(host: Callable) -> None:
    """--max-requests: the requests of the workers that ended are stored like those of the last one."""
    server = host(*GUNICORN, "--workers", "1", "--max-requests", "6", "wsgi_app:app")
    answers = server.ask(QUESTIONS, server.wait_for(ADDRESS))
    assert len({pid for pid, _ in answers}) > 1
    assert server.stop() == 0
    assert server.complaints() == []
    assert server.recorded() == QUESTIONS
