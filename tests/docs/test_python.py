"""The programs in README.md and docs/python.md run, and docs/python.md names everything public."""

from __future__ import annotations

import dataclasses
import re

import pytest

import engine
from tests.docs.pages import page, programs_with_output, without_scores

PAGES = ("README.md", "docs/python.md")
PROGRAMS = [(name, *program) for name in PAGES for program in programs_with_output(page(name))]


@pytest.mark.parametrize(("name", "program", "shown"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_the_programs_run_and_print_what_is_shown(name, program, shown, capsys):
    exec(compile(program, name, "exec"), {})  # noqa: S102  our own pages
    printed = capsys.readouterr().out
    assert printed
    if shown:
        assert without_scores(printed) == without_scores(shown)


def test_both_pages_have_programs_and_one_shows_its_output():
    assert {name for name, *_ in PROGRAMS} == set(PAGES)
    assert any(shown for *_, shown in PROGRAMS)


@pytest.mark.parametrize("name", engine.__all__)
def test_every_public_name_is_documented(name):
    words = set(re.findall(r"\w+", page("docs/python.md")))
    public = getattr(engine, name)
    assert name in words
    if isinstance(public, type):
        assert {member for member in vars(public) if not member.startswith("_")} <= words
        fields = dataclasses.fields(public) if dataclasses.is_dataclass(public) else ()
        assert {field.name for field in fields} <= words
