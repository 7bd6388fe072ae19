"""What README says of the project is there, and what is there README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.__main__ import COMMANDS
from eval.features import FEATURES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_, _, HOUSE = README.partition("## How it is built")


def paths() -> list[str]:
    """The modules and folders of the table, each with the folder of the first in its row."""
    found = []
    for row in re.findall(r"^\| (`.*?`) \|", HOUSE, re.MULTILINE):
        names = re.findall(r"`([^`]+)`", row)
        home = Path(names[0]).parent
        found += [names[0], *((home / name).as_posix() for name in names[1:])]
    return found


@pytest.mark.parametrize("path", paths())
def test_what_the_table_names_exists(path):
    assert (ROOT / path).exists()


def test_every_package_has_a_row():
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "engine").glob("*/__init__.py")}
    assert folders <= set(paths())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_row(command):
    assert re.search(rf"^\| `adversary {command}\b", README, re.MULTILINE)


def test_the_number_of_features_is_right():
    assert set(re.findall(r"(\d+) features|weighted sum of (\d+)", README)) <= {
        (str(len(FEATURES)), ""), ("", str(len(FEATURES)))}
