"""Settings of the shim: argument beats environment beats default."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from ..model.errors import UsageError
from .guest import say_once

Durability = Literal["batch", "request"]
Redaction = Callable[[str], str]
"""As in `model.redaction`, whose patterns take a while to compile."""
RedactOption = str | Redaction | Sequence[str | Redaction]

DEFAULT_DIRECTORY: Final = ".goldrank"


@dataclass(frozen=True)
class Settings:
    """What `init` was told, after environment and defaults were filled in."""

    app: str = "app"
    """Name of this app (`service.name`). GOLDRANK_APP, then OTEL_SERVICE_NAME."""
    environment: str = ""
    """Deployment environment: production, staging. GOLDRANK_ENVIRONMENT; nothing is recorded where empty."""
    version: str = ""
    """Version of this app (`service.version`). GOLDRANK_VERSION."""
    directory: Path = Path(DEFAULT_DIRECTORY)
    """Data folder; the spool is its subfolder `spool`. GOLDRANK_DIR; absolute once `init` has run."""
    endpoint: str = ""
    """Base address of a collector ("http://collector:4318"); then nothing is written to disk. GOLDRANK_ENDPOINT."""
    token: str = field(default="", repr=False)
    """Sent to the endpoint as a bearer token. GOLDRANK_TOKEN."""
    own_provider: bool = False
    """Record beside the app's tracer provider, so that its sampler and limits do not apply. GOLDRANK_OWN_PROVIDER."""
    capture_text: bool = True
    """Off: questions, queries, prompts, answers and chunk texts are not recorded; ids, ranks, scores are.
    GOLDRANK_CAPTURE_TEXT."""
    redact: tuple[Redaction, ...] = ()
    """Functions text -> text, applied in order to every text before it leaves the process; a built-in may be
    given by name (email, iban, card, phone). One that fails hides the text. GOLDRANK_REDACT, names with commas."""
    durability: Durability = "batch"
    """"batch": a thread writes, woken at each request's end. "request": written before the request returns, for
    processes that end without hooks (celery). GOLDRANK_DURABILITY."""
    queue_size: int = 16_384
    """How many spans may wait to be written; beyond it the newest are dropped and counted. GOLDRANK_QUEUE_SIZE."""
    max_text_chars: int = 5_000_000
    """A single text longer than this is cut and marked with its true length. GOLDRANK_MAX_TEXT_CHARS."""

    @property
    def spool(self) -> Path:
        """Where the spool's segments are."""
        return self.directory / "spool"


def resolve(arguments: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Settings:
    """The settings for `arguments` (None: not given), the environment and the defaults.

    UsageError for an argument that cannot be used, naming it, what was found and what is expected. A variable of
    the environment that cannot be used is said in the log and left out: it must not keep an app from starting.
    """
    environ = os.environ if environ is None else environ
    chosen: dict[str, Any] = {}
    for name, (read, variables) in _SOURCES.items():
        if arguments.get(name) is not None:
            chosen[name] = read(arguments[name], f"init({name}=)")
            continue
        variable = next((v for v in variables if environ.get(v)), None)
        if variable is not None:
            try:
                chosen[name] = read(environ[variable], variable)
            except UsageError as error:
                say_once(variable, f"goldrank: {error} The default is used.")
    directory = chosen.get("directory", Path(DEFAULT_DIRECTORY))
    return Settings(**{**chosen, "directory": Path(os.path.abspath(directory))})  # noqa: PTH100 - resolves no links


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where} is a {type(value).__name__}; a text is expected.")
    return value


def _path(value: object, where: str) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"{where} is a {type(value).__name__}; a path is expected.")
    return Path(value).expanduser()


_SWITCH: Final = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def _switch(value: object, where: str) -> bool:
    known = value if isinstance(value, bool) else _SWITCH.get(str(value).strip().lower())
    if known is None:
        raise UsageError(f"{where} is {value!r}; one of {', '.join(_SWITCH)} is expected.")
    return known


def _positive(value: object, where: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"{where} is {value!r}; a whole number of at least 1 is expected.")
    return number


def _durability(value: object, where: str) -> str:
    if value not in {"batch", "request"}:
        raise UsageError(f'{where} is {value!r}; "batch" or "request" is expected.')
    return str(value)


def _redact(value: object, where: str) -> tuple[Redaction, ...]:
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    elif callable(value):
        value = [value]
    if not isinstance(value, list | tuple):
        raise UsageError(f"{where} is a {type(value).__name__}; functions text -> text, or names, are expected.")
    return tuple(_one_redaction(item, where) for item in value)


def _one_redaction(item: object, where: str) -> Redaction:
    if callable(item):
        return item
    from ..model.redaction import BUILT_INS

    if isinstance(item, str) and item in BUILT_INS:
        return BUILT_INS[item]
    raise UsageError(f"{where} holds {item!r}; a function text -> text or one of {', '.join(BUILT_INS)} is expected.")


_SOURCES: Final[Mapping[str, tuple[Callable[[object, str], Any], tuple[str, ...]]]] = {
    "app": (_text, ("GOLDRANK_APP", "OTEL_SERVICE_NAME")),
    "environment": (_text, ("GOLDRANK_ENVIRONMENT",)),
    "version": (_text, ("GOLDRANK_VERSION",)),
    "directory": (_path, ("GOLDRANK_DIR",)),
    "endpoint": (_text, ("GOLDRANK_ENDPOINT",)),
    "token": (_text, ("GOLDRANK_TOKEN",)),
    "own_provider": (_switch, ("GOLDRANK_OWN_PROVIDER",)),
    "capture_text": (_switch, ("GOLDRANK_CAPTURE_TEXT",)),
    "redact": (_redact, ("GOLDRANK_REDACT",)),
    "durability": (_durability, ("GOLDRANK_DURABILITY",)),
    "queue_size": (_positive, ("GOLDRANK_QUEUE_SIZE",)),
    "max_text_chars": (_positive, ("GOLDRANK_MAX_TEXT_CHARS",)),
}
"""Field -> how its value is read, and the environment variables that may give it, the first set one wins."""
