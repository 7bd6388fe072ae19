"""The extras: the table agrees with pyproject.toml, and one message names missing packages."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from engine.commands.doctor import _extras
from engine.kernel import SOURCE_ROOT
from engine.system import extras
from engine.system.extras import EXTRAS

PROJECT = tomllib.loads((SOURCE_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_table_is_that_of_the_package():
    declared = {extra: tuple(re.split(r"[<>=~!]", requirement)[0] for requirement in requirements)
                for extra, requirements in PROJECT["optional-dependencies"].items() if extra != "test"}
    assert declared == EXTRAS
    assert PROJECT["name"] == extras.DISTRIBUTION


@pytest.fixture
def lacking(monkeypatch):
    """Let packages look as if they were not installed, and all others as if they were."""
    def lack(*names: str) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in names else object())

    return lack


def test_a_checkout_installs_from_its_sources(lacking):
    assert str(extras.missing_extra("a plot", "lab", "matplotlib")) == (
        f"a plot needs matplotlib; pip install '.[lab]' in {SOURCE_ROOT}")


def test_a_package_installs_by_its_name(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    assert str(extras.missing_extra("the page", "web", "starlette", "uvicorn")) == (
        "the page needs starlette and uvicorn; pip install 'adversary-chess[web]'")
    assert extras.install_command("web", "lab") == "pip install 'adversary-chess[web,lab]'"


def test_what_is_missing_is_found(lacking):
    lacking("uvicorn", "torch")
    assert {extra: extras.missing_packages(extra) for extra in EXTRAS} == {
        "coach": [], "web": ["uvicorn"], "class": [], "lab": [], "train": ["torch"], "cluster": []}


def test_the_doctor_names_what_is_there_and_what_is_not(lacking, monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    lacking()
    assert _extras().text == "coach, web, class, lab, train, cluster"
    lacking("uvicorn", "torch")
    assert _extras().text == ("coach, class, lab, cluster; missing: web (uvicorn), train (torch); "
                              "pip install 'adversary-chess[web,train]'")
    lacking(*(name for names in EXTRAS.values() for name in names))
    assert _extras().text.startswith("none; missing: coach (fsrs), web (starlette, uvicorn, websockets), class (")
    assert not _extras().advice  # it is no fault
