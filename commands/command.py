"""What a command is made of."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from .terminal import Terminal

if TYPE_CHECKING:  # the help of a command needs neither
    from pydantic import BaseModel

    from ..actions import Session, Workspace

OK: Final = 0
NOTHING: Final = 1
"""Nothing was found, or a person has to decide first."""
USAGE: Final = 2
STORE: Final = 3
"""The store cannot be used now."""

Ask = TypeVar("Ask", bound="BaseModel")
Answer = TypeVar("Answer", bound="BaseModel")


class Call(NamedTuple):
    """One call of a command."""

    arguments: Namespace
    terminal: Terminal

    @property
    def directory(self) -> Path:
        """The data folder."""
        from ..actions import data_directory

        return data_directory(self.arguments.directory)

    def perform(self, action: Callable[[Workspace, Ask], Answer], ask: Ask, *, create: bool = False) -> Answer:
        """The answer to an action, from the hub or from the store."""
        from ..actions import perform

        who = getattr(self.arguments, "who", None) or ""
        try:
            return perform(self.directory, action, ask, who=who, create=create, tell=self.terminal.progress)
        finally:
            self.terminal.clear_progress()

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        """Several actions in a row, for which the store is opened once."""
        from ..actions import open_session

        who = getattr(self.arguments, "who", None) or ""
        with open_session(self.directory, who=who, create=create, tell=self.terminal.progress) as session:
            yield session
        self.terminal.clear_progress()


class Command(NamedTuple):
    """A verb of `goldrank`."""

    name: str
    summary: str
    """One line, in the list of commands."""
    examples: tuple[str, ...]
    """Whole command lines."""
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Call], int]
    """Answers with the exit code."""
    description: str = ""
    """More than the summary says, where that is needed."""


class Group(NamedTuple):
    """A noun with verbs of its own: `goldrank cases export`."""

    name: str
    summary: str
    commands: tuple[Command, ...]
    default: Command | None = None
    """The verb that is meant where none is said. It has options alone: a word would be taken for a verb."""
