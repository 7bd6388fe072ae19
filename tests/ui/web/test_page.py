"""The page's files without a browser: short, whole, and content with this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.course.svg import WARNING
from engine.course.trees import SHAPES
from engine.kernel import SOURCE_ROOT

PAGE = Path(SOURCE_ROOT) / "engine" / "ui" / "web" / "page"
FILES = sorted(PAGE.iterdir())
MODULES = [path.read_text(encoding="utf-8") for path in FILES if path.suffix == ".js"]
INDEX = (PAGE / "index.html").read_text(encoding="utf-8")
LONGEST = 400  # lines
LARGEST = 200_000  # bytes of the whole page, without the pieces
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")  # names, which browsers do not fetch


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_fit_a_reader(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path):
    text = path.read_text(encoding="utf-8")
    for name in NAMESPACES:
        text = text.replace(name, "")
    assert not re.search(r"https?://|url\(\s*[\"']?//|@import", text)


def test_the_policy_finds_nothing_inline():
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", INDEX)
    assert not re.search(r"<script(?![^>]*\ssrc=)", INDEX)


def test_what_is_asked_for_is_there():
    asked = re.findall(r'"/page/([^"]+)"', INDEX)
    assert {"main.js", "style.css"} <= set(asked)
    for module in MODULES:
        asked += re.findall(r'^import[^;]*? from "\./([^"]+)";', module, re.MULTILINE)
        asked += re.findall(r'import\("\./([^"]+)"\)', module)  # on first use
        asked += re.findall(r'(?:loadStyle|new Worker)\("/page/([^"]+)"', module)
    assert {name for name in asked if not (PAGE / name).is_file()} == set()
    assert {path.name for path in FILES} - {"index.html"} == set(asked)


def test_names_of_elements_agree():
    """Every id that a module asks for is in the page, once."""
    ids = re.findall(r'\sid="([^"]+)"', INDEX)
    assert len(ids) == len(set(ids))
    asked = {name for module in MODULES for name in re.findall(r'byId\("([\w-]+)"\)', module)}
    assert asked
    assert asked <= set(ids)
    assert set(re.findall(r'(?:for|aria-labelledby)="([^"]+)"', INDEX)) <= set(ids)


def test_the_page_is_small():
    """What is loaded before the first click; the rest is loaded on first use."""
    loaded, waiting = {"index.html", "style.css", "board.css", "views.css"}, ["main.js"]
    while waiting:
        name = waiting.pop()
        if name not in loaded:
            loaded.add(name)
            text = (PAGE / name).read_text(encoding="utf-8")
            waiting += re.findall(r'^import[^;]*? from "\./([^"]+)";', text, re.MULTILINE)
    assert sum((PAGE / name).stat().st_size for name in loaded) <= LARGEST


def test_search_trees_have_the_colours_of_the_course():
    """Lessons, notebooks and page draw MAX, MIN, leaves and cuts alike."""
    style = (PAGE / "watch.css").read_text(encoding="utf-8")
    (declared,) = re.findall(r"^\.tree \{ (--max.*?)\}", style, re.MULTILINE)
    colours = dict(re.findall(r"--([\w-]+): (#\w+)", declared))
    for node_type in ("max", "min", "leaf"):
        assert (colours[node_type], colours[f"{node_type}-line"]) == SHAPES[node_type]
    assert colours["cut-line"] == WARNING
    own = dict(re.findall(r"--([\w-]+): (#\w+)", re.findall(r"^\.tree\.own \{ (.*?)\}", (PAGE / "trees.css").read_text(
        encoding="utf-8"), re.MULTILINE)[0]))
    for node_type in ("chance", "node"):
        assert (own[node_type], own[f"{node_type}-line"]) == SHAPES[node_type]
