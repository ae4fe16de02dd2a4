"""What every action is given: the store, the spool, the clock and who acts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..store import Store


class Workspace(NamedTuple):
    """The surroundings of an action. Tests pass a fixed clock."""

    store: Store
    spool: Path
    who: str = "unknown"
    """The person or tool that acts; kept with labels and cases."""
    now_ns: Callable[[], int] = time.time_ns
