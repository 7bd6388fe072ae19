"""Links between pages are relative, and lead to files and headings that exist."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, name_of, prose

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_OUTSIDE = ("https://", "http://")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    for link in _LINK.findall("\n".join(prose(text))):
        if link.startswith(_OUTSIDE):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists() and target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_there_are_pages():
    assert ROOT / "README.md" in PAGES and len(PAGES) > 20
