"""`python -m examples.fastapi_streaming [port]`."""

from __future__ import annotations

import sys

import uvicorn

if __name__ == "__main__":
    uvicorn.run("examples.fastapi_streaming.app:app", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
