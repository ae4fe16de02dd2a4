"""Hands one `goldrank` command to `commands.py`; its exit code is the command's. Servers run by themselves."""

import json
import os
import socket
import sys
from pathlib import Path

arguments = sys.argv[1:]
if arguments[:1] in (["up"], ["collect"]):  # they are sent signals
    os.execv(os.environ["WARM_PYTHON"], [os.environ["WARM_PYTHON"], "-m", "goldrank", *arguments])
asked = {"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)}
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(os.environ["WARM_COMMANDS"])
    message = json.dumps(asked).encode() + b"\n"
    sent = socket.send_fds(connection, [message], [0, 1, 2])
    connection.sendall(message[sent:])
    answer = connection.recv(1)
sys.exit(answer[0] if answer else 70)
