"""What the tree searches tell a GUI: as many lines as are asked for, in the order of their scores, mates and proofs."""

from __future__ import annotations

import chess
import pytest

from engine.core.game import Game
from engine.player.options import Settings
from engine.search.modes import mode_named
from engine.search.scores import mate_distance
from engine.search.types import Bound, Info, InfoString, Limits

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
HANGING_MATE = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"


@pytest.mark.parametrize("mode", ["mcts", "puct", "uct", "montecarlo"])
@pytest.mark.parametrize("fen", [None, KIWIPETE, HANGING_MATE], ids=["start", "kiwipete", "mate"])
@pytest.mark.parametrize("nodes", [3, 60, 2000])
def test_every_line_that_is_asked_for_is_there_and_no_worse_than_the_next(mode, fen, nodes):
    game, infos = Game(fen) if fen else Game(), list[Info]()
    search = mode_named(mode).create(Settings(), 4)
    result = search.run(game.position, Limits(nodes=nodes, multipv=10), lambda found: infos.append(found)
                        if isinstance(found, Info) else None)
    last = infos[-10:]
    assert [info.multipv for info in last] == list(range(1, 11))
    assert len({info.pv[0] for info in last}) == 10 and {info.pv[0] for info in last} <= set(game.legal_moves())
    assert [info.score for info in last] == sorted((info.score for info in last), reverse=True)
    assert result.move == last[0].pv[0]
    assert all(info.score == last[0].score for info in last if info.bound is Bound.UPPER)
    for info in last:
        distance = mate_distance(info.score)
        assert distance is None or len(info.pv) in (2 * abs(distance), 2 * abs(distance) - 1)


# Mates that python-chess confirms below, with a longer one that a tree may prove first.
MATES_IN_TWO = ("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0",
                "6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1")


@pytest.mark.parametrize("mode", ["mcts", "puct"])
@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_go_mate_ends_with_a_mate_as_short_as_asked_for(mode, fen):
    game, search, reports = Game(fen), mode_named(mode).create(Settings(), 4), []
    result = search.run(game.position, Limits(mate=2, nodes=400_000), reports.append)
    assert result.nodes < 400_000 and mate_distance(result.score) == 2
    board = chess.Board(fen)
    for move in result.pv:
        board.push_uci(text := game.uci(move))
        game.push_uci(text)
    assert board.is_checkmate() and len(result.pv) == 3
    assert [report.text for report in reports if isinstance(report, InfoString)] == ["proven: mate in 2"]


@pytest.mark.parametrize(("fen", "text"), [
    ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "proven: mate in 1"),
    ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "proven: mated in 1"),
    ("8/8/8/8/8/k7/8/K2B4 w - - 0 1", "proven: drawn"),
    ("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1", ""),
])
def test_what_is_proven_is_said(fen, text):
    reports = []
    mode_named("puct").create(Settings(), 4).run(Game(fen).position, Limits(nodes=3000), reports.append)
    assert "".join(report.text for report in reports if isinstance(report, InfoString)) == text
