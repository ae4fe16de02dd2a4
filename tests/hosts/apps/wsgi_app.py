"""A WSGI app: the path is the question."""

from __future__ import annotations

from bot import answer


def app(environ, start_response):
    """Answers one request."""
    body = answer(environ["PATH_INFO"].strip("/")).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
