"""The same as `ticket_texts` with other hands: other wordings, other slips, mails, German frames, other times.

The search was not set by these: they say whether it holds outside its own rules.
"""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime
from typing import NamedTuple

from ticket_requests import Made, sentences
from ticket_texts import Ticket

KINDS = ("mail", "german frame", "keywords", "reported answer", "sloppy", "short")
HINTS = ("none", "user", "vague time", "user and time")
_OTHER = {
    "what": "which", "is": "'s", "are": "r", "do": "did", "you": "u", "and": "&", "because": "cause", "big": "huge",
    "important": "essential", "good": "decent", "bad": "poor", "problem": "trouble", "issue": "problem",
    "member": "node", "cluster": "group of nodes", "error": "failure", "reason": "cause", "example": "sample",
    "explain": "describe", "using": "with", "create": "make", "between": "of", "people": "folks", "kids": "children",
    "children": "kids", "movie": "film", "film": "movie", "start": "begin", "begin": "start", "really": "actually",
}  # fmt: skip
_KEYS = {a: b for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for a, b in itertools.pairwise(row)}
_MAILS = (
    (
        "Subject: wrong information\n\nTo whom it may concern,\n\nwe use your assistant daily. {time}{user}{said}\n\n"
        "Could someone look into it?\n\nKind regards,\nMaria Lopez\nHead of Operations"
    ),
    "{user}\n\nHey folks, quick one. {time}{said} Screenshot attached.\n\ncheers\nTom",
    "FYI - got another one of these. {said} {time}{user}\nPriority: high",
)
_GERMAN = (
    "Guten Tag, {time}{user}unser Kunde wollte vom Chatbot wissen: {said} Die Antwort war falsch. Viele Grüße, J. Beck",
    "Hallo zusammen, {time}{user}auf die Frage {said} kam Unsinn zurück. Bitte prüfen! Danke",
)


class _Hints(NamedTuple):
    user: str
    time: str


def make_tickets(made: list[Made], each: int, *, seed: int = 23) -> list[Ticket]:
    """`each` for every kind and hint."""
    rng = random.Random(seed)
    return [_ticket(rng.choice(made), kind, hint, rng) for kind in KINDS for hint in HINTS for _ in range(each)]


def _ticket(about: Made, kind: str, hint: str, rng: random.Random) -> Ticket:
    opened_ns = about.start_ns + int(min(rng.expovariate(1 / 12) + 0.2, 70) * 3600e9)
    german = kind == "german frame"
    hints = _Hints(
        _user(about.user, rng) if "user" in hint else "",
        _time(about.start_ns, opened_ns, rng, german=german) + " " if "time" in hint else "",
    )
    return Ticket(kind, hint, _text(about, kind, hints, rng), opened_ns, about)


def _text(about: Made, kind: str, hints: _Hints, rng: random.Random) -> str:
    if kind == "mail":
        said = f'Somebody typed "{_reworded(about.question, rng)}" and got back something that is plainly outdated.'
        return rng.choice(_MAILS).format(said=said, time=hints.time, user=hints.user)
    if kind == "german frame":
        return rng.choice(_GERMAN).format(said=f"„{_reworded(about.question, rng)}“", time=hints.time, user=hints.user)
    if kind == "keywords":
        words = [word for word in about.question.split() if len(word) > 3]
        rng.shuffle(words)
        return f"{hints.time}{hints.user}bot answer about {' '.join(words[: max(3, len(words) * 2 // 3)])} is wrong"
    if kind == "reported answer":
        return (
            f"{hints.time}The help widget informed us that {_paraphrased(about.answer, rng)}. We doubt it. {hints.user}"
        )
    if kind == "sloppy":
        text = " ".join(_fat_finger(word, rng) if rng.random() < 0.35 else word for word in about.question.split())
        return f"{hints.user}{hints.time}asked ur chatbot {text.lower().rstrip('?.')} n it was total nonsense!!"
    words = about.question.split()
    at = rng.randrange(max(1, len(words) - 5))
    return f"{hints.time}{hints.user}wrong answer on: {' '.join(words[at : at + 6])} ..."


def _reworded(question: str, rng: random.Random) -> str:
    words = [_OTHER.get(word.lower(), word) if rng.random() < 0.7 else word for word in question.split()]
    if len(words) > 5:
        del words[rng.randrange(len(words))]
    if rng.random() < 0.4:
        words.insert(rng.randrange(len(words)), rng.choice(("exactly", "currently", "actually", "in our case")))
    return " ".join(words)


def _paraphrased(answer: str, rng: random.Random) -> str:
    words = rng.choice(sentences(answer)[:4] or [answer]).rstrip(".!?").split()[:18]
    return " ".join(_OTHER.get(word.lower(), word) for word in words if rng.random() > 0.1)


def _fat_finger(word: str, rng: random.Random) -> str:
    """The neighbouring key, or a letter left out."""
    if len(word) < 4:
        return word
    at = rng.randrange(len(word))
    return word[:at] + (_KEYS.get(word[at].lower(), "") if rng.random() < 0.6 else "") + word[at + 1 :]


def _user(name: str, rng: random.Random) -> str:
    return rng.choice((f"Customer no. {name}. ", f"({name}) ", f"user id: {name} - ", f"This concerns {name}. "))


def _time(start_ns: int, opened_ns: int, rng: random.Random, *, german: bool) -> str:
    start, opened = (datetime.fromtimestamp(one / 1e9, UTC) for one in (start_ns, opened_ns))
    days = (opened.date() - start.date()).days
    part = 0 if start.hour < 12 else 1 if start.hour < 18 else 2
    if german:
        day = {0: "heute", 1: "gestern", 2: "vorgestern"}.get(days, f"am {start:%d.%m.%Y}")
        return rng.choice(
            (
                f"{day} gegen {start.hour} Uhr",
                f"{day} {('vormittag', 'nachmittag', 'abend')[part]}",
                f"am {start:%d.%m.} um {start:%H:%M} Uhr",
            )
        )
    hours = round((opened_ns - start_ns) / 3600e9)
    if 1 <= hours <= 8 and rng.random() < 0.5:
        return f"About {hours} hour{'s' if hours > 1 else ''} ago"
    day = {0: "Today", 1: "Yesterday"}.get(days, f"On {start:%A}" if days < 7 else f"On {start:%B} {start.day}")
    name = ("morning", "afternoon", "evening")[part]
    said = (
        f"This {name}" if days == 0 else f"{day} {name}",
        f"{day} at {start:%H:%M}",
        day,
        f"On {start.day} {start:%b} around {start:%H}:00",
    )
    return rng.choice(said)
