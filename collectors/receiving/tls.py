"""Certificate and key of a server, as files that a person names."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NamedTuple

from ...model import UsageError


class Keys(NamedTuple):
    """Files of the server's TLS certificate (with its chain) and key, PEM."""

    certificate: Path
    key: Path


def check_keys(certificate: Path | None, key: Path | None) -> Keys | None:
    """The two files, which belong together; None where neither is named. UsageError where they cannot be used."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise UsageError("TLS needs both --tls-cert and --tls-key.")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{certificate} and {key} cannot be used as certificate and key, in PEM: {said}.") from None
    return Keys(certificate.absolute(), key.absolute())
