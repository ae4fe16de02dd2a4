"""What people call the fields of a request log: one table of names, and what a list's column says of its stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ...model import StageKind

QUESTION_NAMES: Final = (
    ("question", "user_question", "user_query", "user_input", "original_question", "original_query", "frage"),
    ("query", "query_text", "input", "prompt", "search_query", "utterance", "user_message", "message", "text", "q"),
    ("messages", "conversation", "input_messages"),
)
"""By how sure a name is; two of one row are told apart by a person."""

REFERENCES: Final = ("reference", "ground_truth", "gold", "golden", "expected", "relevant", "positive")
"""Begin the names of what should have been found or answered: no stage of the app is called so."""

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": (
        *("request_id", "trace_id", "query_id", "qid", "interaction_id", "event_id", "log_id", "run_id", "uuid"),
        *("message_id", "question_id", "topic_id", "topic", "id", "_id"),
    ),
    "time": (
        *("timestamp", "time", "created_at", "ts", "datetime", "event_time", "start_time", "started_at", "logged_at"),
        *("request_time", "received_at", "at", "date"),
    ),
    "end_time": ("end_time", "finished_at", "ended_at", "completed_at"),
    "answer": (
        *("answer", "generated_answer", "final_answer", "response", "response_text", "output", "completion"),
        *("llm_response", "generation", "bot_answer", "actual_output", "reply", "antwort"),
    ),
    "history": ("chat_history", "history", "conversation_history", "previous_messages", "messages", "conversation"),
    "user": ("user_id", "user", "username", "user_name", "uid", "customer_id", "account_id"),
    "session": ("session_id", "conversation_id", "thread_id", "chat_id", "session"),
    "tenant": ("tenant", "tenant_id", "org_id", "organization", "organisation", "workspace_id"),
    "groups": ("groups", "user_groups", "roles", "user_roles", "acl_groups", "permissions"),
    "as_of": ("as_of", "as_of_date"),
    "app": ("app", "application", "app_name", "service", "service_name", "bot"),
    "environment": ("environment", "env", "deployment_environment"),
    "version": ("app_version", "version", "release", "git_sha"),
    "latency": (
        *("latency_ms", "duration_ms", "elapsed_ms", "response_time_ms", "total_ms", "took_ms", "latency_s"),
        *("duration_s", "latency_seconds", "duration_seconds", "elapsed_seconds", "latency", "duration", "elapsed"),
        *("response_time", "took"),
    ),
    "error": ("error", "error_message", "exception"),
    "feedback": ("feedback", "user_feedback", "feedback_score", "thumbs", "thumb", "user_rating", "rating"),
    "comment": ("feedback_comment", "feedback_text", "feedback_reason", "user_comment", "comment"),
    "prompt": ("final_prompt", "llm_prompt", "prompt_messages", "llm_input", "prompt"),
    "model": ("model", "model_name", "llm_model", "llm"),
    "rewritten": (
        *("rewritten_query", "rewritten_question", "standalone_question", "standalone_query", "condensed_question"),
        *("rewritten", "reformulated_query"),
    ),
    "query": ("search_query", "retrieval_query", "query", "query_text"),
    "top_k": ("top_k", "topk", "k", "n_results", "limit"),
    "filters": ("filters", "filter", "metadata_filter", "where"),
    "index": ("index", "index_name", "collection", "collection_name", "namespace"),
    "index_version": ("index_version",),
    "embedding_model": ("embedding_model", "embedding_model_name"),
    "expected": (
        *("expected_ids", "expected_chunk_ids", "gold_ids", "gold_chunk_ids", "relevant_ids", "relevant_chunk_ids"),
        *("reference_context_ids", "ground_truth_ids", "golden_ids", "positive_ids", "expected", "gold", "relevant"),
        *("expected_doc_ids", "gold_doc_ids", "relevant_doc_ids", "relevant_docs", "ground_truth_doc_ids"),
        *(
            f"{what}_{form}"
            for what in REFERENCES
            for form in ("contexts", "context", "passages", "chunks", "documents")
        ),
    ),
    "stages": ("stages", "steps", "pipeline", "retrieval_steps", "retrieval_stages", "retrievals", "searches"),
}
"""Field of a request -> names that a column may have, the surest first."""

LONG_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "hit": ("chunk_id", "hit_id", "passage_id", "result_id", "doc_id", "document_id", "docid", "docno", "doc"),
    "rank": ("rank", "position", "rank_position", "hit_rank"),
    "score": ("score", "similarity", "distance", "relevance_score", "sim"),
    "hit_text": ("chunk_text", "passage", "content", "chunk", "hit_text", "text"),
    "doc": ("doc_id", "document_id", "source", "doc_uri", "document"),
    "stage": ("stage", "retriever", "stage_name", "system", "step", "run", "run_tag"),
}
"""The same where a row is one hit."""

STAGE_FIELDS: Final = (
    *("hits", "scores", "texts", "docs", "metadata", "ranks", "kind", "query", "top_k", "filters", "index"),
    *("index_version", "embedding_model", "latency", "error", "model"),
)
"""What a mapping may say of one stage: `rerank.hits=reranked_ids`."""

_WHATS: Final = (
    ("docs", r"(?:doc|document|source)_?(?:id|uri)s?|sources"),
    ("hits", r"(?:chunk_|passage_|node_|hit_|result_)?(?:ids?|keys?|uuids?)"),
    ("scores", r"(?:relevance_)?scores?|distances?|similarit(?:y|ies)"),
    ("texts", r"(?:chunk_)?texts?|contents?|snippets?"),
    ("metadata", r"metadatas?|metas?"),
    ("ranks", r"ranks?|positions?"),
    ("hits", r"hits?|results?|doc(?:ument)?s?|chunks?|nodes?|passages?|matches|points?|candidates?|list|contexts?"),
)
_WHAT: Final = tuple((what, re.compile(rf"(?:(?P<stage>.+?)_)??(?P<what>{names})")) for what, names in _WHATS)
_KINDS: Final = (
    (StageKind.RERANK, r"re_?rank(?:ed|er|ing)?|cross_?encoder|second_stage"),
    (StageKind.FILTER, r"filter(?:ed)?|dedup(?:ed|licated)?|threshold(?:ed)?|acl"),
    (StageKind.FUSE, r"fus(?:ed|ion)|rrf|merged?|combined|ensemble|hybrid"),
    (StageKind.ASSEMBLE, r"contexts?|prompt|used|sent|final|selected|included"),
    (
        StageKind.RETRIEVE,
        (
            r"retriev(?:e|ed|al|er)|search(?:ed)?|bm25|dense|sparse|vectors?|embeddings?|semantic|keywords?|lexical|knn|ann"
            r"|fulltext|fts|hyde|colbert|splade|initial|first_stage|candidates?|top_?k?|faiss|elastic(?:search)?|opensearch"
            r"|qdrant|pinecone|chroma|weaviate|milvus|pgvector|tfidf|graph|web"
        ),
    ),
)
_KIND: Final = tuple((kind, re.compile(rf"(?:^|_)(?:{words})(?:_|$)")) for kind, words in _KINDS)
_WRAPPERS: Final = frozenset(
    (
        *("response", "result", "results", "output", "outputs", "data", "payload", "retrieval", "search", "rag", "log"),
        *("event", "body", "request", "trace", "info"),
    )
)
_MADE: Final = frozenset(("response", "result", "results", "output", "outputs", "answer", "completion", "reply"))
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
DEFAULT_STAGE: Final = "retrieve"


class ListName(NamedTuple):
    """What the name of a column says of a list."""

    stage: str
    """Name of the stage; DEFAULT_STAGE where it says none."""
    what: str
    """"hits", "scores", "texts", "docs", "metadata" or "ranks"."""


def simple(name: str) -> str:
    """ "requestId", "Request ID" and "request_id" are one name."""
    return re.sub(r"[\W_]+", "_", _CAMEL.sub("_", name).casefold()).strip("_")


def last_name(path: str) -> str:
    """The last part of a path, in its simple form."""
    return simple(path.rpartition(".")[2])


def names_of(path: str) -> tuple[str, ...]:
    """What a path may be called, by its end: `log.user.id` is "id", "user_id" and "log_user_id"."""
    parts = path.split(".")
    return tuple(simple("_".join(parts[place:])) for place in range(len(parts) - 1, -1, -1))


def is_said_by_the_app(path: str) -> bool:
    """Whether a path lies in what came out: no question stands there."""
    return any(simple(part) in _MADE for part in path.split(".")[:-1])


def list_name(path: str) -> ListName | None:
    """What a list at this path is, by its name; None where the name says nothing of a list."""
    parts = [simple(part) for part in path.split(".")]
    name = parts[-1]
    if name.startswith(REFERENCES):
        return None
    for what, pattern in _WHAT:
        match = pattern.fullmatch(name)
        if match is not None:
            if what == "hits" and match["what"] in _KIND_WORDS and not match["stage"]:
                return ListName(match["what"], what)
            return ListName(match["stage"] or _outer(parts), what)
    return ListName(name, "hits") if kind_of(name) is not None else None


_KIND_WORDS: Final = frozenset({"context", "contexts"})
"""Alone they say what the stage is, too."""


def _outer(parts: list[str]) -> str:
    outer = parts[-2] if len(parts) > 1 else ""
    return outer if outer and outer not in _WRAPPERS else DEFAULT_STAGE


def kind_of(stage: str) -> StageKind | None:
    """What a stage of this name does; None where the name does not say."""
    name = simple(stage)
    try:
        return StageKind(name)
    except ValueError:
        return next((kind for kind, pattern in _KIND if pattern.search(name)), None)
