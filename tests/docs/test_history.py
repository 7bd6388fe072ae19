"""Each ledger in history/ begins with a table of its sections: date, question, answer."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, anchors, headings, name_of, prose

LEDGERS = sorted((ROOT / "history").glob("*.md"))
_ROW = re.compile(r"\| \d{4}-\d\d-\d\d \| \[[^\]]+\]\(#([^)]+)\) \| [^|]+ \|")


@pytest.mark.parametrize("path", LEDGERS, ids=name_of)
def test_the_table_lists_every_section(path):
    text = path.read_text(encoding="utf-8")
    listed = [row[1] for line in prose(text) if (row := _ROW.fullmatch(line))]
    title = headings(text)[0]
    assert len(listed) == len(headings(text)) - 1, f"{title}: each section needs a row in the table at the top"
    assert set(listed) <= anchors(text)
    assert len(set(listed)) == len(listed)


def test_no_ledger_stands_elsewhere():
    assert LEDGERS and not list(ROOT.glob("e*/**/MEASUREMENTS.md"))
