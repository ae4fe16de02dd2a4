"""Questions in, answers out word by word: `uvicorn examples.fastapi_streaming.app:app`, without network or keys.

The request ends with its last word, in whatever task that is sent. Its id goes out first, so that the page can send
it back with a thumb up or down.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import goldrank
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from .passages import PASSAGES, Passage, words_of

goldrank.init(app="fastapi-streaming")
app = FastAPI()


class Question(BaseModel):
    """What a user asks."""

    text: str
    user: str


class Thumb(BaseModel):
    """What a user thought of an answer."""

    request_id: str
    score: int
    comment: str = ""


@app.post("/ask")
async def ask(asked: Question) -> StreamingResponse:
    """Server-sent events: the request's id, the words, the end."""
    return StreamingResponse(events(asked.text, asked.user), media_type="text/event-stream")


@app.post("/thumb", status_code=204)
async def thumb(given: Thumb) -> None:
    """Notes what the user thought."""
    goldrank.feedback(given.request_id, score=given.score, comment=given.comment)


async def events(question: str, user: str) -> AsyncIterator[str]:
    """The answer as lines of an event stream."""
    ids: list[str] = []
    async for word in answer(question, user=user, ids=ids):
        if ids:
            yield f"event: request\ndata: {ids.pop()}\n\n"
        yield f"data: {json.dumps(word)}\n\n"


@goldrank.request
async def answer(question: str, *, user: str, ids: list[str]) -> AsyncIterator[str]:  # noqa: ARG001 - goldrank reads it
    """The answer, word by word."""
    ids.append(goldrank.request_id())
    found = await search(question)
    prompt = build_prompt(question, found)
    async for word in generate(prompt):
        yield word


@goldrank.retrieve(index="handbook")
async def search(query: str, top_k: int = 4) -> list[Passage]:
    """The passages that share most words with the query; of equals the first."""
    await asyncio.sleep(0)  # a real index is elsewhere
    asked = words_of(query)
    scored = [passage.scored(len(asked & words_of(passage.text)) / len(asked)) for passage in PASSAGES]
    return sorted(scored, key=lambda passage: -passage.score)[:top_k]


@goldrank.assemble
def build_prompt(question: str, found: list[Passage]) -> str:
    """The first two passages and the question."""
    context = "\n".join(f"[{passage.id}] {passage.text}" for passage in found[:2])
    return f"Answer from these passages alone.\n{context}\nQuestion: {question}"


@goldrank.generate(model="first-sentence")
async def generate(prompt: str) -> AsyncIterator[str]:
    """Stands for a model: says the first passage again."""
    first = prompt.split("\n")[1].partition("] ")[2]
    for word in first.split(" "):
        await asyncio.sleep(0)
        yield word + " "
