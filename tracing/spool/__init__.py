"""The spool: a folder of append-only segments between apps and the ingester.

from goldrank.tracing.spool import SpoolWriter, encode, list_segments, read_frames

writer = SpoolWriter(Path(".goldrank/spool"), app="support-bot")
refused = writer.write([encode(FrameKind.FEEDBACK, feedback.model_dump_json().encode())])
writer.sync()
"""

from __future__ import annotations

from .frames import MAX_PAYLOAD, encode
from .reader import Frame, FrameRun, ReadState, SegmentInfo, list_segments, read_frames, read_header, sweep
from .writer import DISK_FULL, NOT_WRITABLE, SPOOL_FULL, TOO_LARGE, SpoolLimits, SpoolWriter

__all__ = [
    "DISK_FULL",
    "MAX_PAYLOAD",
    "NOT_WRITABLE",
    "SPOOL_FULL",
    "TOO_LARGE",
    "Frame",
    "FrameRun",
    "ReadState",
    "SegmentInfo",
    "SpoolLimits",
    "SpoolWriter",
    "encode",
    "list_segments",
    "read_frames",
    "read_header",
    "sweep",
]
