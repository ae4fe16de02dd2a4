"""The command line: reads arguments, runs one command, turns errors into one clear line and an exit code.

Exit codes: 0 done, 1 nothing found or a person has to decide, 2 said wrongly, 3 the store cannot be used now,
130 interrupted, 141 the reader of a pipe went away. docs/cli.md explains them.
"""

from __future__ import annotations

import errno
import os
import sys
import textwrap
from argparse import SUPPRESS, Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Any, Final, TextIO

from .commands import COMMANDS, Call, Command, Group, Terminal
from .commands.command import NOTHING, STORE, USAGE
from .model import BadInput, GoldrankError, NotFound, Refused, StoreError

_INTERRUPTED: Final = 130
_PIPE_CLOSED: Final = 141
_OF_THE_MACHINE: Final = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EIO)
)
"""What a disk, its rights and its limits refuse: no defect, and said in one line."""
_VERSION_HELP: Final = "show program's version number and exit"
_EXTRAS: Final = dict.fromkeys(
    ("duckdb", "pandas", "plotly", "pyarrow", "rapidfuzz", "streamlit", "starlette", "uvicorn"), "dashboard"
)
"""Module -> the extra that brings it."""


def main(argv: Sequence[str] | None = None, terminal: Terminal | None = None) -> int:
    """Runs one command; the exit code. `--help` and arguments that cannot be read exit as argparse does."""
    _write_anything(sys.stdout, sys.stderr)
    terminal = terminal or Terminal()
    given = [argument.encode("utf-8", "replace").decode() for argument in (sys.argv[1:] if argv is None else argv)]
    try:
        arguments = make_parser().parse_args(given)
        code = arguments.command.run(Call(arguments, terminal))
        sys.stdout.flush()
    except GoldrankError as error:
        terminal.note(str(error))
        return _exit_code(error)
    except ModuleNotFoundError as error:
        return _missing(terminal, error)
    except KeyboardInterrupt:
        terminal.note("Stopped.")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away (`| head`). Python would complain again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            raise
        terminal.note(f"{error.filename or 'The disk'} cannot be used: {error.strerror}.")
        return STORE
    return int(code)


def make_parser() -> ArgumentParser:
    """The parser of all commands. What a command takes is added when that command is called, see `_LateParser`."""
    parser = ArgumentParser(
        prog="goldrank",
        description="Shows where the right passage of a RAG answer was lost, and turns the failure into an eval case.",
        epilog=_examples(("goldrank up", "goldrank show 7f3a9c12 --gold refunds#2", "goldrank cases export")),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, dest=SUPPRESS, default=SUPPRESS, help=_VERSION_HELP)
    verbs = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_LateParser)
    for listed in COMMANDS:
        verbs.add_parser(
            listed.name, help=listed.summary, load=listed.load, formatter_class=RawDescriptionHelpFormatter
        )
    return parser


class _Version(Action):
    """argparse's own `version`, which looks the version up only when asked: that takes as long as the rest."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        sys.stdout.write(f"goldrank {version('goldrank')}\n")
        parser.exit()


class _LateParser(ArgumentParser):
    """Loads its command when it parses or explains itself: the other commands cost nothing."""

    def __init__(self, *, load: Callable[[], Command | Group], **options: Any) -> None:  # noqa: ANN401 - argparse's
        super().__init__(**options)
        self._load: Callable[[], Command | Group] | None = load

    def parse_known_args(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - passed on
        self.complete()
        return super().parse_known_args(*given, **options)

    def format_help(self) -> str:
        self.complete()
        return super().format_help()

    def format_usage(self) -> str:
        self.complete()
        return super().format_usage()

    def complete(self) -> None:
        """Adds what the command takes; once."""
        load, self._load = self._load, None
        if load is None:
            return
        command = load()
        if isinstance(command, Command):
            _fill(self, command)
        else:
            _fill_group(self, command)


def _fill_group(parser: ArgumentParser, group: Group) -> None:
    """Makes `parser` the one of the group's verbs."""
    parser.description = f"{group.summary.capitalize()}."
    parser.epilog = _examples(tuple(one.examples[0] for one in group.commands))
    if group.default is not None:
        _add_arguments(parser, group.default)
    nouns = parser.add_subparsers(metavar="COMMAND", required=group.default is None, parser_class=ArgumentParser)
    for one in group.commands:
        _fill(nouns.add_parser(one.name, help=one.summary, formatter_class=RawDescriptionHelpFormatter), one)


def _fill(parser: ArgumentParser, command: Command) -> None:
    """Makes `parser` the one of this command."""
    parser.description = _wrapped(f"{command.summary[0].upper()}{command.summary[1:]}. {command.description}")
    parser.epilog = _examples(command.examples)
    _add_arguments(parser, command)


def _add_arguments(parser: ArgumentParser, command: Command) -> None:
    command.add_arguments(parser)
    parser.add_argument("--directory", metavar="DIR", help="the data folder; by default GOLDRANK_DIR, else ./.goldrank")
    parser.set_defaults(command=command)


def _wrapped(text: str) -> str:
    """argparse keeps line ends because of the examples, so the rest is wrapped here."""
    return textwrap.fill(text, width=80)


def _examples(lines: Sequence[str]) -> str:
    title = "example:" if len(lines) == 1 else "examples:"
    return "\n".join((title, *(f"  {line}" for line in lines)))


def _exit_code(error: GoldrankError) -> int:
    if isinstance(error, StoreError):
        return STORE
    if isinstance(error, NotFound | Refused | BadInput):
        return NOTHING
    return USAGE


def _missing(terminal: Terminal, error: ModuleNotFoundError) -> int:
    """A package of an extra that is not installed, with the line that installs it. Any other one is a defect."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        raise error
    terminal.note(f"This needs {error.name}: pip install 'goldrank[{extra}]'")
    return STORE


def _write_anything(*streams: TextIO) -> None:
    """A terminal that knows few characters gets escapes for the others instead of an error."""
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
