"""Requests with real questions for the benchmark of tickets: what was asked, by whom, when, and what was answered.

Questions and answers come from a folder of data sets in BEIR's form (queries.jsonl, corpus.jsonl, qrels): turns of
conversations, and questions with answers made of sentences of their passages.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

T0 = 1_793_275_200_000_000_000
"""2026-10-29 00:00 UTC."""
DAY = 86_400 * 10**9
DAYS = 30
SYNONYMS = {
    "how": "in which way", "can": "may", "use": "utilise", "make": "create", "get": "obtain", "start": "launch",
    "change": "modify", "delete": "remove", "show": "display", "need": "require", "big": "large", "fast": "quick",
    "help": "assist", "buy": "purchase", "find": "locate", "best": "ideal", "cost": "price", "work": "function",
    "why": "for what reason", "difference": "distinction", "add": "insert", "set": "configure", "many": "lots of",
    "people": "persons", "money": "cash", "company": "firm", "job": "position", "car": "vehicle", "house": "home",
}  # fmt: skip


class Asked(NamedTuple):
    """A question with an answer."""

    question: str
    answer: str


class Made(NamedTuple):
    """A request that was made."""

    number: int
    pair: int
    """Which of the pairs it asks: the right question."""
    question: str
    answer: str
    user: str
    start_ns: int


def read_pairs(folder: Path) -> list[Asked]:
    """Each distinct question once, in the order of the files."""
    pairs: dict[str, Asked] = {}
    for name in ("mtrag_un", "etcd_docs"):
        if (folder / name).is_dir():
            for pair in _pairs(folder / name):
                if len(pair.question.split()) >= 4 and len(pair.answer.split()) >= 4:
                    pairs.setdefault(" ".join(pair.question.lower().split()), pair)
    return list(pairs.values())


def _pairs(folder: Path) -> Iterator[Asked]:
    corpus = {one["_id"]: one["text"] for one in _lines(folder / "corpus.jsonl")}
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant.setdefault(query, []).append(document)
    for query in _lines(folder / "queries.jsonl"):
        history = query.get("metadata", {}).get("history") or []
        for one, two in itertools.pairwise(history):
            if one["role"] == "user" and two["role"] == "agent":
                yield Asked(one["text"], two["text"])
        text = " ".join(corpus.get(one, "") for one in relevant.get(query["_id"], [])[:2])
        yield Asked(query["text"], " ".join(sentences(text)[:3]))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sentences(text: str) -> list[str]:
    """Sentences of at least four words."""
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n", text) if len(one.split()) >= 4]


def make_requests(pairs: list[Asked], count: int, *, seed: int = 7) -> list[Made]:
    """Popular questions often, 60 % of them in other words, half of the answers with a foreign sentence, by time."""
    rng = random.Random(seed)
    weights = [1 / (rank + 1) ** 0.6 for rank in range(len(pairs))]
    chosen = rng.choices(range(len(pairs)), weights, k=count)
    everything = [sentence for pair in pairs for sentence in sentences(pair.answer)[:2]]
    users = max(20, count // 12)
    times = sorted(_daytime(rng) for _ in range(count))
    made = []
    for number, (pair, start_ns) in enumerate(zip(chosen, times, strict=True)):
        question, answer = pairs[pair]
        if rng.random() < 0.6:
            question = varied(question, rng)
        if rng.random() < 0.5:
            answer = f"{answer} {rng.choice(everything)}"
        user = f"u-{int(users * (rng.paretovariate(1.2) - 1) / 30) % users:05d}"
        made.append(Made(number, pair, question, answer, user, start_ns))
    return made


def _daytime(rng: random.Random) -> int:
    hour = min(max(rng.gauss(13.5, 3.2), 6.0), 21.9)
    return T0 + rng.randrange(DAYS) * DAY + int(hour * 3600e9)


def varied(text: str, rng: random.Random, *, drop: float = 0.08, swap: float = 0.3, slip: float = 0.03) -> str:
    """The same question in other words: some dropped, some replaced, some mistyped."""
    words = [word for word in text.split() if rng.random() >= drop] or text.split()
    words = [SYNONYMS[word.lower()] if word.lower() in SYNONYMS and rng.random() < swap else word for word in words]
    return " ".join(mistyped(word, rng) if rng.random() < slip else word for word in words)


def mistyped(word: str, rng: random.Random) -> str:
    """One slip of the pen: two letters exchanged, one doubled, lost, or the neighbour of the right one."""
    if len(word) < 4:
        return word
    at = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2:
        return word[:at] + word[at + 1 :]
    return word[:at] + rng.choice("aeiorstn") + word[at + 1 :]
