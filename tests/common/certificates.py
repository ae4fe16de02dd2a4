"""A certificate of this machine, for servers with TLS."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Certificate and key of localhost and 127.0.0.1, signed by itself; skips loudly without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("NO OPENSSL: TLS was not tried. On Debian: apt install openssl")
    cert, key = folder / "cert.pem", folder / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*make, *names, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key
