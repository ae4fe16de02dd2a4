"""Every command explains itself, and the documentation lists every command."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

import pytest
from goldrank.cli import make_parser
from goldrank.commands import COMMANDS, Command, Group

PATHS = [
    (path, command)
    for one in COMMANDS
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


@pytest.mark.parametrize("group", [one for one in COMMANDS if isinstance(one, Group)], ids=lambda group: group.name)
def test_the_help_of_a_group_shows_an_example_of_each_verb(group, capsys):
    """`goldrank cases --help` leads to its verbs."""
    with pytest.raises(SystemExit):
        make_parser().parse_args([group.name, "--help"])

    text = capsys.readouterr().out
    assert all(f"  {command.examples[0]}" in text for command in group.commands)


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
