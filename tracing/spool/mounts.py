"""Is a folder on a network file system?"""

from __future__ import annotations

import os
import re
from pathlib import Path

_NETWORK = frozenset(
    {
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.ceph-fuse",
        "fuse.glusterfs",
        "fuse.sshfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
    }
)
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")  # a space in a path is written \040


def network_file_system(folder: Path, *, mounts: Path = _MOUNTS) -> str | None:
    """The type of the network file system that `folder` is on. None: a local one, or not known here (no Linux)."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    real = os.path.realpath(folder)
    best, kind = "", ""
    for line in lines:
        left, _, right = line.partition(" - ")
        point = _OCTAL.sub(lambda match: chr(int(match[1], 8)), left.split()[4])
        below = real == point or real.startswith(point.rstrip("/") + "/")
        if below and len(point) >= len(best):  # of two mounts on one point the later one is on top
            best, kind = point, right.split()[0]
    return kind if kind in _NETWORK else None
