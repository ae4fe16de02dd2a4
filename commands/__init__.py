"""The verbs of `goldrank`, one file each; `goldrank.cli` reads the command line and calls them.

from goldrank.commands import COMMANDS

print([command.name for command in COMMANDS])
"""

from __future__ import annotations

from .command import Call, Command, Group
from .listing import COMMANDS
from .terminal import Terminal

__all__ = ["COMMANDS", "Call", "Command", "Group", "Terminal"]
