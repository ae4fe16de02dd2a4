"""What the adapter reported, with the questions that checks ask of it."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replayed import Replays


class NotExpressible(Exception):
    """What a case says cannot be held to anything here; the message says why."""


class Seen:
    """One result of the adapter (or one run of a program). Every answer is taken from it alone."""

    def __init__(
        self,
        result: dict[str, Any],
        *,
        module: ModuleType | None = None,
        path: Path | None = None,
        replays: Replays | None = None,
    ) -> None:
        self.result = result
        self.module = module
        """The program, for constants that are no expectation (GOLD)."""
        self.path = path
        self._replays = replays

    def run(self, name: str) -> Seen:
        """One run of a program."""
        return Seen(self.result["runs"][name], module=self.module, path=self.path, replays=self._replays)

    @property
    def only_run(self) -> Seen:
        """The run of a program that has one; else this."""
        runs = self.result.get("runs", {})
        return self.run("run") if set(runs) == {"run"} else self

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Examined requests."""
        found: list[dict[str, Any]] = self.result["requests"]
        return found

    @property
    def request(self) -> dict[str, Any]:
        """The only request."""
        assert len(self.requests) == 1, f"{len(self.requests)} requests instead of one"
        return self.requests[0]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The list page."""
        found: list[dict[str, Any]] = self.result["listed"]["rows"]
        return found

    @property
    def case_file(self) -> dict[str, Any]:
        """The case itself, as it is written (JSON)."""
        assert self.path is not None
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return found

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of a file of spans."""
        assert self.path is not None
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").split("\n") if line.strip()]

    @property
    def expectation_beside(self) -> dict[str, Any]:
        """What stands in the file of expectations beside one of spans."""
        assert self.path is not None
        beside = self.path.with_name(f"{self.path.stem}.expect.json")
        found: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
        return found

    def stage(self, name: str) -> dict[str, Any]:
        """A stage of the only request, by name."""
        return next(stage for stage in self.request["stages"] if stage["name"] == name)

    @property
    def lists(self) -> list[dict[str, Any]]:
        """All lists of the only request."""
        return [stage for stage in self.request["stages"] if stage["hits"] is not None]

    def hit(self, chunk_id: str) -> dict[str, Any]:
        """A hit of the only list of the only request."""
        (stage,) = self.lists
        return next(hit for hit in stage["hits"] if hit["id"] == chunk_id)

    def trace(self, trace_id: int) -> dict[str, Any]:
        """The request of a trace, its id as a number whose digits the cases use as decimal."""
        wanted = f"{trace_id:032x}"
        return next(request for request in self.requests if request["trace_id"] == wanted)

    def replay(self, **different: Any) -> dict[str, Any]:
        """The request of the case, run again with something different (`replayed.Replays.replay`)."""
        assert self._replays is not None
        assert self.path is not None
        done = self._replays.replay(self.path, **different)
        assert (done["status"], done["unused"], done["refused"]) == ("done", [], [])
        return done
