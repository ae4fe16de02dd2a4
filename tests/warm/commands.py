"""Runs `goldrank` commands in forks of one process that has loaded all they need: loading takes a second each time.

    python commands.py SOCKET            listens there, says "ready", and ends when its stdin does

`client.py`, under the name `goldrank` on a PATH, hands it one command: arguments, folder, environment, and its own
stdin, stdout and stderr. What runs is `goldrank.cli.main`, as the installed script runs it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from importlib import import_module
from typing import Any, NoReturn

LOADED = (
    "goldrank.actions.registry",
    "goldrank.cli",
    "goldrank.collectors",
    "goldrank.diagnosis",
    "goldrank.evals.replay",
    "goldrank.store.duckdb",
)


def main(path: str) -> None:
    """Answers until stdin ends."""
    for name in LOADED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while 0 not in select.select([listening, 0], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                _serve(connection)
            connection.close()


def _serve(connection: socket.socket) -> NoReturn:
    """One command, in the fork."""
    code = 70
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        message, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
        while not message.endswith(b"\n"):
            message += connection.recv(1 << 20)
        asked: dict[str, Any] = json.loads(message)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - they end with the fork
        sys.argv = ["goldrank", *asked["arguments"]]
        from goldrank.cli import main as command

        try:
            code = command()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        connection.sendall(bytes([code]))
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
