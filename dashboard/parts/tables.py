"""Tables of texts and numbers: the one place where pages meet pandas.

The grid shows literal text; heights fit the content up to a limit, beyond which the table scrolls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

ROW_HEIGHT = 30


class Column(NamedTuple):
    """How a column is shown."""

    width: int | None = None
    right: bool = False
    help: str | None = None
    """What the column says, on hover over its heading."""
    chips: Mapping[str, str] | None = None
    """For cells that hold lists of words: word -> colour name."""


def show(
    columns: Mapping[str, Sequence[Any]],
    *,
    alt: str,
    shape: Mapping[str, Column] | None = None,
    row_height: int = ROW_HEIGHT,
    most_rows: int = 20,
    styles: Sequence[str] | None = None,
    key: str | None = None,
    on_cell: Callable[[int], None] | None = None,
) -> None:
    """The table. `styles`: one CSS text a row. `on_cell`: called with the 0-based row of a clicked cell."""
    frame = pd.DataFrame(columns)
    data = frame if styles is None else frame.style.apply(lambda _: _styled(frame, styles), axis=None)
    height: Any = "content" if len(frame) <= most_rows else row_height * (most_rows + 1)
    config = {name: _config(column) for name, column in (shape or {}).items()}
    common: dict[str, Any] = {
        "hide_index": True,
        "row_height": row_height,
        "height": height,
        "column_config": config,
        "alt": alt,
    }
    if on_cell is None or key is None:
        st.dataframe(data, key=key, **common)
        return
    st.dataframe(data, key=key, on_select=lambda: _clicked(key, on_cell), selection_mode="single-cell", **common)


def _styled(frame: Any, styles: Sequence[str]) -> Any:  # noqa: ANN401 - pandas has no types of its own
    return pd.DataFrame([[style] * len(frame.columns) for style in styles], index=frame.index, columns=frame.columns)


def _config(column: Column) -> Any:  # noqa: ANN401 - what Streamlit takes as a column's configuration
    if column.chips is not None:
        options = list(column.chips)
        return st.column_config.MultiselectColumn(
            width=column.width, options=options, color=[column.chips[word] for word in options]
        )
    return st.column_config.Column(width=column.width, alignment="right" if column.right else None, help=column.help)


def _clicked(key: str, on_cell: Callable[[int], None]) -> None:
    state = st.session_state.get(key)
    cells = state["selection"]["cells"] if state else []
    if cells:
        on_cell(int(cells[0][0]))
