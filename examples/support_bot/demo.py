"""The demo: the bot answers about 300 questions, and some users complain. All of it is really run and recorded."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import goldrank

from .answerer import NO_ANSWER
from .app import answer
from .corpus import Chunk
from .fresh_start import begin, finish
from .library import INDEX, VERSION, library
from .planted import Planted, planted, write_ticket
from .questions import Asked, conversations
from .rewriting import Turn

APP = "support-bot"
ENVIRONMENT = "demo"
LINK = "http://127.0.0.1:8501/request?request_id={request_id}"
"""How a link to a request looks; {request_id} stands for its id."""
COMPLAINTS_FILE = "demo_complaints.json"
THUMBS_UP_EVERY = 9
THUMBS_DOWN_EVERY = 3


def run(directory: Path, *, link: str = LINK) -> Path:
    """Runs the demo into the data folder `directory`; returns the file that lists the complaints with their ids.

    The file is written last: where it is, an earlier run was complete, and nothing is recorded a second time. A run
    that was interrupted is started over (`fresh_start`).
    """
    target = directory / COMPLAINTS_FILE
    if target.exists():
        print(f"The demo is recorded already: {directory.resolve()} (to record it anew, delete that folder)")
        return target
    started = time.monotonic()
    if begin(directory, app=APP, environment=ENVIRONMENT):
        print(f"An earlier run was interrupted; it is recorded anew: {directory.resolve()}")
    goldrank.init(app=APP, environment=ENVIRONMENT, version="2.3.1", directory=directory)
    goldrank.corpus(manifest(), index=INDEX, version=VERSION)
    answered = 0
    for answered in _answer_all():
        _show_progress(f"{answered} questions answered")
    complaints = [_complain(entry, link) for entry in planted()]
    goldrank.shutdown()
    draft = target.with_suffix(".draft")
    draft.write_text(json.dumps(complaints, indent=1, ensure_ascii=False), "utf-8")
    draft.replace(target)
    finish(directory)
    seconds = time.monotonic() - started
    print(f"\r{answered} questions and {len(complaints)} complaints recorded in {seconds:.1f} s: {directory.resolve()}")
    return target


def manifest(version: str = VERSION) -> list[dict[str, object]]:
    """What a build of the index holds, as `goldrank.corpus` takes it: it tells goldrank what could be found."""
    return [_entry(chunk) for chunk in library(version).chunks]


def _entry(chunk: Chunk) -> dict[str, object]:
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.page.doc_id,
        "text": chunk.text,
        "metadata": chunk.metadata,
        "section_path": " > ".join(part for part in (chunk.page.title, chunk.section) if part),
        "previous_id": chunk.previous_id,
        "next_id": chunk.next_id,
    }


def _answer_all() -> Iterator[int]:
    """Answers every question, with thumbs up and down as users give them; yields how many are done."""
    number = 0
    for asked in conversations():
        for request_id, reply in _answer_conversation(asked):
            number += 1
            _rate(request_id, reply, number)
            yield number


def _answer_conversation(asked: Asked) -> Iterator[tuple[str, str]]:
    """(request id, answer) of each question of a conversation."""
    history: list[Turn] = []
    for question in asked.questions:
        ids: list[str] = []
        reply = answer(
            question,
            user=asked.user,
            session=asked.session,
            history=tuple(history),
            groups=asked.groups,
            tell_id=ids.append,
        )
        history += [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]
        yield ids[0], reply


def _rate(request_id: str, reply: str, number: int) -> None:
    """Of those who got an answer about every ninth says that it was good; of the others every third complains."""
    if reply == NO_ANSWER and number % THUMBS_DOWN_EVERY == 0:
        goldrank.feedback(request_id, score=-1, comment="That is no answer.")
    elif reply != NO_ANSWER and number % THUMBS_UP_EVERY == 0:
        goldrank.feedback(request_id, score=1)


def _complain(entry: Planted, link: str) -> dict[str, object]:
    """Asks the question of a planted complaint in its set-up, and files the ticket with the id that came of it."""
    ids: list[str] = []
    with contextlib.suppress(TimeoutError):  # one request fails: its user sees an error page, with the id on it
        answer(
            entry.question,
            user=entry.user,
            session=f"{entry.user}-{entry.ticket}",
            history=entry.history,
            groups=entry.groups,
            settings=entry.settings,
            tell_id=ids.append,
        )
    text = write_ticket(entry.text, ids[0], link)
    goldrank.complaint(text, complaint_id=entry.ticket, who=entry.who)
    return {**entry.fields, "text": text, "request_id": ids[0]}


def _show_progress(text: str) -> None:
    if sys.stdout.isatty():
        print(f"\r{text}", end="", flush=True)
