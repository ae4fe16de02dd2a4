"""The names and JSON shapes that goldrank's own spans carry: the seam between an app and the ingester.

`tracing` writes them, `collectors.dialects.goldrank` reads them, and nothing else knows them. A name is
never given a second meaning: a change that old readers would misread raises WIRE_VERSION.
"""

from __future__ import annotations

from typing import Any, Final

WIRE_VERSION: Final = 2

VERSION: Final = "goldrank.version"
"""int, on every span of the shim: WIRE_VERSION of the writer. 2 brought HITS_COLUMNS; 1 is still read."""
KIND: Final = "goldrank.kind"
"""str: "request" on a request span, else a StageKind value."""
NAME: Final = "goldrank.name"
"""str: name of the stage; the span's own name where absent."""
REQUEST_ID: Final = "goldrank.request.id"
"""str, on every span inside a request: the id of the request it belongs to. Joins several traces."""
OUTCOME: Final = "goldrank.outcome"
"""str: an Outcome value (ok, error, cancelled, closed_early)."""
ERROR: Final = "goldrank.error"
"""str: "TypeName: message", at most 2,000 characters."""

# On the request span.
QUESTION: Final = "goldrank.question"
HISTORY: Final = "goldrank.history"
"""JSON list of {"role", "text"}."""
ANSWER: Final = "goldrank.answer"
ANSWER_NOTE: Final = "goldrank.answer.note"
"""str: why there is no answer text ("not readable")."""
USER: Final = "user.id"
SESSION: Final = "session.id"
TENANT: Final = "goldrank.tenant"
GROUPS: Final = "goldrank.groups"
"""Array of str. Absent: not recorded. Empty: in no group (written as the JSON text "[]")."""
AS_OF: Final = "goldrank.as_of"
REPLAY_OF: Final = "goldrank.replay.of"
"""str: id of the recorded request that was run again."""
REPLAY_BATCH: Final = "goldrank.replay.batch"
"""str: id of the batch of replays that it belongs to."""
REPLAY_OVERRIDES: Final = "goldrank.replay.overrides"
"""JSON list of str, in words: what was asked to be different ("retrieve.top_k=200", "rewrite off")."""
NOTE_PREFIX: Final = "goldrank.note."
"""A note of the app: `goldrank.note("plan", "pro")` is the attribute goldrank.note.plan."""
IMPORTED: Final = "goldrank.imported"
"""str, on every span that an import made of a log: the form of the log ("rows", "trec"). No app has redacted it."""
REPAIRED: Final = "goldrank.repaired"
"""bool true, on any span: characters that no text may hold (lone surrogates) were replaced by U+FFFD."""
TEXT_CUT: Final = "goldrank.text.cut"
"""JSON object, on any span: attribute name -> true length in characters of its longest text, where one was cut."""
TEXT_OFF: Final = "goldrank.text.off"
"""bool true: capturing text is switched off, so a missing text is "not captured"."""

# On stage spans.
QUERY: Final = "goldrank.query"
QUERIES: Final = "goldrank.queries"
"""JSON list of str: what a rewrite returned."""
TECHNIQUE: Final = "goldrank.technique"
TOP_K: Final = "goldrank.top_k"
FILTERS: Final = "goldrank.filters"
"""JSON."""
INDEX: Final = "goldrank.index"
INDEX_VERSION: Final = "goldrank.index.version"
EMBEDDING_MODEL: Final = "goldrank.embedding.model"
MODEL: Final = "goldrank.model"
SETTINGS: Final = "goldrank.settings"
"""JSON object: other named parameters of the stage."""
INPUTS: Final = "goldrank.inputs"
"""JSON list of [span id (16 hex digits), deepest rank handed over or null]: lists that went into this stage."""
INPUTS_SOURCE: Final = "goldrank.inputs.source"
"""str: "declared" or "recorded"."""
HITS: Final = "goldrank.hits"
"""JSON object, one attribute a list, see HitsJson."""
TEXT: Final = "goldrank.text"
"""str: what the stage returned, where that is a text."""
SHAPE: Final = "goldrank.shape"
"""str: shape tag of what the stage returned, where a text was read from something else than a plain text."""
REPLAY_PINNED: Final = "goldrank.replay.pinned"
"""bool true: the stage returned what was recorded instead of running."""
PROMPT: Final = "goldrank.prompt"
"""JSON list of {"role", "text"}: the messages sent to the model, in order."""
CONTEXT: Final = "goldrank.context"
"""JSON list of chunk ids: `generate(context=)`."""

# Shape of the HITS attribute (all keys short, because it is the largest part of a span):
#   {"n": 50,                      true length of the list
#    "shape": "list[dict]",        shape tag
#    "state": "truncated",         a Completeness value; absent: complete
#    "scope": "9f2c61aa",          numbers of texts below are unique inside this scope
#    "hits": [{"id": "refunds#2",  absent where the app gave none: the text then makes it (id_source derived)
#              "src": "metadata",  an IdSource value; absent: field
#              "doc": "refunds",
#              "s": 0.83,          absent: no score, NaN or infinite
#              "sk": "similarity", a ScoreKind value; absent: unknown
#              "t": 7,             number of its text inside the scope; absent: no text
#              "x": "Refunds ...", the text itself: on the first span to end that holds it
#              "cut": 20000,       true length in characters of a text that was cut to what "x" holds
#              "r": true,          the text was hidden by redaction
#              "m": {...},         metadata
#              "p": "refunds"}]}   parent id
#
# Where every hit has the same things, "cols" stands for "hits": one array for each thing, as long as the list, which
# is half the work for the app's thread. `rows_of` gives the other form.
#    "cols": {"id": ["refunds#2", "returns#1"], "doc": [...], "s": [...], "m": [...],    null: absent
#             "t": [7, 3], "x": ["Refunds ...", null],
#             "sk": "similarity"}  one word for the whole list
HITS_LENGTH: Final = "n"
HITS_SHAPE: Final = "shape"
HITS_STATE: Final = "state"
HITS_SCOPE: Final = "scope"
HITS_LIST: Final = "hits"
HITS_COLUMNS: Final = "cols"
HIT_ID: Final = "id"
HIT_ID_SOURCE: Final = "src"
HIT_DOC: Final = "doc"
HIT_SCORE: Final = "s"
HIT_SCORE_KIND: Final = "sk"
HIT_TEXT_NUMBER: Final = "t"
HIT_TEXT: Final = "x"
HIT_CUT: Final = "cut"
HIT_REDACTED: Final = "r"
HIT_METADATA: Final = "m"
HIT_PARENT: Final = "p"


def rows_of(columns: Any) -> list[dict[str, Any]] | None:  # noqa: ANN401 - parsed JSON of another process
    """HITS_COLUMNS as HITS_LIST draws it, in rank order; None where it is none: an array is missing or too short."""
    if not isinstance(columns, dict) or not isinstance(columns.get(HIT_ID), list):
        return None
    length = len(columns[HIT_ID])
    rows: list[dict[str, Any]] = [{} for _ in range(length)]
    for name, values in columns.items():
        if name == HIT_SCORE_KIND:
            for row in rows:
                row[name] = values
            continue
        if not isinstance(values, list) or len(values) != length:
            return None
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row[name] = value
    return rows


# On the resource.
APP: Final = "service.name"
APP_VERSION: Final = "service.version"
ENVIRONMENT: Final = "deployment.environment.name"

# Events and counters that travel outside spans, as JSON frames of the spool.
FRAME_DROPS: Final = "drops"
"""Payload key of a drops frame: {"pid", "app", "drops": {reason: count}} since the writer's last one."""
