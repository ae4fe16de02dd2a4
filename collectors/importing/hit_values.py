"""Values of a log's columns as one list of hits, in the shape of `model.wire`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...model import Completeness, IdSource, ScoreKind, wire
from ..dialects.documents import documents_in, read_document, read_score
from ..dialects.facts import Doc
from ..dialects.json_text import load
from .ids import cell_id

_MOST_MISSING: Final = 1000
"""More ranks than that are not missing: the column is no rank."""
_SHOWN: Final = 6
"""So many names of fields are shown."""
_NOTHING: Final = Doc()


class HitValues(NamedTuple):
    """What the columns of one list hold, each as it was found; None: there is no such column."""

    hits: Any = None
    scores: Any = None
    texts: Any = None
    docs: Any = None
    metadata: Any = None
    ranks: Any = None


class ReadHits(NamedTuple):
    """A list as read."""

    wire: dict[str, Any] | None
    """The HITS attribute; None: the log has no list here."""
    ids: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class HitReader:
    """Reads the lists of one stage."""

    def __init__(self, name: str, *, separator: str, declared: bool, score_kind: str) -> None:
        self._name = name
        self._separator = separator
        self._source = IdSource.MAPPED.value if declared else IdSource.FIELD.value
        self._score_kind = score_kind
        self._remarks: list[str] = []

    def read(self, values: HitValues) -> ReadHits:
        """The list that these values are; the order as recorded is the rank, unless ranks are recorded, too."""
        self._remarks = []
        plain = self._plain(values)
        if plain is not None:
            return plain
        docs = self._docs(values)
        if docs is None:
            return ReadHits(None, (), tuple(self._remarks))
        docs = self._beside(docs, values)
        placed = self._placed(docs, values.ranks)
        ids = tuple(self._shown(doc) for doc in placed.docs)
        return ReadHits(self._wire(placed), ids, tuple(self._remarks))

    def _plain(self, values: HitValues) -> ReadHits | None:
        """The list of most logs, without detours: ids as texts, and scores as numbers or none; None for all others."""
        ids, scores = values.hits, values.scores
        if type(ids) is not list or not ids or values[2:] != (None, None, None, None):
            return None
        if any(type(one) is not str or not one for one in ids):
            return None
        columns: dict[str, Any] = {wire.HIT_ID: ids}
        if scores is not None:
            if type(scores) is not list or len(scores) != len(ids) or any(type(one) is not float for one in scores):
                return None
            columns[wire.HIT_SCORE] = scores
            if self._score_kind:
                columns[wire.HIT_SCORE_KIND] = self._score_kind
        if self._source != IdSource.FIELD.value:
            columns[wire.HIT_ID_SOURCE] = [self._source] * len(ids)
        head = {wire.HITS_LENGTH: len(ids), wire.HITS_SHAPE: "log", wire.HITS_COLUMNS: columns}
        return ReadHits(head, tuple(ids))

    def _docs(self, values: HitValues) -> list[Doc] | None:
        value = self._list(values.hits if values.hits is not None else values.texts)
        if value is None:
            return None
        if not isinstance(value, list):
            self._say(f"{self._name}: a list was expected, it is {_sort(value)}")
            return None
        if values.hits is None:
            return [_NOTHING._replace(text=text if isinstance(text, str) else None) for text in value]
        if all(one is None or isinstance(one, str | int | float) for one in value):
            return [_NOTHING._replace(chunk_id=cell_id(one)) for one in value]
        if not any(isinstance(one, dict | list) for one in value):
            self._say(f"{self._name}: the list holds no hits")
            return None
        docs = [read_document(one) for one in value]
        if any(doc is None for doc in docs):
            inner = documents_in(value)
            if inner is not None:
                return list(inner)
            self._say(self._without_both([one for one, doc in zip(value, docs, strict=True) if doc is None]))
        return [doc or _NOTHING for doc in docs]

    def _without_both(self, lost: list[Any]) -> str:
        """What such hits have instead, for a person to say which of it is the id."""
        what = f"{self._name}: {'a hit has' if len(lost) == 1 else 'hits have'} neither an id nor a text"
        keys = list(dict.fromkeys(str(key) for one in lost[:_SHOWN] if isinstance(one, Mapping) for key in one))
        if not keys:
            return what
        return f"{what}, only {', '.join(keys[:_SHOWN])}; say which it is: --map '{self._name}.hits=COLUMN[].{keys[0]}'"

    def _list(self, value: Any) -> Any:  # noqa: ANN401 - a value of a log
        """A list from a cell; None where the cell is empty."""
        if isinstance(value, str):
            text = value.strip()
            if not text:
                return None
            value = load(text)
            if isinstance(value, str):
                return [part.strip() for part in value.split(self._separator or "\n") if part.strip()]
        if isinstance(value, Mapping):
            inner = documents_in(value)
            if inner is not None:
                return next(one for one in value.values() if isinstance(one, list | str))
            if all(isinstance(one, int | float) for one in value.values()):  # id -> score
                return [{"id": key, "score": score} for key, score in value.items()]
        if is_pairs(value):
            return [{"id": one[0], "score": one[1]} for one in value]
        return [value] if isinstance(value, int | float) and not isinstance(value, bool) else value

    def _beside(self, docs: list[Doc], values: HitValues) -> list[Doc]:
        """The documents with what other columns say of them, place by place."""
        if values.hits is not None and values.texts is not None:
            docs = self._fill(docs, "text", self._list(values.texts), _text)
        docs = self._fill(docs, "doc_id", self._list(values.docs), cell_id)
        docs = self._fill(docs, "metadata", self._list(values.metadata), _metadata)
        scores = self._list(values.scores)
        if scores is None or not self._fits(scores, docs, "scores"):
            return docs
        comma = self._separator != ","
        pairs = [read_score(one.replace(",", ".") if comma and isinstance(one, str) else one) for one in scores]
        return [doc._replace(score=score, score_note=note) for doc, (score, note) in zip(docs, pairs, strict=True)]

    def _fill(self, docs: list[Doc], field: str, values: Any, read: Any) -> list[Doc]:  # noqa: ANN401 - as above
        if values is None or not self._fits(values, docs, field):
            return docs
        return [
            doc if (found := read(value)) is None else doc._replace(**{field: found})
            for doc, value in zip(docs, values, strict=True)
        ]

    def _fits(self, values: Any, docs: list[Doc], what: str) -> bool:  # noqa: ANN401 - as above
        if not isinstance(values, list):
            self._say(f"{self._name}: {what} was to be a list, it is {_sort(values)}; left out")
            return False
        if len(values) != len(docs):
            self._say(f"{self._name}: the lists of hits and of {what} are not equally long; {what} left out")
            return False
        return True

    def _placed(self, docs: list[Doc], ranks: Any) -> _Placed:  # noqa: ANN401 - as above
        """The documents by their recorded ranks; where those contradict themselves, as the list has them."""
        values = self._list(ranks)
        if values is None or not docs or not self._fits(values, docs, "ranks"):
            return _Placed(list(docs), 0)
        numbers = [_whole(value) for value in values]
        known = [number for number in numbers if number is not None]
        if len(known) != len(numbers) or min(known) < 0:
            self._say(f"{self._name}: ranks that are no numbers from 1 on; the order of the list counts")
            return _Placed(list(docs), 0)
        if len(set(known)) != len(known):
            self._say(f"{self._name}: a rank stands twice; the order of the list counts")
            return _Placed(list(docs), 0)
        if min(known) == 0:
            self._say(f"{self._name}: ranks begin at 0; they are counted from 1")
            known = [number + 1 for number in known]
        if known != sorted(known):
            self._say(f"{self._name}: the list is not in the order of its ranks; the ranks count")
        missing = max(known) - len(known)
        if missing > _MOST_MISSING:
            self._say(f"{self._name}: ranks with more than {_MOST_MISSING:,} missing; the order of the list counts")
            return _Placed(list(docs), 0)
        by_rank = dict(zip(known, docs, strict=True))
        top = min(known)
        if missing:
            self._say(f"{self._name}: ranks are missing in the log")
        return _Placed([by_rank.get(rank) for rank in range(top, max(known) + 1)], top - 1)

    def _wire(self, placed: _Placed) -> dict[str, Any]:
        head: dict[str, Any] = {wire.HITS_LENGTH: len(placed.docs) + placed.missing_top, wire.HITS_SHAPE: "log"}
        if placed.missing_top:
            head[wire.HITS_STATE] = Completeness.TOP_MISSING.value
        docs = placed.docs
        known = [doc for doc in docs if doc is not None]
        kinds = {doc.score_kind for doc in known if doc.score_kind != ScoreKind.UNKNOWN.value}
        kind = self._score_kind if not kinds else kinds.pop() if len(kinds) == 1 else ""
        if len(known) != len(docs):
            return head | {wire.HITS_LIST: [None if doc is None else self._item(doc, kind) for doc in docs]}
        columns: dict[str, Any] = {wire.HIT_ID: [doc.chunk_id for doc in known]}
        beside = self._columns(known).items()
        columns |= {key: values for key, values in beside if any(value is not None for value in values)}
        if kind and wire.HIT_SCORE in columns:
            columns[wire.HIT_SCORE_KIND] = kind
        return head | {wire.HITS_COLUMNS: columns}

    def _columns(self, docs: Sequence[Doc]) -> dict[str, list[Any]]:
        return {
            wire.HIT_DOC: [doc.doc_id for doc in docs],
            wire.HIT_SCORE: [doc.score if doc.score is not None else doc.score_note for doc in docs],
            wire.HIT_TEXT: [doc.text for doc in docs],
            wire.HIT_METADATA: [dict(doc.metadata) or None for doc in docs],
            wire.HIT_ID_SOURCE: self._sources(docs),
            wire.HIT_PARENT: [doc.parent_id for doc in docs],
        }

    def _sources(self, docs: Sequence[Doc]) -> list[str | None]:
        plain = IdSource.FIELD.value
        if self._source != plain:
            return [self._source for _ in docs]
        return [None if doc.id_source == plain else doc.id_source for doc in docs]

    def _item(self, doc: Doc, kind: str) -> dict[str, Any]:
        found = {key: values[0] for key, values in self._columns((doc,)).items() if values[0] is not None}
        if kind and wire.HIT_SCORE in found:
            found[wire.HIT_SCORE_KIND] = kind
        return found | ({wire.HIT_ID: doc.chunk_id} if doc.chunk_id is not None else {})

    @staticmethod
    def _shown(doc: Doc | None) -> str:
        if doc is None:
            return "—"
        return doc.chunk_id or (f"“{' '.join(doc.text.split())[:24]}…”" if doc.text else "—")

    def _say(self, remark: str) -> None:
        self._remarks.append(remark)


class _Placed(NamedTuple):
    docs: list[Doc] | list[Doc | None]
    """In rank order; None at a rank that the log does not have."""
    missing_top: int


def is_pairs(value: Any) -> bool:  # noqa: ANN401 - a value of a log
    """Whether a value is a list of ids with scores: [["d7", 0.9], …]."""
    return bool(value) and isinstance(value, list) and all(map(_is_pair, value))


def _is_pair(one: Any) -> bool:  # noqa: ANN401 - a value of a log
    return (
        isinstance(one, list | tuple)
        and len(one) == 2
        and isinstance(one[0], str | int)
        and isinstance(one[1], int | float)
    )


def empty_list() -> dict[str, Any]:
    """The HITS attribute of a search that found nothing."""
    return {wire.HITS_LENGTH: 0, wire.HITS_SHAPE: "log", wire.HITS_LIST: []}


def _text(value: Any) -> str | None:  # noqa: ANN401 - a value of a log
    return value if isinstance(value, str) else None


def _metadata(value: Any) -> Mapping[str, Any] | None:  # noqa: ANN401 - a value of a log
    loaded = load(value)
    return loaded if isinstance(loaded, Mapping) else None


def _whole(value: Any) -> int | None:  # noqa: ANN401 - a value of a log
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number == int(number) else None


def _sort(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number")
