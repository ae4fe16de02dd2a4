"""`init` switches recording on, `shutdown` off; `flush` waits until everything is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from .guest import COUNTER, LOGGER, Guard, forget_what_was_said
from .lifecycle import install
from .processor import SpoolProcessor
from .providers import switch_on
from .recorder import SWITCH, Outlet
from .settings import Durability, RedactOption, Settings, resolve

_STARTING: Final = Guard("init")
_STOPPING: Final = Guard("shutdown")
_FLUSHING: Final = Guard("flush")


def init(
    app: str | None = None,
    *,
    environment: str | None = None,
    version: str | None = None,
    directory: str | Path | None = None,
    endpoint: str | None = None,
    token: str | None = None,
    own_provider: bool | None = None,
    capture_text: bool | None = None,
    redact: RedactOption | None = None,
    durability: Durability | None = None,
    queue_size: int | None = None,
    max_text_chars: int | None = None,
) -> None:
    """Switches recording on. What is left out comes from the environment (GOLDRANK_…), else from the defaults.

    Every argument is a field of `Settings`. It logs, once, where the spool is. A folder that cannot be written is
    no error: what is lost is counted, and said once. An argument that cannot be used raises UsageError: here, at
    the start, and nowhere later. A second call takes the new settings.
    """
    settings = resolve(locals())
    if _PLACE.directory is not None:
        settings = replace(settings, directory=_PLACE.directory, endpoint="", token="")
    with _STARTING:
        _start(settings)


class _Place:
    """Where a process must record, whatever the app says."""

    directory: Path | None = None


_PLACE: Final = _Place()


def keep_directory(directory: Path) -> None:
    """From now on `init` records to the spool of this data folder, whatever folder or endpoint it is given.

    For a process that runs an app's requests again: what it records belongs to the hub that asked for it.
    """
    _PLACE.directory = directory


def _start(settings: Settings) -> None:
    shutdown()
    forget_what_was_said()
    switch_on(settings, _outlet(settings))
    where = settings.endpoint or settings.spool
    LOGGER.info("goldrank records %s to %s", settings.app, where)


def _outlet(settings: Settings) -> Outlet:
    if settings.endpoint:
        from .endpoint import EndpointProcessor  # it loads an HTTP client, which a spool never needs

        sender = EndpointProcessor(settings)
        install(sender)
        return sender
    writer = SpoolProcessor(
        settings.spool, app=settings.app, queue_size=settings.queue_size, durability=settings.durability
    )
    install(writer)
    return writer


def flush(timeout: float = 5.0) -> bool:
    """Waits up to `timeout` seconds until everything recorded so far is written (or sent).

    False: not everything is, for want of time or because something was lost. True where nothing is recorded.
    """
    recorder = SWITCH.recorder
    if recorder is not None:
        with _FLUSHING:
            return recorder.outlet.flush(timeout)
        return False
    return True


def shutdown() -> None:
    """Writes what is left and switches recording off; decorated functions are then called as if they were not."""
    recorder, SWITCH.recorder = SWITCH.recorder, None
    SWITCH.waits_for_app = False
    if recorder is not None:
        with _STOPPING:
            recorder.relay.turn(None, None)
            recorder.outlet.shutdown()
        COUNTER.count = None


def settings() -> Settings | None:
    """The settings in force, with the spool's absolute path (`settings().spool`); None before `init`."""
    recorder = SWITCH.recorder
    return None if recorder is None else recorder.settings
