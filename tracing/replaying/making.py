"""One element of a list, made again from its recorded hit: the recogniser of `tracing.recognisers` read backwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from ...model.hit import Hit
from ...model.hit_words import IdSource
from ...model.stage_words import StageKind
from .. import names
from .kinds import MISSING, Made, find_class, made_of
from .refusals import NotRebuildable
from .scalars import convert, is_number_type, is_scalar
from .tags import Tag

_NEVER_RECORDED: Final = names.NOT_METADATA
_NO_METADATA: Final = frozenset({*names.METADATA_TEXTS, *names.SCORES, *names.NOT_METADATA} - {"type"})
_ONE_OF_A_SORT: Final = frozenset({*names.SCORES, *names.DOCUMENTS, *names.ID_FIELDS, *names.TEXTS, *names.PARENTS})
_CONTAINERS: Final = frozenset({"list", "tuple", "dict", "set", "frozenset"})


class Maker:
    """Makes the elements of one list."""

    def __init__(self, kind: StageKind, script: ModuleType | None = None) -> None:
        self.script = script
        self.notes: dict[str, None] = {}
        """What the elements have not as they were, in words."""
        first = names.SCORES_FIRST.get(kind, ())
        self._scores = (*first, *(key for key in names.SCORES if key not in first))

    def element(self, tag: Tag, hit: Hit) -> Any:
        """The element that was read as `hit`; NotRebuildable with the reason."""
        if tag.name == "str":
            return _given(hit.text, hit) if hit.id_source is IdSource.DERIVED else hit.chunk_id
        if is_scalar(tag.name):
            return convert(tag.name, hit.chunk_id, "an id")
        if tag.name in {"tuple", "list"}:
            return self._pair(tag, hit)
        if tag.name == "dict":
            if tag.fields is None:
                raise NotRebuildable("it returned dicts whose keys were not recorded, or are no texts")
            return self._dict(tag, hit, scored=False)
        return self._object(tag, hit, scored=False)

    def _pair(self, tag: Tag, hit: Hit) -> Any:
        """(id, score), (object, score), either in the other order, with a text or the metadata as a third."""
        items = tag.items or ()
        if tag.name == "list":
            items = (*items, Tag("float"))
            if hit.text is not None or items[0].name != "str":
                raise NotRebuildable("it returned lists of which only the first element's type is known")
        if len(items) not in {2, 3}:
            raise NotRebuildable(f"it returned tuples of {len(items)} elements")
        place = _score_place([item.name for item in items])
        chunk = 1 - place if place < 2 else 0
        made: list[Any] = []
        for at, item in enumerate(items):
            if at == place:
                made.append(convert(item.name, _score(hit), "a score"))
            elif at == chunk:
                made.append(self._chunk(item, hit))
            else:
                made.append(self._third(item, hit))
        return tuple(made) if tag.name == "tuple" else made

    def _chunk(self, item: Tag, hit: Hit) -> Any:
        if item.name == "str":
            return hit.text if hit.id_source is IdSource.DERIVED else hit.chunk_id
        if is_scalar(item.name):
            return convert(item.name, hit.chunk_id, "an id")
        made = self._dict if item.name == "dict" and item.fields is not None else self._object
        return made(item, hit, scored=True)

    def _third(self, item: Tag, hit: Hit) -> Any:
        if item.name == "str":
            return _given(hit.text, hit)
        if item.name == "dict" and item.fields is not None and not set(item.fields) & {*names.TEXTS, *names.SCORES}:
            return self._metadata(None, hit, frozenset(), own_score=True, own_text=True)
        raise NotRebuildable(f"it returned tuples with a {item.name}")

    # Things with fields.

    def _dict(self, tag: Tag, hit: Hit, *, scored: bool) -> dict[str, Any]:
        fields = tuple(tag.fields or ())
        values = self._values(tag, hit, fields, {}, scored=scored)
        return {name: None if value is MISSING else value for name, value in values.items()}

    def _object(self, tag: Tag, hit: Hit, *, scored: bool) -> Any:
        made: Made = made_of(find_class(tag.name, self.script))
        values = self._values(tag, hit, made.fields, made.defaults, scored=scored)
        for name in made.fields:
            if values[name] is MISSING:
                default = made.defaults.get(name)
                values[name] = None if default is None else default()
        return made.make(values)

    def _values(
        self, tag: Tag, hit: Hit, fields: Sequence[str], defaults: Mapping[str, Any], *, scored: bool
    ) -> dict[str, Any]:
        roles = self._roles(tag, fields, scored=scored)
        rest = [name for name in fields if name not in roles]
        beside = frozenset(name for name in rest if name in hit.metadata and name not in _NEVER_RECORDED)
        values: dict[str, Any] = {}
        for name in fields:
            role = roles.get(name)
            mark = tag.mark(name)
            if role is None:
                values[name] = self._rest(name, mark, hit, defaults, known=name in beside)
            elif role == "metadata":
                own = set(roles.values())
                values[name] = self._metadata(
                    mark, hit, beside, own_score=scored or "score" in own, own_text="text" in own
                )
            elif role == "inner":
                inner = mark or Tag("")
                own_score = scored or "score" in roles.values()
                make = self._dict if inner.name == "dict" else self._object
                values[name] = make(inner, _without(hit, beside), scored=own_score)
            else:
                values[name] = self._own(role, name, mark, hit)
        return values

    def _roles(self, tag: Tag, fields: Sequence[str], *, scored: bool) -> dict[str, str]:
        """Field -> what it holds: the choice that the recogniser made among these fields."""
        present = [name for name in fields if (mark := tag.mark(name)) is None or mark.name != "None"]

        def first(known: Sequence[str], taken: Mapping[str, str]) -> str | None:
            return next((name for name in known if name in present and name not in taken), None)

        roles: dict[str, str] = {}
        inner = next((name for name in names.INNER if name in present and _is_inner(tag.mark(name))), None)
        if inner is not None:
            roles[inner] = "inner"
        for role, known in (
            ("text", names.TEXTS),
            ("id", names.ID_FIELDS),
            ("score", () if scored else self._scores),
            ("doc", names.DOCUMENTS),
            ("parent", names.PARENTS),
            ("metadata", names.METADATAS),
        ):
            name = first(known, roles)
            if name is not None:
                roles[name] = role
        return roles

    def _own(self, role: str, name: str, mark: Tag | None, hit: Hit) -> Any:
        if role == "text":
            return _given(hit.text, hit)
        if role == "score":
            return convert("float" if mark is None else mark.name, _score(hit), f"its field {name}")
        if role == "id":
            if hit.id_source is IdSource.DERIVED:
                return None
            if hit.id_source is IdSource.METADATA:
                self.notes[f"{name} is the id that its metadata names"] = None
            found: str | None = hit.chunk_id
        else:
            found = hit.doc_id if role == "doc" else hit.parent_id
        return None if found is None else convert("str" if mark is None else mark.name, found, f"its field {name}")

    def _rest(self, name: str, mark: Tag | None, hit: Hit, defaults: Mapping[str, Any], *, known: bool) -> Any:
        """A field that is kept beside the metadata, or nowhere."""
        if known:
            value = hit.metadata[name]
            return value if mark is None or mark.is_empty or mark.name == "None" else convert(mark.name, value, name)
        if mark is None or mark.name == "None":
            if mark is None and name in _ONE_OF_A_SORT:
                raise NotRebuildable(f"its field {name} was not recorded beside another one of its sort")
            return MISSING
        if mark.is_empty:
            return {"list": [], "dict": {}, "tuple": (), "set": set(), "frozenset": frozenset()}.get(mark.name[:-2])
        if name in _NEVER_RECORDED:
            self.notes[f"{name} is not recorded, and {'its default' if name in defaults else 'None'} here"] = None
            return MISSING
        raise NotRebuildable(f"its field {name} (a {mark.name}) was not recorded")

    def _metadata(
        self, mark: Tag | None, hit: Hit, beside: frozenset[str], *, own_score: bool, own_text: bool
    ) -> dict[str, Any]:
        """The metadata dict, with what was read out of it put back."""
        made = {name: value for name, value in hit.metadata.items() if name not in beside}
        if mark is not None and mark.name not in {"", "dict", "dict()"}:
            raise NotRebuildable(f"its metadata was a {mark.name}")
        for name, given in () if mark is None or mark.fields is None else mark.fields.items():
            kind = "" if given is None else given.name
            if kind.endswith("-key"):
                raise NotRebuildable(f"its metadata has a key that is no text ({kind.removesuffix('-key')})")
            if name in names.SCORES and not own_score:
                made[name] = convert(kind, _score(hit), f"its metadata's {name}")
            elif name in names.METADATA_TEXTS and not own_text:
                made[name] = _given(hit.text, hit)
            elif name in names.SCORES or name in names.METADATA_TEXTS:
                raise NotRebuildable(f"its metadata's {name} was not recorded beside its own one")
            elif name in _NO_METADATA:
                self.notes[f"its metadata's {name} is not recorded, and missing here"] = None
            elif name in made:
                made[name] = convert(kind, made[name], f"its metadata's {name}")
        return made


def _is_inner(mark: Tag | None) -> bool:
    return (
        mark is not None and not is_scalar(mark.name) and mark.name not in _CONTAINERS - {"dict"} and not mark.is_empty
    )


def _without(hit: Hit, beside: frozenset[str]) -> Hit:
    if not beside:
        return hit
    return hit.model_copy(update={"metadata": {key: held for key, held in hit.metadata.items() if key not in beside}})


def _score_place(kinds: Sequence[str]) -> int:
    """Which element of a pair or triple is the score, as `recognisers.read_pair` decides."""
    first, second = kinds[0], kinds[1]
    is_row = len(kinds) == 3 and is_number_type(kinds[2])
    if first == "float" or (is_number_type(first) and not is_number_type(second) and not is_row):
        return 0
    if is_number_type(second):
        return 1
    if len(kinds) == 3 and is_number_type(kinds[2]):
        return 2
    raise NotRebuildable(f"it returned tuples ({', '.join(kinds)}) without a score")


def _score(hit: Hit) -> float:
    if hit.score is None:
        raise NotRebuildable(f"the score of hit {hit.rank} was no number, or not finite")
    return hit.score


def _given(text: str | None, hit: Hit) -> str:
    if text is None:
        raise NotRebuildable(f"the text of hit {hit.rank} was not recorded ({hit.text_state.value.replace('_', ' ')})")
    return text
