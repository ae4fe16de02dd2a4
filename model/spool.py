"""What a spool frame may hold. The byte format is `tracing.spool.frames`; this is its vocabulary."""

from __future__ import annotations

from enum import IntEnum

from pydantic import BaseModel, ConfigDict


class FrameKind(IntEnum):
    """Kind of a frame's payload; the number is what is written."""

    HEADER = 1
    """JSON SegmentHeader: always the first frame of a segment."""
    TRACES = 2
    """OTLP ExportTraceServiceRequest, protobuf."""
    LOGS = 3
    """OTLP ExportLogsServiceRequest, protobuf."""
    FEEDBACK = 4
    """JSON `model.Feedback`."""
    COMPLAINT = 5
    """JSON `model.Complaint`."""
    CORPUS = 6
    """JSON `model.CorpusManifest`."""
    IMPORT = 7
    """JSON of a declared import model."""
    DROPS = 8
    """JSON `Drops`: what a writer lost or did not sample since its last such frame."""


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
    """Counted losses of one process."""

    model_config = ConfigDict(frozen=True)

    app: str
    pid: int
    drops: dict[str, int]
    """Reason -> how many spans: "queue full", "disk full", "not sampled", "internal error", ..."""
    at_ns: int
