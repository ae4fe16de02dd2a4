"""The answer: from a model behind an OpenAI-compatible address where one is set, else taken from the sources."""

from __future__ import annotations

import json
import os
import re
import urllib.request
from collections import Counter
from math import log
from typing import NamedTuple

from .words import words

NO_ANSWER = "I could not find this in our help pages. Please write to support."
_SOURCE = re.compile(r"^\[(S\d+)\] (.*?)(?=^\[S\d+\] |^Conversation so far:|^Question: |\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n")


class Sentence(NamedTuple):
    """A sentence of a source."""

    mark: str
    text: str


def generate(prompt: str) -> str:
    """The answer to a prompt of `prompt.build_prompt`."""
    address = os.environ.get("SUPPORT_BOT_BASE_URL")
    return ask_model(prompt, address) if address else extract(prompt)


def extract(prompt: str) -> str:
    """The sentence of the sources that shares most words with the question, the next one, and the source's mark.

    A word counts more the fewer sentences have it; ties go to the source that stands higher.
    """
    question = set(words(prompt.rsplit("Question: ", 1)[1]))
    sentences = _sentences(prompt)
    counts = Counter(word for sentence in sentences for word in set(words(sentence.text)))
    shared = [sum(log(1 + len(sentences) / counts[w]) for w in question & set(words(s.text))) for s in sentences]
    if not any(shared):
        return NO_ANSWER
    place = shared.index(max(shared))
    best = sentences[place]
    after = [] if best.text.startswith("|") else [s for s in sentences[place + 1 :][:1] if s.mark == best.mark]
    return " ".join(sentence.text for sentence in [best, *after]) + f" [{best.mark}]"


def ask_model(prompt: str, address: str) -> str:
    """The answer of the chat completions endpoint at `address`, such as http://localhost:8000/v1."""
    body = {
        "model": os.environ.get("SUPPORT_BOT_MODEL", "default"),
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
    }
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("SUPPORT_BOT_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"SUPPORT_BOT_BASE_URL is {address!r}; it must begin with http:// or https://")
    request = urllib.request.Request(  # noqa: S310 - checked just above
        f"{address.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return str(json.load(response)["choices"][0]["message"]["content"])


def _sentences(prompt: str) -> list[Sentence]:
    found = []
    for mark, text in _SOURCE.findall(prompt):
        first, *rest = text.splitlines()
        body = "\n".join(rest if first[-1] not in ".?!|" else [first, *rest])  # a heading is no sentence
        found += [Sentence(mark, part.strip()) for part in _SENTENCE_END.split(body) if part.strip()]
    return found
