"""The `shim` of the programs, mapped on the public face of goldrank; used inside the child process."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import goldrank

DECORATORS = {"context": "assemble", "step": "other", "llm": "generate", "search": "retrieve"}
LISTS = frozenset({"retrieve", "fuse", "filter", "rerank", "assemble", "tool"})


class Shim:
    """What the programs call. Every method is one call of goldrank's own face, or two."""

    def trace(self, kind: str, name: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator. The first parameter of a request is its question, of a search its query."""
        word = DECORATORS.get(kind, kind)
        decorator = getattr(goldrank, word if hasattr(goldrank, word) else "other")

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            first = _first_parameter(function)
            given = dict(options)
            if first is not None and word in {"request", "retrieve", "rerank", "rewrite"}:
                given.setdefault("question" if word == "request" else "query", first)
            return functools.wraps(function)(decorator(name=name, **given)(function))

        return decorate

    def hits(self, stage: str, hits: Any) -> None:
        """The list of the stage that is open; directly in a request (or nowhere) it is a stage of its own."""
        current = goldrank.current_stage()
        inside = current.recording and not current.is_root
        if inside and current.kind.value in LISTS and current.found is None:
            current.hits(hits)
            return
        with goldrank.stage(kind_of(stage), name=stage) as opened:
            opened.hits(hits)

    def prompt(self, ids: Any, text: str) -> None:
        """What was sent to the model, with the chunk ids of its context."""
        current = goldrank.current_stage()
        if current.recording and current.kind.value == "generate":
            current.prompt(text)
            current.put_context(list(ids))
            return
        with goldrank.stage("generate", name="llm", context=list(ids), prompt=text):
            pass

    def note(self, key: str, value: Any) -> None:
        """A note on the request."""
        goldrank.note(key, value)

    def carry(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Takes the request along into a thread."""
        return goldrank.carry(function)

    def headers(self) -> dict[str, str]:
        """What another process needs to go on with this request."""
        return goldrank.headers()

    def continue_request(self, headers: Any) -> Any:
        """Goes on with a request of another process."""
        return goldrank.continue_request(headers)

    def request_id(self) -> str | None:
        """The id of the open request."""
        return goldrank.request_id()

    def feedback(self, request_id: str, score: float, comment: str | None = None) -> None:
        """What a user thought of an answer."""
        goldrank.feedback(request_id, score=score, comment=comment)

    def flush(self) -> None:
        """Waits until everything recorded so far is in the spool."""
        goldrank.flush()


class NoShim:
    """The same app without any tracing: what it does then is what it must do with it."""

    def trace(self, *_: Any, **__: Any) -> Callable[[Any], Any]:
        """Nothing."""
        return lambda function: function

    def carry(self, function: Any) -> Any:
        """Nothing."""
        return function

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_kwargs: None


def _first_parameter(function: Callable[..., Any]) -> str | None:
    names = [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]
    return names[0] if names else None


def kind_of(stage: str) -> str:
    """The kind of a list that is recorded by its name alone."""
    for part, kind in (("rerank", "rerank"), ("fus", "fuse"), ("rrf", "fuse"), ("filter", "filter")):
        if part in stage.lower():
            return kind
    return "assemble" if stage.lower() in {"context", "prompt"} else "retrieve"
