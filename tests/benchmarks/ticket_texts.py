"""Tickets made by rule from requests: one kind of change at a time, or all at once; with and without hints."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ticket_requests import SYNONYMS, Made, mistyped, sentences, varied

GREETINGS = ("Hi team,", "Hello support,", "Dear all,", "Hey,", "Good morning,", "")
FRAMES = (
    "I asked the assistant: {} and the answer was wrong.",
    "Your bot got this wrong. The question was {}",
    "{} - the reply makes no sense, please check.",
    "When I asked about {} it gave me a wrong answer.",
    "A customer wanted to know: {} Our chatbot's answer is misleading.",
)
QUOTING = (
    'It told me "{}". That cannot be right.',
    'The bot said "{}" which is wrong.',
    "It claimed that {}. Is this true?",
    'The answer was: "{}" and the customer is angry.',
)
CLOSINGS = ("Thanks, Ann", "Best regards\nKarl Meier", "", "Please fix. Cheers", "Thank you!")
KINDS = ("paraphrase", "typos", "word order", "quote", "question and quote", "all at once")
HINTS = ("none", "user", "vague time", "user and time")


class Ticket(NamedTuple):
    """A ticket about a known request."""

    kind: str
    hint: str
    text: str
    opened_ns: int
    about: Made


def make_tickets(made: list[Made], each: int, *, seed: int = 11) -> list[Ticket]:
    """`each` for every kind and hint."""
    rng = random.Random(seed)
    return [_ticket(rng.choice(made), kind, hint, rng) for kind in KINDS for hint in HINTS for _ in range(each)]


def _ticket(about: Made, kind: str, hint: str, rng: random.Random) -> Ticket:
    opened_ns = about.start_ns + int(rng.uniform(0.3, 20) * 3600e9)
    parts = [rng.choice(GREETINGS)]
    if hint in {"vague time", "user and time"}:
        parts.append(f"This was {vague_time(about.start_ns, opened_ns, rng)}.")
    if kind != "quote":
        parts.append(rng.choice(FRAMES).format(_question(about.question, kind, rng)))
    if kind in {"quote", "question and quote"} or (kind == "all at once" and rng.random() < 0.5):
        parts.append(rng.choice(QUOTING).format(_quote(about.answer, rng)))
    if hint in {"user", "user and time"}:
        parts.append(
            rng.choice((f"It was user {about.user}.", f"Account: {about.user}", f"(reported by {about.user})"))
        )
    parts.append(rng.choice(CLOSINGS))
    return Ticket(kind, hint, " ".join(part for part in parts if part), opened_ns, about)


def _question(question: str, kind: str, rng: random.Random) -> str:
    if kind == "paraphrase":
        return varied(question, rng, drop=0.25, swap=0.6, slip=0.0)
    if kind == "typos":
        return " ".join(mistyped(word, rng) if rng.random() < 0.3 else word for word in question.split())
    words = question.rstrip("?. ").split()
    if kind == "word order":
        rng.shuffle(words)
        return " ".join(words)
    if kind == "all at once":
        words = varied(question, rng, drop=0.25, swap=0.6, slip=0.12).split()
        if rng.random() < 0.5:
            at = rng.randrange(len(words))
            words = words[at:] + words[:at]
        return " ".join(words)
    return question


def _quote(answer: str, rng: random.Random) -> str:
    """5 to 10 words of one sentence, 40 % of the quotations with a word replaced or mistyped."""
    words = rng.choice(sentences(answer) or [answer]).split()
    count = min(len(words), rng.randint(5, 10))
    at = rng.randrange(len(words) - count + 1)
    words = words[at : at + count]
    if rng.random() < 0.4:
        place = rng.randrange(len(words))
        words[place] = SYNONYMS.get(words[place].lower(), mistyped(words[place], rng))
    return " ".join(words)


def vague_time(start_ns: int, opened_ns: int, rng: random.Random) -> str:
    """ "Yesterday around 5pm", off by half an hour and rounded to the hour; always in UTC."""
    start = datetime.fromtimestamp((start_ns + rng.gauss(0, 1800e9)) / 1e9, UTC)
    opened = datetime.fromtimestamp(opened_ns / 1e9, UTC)
    start = min(start, opened)
    hour = (start + timedelta(minutes=30)).replace(minute=0)
    days = (opened.date() - hour.date()).days
    day = {0: "today", 1: "yesterday"}.get(days, f"on {hour:%A}")
    return f"{day} around {hour.hour % 12 or 12}{'am' if hour.hour < 12 else 'pm'}"
