"""Sends an action to the hub: over its unix socket, else over loopback HTTP with the token."""

from __future__ import annotations

import http.client
import os
import select
import socket
import ssl
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from ..model import StoreError, StoreLocked
from .failures import Failed, error_of
from .hub_link import HubInfo, read_hub_info

SILENT_S: Final = 5.0
"""After so many seconds without a byte the hub is asked whether it lives."""
_BODY_S: Final = 60.0
_LONGEST_SOCKET_PATH: Final = 100
"""Bytes; Linux takes 107, macOS 103."""
_OK: Final = 200


def call_hub(directory: Path, name: str, body: bytes) -> bytes | None:
    """The answer of the hub to one action, as JSON; None when no hub listens.

    Raises the error that the action raised there. A hub that is there and silent raises StoreLocked.
    """
    info = read_hub_info(directory)
    if info is None:
        return None
    connection = _connect(info)
    if connection is None:
        return None
    try:
        connection.request("POST", f"/actions/{name}", body, _headers(info))
        _wait(connection, info, ask_whether_alive=name != "ping")
        response = connection.getresponse()
        answer = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise StoreError(f"The hub (PID {info.pid}) went away while it worked on {name}: {error!r}.") from error
    finally:
        connection.close()
    return _checked(info, name, response.status, answer)


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_BODY_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(SILENT_S)
        self.sock.connect(self._path)
        self.sock.settimeout(_BODY_S)


def _connect(info: HubInfo) -> http.client.HTTPConnection | None:
    """An open connection, or None when nobody listens any more."""
    for connection in _ways(info):
        try:
            connection.connect()
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            continue
        except TimeoutError as error:
            connection.close()
            raise StoreLocked(_silent(info)) from error
        except OSError as error:
            connection.close()
            raise StoreError(f"The hub (PID {info.pid}) cannot be reached: {error.strerror or error}.") from error
        return connection
    return None


def _ways(info: HubInfo) -> list[http.client.HTTPConnection]:
    ways: list[http.client.HTTPConnection] = []
    if info.socket and hasattr(socket, "AF_UNIX"):
        shortest = min(info.socket, os.path.relpath(info.socket), key=len)
        if len(os.fsencode(shortest)) <= _LONGEST_SOCKET_PATH:
            ways.append(_UnixConnection(shortest))
    address = urlsplit(info.url)
    if address.hostname and info.certificate:
        trust = _trust(Path(info.certificate))
        ways.append(http.client.HTTPSConnection(address.hostname, address.port, timeout=_BODY_S, context=trust))
    elif address.hostname:
        ways.append(http.client.HTTPConnection(address.hostname, address.port, timeout=_BODY_S))
    return ways


def _trust(certificate: Path) -> ssl.SSLContext:
    """Believes the one certificate that the hub was started with, whatever names stand in it and whoever signed it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # later ones send bytes before the answer, which `_wait` waits for
    try:
        context.load_verify_locations(certificate)
    except OSError as error:
        raise StoreError(f"{certificate}, the certificate of the hub, cannot be read: {error.strerror}.") from error
    return context


def _headers(info: HubInfo) -> dict[str, str]:
    return {"Content-Type": "application/json", "Authorization": f"Bearer {info.token}"}


def _wait(connection: http.client.HTTPConnection, info: HubInfo, *, ask_whether_alive: bool) -> None:
    """Returns when the first byte of the answer is there, however long the work takes while the hub lives."""
    while not select.select([connection.sock], [], [], SILENT_S)[0]:
        if not ask_whether_alive:
            raise StoreLocked(_silent(info))
        if call_hub(Path(info.directory), "ping", b"{}") is None:
            raise StoreError(f"The hub (PID {info.pid}) stopped before it answered. Try again.")


def _checked(info: HubInfo, name: str, status: int, answer: bytes) -> bytes:
    if answer.startswith(b'{"error"'):
        try:
            failed = Failed.model_validate_json(answer)
        except ValidationError:
            failed = None
        if failed is not None:
            raise error_of(failed)
    if status != _OK:
        text = answer[:200].decode("utf-8", "replace")
        raise StoreError(f"The hub (PID {info.pid}) answered {status} to {name}: {text or 'without a word'}")
    return answer


def _silent(info: HubInfo) -> str:
    return (
        f"The hub (PID {info.pid}, {info.url}) holds {info.directory} and does not answer for {SILENT_S:.0f} s. "
        f"Stop it and try again: kill {info.pid}"
    )
