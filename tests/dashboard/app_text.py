"""What a page of Streamlit's own test runner shows, as text and as links."""

from __future__ import annotations

from typing import Any


def shown(app: Any) -> str:
    """Every text of the page that a person can read."""
    kinds = ("title", "header", "subheader", "markdown", "text", "caption", "badge", "code")
    parts = [element.value for kind in kinds for element in app.get(kind) if element.value]
    parts += [element.label for element in app.get("metric")] + [element.value for element in app.get("metric")]
    for kind in ("error", "warning", "info", "success"):
        for box in app.get(kind):
            parts += [getattr(box.proto, "title", ""), box.value]
    return "\n".join(parts).replace("\\", "").replace(":small[]", "")


def links_of(app: Any) -> list[str]:
    """Targets of the page's links with their parameters."""
    return [f"{one.proto.page}?{one.proto.query_string}" for one in app.get("page_link")]


def fine(app: Any) -> Any:
    """The page ran without an exception."""
    assert not app.exception, app.exception
    return app
