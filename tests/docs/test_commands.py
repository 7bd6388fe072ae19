"""docs/commands.md has every command with its options, and the command lines on all pages use options that exist."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator

import pytest

from engine.__main__ import COMMANDS, MODULES
from tests.docs.pages import ROOT, page, rows, sections

TEXT = page("docs/commands.md")
_DEFAULT = re.compile(r"default (\d+:\d+|[\d.+e-]+|\w+)")
_MACHINE = {"tablebase build --threads"}  # whose default is the number of cores
# Pages whose command lines are for today's program; ledgers quote those of their day.
_TODAY = ["README.md", "CONTRIBUTING.md", "RESULTS.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


def parsers(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a command and the commands below it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    yield name, parser
    for action in below:
        for word, child in action.choices.items():
            yield from parsers(f"{name} {word}", child)


def all_parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command, by its words."""
    found: dict[str, argparse.ArgumentParser] = {}
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"engine.commands.{MODULES.get(name, name)}").configure(parser)
        found.update(parsers(name, parser))
    return found


PARSERS = all_parsers()


def options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions
            if action.option_strings and not isinstance(action, argparse._HelpAction)]


def shown(action: argparse.Action) -> str:
    """Return an option as the page shows it: `--movetime MS`."""
    name = action.option_strings[-1]
    if action.nargs == 0:
        return name
    value = action.metavar or "{" + ",".join(map(str, action.choices or ())) + "}"
    value = " ".join(value) if isinstance(value, tuple) else value
    return f"{name} [{value}]" if action.nargs == "?" else f"{name} {value}"


def default_of(action: argparse.Action) -> str | None:
    """Return the default that `--help` states as a value; None if it states none, or describes it in words."""
    stated = _DEFAULT.search(action.help or "")
    if stated is None:
        return None
    return stated[1] if stated[1] == str(action.default) or stated[1][0].isdigit() else None


def documented(command: str) -> dict[str, str]:
    """Return the options in the tables of a command's sections, each with its default."""
    parts = [text for heading, text in sections(TEXT).items() if command in heading.split(", ")]
    assert parts, f"docs/commands.md has no section {command}"
    return {cells[0].strip("`"): cells[1] for part in parts for cells in rows(part) if cells[0].startswith("`--")}


@pytest.mark.parametrize("command", [name for name, parser in PARSERS.items() if options(parser)])
def test_the_page_has_the_options_of_the_command(command):
    listed = documented(command)
    assert set(listed) == {shown(action) for action in options(PARSERS[command])}
    for action in options(PARSERS[command]):
        stated = default_of(action)
        if stated is not None and f"{command} {action.option_strings[-1]}" not in _MACHINE:
            default = listed[shown(action)]
            assert str(default) == stated or float(default) == float(stated), shown(action)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_row_and_a_section(command):
    assert f"| [`{command}`](#{command.replace(' ', '-')}) |" in TEXT
    assert f"| `adversary {command}" in sections(TEXT)[command]


def command_lines(text: str) -> Iterator[str]:
    """Yield the calls of the program in code, inline or in a block of its own."""
    yield from re.findall(r"`adversary ([a-z][^`]*)`", text)
    yield from re.findall(r"^(?:.* && )?(?:\S*/)?adversary ([a-z].*)$", text, re.MULTILINE)


@pytest.mark.parametrize("name", _TODAY)
def test_command_lines_use_what_there_is(name):
    for line in command_lines(page(name)):
        words = line.split()
        command = " ".join(words[:2]) if " ".join(words[:2]) in PARSERS else words[0]
        assert command in PARSERS, line
        known = {name for action in options(PARSERS[command]) for name in action.option_strings}
        for word in words:
            if re.fullmatch(r"--[a-z-]+", word):
                assert word in known, line


def test_the_pages_of_today_exist():
    assert all((ROOT / name).is_file() for name in _TODAY) and len(_TODAY) > len(("README", "CONTRIBUTING", "RESULTS"))
