"""Every command, in the order in which the help lists them."""

from __future__ import annotations

from .cases import CASES
from .command import Command, Group
from .complaints import COMPLAINTS
from .corpus import CORPUS
from .demo import DEMO
from .label import LABEL
from .promote import PROMOTE
from .requests import REQUESTS
from .show import SHOW
from .up import UP
from .upkeep import INGEST, REINDEX, SNAPSHOT, SQL, STATUS

COMMANDS: tuple[Command | Group, ...] = (
    UP,
    INGEST,
    REQUESTS,
    SHOW,
    LABEL,
    PROMOTE,
    CASES,
    COMPLAINTS,
    CORPUS,
    STATUS,
    REINDEX,
    SQL,
    SNAPSHOT,
    DEMO,
)
"""In the order in which the help lists them: the way of a complaint first, then upkeep."""
