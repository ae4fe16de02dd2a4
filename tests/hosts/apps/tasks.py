"""A celery app on folders: python tasks.py FIRST LAST sends questions and prints their answers as they come."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from celery import Celery

folder = Path(os.environ["CELERY_FOLDER"])
for name in ("messages", "control", "results"):
    (folder / name).mkdir(parents=True, exist_ok=True)
celery = Celery("tasks", broker="filesystem://", backend=f"file://{folder / 'results'}")
celery.conf.update(
    broker_transport_options={
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.02,
    },
    broker_connection_retry_on_startup=False,
    worker_prefetch_multiplier=1,
)


@celery.task
def ask(question: str) -> str:
    """One request in a child of the worker."""
    from bot import answer

    return answer(question)


if __name__ == "__main__":
    sent = [ask.delay(f"q{number}") for number in range(int(sys.argv[1]), int(sys.argv[2]))]
    for result in sent:
        sys.stdout.write(result.get(timeout=30, interval=0.01) + "\n")
else:
    import bot  # noqa: F401 - the worker's parent records already when it forks
