"""The error tree, split by what the caller can do about it.

GoldrankError
├── UsageError        the input is wrong: say it differently
│   ├── NotFound      nothing has that id; `suggestions` may help
│   └── Refused       it contradicts something that is stored; a person decides
├── StoreError        the store cannot be used now
│   └── StoreLocked   another process holds it; the message names the holder and one remedy
└── BadInput          a file or message holds something unreadable, named by place
"""

from __future__ import annotations


class GoldrankError(Exception):
    """Base of every error that goldrank raises on purpose. Its text is meant for the person at the screen."""


class UsageError(GoldrankError):
    """The input is wrong; saying it differently helps."""


class NotFound(UsageError):
    """Nothing in this store has that id."""


class Refused(UsageError):
    """It contradicts what is stored, and only a person can decide."""


class StoreError(GoldrankError):
    """The store cannot be used now."""


class StoreLocked(StoreError):
    """Another process holds the store."""


class BadInput(GoldrankError):
    """A file or message holds something unreadable."""
