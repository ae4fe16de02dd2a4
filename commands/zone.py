"""The zone of this machine by name, so that a hub reads times as the person at the terminal means them."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def local_zone() -> str:
    """ "Europe/Berlin"; "+01:00" where the zone has no name that is known."""
    link = Path("/etc/localtime")
    linked = str(link.resolve()).rpartition("zoneinfo/")[2] if link.exists() else ""
    for name in (os.environ.get("TZ", "").removeprefix(":"), linked):
        if name and _is_known(name):
            return name
    offset = datetime.now().astimezone().strftime("%z")
    return f"{offset[:3]}:{offset[3:5]}"


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
