"""Arguments that several commands share."""

from __future__ import annotations

import math
import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Final

from ..model import BadInput, UsageError
from .command import Call

_DAY_S: Final = 86_400
_LAST_PORT: Final = 65_535
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def add_request(parser: ArgumentParser) -> None:
    """The request: an id in any form, or a text that holds one."""
    parser.add_argument(
        "request",
        nargs="+",
        metavar="REQUEST",
        help="request id, its first 8 digits, a trace id, a traceparent, or a text that holds one; - reads stdin",
    )


def request_text(call: Call) -> str:
    """What was typed or piped in as the request."""
    words: list[str] = call.arguments.request
    return read_stdin("the request") if words == ["-"] else " ".join(words)


def add_tls(parser: ArgumentParser) -> None:
    """Certificate and key of a server."""
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate with its chain, PEM: serve TLS")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, PEM")


def add_who(parser: ArgumentParser) -> None:
    """Who acts."""
    parser.add_argument("--who", metavar="NAME", help="who says so; by default your login name")


def add_page(parser: ArgumentParser, *, limit: int) -> None:
    """Which part of a long list."""
    parser.add_argument("--limit", type=positive, default=limit, metavar="N", help=f"at most so many (default {limit})")
    parser.add_argument("--offset", type=not_negative, default=0, metavar="N", help="leave out the first N")


def read_stdin(what: str) -> str:
    """All of stdin; never waits for a person to type."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(f"- reads {what} from stdin: pipe it in, or name a file.")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def read_file(name: str) -> str:
    """A file as text, or stdin for `-`: UTF-8, or UTF-16 with its mark, as spreadsheets write it."""
    if name == "-":
        return read_stdin("the file")
    path = Path(name)
    try:
        data = path.read_bytes()
        return data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} is not UTF-8: byte {error.start + 1:,} is 0x{error.object[error.start]:02x}. Save it as UTF-8, or "
            f"convert it: iconv -f WINDOWS-1252 -t UTF-8 {shlex.quote(path.name)}."
        ) from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


def port(text: str) -> int:
    """A port; 0 is any free one. A socket would take 99999 for 34463."""
    number = _at_least(text, 0)
    if number > _LAST_PORT:
        raise ArgumentTypeError(f"{text!r} is no port: those go from 1 to {_LAST_PORT}, and 0 takes a free one")
    return number


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return _at_least(text, 1)


def not_negative(text: str) -> int:
    """A whole number of at least 0."""
    return _at_least(text, 0)


def seconds(text: str) -> float:
    """A time limit: more than 0, and at most a day."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= _DAY_S:
        raise ArgumentTypeError(f"{text!r} is no number of seconds above 0, and at most {_DAY_S:,}")
    return number


def _at_least(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
    return number
