"""What the documentation shows is run: python blocks as files, console blocks as commands with their output.

In a Markdown page:

- a ```python block whose first line is `# name.py` is written to that file; any other is run as it stands;
- a ```console block holds `$ command` lines, each followed by the output it must print. `…` in an output line
  stands for anything, and a line `…` alone for any lines;
- commands run in forks of one warm process, see `tests/warm/commands.py`; the installed script itself is run by
  `tests/cli` and `tests/test_fresh_clone.py`;
- ```sh blocks are set-up; `tests/test_fresh_clone.py` runs those of the README.

All blocks of one page share a folder and one shell, in order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")])
WARM = ROOT / "tests" / "warm"
MARKER = "--- end of command ---"


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    body: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order; `line` is the 1-based line of the fence."""
    text = page.read_text(encoding="utf-8")
    fences = re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(fence.group(1), fence.group(2), text[: fence.start()].count("\n") + 1) for fence in fences]


def steps(block: Block) -> list[tuple[str, list[str]]]:
    """(command, expected output lines) of a console block."""
    result: list[tuple[str, list[str]]] = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            result.append((line[2:], []))
        else:
            result[-1][1].append(line.rstrip())
    return result


def matches(expected: list[str], actual: list[str]) -> bool:
    """Whether the output is the expected one, `…` standing for anything."""
    pattern = []
    for line in expected:
        if line == "…":
            pattern.append(r"(?:.*\n)*")
        else:
            pattern.append(re.escape(line).replace("…", ".*") + r"\s*\n")
    return re.fullmatch("".join(pattern), "".join(f"{line}\n" for line in actual)) is not None


def script(page_blocks: list[Block], folder: Path) -> tuple[str, list[tuple[Block, str, list[str]]]]:
    """One shell script for the page, and what each of its commands must print."""
    lines, wanted = [], []
    for number, block in enumerate(page_blocks):
        if block.language == "python":
            first = block.body.splitlines()[0]
            named = re.fullmatch(r"# (\w+\.py)", first)
            name = named.group(1) if named else f"block_{number}.py"
            (folder / name).write_text(block.body, encoding="utf-8")
            if not named:
                lines.append(f"python {name} || echo FAILED; echo '{MARKER}'")
                wanted.append((block, f"python block at line {block.line}", ["…"]))
        elif block.language == "console":
            for command, expected in steps(block):
                lines.append(f"{{ {command}\n}} 2>&1; echo '{MARKER}'")
                wanted.append((block, command, expected))
    return "\n".join(lines), wanted


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which `goldrank` is the warm one."""
    folder = tmp_path_factory.mktemp("warm")
    script = folder / "goldrank"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{WARM / "client.py"}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    with tempfile.TemporaryDirectory(prefix="warm-") as short:  # a socket's path may have 107 bytes
        server = subprocess.Popen(
            [sys.executable, str(WARM / "commands.py"), f"{short}/s"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        python = Path(sys.executable).parent
        yield {
            **os.environ,
            "PATH": f"{folder}:{python}:{os.environ['PATH']}",
            "COLUMNS": "120",
            "WARM_COMMANDS": f"{short}/s",
            "WARM_PYTHON": sys.executable,
        }
        server.communicate(timeout=30)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run_and_print_what_the_page_shows(page: str, tmp_path: Path, warm: dict[str, str]) -> None:
    """Every python and console block of the documentation does what the page says."""
    found = [block for block in blocks(ROOT / page) if block.language in {"python", "console"}]
    if not found:
        pytest.skip("no python or console block on this page")
    text, wanted = script(found, tmp_path)
    done = subprocess.run(
        ["bash", "-c", text], cwd=tmp_path, env=warm, capture_output=True, text=True, timeout=400, check=False
    )
    parts = done.stdout.split(f"{MARKER}\n")
    for (block, command, expected), output in zip(wanted, parts, strict=False):
        actual = [line.rstrip() for line in output.splitlines()]
        assert "FAILED" not in actual, f"{page}:{block.line}: {done.stderr}"
        assert matches(expected, actual), f"{page}:{block.line}: `{command}` printed:\n{output}\n{done.stderr}"
    assert len(parts) == len(wanted) + 1, f"{page}: the shell stopped early: {done.stderr}"
