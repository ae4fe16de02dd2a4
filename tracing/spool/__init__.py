"""The spool: a folder of append-only segments between apps and the ingester.

from goldrank.tracing.spool import SpoolWriter, encode, list_segments, read_frames

writer = SpoolWriter(Path(".goldrank/spool"), app="support-bot")
refused = writer.write([encode(FrameKind.FEEDBACK, feedback.model_dump_json().encode())])
writer.sync()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...model.late_names import late_names

if TYPE_CHECKING:
    from .frames import MAX_PAYLOAD, encode
    from .reader import Frame, FrameRun, ReadState, SegmentInfo, list_segments, read_frames, read_header, sweep
    from .writer import DISK_FULL, NOT_WRITABLE, SPOOL_FULL, TOO_LARGE, SpoolLimits, SpoolWriter

_HOMES: Final = {
    "frames": ("MAX_PAYLOAD", "encode"),
    "reader": (
        "Frame",
        "FrameRun",
        "ReadState",
        "SegmentInfo",
        "list_segments",
        "read_frames",
        "read_header",
        "sweep",
    ),
    "writer": ("DISK_FULL", "NOT_WRITABLE", "SPOOL_FULL", "TOO_LARGE", "SpoolLimits", "SpoolWriter"),
}
"""Loaded when they are asked for: an app writes and never reads."""

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

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)
