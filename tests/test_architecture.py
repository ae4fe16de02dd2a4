"""The rooms: who may import whom, what an app's import costs, and that what is packaged is what is there."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

ALLOWED: dict[str, frozenset[str]] = {
    "model": frozenset(),
    "tracing": frozenset({"model"}),
    "store": frozenset({"model"}),
    "diagnosis": frozenset({"model"}),
    "collectors": frozenset({"model", "tracing", "store", "diagnosis"}),
    "evals": frozenset({"model", "tracing", "store", "diagnosis", "collectors"}),
    "actions": frozenset({"model", "tracing", "store", "diagnosis", "collectors", "evals"}),
    "dashboard": frozenset({"model", "tracing", "store", "diagnosis", "collectors", "evals", "actions"}),
    "commands": frozenset(
        {"model", "tracing", "store", "diagnosis", "collectors", "evals", "actions", "sample_traces"}
    ),
    "sample_traces": frozenset({"model", "tracing", "store", "collectors"}),
}
"""Room -> the rooms that it may import."""

LATE: dict[str, frozenset[str]] = {"commands": frozenset({"dashboard"})}
"""Imports that are allowed inside a function only: the command line starts the hub."""

LATE_ROOMS = ("actions", "collectors", "diagnosis", "evals", "model", "store", "tracing")
"""Rooms whose names are loaded when they are first asked for."""

FACE = frozenset({"__init__", "__main__", "cli"})
"""Modules beside the rooms: the public face, and what starts the command line."""

HEAVY = ("duckdb", "pandas", "plotly", "streamlit", "pyarrow", "numpy")
NOT_OURS = frozenset({"build", "examples", "tests", "docs"})


class Import(NamedTuple):
    """One import of a goldrank module."""

    file: Path
    line: int
    target: str
    """Dotted, from below `goldrank`: "store.duckdb"."""
    late: bool
    """Inside a function."""
    absolute: bool


@cache
def source_files() -> tuple[Path, ...]:
    """Every module of the package, in the order of their paths."""
    rooms = (one for one in ROOT.iterdir() if one.is_dir() and one.name not in NOT_OURS and one.name[0] != ".")
    return tuple(sorted([*ROOT.glob("*.py"), *(path for room in rooms for path in room.rglob("*.py"))]))


def room_of(path: Path) -> str:
    """The room of a module; of the face the module's name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imports_of(path: Path) -> Iterator[Import]:
    """The goldrank modules that a file imports, relative or by full name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(ROOT).parts[:-1]
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        late = id(node) in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "goldrank":
                    yield Import(path, node.lineno, alias.name.partition(".")[2], late, absolute=True)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
            elif node.module and node.module.split(".")[0] == "goldrank":
                base = ()
            else:
                continue
            module = node.module or ""
            if not node.level:
                module = module.partition(".")[2]
            for alias in node.names:
                target = ".".join((*base, *(module.split(".") if module else ()), *(() if module else (alias.name,))))
                yield Import(path, node.lineno, target, late, absolute=not node.level)


@cache
def all_imports() -> tuple[Import, ...]:
    """Of all modules."""
    return tuple(found for path in source_files() for found in imports_of(path))


def name_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by name: the order that ruff writes."""
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name


def test_the_imports_are_found_at_all() -> None:
    """A parser that sees nothing would hold every arrow."""
    found = {(room_of(one.file), one.target.split(".")[0]) for one in all_imports()}
    assert {("collectors", "model"), ("collectors", "store"), ("store", "model"), ("actions", "store")} <= found


def test_imports_follow_the_arrows() -> None:
    """Each room imports only rooms below it; tracing, store and diagnosis do not know each other."""
    wrong = []
    for one in all_imports():
        room, target = room_of(one.file), one.target.split(".")[0]
        if room in FACE or target == room:
            continue
        allowed = ALLOWED[room] | (LATE.get(room, frozenset()) if one.late else frozenset())
        if target not in allowed:
            wrong.append(f"{one.file.relative_to(ROOT)}:{one.line} imports {one.target or 'goldrank'}")
    assert wrong == []


def test_the_public_face_is_light() -> None:
    """What an app imports comes from tracing and model alone, apart from what starts the command line."""
    wrong = [
        f"{one.file.name}:{one.line} imports {one.target}"
        for one in all_imports()
        if room_of(one.file) == "__init__" and one.target.split(".")[0] not in {"model", "tracing"}
    ]
    assert wrong == []


def test_nothing_imports_the_face_or_by_full_name() -> None:
    """Inside the package imports are relative. Pages are scripts that Streamlit runs by path: they use full names."""
    wrong = []
    for one in all_imports():
        script = one.file.parent.name == "app_pages" or one.file == ROOT / "dashboard" / "app.py"
        if one.absolute and not script and room_of(one.file) not in FACE:
            wrong.append(f"{one.file.relative_to(ROOT)}:{one.line} imports goldrank.{one.target}")
    assert wrong == []


