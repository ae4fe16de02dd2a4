"""The verbs of `goldrank`, loaded when they are called; `goldrank.cli` reads the command line.

from goldrank.commands import COMMANDS

print([command.name for command in COMMANDS])
"""

from __future__ import annotations

from .command import Call, Command, Group
from .listing import COMMANDS, Listed
from .terminal import Terminal

__all__ = ["COMMANDS", "Call", "Command", "Group", "Listed", "Terminal"]
