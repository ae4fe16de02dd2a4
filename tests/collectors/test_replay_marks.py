"""What a replay says of itself on its spans reaches the model."""

from __future__ import annotations

import json

from goldrank.collectors.dialects import goldrank as dialect
from goldrank.collectors.dialects.reading import ChunkBook
from goldrank.model import Span, wire


def span(**attributes: object) -> Span:
    """A span of the shim."""
    named = {getattr(wire, name): value for name, value in attributes.items()}
    return Span("0" * 32, "0" * 16, None, "step", 1, 1, 2, 1, "", {wire.VERSION: 1, **named}, {}, "goldrank")


def test_a_request_says_what_it_replays_and_what_is_different():
    """Its batch and what was asked for stand among the notes."""
    found = dialect.read_request(
        span(
            KIND="request",
            REPLAY_OF="a-b",
            REPLAY_BATCH="b7",
            REPLAY_OVERRIDES=json.dumps(["retrieve.top_k=200"]),
        )
    ).request
    assert found is not None
    assert found["replay_of"] == "a-b"
    assert found["notes"] == {"replay.batch": "b7", "replay.overrides": ["retrieve.top_k=200"]}


def test_a_stage_says_that_it_was_pinned_and_what_its_text_was_read_from():
    """So that a page can show it, and a later replay can make it again."""
    stage = dialect.read_stage(span(KIND="rewrite", REPLAY_PINNED=True, SHAPE="list[str]"), ChunkBook()).stage
    assert stage is not None
    assert stage.notes == {"replay.pinned": True}
    assert stage.shape == "list[str]"
