"""What the spool says of itself: who writes a segment, and what a writer lost."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SegmentHeader(BaseModel):
    """Who writes a segment."""

    model_config = ConfigDict(frozen=True)

    format: int
    host: str
    boot_id: str
    pid: int
    start_ticks: int
    """Start of the process in clock ticks since boot; with boot id and pid it names one process for ever."""
    seq: int = 0
    """0, 1, 2, ... among the segments of one process: their order, whatever the clock does."""
    app: str
    created_ns: int
    lock: str
    """"flock", or "none" where the file system has no locks; then the writer touches the file every 10 s."""


class Drops(BaseModel):
    """Counted losses of one process; of one that receives, what it took and refused too."""

    model_config = ConfigDict(frozen=True)

    app: str
    pid: int
    drops: dict[str, int]
    """Reason -> how many spans: "queue full", "disk full", "not sampled", "internal error", ..."""
    at_ns: int
    received: dict[str, int] = {}
    """Of a receiver: what it acknowledged, by kind: "requests", "spans", "log records", "bytes", "feedback", ..."""
    refused: dict[str, int] = {}
    """Of a receiver: reason -> how many requests it did not take. Senders may have sent them again."""
