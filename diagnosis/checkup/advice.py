"""The changes that would let more be told, the one that helps most first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ...model.checkup import Change, Lack
from .lacking import Observed
from .telling import NEEDS, WORDS

OWN: Final = "goldrank"
"""Name of the instrumentation of goldrank's own decorators."""

LOG: Final = "goldrank.import"
"""Name of what writes the spans of imported logs and TREC runs."""

KEPT: Final = "openinference."
"""How the names of instrumentations begin that `goldrank.instrument` attaches."""

_FRAMEWORKS: Final = {"langchain": "langchain", "llama": "llama_index", "haystack": "haystack"}
"""A part of an instrumentation's name -> what `goldrank.instrument` calls the framework."""

_BY_INSTRUMENT: Final = frozenset(
    {Lack.SEARCH, Lack.LIST, Lack.INNER, Lack.QUESTION, Lack.CONTEXT, Lack.ANSWER, Lack.TEXT}
)
"""What the instrumentation that `goldrank.instrument` attaches sends."""


class _Way(NamedTuple):
    """How a lack is mended."""

    what: str
    how: str = ""


_WAYS: Final = {
    Lack.SEARCH: _Way(
        "Put a decorator on the function that searches, and its ranks are recorded",
        '@goldrank.retrieve(index="docs")\ndef search(query): ...',
    ),
    Lack.LIST: _Way(
        "Put a decorator on the function that searches, and its ranks are recorded whole",
        '@goldrank.retrieve(index="docs")\ndef search(query): ...',
    ),
    Lack.INNER: _Way(
        "Put decorators on the searches and on what fuses and reranks them",
        '@goldrank.retrieve(name="bm25")\ndef search_words(query): ...',
    ),
    Lack.RANKS: _Way("Let the exporter keep all ranks", "export OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=10000"),
    Lack.REQUEST: _Way(
        "Put a decorator on the function that answers, or export the span at the top of the trace too",
        "@goldrank.request\ndef answer(question): ...",
    ),
    Lack.QUESTION: _Way(
        "Say which parameter holds the user's question",
        '@goldrank.request(question="text")\ndef answer(text): ...',
    ),
    Lack.CONTEXT: _Way(
        "Put a decorator on the function that calls the model: its prompt shows what was sent",
        "@goldrank.generate\ndef generate(messages): ...",
    ),
    Lack.ANSWER: _Way(
        "Say where in the returned value the answer's text is",
        "@goldrank.request(answer=lambda returned: returned.text)\ndef answer(question): ...",
    ),
    Lack.FLOW: _Way(
        "Say which parameters hold the lists that go into a stage",
        '@goldrank.rerank(inputs="candidates")\ndef rerank(query, candidates): ...',
    ),
    Lack.TEXT: _Way(
        "Record the texts of chunks, or load the corpus, which has them",
        "goldrank corpus add chunks.jsonl --app {app} --index {index} --version {version}",
    ),
    Lack.ID: _Way(
        "Give chunks an id where they are made (metadata chunk_id), or say where it is: a changed text is otherwise "
        "another chunk, and its labels stay behind",
        '@goldrank.retrieve(hits=lambda found: [{"id": one.key, "text": one.text} for one in found])',
    ),
    Lack.CORPUS: _Way(
        'Say what the index holds: "not in the corpus" is then a fact, and search finds what was never retrieved',
        "goldrank corpus add chunks.jsonl --app {app} --index {index} --version {version}",
    ),
}

_OF_A_LOG: Final = {
    Lack.SEARCH: _Way(
        "Log what the search found: the ids of the chunks, in order", '"retrieved_ids": ["refunds#1", "refunds#0"]'
    ),
    Lack.LIST: _Way(
        "Log what each search found in every request, also where it is nothing", '"retrieved_ids": ["refunds#1"], or []'
    ),
    Lack.RANKS: _Way("Log the whole lists, from their first rank on", '"retrieved_ids": ["refunds#1", "refunds#0"]'),
    Lack.QUESTION: _Way("Log the user's question in every row", '"question": "Can I return it?"'),
    Lack.CONTEXT: _Way(
        "Log what stood in the prompt: the ids of the chunks that went into it, or the prompt itself",
        '"context_ids": ["refunds#0"], or "prompt": "Answer from these passages: …"',
    ),
    Lack.ANSWER: _Way("Log the answer that was given", '"answer": "Within 30 days."'),
    Lack.FLOW: _Way(
        "Log the list of every stage by its ids: which went into which is told from those",
        '"bm25_ids": [...], "dense_ids": [...], "reranked_ids": [...]',
    ),
    Lack.TEXT: _Way(
        "Log the texts of chunks beside their ids, or load the corpus, which has them",
        "goldrank corpus add chunks.jsonl --app {app} --index {index} --version {version}",
    ),
    Lack.ID: _Way(
        "Log the ids of chunks: a changed text is otherwise another chunk, and its labels stay behind",
        '"retrieved": [{"chunk_id": "refunds#1", "text": "…"}]',
    ),
}
"""Where rows of a log are all that came: nobody can put a decorator on those."""

