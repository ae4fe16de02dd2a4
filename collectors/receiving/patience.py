"""HTTP connections whose request never comes are closed: uvicorn waits for its head as long as the client likes."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 30.0
"""From the first byte of a request, or from the connection, to the end of its head."""
_ANSWER: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class PatientProtocol(H11Protocol):
    """Uvicorn's protocol with an end to its patience. The body has its own, see `body`; h11 limits the head's size."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None
        self._head_begun = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts to wait for the head of the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Waits on, until a request is under way."""
        self._head_begun = True
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._head_timer is None:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def _stop_waiting(self) -> None:
        self._head_begun = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        if self._head_begun:
            self.transport.write(_ANSWER)
        self.transport.close()
