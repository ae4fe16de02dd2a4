"""TREC runs as requests: one a topic, one stage a run; qrels are what should have been found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ...model import BadInput, StageKind, wire
from ...model.external_id import trace_id_of
from .expected import grade_of
from .gather import Gather
from .hit_values import HitReader, HitValues, empty_list
from .logged import Gold, LoggedRequest, LoggedStage
from .names import kind_of
from .reading import Bad
from .records import BOM, read_json
from .sources import Source
from .stage_attributes import dumped

FORM: Final = "trec"
_RUN_FIELDS: Final = 6


class Run(NamedTuple):
    """A run file, as a stage."""

    name: str
    source: Source

    @property
    def kind(self) -> StageKind:
        """By its name; a run of an unknown name is a search."""
        return kind_of(self.name) or StageKind.RETRIEVE


class Collection(NamedTuple):
    """What belongs to runs."""

    runs: tuple[Run, ...]
    qrels: Source | None = None
    queries: Source | None = None
    corpus: Source | None = None


class BadPart(NamedTuple):
    """A line of one of the files that could not be used."""

    file: str
    bad: Bad


def run_name(name: str) -> str:
    """ "runs/bm25.run.gz" is bm25."""
    base = name.replace("\\", "/").rpartition("/")[2]
    for ending in (".gz", ".zst", ".txt", ".run", ".trec", ".tsv", ".res", ".results"):
        base = base.removesuffix(ending)
    return base or "retrieve"


class _Around(NamedTuple):
    """What all topics share."""

    queries: Mapping[str, str]
    golds: Mapping[str, list[Gold]]
    digest: str
    resource: tuple[tuple[str, str], ...]


class _Stage(NamedTuple):
    stage: LoggedStage
    remarks: tuple[str, ...] = ()


def read_collection(
    of: Collection, *, app: str, environment: str, base_ns: Callable[[str], int]
) -> Iterator[LoggedRequest | BadPart]:
    """A request for each topic of the runs, and for each judged topic that no run has a line for.

    `base_ns`: when they happened, from the id of the first; a run does not say.
    """
    bad: list[BadPart] = []
    golds = _read_qrels(of.qrels, bad)
    queries = dict(_read_texts(of.queries, bad))
    digest = hashlib.blake2b("\0".join(f"{run.name}\0{run.source.digest}" for run in of.runs).encode()).hexdigest()
    resource = tuple((key, value) for key, value in ((wire.APP, app), (wire.ENVIRONMENT, environment)) if value)
    around = _Around(queries, golds, digest, resource)
    base: int | None = None
    with Gather() as topics, Gather() as texts:
        docs = _read_runs(of.runs, topics, bad)
        for doc, text in _read_texts(of.corpus, bad):
            if text and doc in docs:
                texts.add(doc, text)
        yield from bad
        for place, (topic, stages) in enumerate(_topics(of.runs, topics, texts, golds), start=1):
            found = _request(topic, place, stages, around)
            base = base_ns(found.request_id) - place * 1000 if base is None else base
            yield found._replace(start_ns=base + place * 1000)


def _topics(
    runs: Sequence[Run], topics: Gather, texts: Gather, golds: Mapping[str, list[Gold]]
) -> Iterator[tuple[str, list[_Stage]]]:
    """Each topic with its stages; those that are only judged come last, with empty lists."""
    seen = set()
    for topic, rows in topics.groups():
        seen.add(topic)
        yield topic, [_stage(run, [row for row in rows if row[0] == n], texts) for n, run in enumerate(runs)]
    for topic in golds:
        if topic not in seen:
            yield topic, [_stage(run, [], texts) for run in runs]


def _request(topic: str, place: int, stages: Sequence[_Stage], around: _Around) -> LoggedRequest:
    attributes: dict[str, Any] = {"log.topic": topic}
    remarks = [remark for one in stages for remark in one.remarks]
    if topic in around.queries:
        attributes[wire.QUESTION] = around.queries[topic]
    elif around.queries:
        remarks.append("topics without a query")
    return LoggedRequest(
        trace_id=trace_id_of(topic),
        span_id=hashlib.blake2b(f"trec\0{around.digest}\0{topic}".encode(), digest_size=8).hexdigest(),
        line=place,
        start_ns=0,
        duration_ns=None,
        attributes=attributes,
        resource=around.resource,
        stages=tuple(one.stage for one in stages),
        golds=tuple(around.golds.get(topic, ())),
        remarks=tuple(remarks),
    )


def _stage(run: Run, rows: list[list[Any]], texts: Gather) -> _Stage:
    """One run's list of a topic, by its rank column. A topic that the run has no line for has an empty list."""
    if not rows:
        stage = LoggedStage(run.name, run.kind, {wire.HITS: dumped(empty_list())}, ())
        return _Stage(stage, (f"{run.name}: topics that the run has no line for; their list is empty",))
    ids = [row[1] for row in rows]
    passages = [texts.first(doc) for doc in ids]
    values = HitValues(
        hits=ids,
        ranks=[row[2] for row in rows],
        scores=[row[3] for row in rows],
        texts=passages if any(passages) else None,
    )
    found = HitReader(run.name, separator="", declared=False, score_kind="").read(values)
    attributes = {wire.HITS: dumped(found.wire)}
    stage = LoggedStage(run.name, run.kind, attributes, found.ids)
    return _Stage(stage, (*found.remarks, *_other_orders(run.name, rows)))


