"""The README's programs, run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_run(program, capsys):
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102  our own words
    assert capsys.readouterr().out


def test_there_are_some():
    assert PROGRAMS
