"""What is run again: `module:object`, `module:factory()`, or the address of an app that serves `replay_app`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from ...model import UsageError

_FORM: Final = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<object>[^\W\d]\w*(\.[^\W\d]\w*)*)(?P<call>\(\))?")
_EXPECTED: Final = (
    "A target is module:object (support_bot.app:answer), module:factory() for a function without parameters that "
    "returns the one to call, or http://host:port/path of an app that serves goldrank.replay_app."
)


class Target(NamedTuple):
    """A target as it was named."""

    text: str
    module: str = ""
    attribute: str = ""
    """Dotted, inside the module."""
    is_factory: bool = False
    url: str = ""
    """Of an app that runs elsewhere; then nothing is imported."""


class Loaded(NamedTuple):
    """A target that was imported."""

    function: Callable[..., Any]
    module: ModuleType


class NotLoaded(UsageError):
    """The target cannot be imported, or is nothing that can be called."""


def parse_target(text: str) -> Target:
    """The target that a person named. UsageError with what is expected."""
    text = text.strip()
    if text.startswith(("http://", "https://")):
        if not _is_address(text):
            raise UsageError(f"{text!r} is no address of an app. {_EXPECTED}")
        return Target(text, url=text)
    found = _FORM.fullmatch(text)
    if found is None or found["module"].endswith(".py"):
        said = " It names a file: name the module, as in an import." if ".py" in text or "/" in text else ""
        raise UsageError(f"{text!r} is no target.{said} {_EXPECTED}")
    return Target(text, found["module"], found["object"], found["call"] is not None)


def _is_address(text: str) -> bool:
    """Host, port and path, in letters that an address may have; nothing else."""
    if not text.isascii() or any(letter <= " " for letter in text):
        return False
    try:
        address = urlsplit(text)
        return bool(address.hostname and address.port != 0) and not (
            address.username or address.password or address.fragment
        )
    except ValueError:  # a port that is no number or too large, half an IPv6 address
        return False


def load(target: Target, cwd: Path) -> Loaded:
    """Imports it with `cwd` first among the places where modules are looked for. NotLoaded in words."""
    if str(cwd) not in sys.path:
        sys.path.insert(0, str(cwd))
    module = _import(target, cwd)
    found: Any = module
    at = target.module
    for name in target.attribute.split("."):
        if not hasattr(found, name):
            near = difflib.get_close_matches(name, [known for known in dir(found) if not known.startswith("__")], n=3)
            hint = f" Is it {' or '.join(near)}?" if near else ""
            raise NotLoaded(f"{at} has no {name}.{hint}")
        found = getattr(found, name)
        at = f"{at}.{name}"
    if not callable(found):
        raise NotLoaded(f"{target.text} cannot be called: it is of the type {type(found).__name__}. {_EXPECTED}")
    return Loaded(_made(target, found) if target.is_factory else found, module)


def _import(target: Target, cwd: Path) -> ModuleType:
    try:
        return importlib.import_module(target.module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if target.module == missing or target.module.startswith(f"{missing}."):
            raise NotLoaded(f"There is no module {missing}: looked for in {cwd} and where Python looks.") from error
        raise NotLoaded(f"{target.module} needs the module {missing}, which is not installed.\n{_told()}") from error
    except BaseException as error:  # whatever it does while it is imported, exit() included, is an answer
        raise NotLoaded(f"{target.module} cannot be imported.\n{_told()}") from error


def _made(target: Target, factory: Callable[[], Any]) -> Callable[..., Any]:
    try:
        made: Callable[..., Any] | None = factory()
    except BaseException as error:
        raise NotLoaded(f"{target.text} failed.\n{_told()}") from error
    if callable(made):
        return made
    raise NotLoaded(f"{target.text} returned a {type(made).__name__}, which cannot be called.")


def _told() -> str:
    return traceback.format_exc()[-10_000:]
