"""What a stream gave: joined as the answer, or collected as the list, within bounds."""

from __future__ import annotations

from typing import Any, Final

from ..model import wire
from .guest import Guard
from .hits import MAX_HITS
from .messages import text_of
from .open_stage import OpenStage
from .plan import Plan
from .results import NOT_READABLE, NOT_RECORDED, mapped, reader_for

_READING: Final = Guard("reading a stream")


class Stream:
    """The items of one stream so far. Texts and items are kept up to the limits; the stream itself is not touched."""

    __slots__ = ("_chars", "_gives_text", "_items", "_length", "_options", "_parts", "_reader", "_stage")

    def __init__(self, stage: OpenStage, plan: Plan) -> None:
        self._stage = stage
        self._options = plan.options
        self._reader = reader_for(plan)
        self._parts: list[str] = []
        self._chars = 0
        self._items: list[Any] = []
        self._length = 0
        self._gives_text = stage.is_root or not stage.sort.gives_list
        """Answers and generated texts; the others give hits."""

    def add(self, item: Any) -> None:
        """Notes one item that the body gave."""
        if not self._stage.recording:
            return
        with _READING:
            self._length += 1
            if not self._gives_text:
                if len(self._items) <= MAX_HITS:
                    self._items.append(item)
            elif self._chars <= self._stage.max_text_chars:
                self._add_text(item)

    def _add_text(self, item: Any) -> None:
        mapping = self._options.answer
        text = text_of(item) if mapping is None else mapped(mapping, item)
        if isinstance(text, str):
            self._parts.append(text)
            self._chars += len(text)

    def put(self) -> None:
        """Puts what was read so far on the stage: also of a stream that was left early, or failed."""
        stage = self._stage
        if not stage.recording:
            return
        with _READING:
            if not self._gives_text:
                self._reader(stage, self._items, self._options)
                stage.set_length(self._length)
                return
            key = wire.ANSWER if stage.is_root else wire.TEXT
            if stage.has(key):
                return
            if self._parts:
                stage.put_text(key, "".join(self._parts))
            elif stage.is_root:
                stage.put(wire.ANSWER_NOTE, NOT_READABLE if self._length else NOT_RECORDED)
