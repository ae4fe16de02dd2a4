"""The colours of figures, one set a theme. Amber is gold and nothing else."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...model import ChunkMark

FONT: Final = '"Source Sans", sans-serif'


class Palette(NamedTuple):
    """Colours by meaning, as hex values."""

    text: str
    faint: str
    """Of tick labels and second lines."""
    grid: str
    bar: str
    """A recorded list, from rank 1 to its depth."""
    outline: str
    """Of what was asked for and not returned."""
    gold: str
    gold_fill: str
    gold_text: str
    other: str
    """Delivered chunks, and everything that is not gold, lost or forbidden."""
    lost: str
    ground: str


PALETTES: Final[dict[str, Palette]] = {
    "light": Palette(
        text="#10141F",
        faint="#5A6577",
        grid="#EDF0F4",
        bar="#E2E7EE",
        outline="#A9B2C0",
        gold="#B7791F",
        gold_fill="#F5B942",
        gold_text="#1B2130",
        other="#667085",
        lost="#C0322B",
        ground="#FFFFFF",
    ),
    "dark": Palette(
        text="#E7EAF0",
        faint="#AEB7C6",
        grid="#222A36",
        bar="#2A3342",
        outline="#5D6879",
        gold="#F0B429",
        gold_fill="#F5B942",
        gold_text="#1B2130",
        other="#94A0B4",
        lost="#F0716A",
        ground="#10141C",
    ),
}

MARK_COLOURS: Final[dict[str, dict[ChunkMark, str]]] = {
    "light": {
        ChunkMark.GOLD: "background-color: #FCE7BC; color: #744A00; font-weight: bold",
        ChunkMark.FORBIDDEN: "background-color: #FCE9E7; color: #A3241E; font-weight: bold",
        ChunkMark.SUPERSEDED: "color: #6230A0",
        ChunkMark.NEAR_DUPLICATE: "color: #1B4F9E",
        ChunkMark.SAME_TEXT: "color: #1B4F9E",
    },
    "dark": {
        ChunkMark.GOLD: "background-color: #43300A; color: #F8CF6A; font-weight: bold",
        ChunkMark.FORBIDDEN: "background-color: #42191A; color: #FFA8A1; font-weight: bold",
        ChunkMark.SUPERSEDED: "color: #CDB2FA",
        ChunkMark.NEAR_DUPLICATE: "color: #A5C8FF",
        ChunkMark.SAME_TEXT: "color: #A5C8FF",
    },
}
"""How a list's row with that mark is written, as CSS of a pandas Styler."""