def _other_orders(name: str, rows: list[list[Any]]) -> tuple[str, ...]:
    """Where trec_eval, which looks at scores alone, would order the list otherwise."""
    by_rank = sorted(rows, key=lambda row: row[2])
    pairs = [(row[3], row[1]) for row in by_rank]
    if any(one[0] < other[0] for one, other in pairwise(pairs)):
        return (f"{name}: scores and ranks disagree; the ranks count here, trec_eval looks at scores alone",)
    if any(one[0] == other[0] and one[1] < other[1] for one, other in pairwise(pairs)):
        return (f"{name}: equal scores; the ranks count here, trec_eval takes the higher document id first",)
    return ()


def _read_runs(runs: Sequence[Run], topics: Gather, bad: list[BadPart]) -> set[str]:
    """Puts (number of the run, document, rank, score) to each topic; the documents that were found."""
    docs: set[str] = set()
    for number, run in enumerate(runs):
        for line in run.source.lines():
            fields = line.data.decode("utf-8", "replace").split()
            if line.reason or not fields:
                if line.reason:
                    bad.append(BadPart(run.source.name, Bad(line.number, line.reason)))
                continue
            reason = _add(number, fields, topics)
            if reason:
                bad.append(BadPart(run.source.name, Bad(line.number, reason)))
            else:
                docs.add(fields[2])
    return docs


def _add(number: int, fields: list[str], topics: Gather) -> str:
    if len(fields) != _RUN_FIELDS:
        return f"it has {len(fields)} fields, a run has 6: topic Q0 document rank score tag."
    try:
        topics.add(fields[0], (number, fields[2], int(fields[3]), float(fields[4])))
    except ValueError:
        return f"its rank ({fields[3]}) or its score ({fields[4]}) is no number."
    return ""


def _read_qrels(source: Source | None, bad: list[BadPart]) -> dict[str, list[Gold]]:
    """Topic -> judgements: `topic iteration document grade`, or BEIR's three columns below a line of names."""
    found: dict[str, list[Gold]] = {}
    for line in source.lines() if source is not None else ():
        fields = line.data.removeprefix(BOM).decode("utf-8", "replace").split()
        if not fields and not line.reason:
            continue
        if line.number == 1 and fields and not _is_number(fields[-1]):
            continue
        if line.reason or len(fields) not in (3, 4) or not _is_number(fields[-1]):
            reason = line.reason or "it is no judgement: topic, iteration, document and grade were expected."
            bad.append(BadPart(source.name if source else "", Bad(line.number, reason)))
        else:
            found.setdefault(fields[0], []).append(Gold(fields[-2], grade_of(fields[-1])))
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_texts(source: Source | None, bad: list[BadPart]) -> Iterator[tuple[str, str]]:
    """Ids and texts: `id<TAB>text`, or JSON lines with `_id` (or id) and `text`; a title goes before its text."""
    for line in source.lines() if source is not None else ():
        data = line.data.removeprefix(BOM)
        if not data.strip() and not line.reason:
            continue
        try:
            pair = line.reason or _pair(data)
        except ValueError as error:
            pair = f"it is no JSON ({error})."
        if isinstance(pair, str):
            bad.append(BadPart(source.name if source else "", Bad(line.number, pair)))
        else:
            yield pair


def _pair(data: bytes) -> tuple[str, str] | str:
    if data[:1] == b"{":
        value = read_json(data)
        key = next((value[name] for name in ("_id", "id", "query_id", "doc_id", "docid", "qid") if name in value), None)
        names = ("text", "query", "contents", "body", "title")
        text = next((value[name] for name in names if value.get(name)), "" if "text" in value else None)
        if key is None or not isinstance(text, str):
            return "it has no id (_id) or no text."
        title = value.get("title")
        return str(key), f"{title}\n{text}" if isinstance(title, str) and title and title != text else text
    key, tab, text = data.decode("utf-8", "replace").partition("\t")
    return (key.strip(), text.strip()) if tab and key.strip() else "an id, a tab and a text were expected."


def check_is_run(source: Source) -> None:
    """BadInput where the first line is none of a run."""
    line = next(source.lines(), None)
    if line is None or line.reason or len(line.data.split()) != _RUN_FIELDS:
        raise BadInput(f"{source.name} is no TREC run: six fields were expected, topic Q0 document rank score tag.")
