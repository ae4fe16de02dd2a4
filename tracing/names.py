"""The one table of names: which parameters, keys and attributes are taken for what, first that holds.

docs/recording.md shows it; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..model.hit_words import ScoreKind
from ..model.stage_words import StageKind

# ---- parameters -------------------------------------------------------------------------------------

QUESTION: Final = (
    "question",
    "user_question",
    "query",
    "user_query",
    "q",
    "message",
    "user_message",
    "user_input",
    "utterance",
    "input",
    "text",
    "prompt",
)
HISTORY: Final = ("history", "chat_history", "messages", "conversation", "previous_messages")
USER: Final = ("user", "user_id", "username", "uid")
SESSION: Final = ("session", "session_id", "conversation_id", "thread_id", "chat_id")
TENANT: Final = (
    "tenant",
    "tenant_id",
    "organization",
    "organization_id",
    "org",
    "org_id",
    "account_id",
    "workspace_id",
)
GROUPS: Final = ("groups", "user_groups", "roles", "user_roles")
AS_OF: Final = ("as_of", "as_of_date")

QUERY: Final = (
    "query",
    "query_text",
    "query_str",
    "search_query",
    "q",
    "question",
    "user_question",
    "standalone_question",
    "text",
    "input",
    "message",
)
TOP_K: Final = ("top_k", "topk", "k", "top_n", "top", "n_results", "num_results", "max_results", "limit", "n")
TOP_K_OF_FUSE: Final = ("top_k", "topk", "top_n", "top", "n_results", "num_results", "max_results", "limit", "n")
"""Without `k`, which is the constant of reciprocal rank fusion as often as a depth."""
FILTERS: Final = ("filters", "filter", "where", "metadata_filter", "query_filter")
INDEX: Final = ("index", "index_name", "collection", "collection_name", "namespace")
INDEX_VERSION: Final = ("index_version", "collection_version", "corpus_version")
EMBEDDING_MODEL: Final = ("embedding_model", "embed_model", "embedding_model_name")
MODEL: Final = ("model", "model_name", "model_id", "deployment")
TECHNIQUE: Final = ("technique",)
PROMPT: Final = ("prompt", "messages", "prompt_text", "chat_messages")
PROMPT_PARTS: Final = ("system", "system_prompt", "instructions", "context", "history", "question", "query", "q")
"""Without a whole prompt among the parameters, the texts among these are its parts, in the function's order."""
CONTEXT: Final = ("context", "contexts")

NO_SETTINGS: Final = (
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "key",
    "authorization",
    "credentials",
)
"""Never recorded as a setting, nor any parameter whose name ends in one of them."""

# ---- hits -------------------------------------------------------------------------------------------

METADATA_IDS: Final = ("chunk_id", "chunkId", "chunk_uid", "passage_id", "passageId")
ID_FIELDS: Final = (
    "chunk_id",
    "chunkId",
    "chunk_uid",
    "passage_id",
    "passageId",
    "node_id",
    "id",
    "_id",
    "id_",
    "uuid",
    "point_id",
    "pk",
)
METADATA_LATE_IDS: Final = ("id", "_id", "uuid")
"""Keys of the metadata that name the chunk only where it has no id field of its own."""
DOCUMENT_AS_ID: Final = ("corpus_id", "pid", "docno", "docid", "doc_id", "document_id")
"""The chunk's id where there is neither another id nor a text: lists of whole documents."""
DOCUMENTS: Final = (
    "doc_id",
    "document_id",
    "docId",
    "documentId",
    "docid",
    "ref_doc_id",
    "source_id",
    "doc",
    "document",
    "source",
    "file_path",
    "filename",
    "file_name",
    "path",
    "url",
    "uri",
)
PARENTS: Final = ("parent_id", "parentId", "parent_chunk_id", "parent")
TEXTS: Final = (
    "text",
    "page_content",
    "content",
    "chunk_text",
    "passage",
    "body",
    "snippet",
    "raw_text",
    "chunk",
    "document",
)
METADATA_TEXTS: Final = ("text", "page_content", "content", "chunk_text", "passage", "body", "chunk", "document")
METADATAS: Final = ("metadata", "meta", "payload", "properties", "_source", "entity", "extra_info")
NESTED: Final = ("metadata", "meta")
"""Keys of a payload or source under which LangChain and others keep the metadata that the app gave them."""
INNER: Final = ("node", "document", "doc", "chunk", "passage", "point", "hit", "item")
"""Fields that hold the chunk itself beside a score."""
NOT_METADATA: Final = frozenset(
    {
        "embedding",
        "embeddings",
        "sparse_embedding",
        "vector",
        "vectors",
        "dense",
        "sparse",
        "_node_content",
        "blob",
        "relationships",
        "excluded_embed_metadata_keys",
        "excluded_llm_metadata_keys",
        "metadata_template",
        "metadata_separator",
        "text_template",
        "mimetype",
        "type",
        "shard_key",
        "order_value",
        "rank",
    }
)
"""Fields beside the metadata that say nothing about the chunk."""

SCORES: Final[Mapping[str, ScoreKind]] = {
    "score": ScoreKind.UNKNOWN,
    "_score": ScoreKind.UNKNOWN,
    "similarity": ScoreKind.SIMILARITY,
    "similarity_score": ScoreKind.SIMILARITY,
    "cosine_similarity": ScoreKind.SIMILARITY,
    "distance": ScoreKind.DISTANCE,
    "_distance": ScoreKind.DISTANCE,
    "vector_distance": ScoreKind.UNKNOWN,
    "vector_score": ScoreKind.UNKNOWN,
    "bm25_score": ScoreKind.UNKNOWN,
    "bm25": ScoreKind.UNKNOWN,
    "fused_score": ScoreKind.UNKNOWN,
    "rrf_score": ScoreKind.RRF,
    "rrf": ScoreKind.RRF,
    "rerank_score": ScoreKind.RERANK,
    "reranker_score": ScoreKind.RERANK,
    "relevance_score": ScoreKind.RERANK,
    "_relevance_score": ScoreKind.RERANK,
}
"""Key of a score -> what it measures, in the order in which they are tried."""
SCORES_FIRST: Final[Mapping[StageKind, tuple[str, ...]]] = {
    StageKind.FUSE: ("rrf_score", "rrf", "fused_score"),
    StageKind.RERANK: ("rerank_score", "reranker_score", "relevance_score", "_relevance_score"),
}
"""Keys that come first in the list of such a stage: hits often carry the scores of earlier stages along."""
RRF_NAMES: Final = ("rrf", "reciprocal")
"""A fuse stage with one of these in its name gives reciprocal rank scores, where the key does not say."""

LISTS: Final = (
    "hits",
    "documents",
    "results",
    "matches",
    "points",
    "chunks",
    "nodes",
    "source_nodes",
    "objects",
    "docs",
)
"""Keys or attributes of a result under which its list stands."""

# ---- answers and messages ---------------------------------------------------------------------------

ANSWERS: Final = ("answer", "output", "response", "result", "text", "content", "completion", "output_text", "delta")
ROLES: Final = ("role", "type")
MESSAGE_TEXTS: Final = ("content", "text", "message")
ROLE_WORDS: Final[Mapping[str, str]] = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "AIMessageChunk": "assistant",
}
