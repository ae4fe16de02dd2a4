"""The help pages: read from Markdown files with front matter, and cut into chunks at their headings."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent / "docs"
LONGEST_CHUNK = 1000
"""Characters of text after which a section is cut. A table is never cut."""

_HEADING = re.compile(r"^## (?P<name>.+?)(?: \{#(?P<anchor>[\w-]+)\})?$")


@dataclass(frozen=True)
class Page:
    """One help page."""

    doc_id: str
    title: str
    version: str
    status: str
    valid_from: str
    superseded_by: str
    groups: tuple[str, ...]
    """Who may read it. Empty: everybody."""
    body: str


@dataclass(frozen=True)
class Chunk:
    """A piece of a page: a section, or a part of a long one."""

    chunk_id: str
    """`<page>#<section>`, with `-2`, `-3` for the later parts of a section."""
    page: Page
    section: str
    text: str
    previous_id: str | None = None
    next_id: str | None = None

    @functools.cached_property
    def metadata(self) -> dict[str, Any]:
        """What the index keeps beside the text."""
        page = self.page
        found = {
            "title": page.title,
            "section": self.section,
            "version": page.version,
            "status": page.status,
            "valid_from": page.valid_from,
            "superseded_by": page.superseded_by,
            "groups": list(page.groups),
        }
        return {key: value for key, value in found.items() if value}


def read_page(path: Path) -> Page:
    """The page in one Markdown file."""
    _, front, body = path.read_text("utf-8").split("---\n", 2)
    fields = dict(line.split(":", 1) for line in front.splitlines())
    values = {key: value.strip() for key, value in fields.items()}
    groups = tuple(name.strip() for name in values["groups"].split(",") if name.strip())
    return Page(
        doc_id=values["id"],
        title=values["title"],
        version=values["version"],
        status=values["status"],
        valid_from=values["valid_from"],
        superseded_by=values["superseded_by"],
        groups=groups,
        body=body,
    )


def chunk_page(page: Page) -> list[Chunk]:
    """The chunks of a page in reading order, each knowing its neighbours."""
    chunks = [
        Chunk(chunk_id, page, name, text)
        for anchor, name, lines in _sections(page.body)
        for chunk_id, text in _pieces(page, anchor, name, lines)
    ]
    ids = [None, *(chunk.chunk_id for chunk in chunks), None]
    return [
        Chunk(chunk.chunk_id, page, chunk.section, chunk.text, before, after)
        for chunk, before, after in zip(chunks, ids, ids[2:], strict=False)
    ]


def load_chunks(directory: Path = DOCS) -> list[Chunk]:
    """The chunks of all pages, by file name."""
    return [chunk for path in sorted(directory.glob("*.md")) for chunk in chunk_page(read_page(path))]


def _sections(body: str) -> list[tuple[str, str, list[str]]]:
    """(anchor, heading, lines) of each section; what stands above the first heading has the anchor `top`."""
    found: list[tuple[str, str, list[str]]] = [("top", "", [])]
    for line in body.splitlines():
        heading = _HEADING.match(line)
        if heading:
            name = heading["name"]
            found.append((heading["anchor"] or re.sub(r"\W+", "-", name.lower()).strip("-"), name, []))
        elif line and not line.startswith("# "):
            found[-1][2].append(line)
    return [section for section in found if section[2]]


def _pieces(page: Page, anchor: str, name: str, lines: list[str]) -> list[tuple[str, str]]:
    """(chunk id, text) of each part of a section.

    Only the first part says what it is about: later parts go into the index as they stand. Many real
    chunkers do the same, and it is why the second half of a list of steps is so hard to find.
    """
    parts: list[str] = []
    for block in _blocks(lines):
        if parts and len(parts[-1]) + len(block) <= LONGEST_CHUNK:
            parts[-1] += "\n" + block
        else:
            parts.append(block)
    head = f"{page.title} > {name}" if name else page.title
    parts[0] = f"{head}\n{parts[0]}"
    return [(f"{page.doc_id}#{anchor}" + (f"-{n}" if n > 1 else ""), part) for n, part in enumerate(parts, 1)]


def _blocks(lines: list[str]) -> list[str]:
    """Lines that must stay together: the rows of a table are one block, any other line is one of its own."""
    blocks: list[str] = []
    in_table = False
    for line in lines:
        is_row = line.startswith("|")
        if is_row and in_table:
            blocks[-1] += "\n" + line
        else:
            blocks.append(line)
        in_table = is_row
    return blocks
