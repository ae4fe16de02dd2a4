"""What a frame of the spool may hold. The byte format is `tracing.spool.frames`; this is its vocabulary.

Apart from the models, which an app that records never needs and pydantic builds slowly.
"""

from __future__ import annotations

from enum import IntEnum


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
    """JSON `Drops`: what a writer lost or did not sample, a receiver took and refused, since its last such frame."""
