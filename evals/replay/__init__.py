"""Running recorded requests again: what is asked for, the worker process, and apps that run elsewhere.

planned = plan_replay(recorded, overrides=[parse_override("retrieve.top_k=200")])
with Replayer("support_bot.app:answer", directory=Path(".goldrank")) as replayer:
    print(replayer.run(planned.plan).answer)
"""

from __future__ import annotations

from .planning import (
    AsUser,
    PinChoice,
    Planned,
    StageChoice,
    parse_override,
    plan_replay,
    recorded_call,
    split_overrides,
    stage_choices,
)
from .runner import Replayer
from .target import Target, parse_target

__all__ = [
    "AsUser",
    "PinChoice",
    "Planned",
    "Replayer",
    "StageChoice",
    "Target",
    "parse_override",
    "parse_target",
    "plan_replay",
    "recorded_call",
    "split_overrides",
    "stage_choices",
]
