"""The board in the terminal and the panel next to it."""

from __future__ import annotations

import io

import chess
import pytest
from rich.console import Console

from book.names import _names
from engine.ui.game import PlayedGame
from engine.ui.terminal.drawing import PANEL_WIDTH, View, panel
from engine.ui.terminal.screen import PlainScreen, TerminalScreen

NAJDORF = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Qb6 Qd2 Qxb2 Rb1 Qa3".split()


class NamedGame(PlayedGame):
    """A game whose opening has the name that the test gives it."""

    name = ""

    def opening(self) -> str:
        return self.name or super().opening()


def view_of(moves: list[str], opening: str = "") -> View:
    game = NamedGame(chess.Board())
    game.name = opening
    for move in moves:
        game.push(move)
    return View(game, chess.WHITE, has_symbols=False)


@pytest.mark.parametrize("width", [PANEL_WIDTH, 50, 79])
def test_every_opening_is_named_in_full(width):
    longest = sorted(map(str, _names().values()), key=len)[-300:]
    for opening in longest:
        lines = panel(view_of(NAJDORF, opening), width)
        assert len(lines) == 9 and all(len(line) <= width for line in lines)
        shown = "".join(lines[2:6]).replace(" ", "")  # which may be broken after a hyphen
        assert shown.startswith(opening.replace(" ", "")) and shown.endswith(NAJDORF[-1])


def test_the_last_moves_have_the_room_that_is_left():
    lines = panel(view_of(NAJDORF, "B97 Sicilian Defense"))
    assert lines[2] == "B97 Sicilian Defense" and lines[3].startswith("1. e4") and lines[5].endswith("9. Rb1 Qa3")
    lines = panel(view_of(NAJDORF, "one two three four five six seven eight nine ten eleven twelve"))
    assert lines[4].startswith("... ") and lines[5].endswith("9. Rb1 Qa3")


@pytest.mark.parametrize("columns", [80, 110])
def test_a_terminal_shows_the_whole_name(columns):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=columns, height=40, color_system=None, highlight=False)
    view = view_of(NAJDORF)
    TerminalScreen(console, has_symbols=False).show(view, [], is_changed=True)
    shown = " ".join(out.getvalue().split())
    assert all(word in shown for word in view.game.opening().split())
    assert "Poisoned Pawn" in view.game.opening()


def test_a_pipe_gets_the_whole_name():
    out = io.StringIO()
    view = view_of(NAJDORF)
    PlainScreen(out).show(view, [], is_changed=True)
    assert all(word in out.getvalue() for word in view.game.opening().split())
