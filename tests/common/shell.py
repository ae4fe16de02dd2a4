"""Commands as a person types them, run in this process."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from goldrank.cli import main
from goldrank.commands import Terminal


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Shell:
    """Runs commands in this process on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str | Path, screen: bool = False, stdin: bytes | None = None) -> Done:
        """One command; usage errors of argparse become their exit code.

        `screen`: its streams are a terminal's. `stdin`: what it reads there; None: the tests' own.
        """
        out, err = (Screen(), Screen()) if screen else (io.StringIO(), io.StringIO())
        before = sys.stdin
        if stdin is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        try:
            code = main([*map(str, arguments), "--directory", str(self.folder)], Terminal(out, err))
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        finally:
            sys.stdin = before
        return Done(code, out.getvalue(), err.getvalue())