_UNREADABLE: Final = _Way(
    "Say how to read what the decorated function returns: its list could not be read",
    '@goldrank.retrieve(hits=lambda found: [{"id": one.key, "text": one.text} for one in found])',
)

_WEIGHT: Final = {lack: sum(lack in needs for needs in NEEDS.values()) for lack in Lack}
_LEAST: Final = 0.5
"""What a lack weighs that no verdict needs: it makes others less certain, or a passage hard to find."""


def changes(
    observed: Sequence[Observed], *, app: str, writers: Collection[str] = (), index: str = "", version: str = ""
) -> tuple[Change, ...]:
    """What to change, by how many verdicts in how many of the requests it helps; equal ones in the order of Lack.

    `index` and `version` are those that were searched, to complete a command; `writers` are names of instrumentations.
    """
    lacking = Counter(lack for one in observed for lack in one.lacks)
    order = sorted(lacking, key=lambda lack: (-lacking[lack] * (_WEIGHT[lack] or _LEAST), list(Lack).index(lack)))
    if lacking[Lack.SEARCH] == len(observed):
        order = [lack for lack in order if lack not in {Lack.LIST, Lack.RANKS, Lack.FLOW}]
    names = {"app": app or "APP", "index": index or "INDEX", "version": version or "VERSION"}
    found: dict[_Way, Change] = {}
    for lack in order:
        way = _way(lack, observed, writers)
        made = _change(lack, lacking[lack], way, names)
        first = found.get(way)
        found[way] = made if first is None else _together(first, made)
    return tuple(found.values())


def _together(first: Change, also: Change) -> Change:
    """One change that mends two lacks."""
    brings = tuple(verdict for verdict in NEEDS if verdict in {*first.brings, *also.brings})
    return first.model_copy(update={"brings": brings, "requests": max(first.requests, also.requests)})


def _change(lack: Lack, requests: int, way: _Way, names: dict[str, str]) -> Change:
    how = way.how
    for name, value in names.items():
        how = how.replace("{" + name + "}", value)
    brings = tuple(verdict for verdict, needs in NEEDS.items() if lack in needs)
    return Change(lack=lack, what=f"{way.what}.", how=how, brings=brings, requests=requests)


def _way(lack: Lack, observed: Sequence[Observed], writers: Collection[str]) -> _Way:
    """What mends it for these writers: one line for a framework, else what the reader of the telemetry found."""
    if set(writers) == {LOG} and lack in _OF_A_LOG:
        return _OF_A_LOG[lack]
    one_line = _one_line(writers) if lack in _BY_INSTRUMENT else None
    if one_line is not None:
        return one_line
    reasons = Counter(one.reasons[lack] for one in observed if one.reasons.get(lack))
    if lack is Lack.LIST and OWN in writers:
        return _UNREADABLE
    if reasons:
        return _Way(f"{WORDS[lack].capitalize()}: {reasons.most_common(1)[0][0]}")
    return _WAYS[lack]


def _one_line(writers: Collection[str]) -> _Way | None:
    """`goldrank.instrument` for a framework whose instrumentation sends less than the one that it attaches."""
    if any(writer == OWN or writer.startswith(KEPT) for writer in writers):
        return None
    for part, name in _FRAMEWORKS.items():
        if any(part in writer for writer in writers):
            how = f'goldrank.init(app="...")\ngoldrank.instrument("{name}")'
            return _Way("Attach the instrumentation that records prompts, texts and the searches inside others", how)
    return None
