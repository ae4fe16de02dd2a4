"""Where a command writes: answers to stdout, progress and troubles to stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from .table import Column, format_table
from .visible import safe_json, visible_line, visible_text

if TYPE_CHECKING:
    from pydantic import BaseModel


class Terminal:
    """The two streams of a command."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._progress_width = 0

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None where the answer goes to a file or a pipe."""
        return shutil.get_terminal_size().columns if self._out.isatty() else None

    @property
    def watched(self) -> bool:
        """Somebody is there who can be asked."""
        return sys.stdin is not None and sys.stdin.isatty() and self._err.isatty()

    def line(self, text: str = "") -> None:
        """One line of the answer; line ends inside are shown as marks."""
        self._write(visible_line(text) + "\n")

    def text(self, text: str) -> None:
        """Several lines of the answer."""
        self._write(visible_text(text) + "\n")

    def raw(self, text: str) -> None:
        """The answer as it is, for files that another program reads."""
        self._write(text)

    def json(self, answer: BaseModel) -> None:
        """The answer as one JSON document."""
        self._write(safe_json(answer.model_dump_json(indent=2)) + "\n")

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """A table, cut to the terminal's width where there is one."""
        self._write("".join(f"{line}\n" for line in format_table(columns, rows, width=self.width)))

    def note(self, text: str) -> None:
        """One line to stderr: something beside the answer."""
        self.clear_progress()
        self._err.write(f"goldrank: {visible_line(text)}\n")

    def agrees(self, question: str) -> bool | None:
        """Whether the person at the terminal says yes; None where nobody is there to ask."""
        if not self.watched:
            return None
        self.clear_progress()
        self._err.write(f"{visible_line(question)} [y/N] ")
        self._err.flush()
        return sys.stdin.readline().strip().casefold() in {"y", "yes"}

    def progress(self, text: str) -> None:
        """Replaces the line of progress; nothing where nobody watches."""
        if not self._err.isatty():
            return
        shown = visible_line(text)
        self._err.write("\r" + shown.ljust(self._progress_width))
        self._err.flush()
        self._progress_width = len(shown)

    def clear_progress(self) -> None:
        """Takes the line of progress away."""
        if self._progress_width:
            self._err.write("\r" + " " * self._progress_width + "\r")
            self._err.flush()
            self._progress_width = 0

    def _write(self, text: str) -> None:
        self.clear_progress()
        self._out.write(text)
