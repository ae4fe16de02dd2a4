"""The prompt in parts: messages, and inside them the chunks that diagnosis found there."""

from __future__ import annotations

from typing import NamedTuple

from ...model import Context, ContextEntry, Message, RecordedRequest, StageKind


class PromptPart(NamedTuple):
    """A run of the prompt."""

    role: str
    """Of the message it stands in; empty where the app gave a plain text."""
    entry: ContextEntry | None
    """The chunk that this part is; None for text around chunks."""
    text: str


def prompt_messages(recorded: RecordedRequest, context: Context) -> tuple[Message, ...]:
    """The messages of the prompt that wrote the answer: the stage that the context names, else the last generate."""
    generates = [stage for stage in recorded.stages if stage.kind is StageKind.GENERATE and stage.prompt]
    named = [stage for stage in generates if stage.stage_id == context.stage_id]
    chosen = (named or generates)[-1:]
    return chosen[0].prompt or () if chosen else ()


def prompt_parts(messages: tuple[Message, ...], context: Context) -> tuple[PromptPart, ...]:
    """The messages cut at the chunks found in them; whole messages where no places are known.

    Places refer to the messages joined by a blank line, so each message's own beginning is kept in step.
    """
    spans = sorted(((e.span, e) for e in context.entries if e.span is not None), key=lambda pair: pair[0])
    parts: list[PromptPart] = []
    start = 0
    for message in messages:
        end = start + len(message.text)
        at = start
        for (first, last), entry in spans:
            if first < at or last > end or last <= first:
                continue
            parts += _text(message.role, message.text[at - start : first - start])
            parts.append(PromptPart(message.role, entry, message.text[first - start : last - start]))
            at = last
        parts += _text(message.role, message.text[at - start :])
        start = end + len("\n\n")
    return tuple(parts)


def _text(role: str, text: str) -> list[PromptPart]:
    return [PromptPart(role, None, text.strip("\n"))] if text.strip() else []
