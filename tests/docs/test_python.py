"""The programs in README.md and docs/python.md run, and docs/python.md names everything public."""

from __future__ import annotations

import dataclasses
import re

import pytest

import engine
from tests.docs.pages import code_blocks, page

PAGES = ("README.md", "docs/python.md")
PROGRAMS = [(name, program) for name in PAGES for program in code_blocks(page(name), "python")]


@pytest.mark.parametrize(("name", "program"), PROGRAMS, ids=[name for name, _ in PROGRAMS])
def test_the_programs_run(name, program, capsys):
    exec(compile(program, name, "exec"), {})  # noqa: S102  our own pages
    assert capsys.readouterr().out


def test_both_pages_have_programs():
    assert {name for name, _ in PROGRAMS} == set(PAGES)


@pytest.mark.parametrize("name", engine.__all__)
def test_every_public_name_is_documented(name):
    words = set(re.findall(r"\w+", page("docs/python.md")))
    public = getattr(engine, name)
    assert name in words
    if isinstance(public, type):
        assert {member for member in vars(public) if not member.startswith("_")} <= words
        fields = dataclasses.fields(public) if dataclasses.is_dataclass(public) else ()
        assert {field.name for field in fields} <= words
