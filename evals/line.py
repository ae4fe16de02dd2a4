"""From one JSON line to an eval case: goldrank's own lines and those of other people's golden sets alike."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

from pydantic import ValidationError

from ..collectors.repair import repair_json, repair_text
from ..model import (
    BadInput,
    CaseLabel,
    CaseOrigin,
    EvalCase,
    Judgement,
    LabelTarget,
    Level,
    Message,
    make_case_key,
)
from .fields import (
    DETAIL,
    DETAIL_FIELDS,
    FILTERS,
    FORMAT,
    GROUPS,
    HISTORY,
    ID_FIELDS,
    KNOWN,
    ORIGIN,
    PHRASES,
    QUESTION,
    TEXT_FIELDS,
    IdField,
)
from .identity import make_case_id


class CaseDefaults(NamedTuple):
    """What a line gets that does not say it."""

    eval_set: str = ""
    """Empty: the line's app, or "imported"."""
    app: str = ""
    author: str = ""
    created_ns: int = 0


def parse_case(line: str, defaults: CaseDefaults) -> EvalCase:
    """The case of a line; BadInput with the reason where there is none. Texts are never parsed any further."""
    fields = _object(line)
    detail = _detail(fields)
    question = _text(fields, QUESTION) or ""
    if not question.strip():
        raise BadInput("`question` is empty or missing; a case needs one.")
    values: dict[str, Any] = {name: _text(fields, name) for name in TEXT_FIELDS}
    app = values["app"] if values["app"] is not None else defaults.app
    eval_set = values["eval_set"] or defaults.eval_set or app or "imported"
    history, groups = _history(fields.get(HISTORY)), _texts(fields, GROUPS)
    key = make_case_key(app=app, question=question, history=history, tenant=values["tenant"], groups=groups)
    values |= {"app": app, "eval_set": eval_set, "case_id": values["case_id"] or make_case_id(eval_set, key)}
    values["environment"] = values["environment"] or ""
    own = {"author": defaults.author, "created_ns": defaults.created_ns, **detail}
    labels = _labels(fields, own.pop("labels", []), defaults)
    if not labels:
        raise BadInput(f"it labels no passage: {', '.join(field.name for field in ID_FIELDS)} are all empty.")
    extra = {name: value for name, value in fields.items() if name not in KNOWN} | own.pop("extra", {})
    return _case(
        {
            **own,
            **values,
            "case_key": key,
            "question": question,
            "history": history,
            "groups": groups,
            "filters": fields.get(FILTERS),
            "expected_answer_contains": _texts(fields, PHRASES),
            "origin": fields.get(ORIGIN) or CaseOrigin.WRITTEN,
            "labels": labels,
            "extra": extra,
        }
    )


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(repair_json(repair_text(line)), parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadInput(f"it is no JSON: {error.msg} at character {error.pos + 1}.") from error
    except RecursionError as error:
        raise BadInput("it is nested too deeply.") from error
    if isinstance(value, list):
        raise BadInput("a JSON list was found, an object was expected: write one case a line.")
    if not isinstance(value, dict):
        raise BadInput(f"a JSON {_json_type(value)} was found, an object was expected.")
    return value


def _no_number(word: str) -> NoReturn:
    raise BadInput(f"{word} is no JSON number.")


def _detail(fields: dict[str, Any]) -> dict[str, Any]:
    detail = fields.get(DETAIL, {})
    if not isinstance(detail, dict):
        raise BadInput(f"`{DETAIL}` is a JSON {_json_type(detail)}, an object was expected.")
    version = detail.get("format", FORMAT)
    if not isinstance(version, int) or version > FORMAT:
        raise BadInput(f"it was written in format {version}, and this goldrank reads up to {FORMAT}: update goldrank.")
    return {name: detail[name] for name in (*DETAIL_FIELDS, "extra") if name in detail}


def _text(fields: dict[str, Any], name: str) -> str | None:
    """A text, or a number as text (ids compare as text); None where absent."""
    value = fields.get(name)
    if value is None:
        return None
    return _as_text(value, name)


def _as_text(value: object, name: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise BadInput(f"`{name}` holds a JSON {_json_type(value)}, a text was expected.")


def _texts(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts; one text alone is a list of one."""
    value = fields.get(name)
    if value is None:
        return ()
    return tuple(_as_text(one, name) for one in (value if isinstance(value, list) else [value]))


def _history(value: object) -> tuple[Message, ...]:
    """Messages as {"role", "text"} or {"role", "content"}, or plain texts."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadInput(f"`{HISTORY}` is a JSON {_json_type(value)}, a list of messages was expected.")
    return tuple(_message(one) for one in value)


def _message(value: object) -> Message:
    if isinstance(value, str):
        return Message(role="", text=value)
    if not isinstance(value, dict):
        raise BadInput(f"`{HISTORY}` holds a JSON {_json_type(value)}, a message was expected.")
    text = value.get("text", value.get("content"))
    if not isinstance(text, str):
        raise BadInput(f"a message of `{HISTORY}` has no text.")
    return Message(role=_as_text(value.get("role", ""), HISTORY), text=text)


def _labels(fields: dict[str, Any], detailed: list[Any], defaults: CaseDefaults) -> tuple[CaseLabel, ...]:
    """The labels in detail, as far as the id lists at the top still name them, and one for each id that is new there.

    The lists decide because they are what people edit; a list that is absent leaves its labels alone.
    """
    labels = [_known_label(value) for value in detailed]
    for field in ID_FIELDS:
        if field.name not in fields:
            continue
        ids = dict.fromkeys(_texts(fields, field.name))
        if "" in ids:
            raise BadInput(f"`{field.name}` holds an empty id.")
        labels = [one for one in labels if not _listed_in(one, field) or _id_of(one) in ids]
        have = {_id_of(one) for one in labels if _listed_in(one, field)}
        for passage in ids:
            if passage not in have:
                labels.append(_new_label(field, passage, labels, defaults))
    _check(labels)
    return tuple(labels)


def _known_label(value: object) -> CaseLabel:
    try:
        return CaseLabel.model_validate(value)
    except ValidationError as error:
        raise BadInput(f"a label under `{DETAIL}` cannot be read: {_first_reason(error)}") from error


def _new_label(field: IdField, passage: str, labels: list[CaseLabel], defaults: CaseDefaults) -> CaseLabel:
    document = field.level is Level.DOCUMENT
    gold = field.judgement is Judgement.GOLD
    return CaseLabel(
        judgement=field.judgement,
        grade=1 if gold else None,
        evidence=max((one.evidence or 0 for one in labels), default=0) + 1 if gold else None,
        target=LabelTarget(
            level=field.level, chunk_id=None if document else passage, doc_id=passage if document else None
        ),
        who=defaults.author,
        at_ns=defaults.created_ns,
    )


def _check(labels: list[CaseLabel]) -> None:
    judged: dict[tuple[Level, str | None, str | None], Judgement] = {}
    for label in labels:
        passage = (label.target.level, _id_of(label), label.target.index)
        before = judged.setdefault(passage, label.judgement)
        if before is not label.judgement:
            raise BadInput(f"{_id_of(label)} is both {before.value} and {label.judgement.value}; choose one.")


def _listed_in(label: CaseLabel, field: IdField) -> bool:
    return label.judgement is field.judgement and label.target.level is field.level


def _id_of(label: CaseLabel) -> str | None:
    return label.target.doc_id if label.target.level is Level.DOCUMENT else label.target.chunk_id


def _case(values: dict[str, Any]) -> EvalCase:
    try:
        return EvalCase.model_validate(values)
    except ValidationError as error:
        raise BadInput(f"it is no case: {_first_reason(error)}") from error


def _first_reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"`{'.'.join(str(part) for part in first['loc'])}`: {first['msg']}."


def _json_type(value: object) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "number")
