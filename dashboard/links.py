"""Every address of the dashboard: pages by file, views by query parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlencode

REQUESTS: Final = "app_pages/requests.py"
REQUEST: Final = "app_pages/request.py"
COMPLAINTS: Final = "app_pages/complaints.py"
EVAL_SET: Final = "app_pages/eval_set.py"
CASE: Final = "app_pages/case.py"
STATUS: Final = "app_pages/status.py"
STEPS: Final = "app_pages/steps.py"
COMPARE: Final = "app_pages/compare.py"
REPLAY: Final = "app_pages/replay.py"
BATCHES: Final = "app_pages/batches.py"

REQUEST_ID: Final = "request_id"
WITHIN: Final = "within"
"""On a request page: the filter of the list that one came from, so that back and next keep it."""
CHUNK: Final = "chunk"
TAB: Final = "tab"
CASE_ID: Final = "case_id"
STEP: Final = "step"
"""1-based number of a step."""
THEN: Final = "then"
NOW: Final = "now"
"""The two requests of a comparison."""
BATCH: Final = "batch"
COMPLAINT: Final = "complaint"


def to_request(request_id: str, *, within: str = "", **more: str) -> dict[str, str]:
    """Parameters of one request's page. `more`: tab, chunk, focus, view."""
    params = {REQUEST_ID: request_id}
    if within:
        params[WITHIN] = within
    return params | more


def to_complaint(complaint_id: str, *, within: str = "") -> dict[str, str]:
    """Parameters of one complaint's view; `within` is the filter of the queue that one came from."""
    return {COMPLAINT: complaint_id} | ({WITHIN: within} if within else {})


def packed(params: Mapping[str, str]) -> str:
    """A list's parameters as the one text that a request's address carries; sorted, empty values left out."""
    return urlencode(sorted((name, value) for name, value in params.items() if value))


def unpacked(within: str) -> dict[str, str]:
    """What `packed` packed; a text that is none of it gives what can be read."""
    return dict(parse_qsl(within))