def test_every_room_is_known_here() -> None:
    """A new room must say what it may import."""
    rooms = {room_of(path) for path in source_files()}
    assert rooms - FACE == set(ALLOWED)


def test_the_packages_in_pyproject_are_the_folders() -> None:
    """A folder that is not listed would be missing from the wheel."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = {path.parent.relative_to(ROOT) for path in source_files()}
    there = {".".join(("goldrank", *folder.parts)) for folder in folders}
    assert sorted(listed) == sorted(there)
    assert listed == sorted(listed)


def test_every_folder_has_an_init() -> None:
    """Without one a folder would be a namespace package, which other packages can slip into."""
    missing = {str(path.parent) for path in source_files() if not (path.parent / "__init__.py").exists()}
    assert missing == set()


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_exports_what_it_says(room: str) -> None:
    """`__all__` is sorted, complete, and every name of it is there."""
    module = importlib.import_module(f"goldrank.{room}")
    exported = getattr(module, "__all__", None)
    tree = ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    if exported is None:
        assert imported == set(), f"goldrank.{room} exports names and has no __all__"
        return
    assert list(exported) == sorted(exported, key=name_order)
    if room not in LATE_ROOMS and not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body):
        assert imported == set(exported), "what a room only passes on, it exports"
    assert [name for name in exported if not hasattr(module, name)] == []


def test_the_face_exports_what_it_says() -> None:
    """The names that users see are in `__all__`, sorted, and there."""
    import goldrank

    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    seen = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "tracing"
        for alias in node.names
    }
    assert set(goldrank.__all__) == seen == set(goldrank._HOMES["tracing"])
    assert list(goldrank.__all__) == sorted(goldrank.__all__, key=name_order)
    assert [name for name in goldrank.__all__ if not hasattr(goldrank, name)] == []


def test_the_command_line_loads_nothing_of_recording() -> None:
    """What only passes through `goldrank`, as the command line does, loads no OpenTelemetry."""
    code = "import sys, goldrank.cli; print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_goldrank_loads_nothing_heavy() -> None:
    """An app that records pays for OpenTelemetry, pydantic and orjson, and for nothing of the dashboard."""
    code = f"import sys, goldrank; goldrank.request; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


NOT_FOR_RECORDING = (
    "pydantic",
    "asyncio",
    "hashlib",
    "decimal",
    "http.client",
    "urllib.request",
    "ssl",
    "socketserver",
)
"""What takes long to load and no app needs in order to record to a spool. OpenTelemetry's own imports do not count."""


def test_importing_goldrank_loads_only_what_recording_needs() -> None:
    """Of the models none is built and no HTTP client loaded, also when recording is on and a request is written."""
    code = (
        "import sys, tempfile, opentelemetry.sdk.trace, orjson; before = set(sys.modules); import goldrank\n"
        "goldrank.init(app='x', directory=tempfile.mkdtemp())\n"
        "goldrank.request(lambda question: 'a')('q'); assert goldrank.flush(60)\n"
        f"print(sorted(set({NOT_FOR_RECORDING!r}) & (set(sys.modules) - before)))\n"
        "print(sorted(name for name in sys.modules if name.startswith(('goldrank.store', 'goldrank.model.request', "
        "'goldrank.model.verdict', 'goldrank.collectors'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "['goldrank.model.request_id']"]


@pytest.mark.parametrize("room", LATE_ROOMS)
def test_the_names_that_are_loaded_late_are_all_there(room: str) -> None:
    """What type checkers see of a room, what is loaded on demand and `__all__` are the same names."""
    module = importlib.import_module(f"goldrank.{room}")
    tree = ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))
    seen = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    late = {(home, name) for home, names in module._HOMES.items() for name in names}
    assert seen == late
    assert {name for _, name in late} | defined == set(module.__all__)
    assert dir(module) == sorted(module.__all__)


@pytest.mark.parametrize("room", LATE_ROOMS)
def test_a_name_is_not_hidden_by_the_module_of_that_name(room: str) -> None:
    """`actions.show` is the action, whether or not the module `actions/show.py` was loaded before."""
    code = (
        f"import importlib, types, goldrank.{room} as room\n"
        "for home in room._HOMES: importlib.import_module(f'{room.__name__}.{home}')\n"
        "print([name for name in room.__all__ if isinstance(getattr(room, name), types.ModuleType)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_goldrank_configures_no_logging_and_starts_no_thread() -> None:
    """A guest leaves the house as it is until `init`."""
    state = "(list(logging.root.handlers), logging.root.level, threading.active_count())"
    code = f"import logging, threading; before = {state}; import goldrank; goldrank.request; print(before == {state})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
