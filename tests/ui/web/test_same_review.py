"""The command, the page and the Python interface give the same marks and the same words on the same game."""

from __future__ import annotations

import io

import chess.pgn
import pytest

import engine
from engine.analysis.annotation import pgn_text
from tests.analysis import games
from tests.commands.running import run
from tests.ui.visitor import ORIGIN, SOCKET, Visitor, client


@pytest.fixture(scope="module")
def visitor():
    with client() as browser, browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


FOOLS_MATE = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


# A short game at the default effort, a longer one at another.
@pytest.mark.parametrize(("text", "nodes"), [(FOOLS_MATE, None), (games.OPERA, 2000)], ids=["default", "2000 nodes"])
def test_the_three_reviews_of_a_game_are_the_same(capsys, visitor, tmp_path, text, nodes):
    source, out = tmp_path / "game.pgn", tmp_path / "out.pgn"
    source.write_text(text)
    limits = [] if nodes is None else ["--nodes", str(nodes)]
    assert run(capsys, "annotate", str(source), "--out", str(out), "--concurrency", "2", *limits)[0] == 0
    by_command = out.read_text()

    game = chess.pgn.read_game(io.StringIO(text))
    with engine.Engine(hash=1, threads=2) as adversary:
        annotation = adversary.annotate(game, nodes=nodes)
    assert pgn_text(game) == by_command

    visitor.send("annotate", pgn=text, **({} if nodes is None else {"nodes": nodes}))
    annotated = visitor.receive("annotated")
    assert annotated["pgn"] == by_command
    shown = [(move["mark"], move["reason"]) for move in annotated["games"][0]["moves"]]
    assert shown == [(note.mark, note.reason) for note in annotation.notes] and any(mark for mark, _ in shown)
