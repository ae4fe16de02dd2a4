"""Every command explains itself, and the documentation lists every command."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
from goldrank.cli import make_parser
from goldrank.commands import COMMANDS, Command, Group

LOADED = [listed.load() for listed in COMMANDS]
PATHS = [
    (path, command)
    for one in LOADED
    for path, command in (
        [((one.name,), one)] if isinstance(one, Command) else [((one.name, sub.name), sub) for sub in one.commands]
    )
]
IDS = [" ".join(path) for path, _ in PATHS]


@pytest.mark.parametrize(("path", "command"), PATHS, ids=IDS)
def test_the_help_of_every_command_has_an_example(path, command, capsys):
    """`--help` says what the command does and shows whole command lines."""
    with pytest.raises(SystemExit) as exit_:
        make_parser().parse_args([*path, "--help"])

    text = capsys.readouterr().out
    assert exit_.value.code == 0
    assert command.examples
    assert all(f"\n  {example}" in text for example in command.examples)
    assert "--directory DIR" in text


def options(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[tuple[str, argparse.Action]]:
    """Every option and argument of every command, with where it stands."""
    parser.format_help()  # what a command takes is added when it is asked for
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options(below, (*path, name))
        else:
            yield " ".join((*path, *(action.option_strings or (action.dest,)))), action


def test_every_option_of_every_command_says_what_it_does():
    """No option stands in `--help` without a word."""
    found = list(options(make_parser()))

    assert len(found) > 80
    assert [where for where, action in found if not action.help] == []


@pytest.mark.parametrize("example", [example for _, command in PATHS for example in command.examples])
def test_every_example_can_be_parsed(example):
    """An example that the parser refuses would teach a mistake."""
    words = shlex.split(example.partition(" < ")[0].partition(" > ")[0])

    assert words[0] == "goldrank"
    assert make_parser().parse_args(words[1:]).command is not None


@pytest.mark.parametrize("group", [one for one in LOADED if isinstance(one, Group)], ids=lambda group: group.name)
def test_the_help_of_a_group_shows_an_example_of_each_verb(group, capsys):
    """`goldrank cases --help` leads to its verbs."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([group.name, "--help"])

    text = capsys.readouterr().out
    assert all(f"  {command.examples[0]}" in text for command in group.commands)


@pytest.mark.parametrize("listed", COMMANDS, ids=lambda listed: listed.name)
def test_the_list_of_commands_says_what_each_command_says(listed):
    """`goldrank --help` loads no command, so the names and summaries stand twice: they are the same."""
    command = listed.load()

    assert (command.name, command.summary) == (listed.name, listed.summary)


def loaded(*arguments: str) -> list[str]:
    """The modules of commands and actions that a process with this command line has loaded when it ends."""
    code = (
        "import sys, goldrank.cli\n"
        "try: goldrank.cli.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('loaded', *sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return [name.removeprefix("goldrank.") for name in done.stdout.splitlines()[-1].split()]


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("fly",)])
def test_the_list_of_commands_loads_none_of_them(arguments):
    """The first help, the version and a mistyped command answer without a command, an action or a model."""
    found = loaded(*arguments)

    assert "commands.listing" in found
    assert {listed.module for listed in COMMANDS} & {name.removeprefix("commands.") for name in found} == set()
    assert [name for name in found if name.split(".")[0] in {"actions", "store", "pydantic", "collectors"}] == []


def test_a_command_loads_no_other_one():
    """`goldrank sql --help` loads the module of `sql` alone, and no registry of all actions."""
    found = loaded("sql", "--help")

    assert "commands.upkeep" in found
    others = {f"commands.{listed.module}" for listed in COMMANDS} - {"commands.upkeep"}
    assert [name for name in found if name in others or name == "actions.registry"] == []


def test_a_command_is_needed(capsys):
    """`goldrank` alone exits as a usage error and names the commands."""
    with pytest.raises(SystemExit) as exit_:
        make_parser().parse_args([])

    assert exit_.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize("path", IDS)
def test_the_documentation_lists_every_command(path, root):
    """docs/cli.md has a section for each command."""
    assert f"\n## goldrank {path}\n" in (root / "docs" / "cli.md").read_text(encoding="utf-8")
