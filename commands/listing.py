"""Every command, in the order in which the help lists them: the way of a complaint first, then upkeep."""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

from .command import Command, Group


class Listed(NamedTuple):
    """A command as the help of `goldrank` names it. Its module is loaded when it is called."""

    name: str
    summary: str
    """The same as the command's own; a test compares them."""
    module: str
    """Below this package."""
    attribute: str

    def load(self) -> Command | Group:
        """The command itself."""
        loaded: Command | Group = getattr(import_module(f".{self.module}", __package__), self.attribute)
        return loaded


COMMANDS: Final = (
    Listed("up", "open the dashboard, and read what apps record while it runs", "up", "UP"),
    Listed(
        "collect", "receive OTLP, feedback and complaints over the network, into the spool alone", "collect", "COLLECT"
    ),
    Listed("ingest", "read what apps have recorded into the store", "upkeep", "INGEST"),
    Listed("import", "read logs, OTLP files, exports of other tools and TREC runs", "import_", "IMPORT"),
    Listed("requests", "list requests, newest first", "requests", "REQUESTS"),
    Listed("show", "what became of the right passage in one request", "show", "SHOW"),
    Listed("label", "say which passage should have answered a request", "label", "LABEL"),
    Listed("promote", "put a labelled request into an eval set", "promote", "PROMOTE"),
    Listed("steps", "one request stage by stage, from what was recorded", "steps", "STEPS"),
    Listed("replay", "run recorded requests again on today's app, with one thing changed", "replay", "REPLAY"),
    Listed("compare", "two requests side by side: what differs, stage by stage", "compare", "COMPARE"),
    Listed("cases", "list, show, export, import and archive eval cases", "cases", "CASES"),
    Listed(
        "complaints", "list, add, import, link and close complaints; find their requests", "complaints", "COMPLAINTS"
    ),
    Listed("corpus", "say what an index version holds", "corpus", "CORPUS"),
    Listed(
        "doctor",
        "say what each app sends, which verdicts that allows, and the change that helps most",
        "doctor",
        "DOCTOR",
    ),
    Listed("status", "say where the data is, what was lost, and what to do about it", "upkeep", "STATUS"),
    Listed(
        "reindex",
        "make everything that is derived anew from the stored spans, for instance after an upgrade",
        "upkeep",
        "REINDEX",
    ),
    Listed("sql", "ask the store in SQL, reading only", "upkeep", "SQL"),
    Listed("snapshot", "copy the store into a file that other programs can open", "upkeep", "SNAPSHOT"),
    Listed(
        "backup",
        "write what people made by hand into a file: labels, cases, complaints, notes, filters, batches",
        "care",
        "BACKUP",
    ),
    Listed("restore", "bring in what goldrank backup wrote, into an empty or a filled store", "care", "RESTORE"),
    Listed("prune", "erase old requests that nobody worked on, and give their disk back", "care", "PRUNE"),
    Listed(
        "forget", "erase what belongs to a user or a request, or mask a text, everywhere and for good", "care", "FORGET"
    ),
    Listed("demo", "load one recorded request for each way to fail, and see what goldrank says of it", "demo", "DEMO"),
)
"""Adding a command is a line here."""
