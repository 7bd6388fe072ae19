"""The human-like search: compared with plain minimax over python-chess boards; how often it overlooks moves."""

from __future__ import annotations

import random

import chess
import pytest

from engine.core.game import Game
from engine.humanlike.lookahead import value_of_move
from engine.humanlike.searcher import HumanlikeSearch
from engine.humanlike.vision import Vision
from engine.search.scores import INFINITE, MATE, NO_SCORE, mate_distance
from engine.search.types import Limits

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}
POSITIONS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 4 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
)


def material(board: chess.Board) -> int:
    """The material of the side to move minus that of the other side."""
    return sum((1 if piece.color == board.turn else -1) * VALUES[piece.piece_type]
               for piece in board.piece_map().values())


def gain_of(board: chess.Board, move: chess.Move) -> int:
    if board.is_castling(move):
        return 0
    captured = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    gain = VALUES[move.promotion] - VALUES[chess.PAWN] if move.promotion else 0
    return gain + (VALUES[captured] if captured else 0)


def minimax(board: chess.Board, depth: int, capture_plies: int, ply: int, target: int) -> int:
    """A search that overlooks nothing within its vision, and counts material."""
    if board.is_insufficient_material():
        return 0
    moves = list(board.legal_moves)
    if not moves:
        return ply - int(MATE) if board.is_check() else 0
    scores = []
    is_horizon = depth <= 0 and (not board.is_check() or capture_plies <= 0)
    if is_horizon:
        scores.append(material(board))
        moves = [move for move in moves if gain_of(board, move) and (capture_plies > 0 or move.to_square == target)]
    for move in moves:
        board.push(move)
        scores.append(-minimax(board, depth - 1, capture_plies - (depth <= 0), ply + 1, move.to_square))
        board.pop()
    return max(scores)


def new_search(depth: int = 1, blindness: float = 0, capture_plies: int = 2, knowledge: int = 0,
               seed: int = 0) -> HumanlikeSearch:
    search = HumanlikeSearch()
    search.set_vision(Vision(depth, blindness, capture_plies, knowledge, 1.0), seed, random.Random(1))
    return search


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize(("depth", "capture_plies"), [(1, 0), (1, 2), (2, 1)])
def test_without_blindness_the_scores_are_those_of_minimax(fen, depth, capture_plies):
    search, game, board = new_search(depth, 0, capture_plies), Game(fen), chess.Board(fen)
    search.prepare(game.position, Limits(depth=depth))
    for move in game.legal_moves():
        score = value_of_move(game.position, search._states[0], search._vision, move, depth, -int(INFINITE), 0)
        board.push_uci(game.uci(move))
        expected = -minimax(board, depth - 1, capture_plies, 1, board.peek().to_square)
        board.pop()
        assert score == expected, game.uci(move)


def test_all_moves_are_reported_the_best_first():
    result = new_search(2).run(Game(POSITIONS[0]).position, Limits(depth=2, multipv=218))
    last = [info for info in result.infos if info.depth == 2]
    assert len(last) == 48 and {info.pv[0] for info in last} == set(Game(POSITIONS[0]).legal_moves())
    assert [info.score for info in last] == sorted((info.score for info in last), reverse=True)
    assert result.move == last[0].pv[0]


def test_a_mate_is_seen_unless_it_is_overlooked():
    """Rd8 mates. Long moves are overlooked more often."""
    game = Game(POSITIONS[4])
    assert mate_distance(new_search().run(game.position, Limits(depth=1)).score) == 1
    missed = sum(mate_distance(new_search(blindness=300, seed=seed).run(game.position, Limits(depth=1)).score) != 1
                 for seed in range(60))
    assert 0.2 < missed / 60 < 0.7


@pytest.mark.parametrize("blindness", [50, 200, 400])
def test_moves_are_overlooked_as_often_as_blindness_says(blindness):
    """A pawn's step ahead takes nothing: 1.7 times as often as a capture, and 0.6 of that as it is one's own."""
    game, search, count = Game(), HumanlikeSearch(), 0
    move = next(move for move in game.legal_moves() if game.uci(move) == "e2e3")
    search.prepare(game.position, Limits(depth=1))
    for seed in range(1000):
        search.set_vision(Vision(1, blindness, 0, 0, 0.1), seed * 0x9E3779B9, random.Random(1))
        value = value_of_move(game.position, search._states[0], search._vision, move, 1, -int(INFINITE), 0)
        count += value == NO_SCORE
    assert count / 1000 == pytest.approx(1.7 * 0.6 * blindness / 1000, abs=0.05)


def test_the_same_game_overlooks_the_same():
    position = Game(POSITIONS[0]).position
    for seed in range(5):
        lines = [[info.pv for info in new_search(1, 300, seed=seed).run(position, Limits(depth=1, multipv=218)).infos]
                 for _ in range(2)]
        assert lines[0] == lines[1] and len(lines[0]) < 48


def test_total_blindness_still_gives_a_legal_move():
    for fen in (*POSITIONS, "7k/8/8/8/8/8/r7/1r5K w - - 0 1", "k7/8/8/8/8/1q6/8/K7 w - - 0 1"):
        game = Game(fen)
        assert new_search(blindness=100_000).run(game.position, Limits(depth=1)).move in (game.legal_moves() or [0])


def test_only_the_moves_that_are_allowed():
    game = Game()
    allowed = tuple(game.legal_moves()[:2])
    result = new_search(blindness=500).run(game.position, Limits(depth=1, multipv=9, search_moves=allowed))
    assert {info.pv[0] for info in result.infos} <= set(allowed) and result.move in allowed


def test_the_hard_limit_stops_the_search():
    search = new_search(depth=60, knowledge=100)
    search.prepare(Game(POSITIONS[0]).position, Limits(depth=60, hard_time=0.3))
    assert search.search().seconds < 5


def test_the_node_limit_stops_the_search_inside_an_iteration():
    search = new_search(depth=60, knowledge=100)
    assert 5000 <= search.run(Game(POSITIONS[0]).position, Limits(depth=60, nodes=5000)).nodes <= 5001
