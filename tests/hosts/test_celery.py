"""celery's prefork worker, whose children end without any hook: here after three tasks each, and at the shutdown."""

from __future__ import annotations

from collections.abc import Callable

TASKS = 12
WORKER = ("celery", "--app", "tasks", "worker", "--pool", "prefork", "--concurrency", "2", "--max-tasks-per-child", "3")
WORKER += ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO")


def test_a_worker_that_is_told_to_stop_has_recorded_every_task_that_ended(host: Callable) -> None:
    """Twelve results and a warm shutdown, durability="request": twelve requests, and celery's own exit code, 0."""
    worker = host(*WORKER, durability="request")
    worker.wait_for(r"celery@\S+ ready")
    pids = {pid for pid, _ in worker.ask_workers(0, TASKS)}
    assert worker.process.pid not in pids
    assert len(pids) >= 4
    assert worker.stop() == 0
    assert "Warm shutdown" in worker.log
    assert worker.complaints() == []
    assert worker.recorded() == sorted(f"q{number}" for number in range(TASKS))
