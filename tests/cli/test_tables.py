"""Tables on terminals of any width: numbers are never truncated."""

from __future__ import annotations

import re

import pytest

from engine.cli.tables import print_table

HEADINGS = ("player", "games", "loss a move", "line")
ROW = ("Adversary", "1234567", "12 21 11", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7")


@pytest.mark.parametrize("width", [10, 50, 60, 80, 200])
@pytest.mark.parametrize("left", [(), ("line",)])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_nothing_is_cut_off(capsys, monkeypatch, term, width, left):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(HEADINGS, [ROW], left=left)
    out = capsys.readouterr().out
    assert "\u2026" not in out
    assert all(part in out for part in (*HEADINGS, *ROW[:3], *ROW[3].split()))
    if left and width >= 50 and term != "dumb":  # which is taken to have 80 columns
        assert re.sub(r"\x1b\[\d*m", "", out).index("\n") <= width, "text is broken between words"
