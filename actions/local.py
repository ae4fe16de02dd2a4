"""Runs an action for a command: through the hub where one runs, else on the store itself."""

from __future__ import annotations

import getpass
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar, get_type_hints

from pydantic import BaseModel

from ..model import NotFound, StoreError
from .folder import Folder
from .hub_client import call_hub
from .hub_link import COMMAND, HUB, FolderHeld, hub_lock, read_holder
from .workspace import Workspace

Ask = TypeVar("Ask", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)

_PATIENCE_S: Final = 30.0
"""How long a command waits for another command that works on the same store, or for a hub that is starting."""
_LEAVING_S: Final = 8.0
"""The same for a hub that was reachable and no longer is: it is ending, or it is stuck."""
_TRY_AGAIN_S: Final = 0.05


def whoami() -> str:
    """The person at the screen, as labels and cases name them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no such user in this container
        return "unknown"


class Session:
    """Several actions in a row, at the hub or on one opened store."""

    def __init__(self, directory: Path, who: str, workspace: Workspace | None) -> None:
        self._directory = directory
        self._who = who
        self._workspace = workspace

    def perform(self, action: Callable[[Workspace, Ask], Answer], ask: Ask) -> Answer:
        """The answer to one action."""
        if self._workspace is not None:
            return action(self._workspace, ask)
        answer = _at_hub(self._directory, action, ask, self._who)
        if answer is None:
            raise StoreError(f"The hub of {self._directory} stopped in between. Try again.")
        return answer


@contextmanager
def open_session(
    directory: Path, *, who: str = "", create: bool = False, tell: Callable[[str], None] | None = None
) -> Iterator[Session]:
    """A session at the hub where one runs, else on the store, which nobody else opens meanwhile.

    A folder that is not there yet is only made where `create` says so. Waits for whoever holds the folder for a moment.
    """
    folder = Folder(directory)
    who = who or whoami()
    pause, waited_s = threading.Event(), 0.0
    while True:
        if call_hub(folder.path, "ping", b"{}") is not None:
            yield Session(folder.path, who, None)
            return
        if not create and not folder.used:
            raise NotFound(
                f"There is nothing in {folder.path}: no app has recorded there. "
                "Name the data folder with --directory or GOLDRANK_DIR."
            )
        with ExitStack() as stack:
            try:
                workspace = stack.enter_context(open_workspace(directory, who, tell=tell))
            except FolderHeld:
                if waited_s >= _patience_s(directory):
                    raise
            else:
                yield Session(folder.path, who, workspace)
                return
        pause.wait(_TRY_AGAIN_S)
        waited_s += _TRY_AGAIN_S


@contextmanager
def open_workspace(directory: Path, who: str = "", *, tell: Callable[[str], None] | None = None) -> Iterator[Workspace]:
    """The store of the folder, opened by this process alone; StoreLocked names who else has it."""
    folder = Folder(directory)
    with hub_lock(folder.path, what=COMMAND):
        from ..store.duckdb import open_store

        with open_store(folder.store) as store:
            workspace = Workspace(store=store, spool=folder.spool, who=who or whoami())
            yield workspace if tell is None else workspace._replace(tell=tell)


def perform(
    directory: Path,
    action: Callable[[Workspace, Ask], Answer],
    ask: Ask,
    *,
    who: str = "",
    create: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Answer:
    """The answer to one action, wherever it runs. A folder that is not there yet is only made where `create` says so.

    Through a hub this loads no store, so it answers at once.
    """
    answer = _at_hub(directory, action, ask, who or whoami())
    if answer is not None:
        return answer
    with open_session(directory, who=who, create=create, tell=tell) as session:
        return session.perform(action, ask)


def _patience_s(directory: Path) -> float:
    holder = read_holder(directory)
    leaving = holder is not None and holder.what == HUB and holder.address
    return _LEAVING_S if leaving else _PATIENCE_S


def _at_hub(directory: Path, action: Callable[[Workspace, Ask], Answer], ask: Ask, who: str) -> Answer | None:
    body = {**ask.model_dump(mode="json"), "who": who}
    text = call_hub(Folder(directory).path, action.__name__, json.dumps(body).encode())
    return None if text is None else _answer_of(action).model_validate_json(text)


def _answer_of(action: Callable[[Workspace, Ask], Answer]) -> type[Answer]:
    """What the action says that it returns. The registry knows it too, and loads every action with all it needs."""
    answer: type[Answer] = get_type_hints(action)["return"]
    return answer
