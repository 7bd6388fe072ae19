"""How difficult a puzzle is for people: a rating by a linear model, fitted to the ratings of solvers on lichess.

`python -m tests.coach.ratings --fit` fits the table to one half of some rated puzzles, and measures it on the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import chess

from engine.analysis.boards import to_position
from engine.analysis.ledger import PIECE_VALUES, balance, best_capture, captured_piece, exchange_gain
from engine.analysis.motifs import MATING, WINNING, find_motif
from engine.analysis.review import DEFAULT_HASH, Analyser, Line, SearchEffort
from engine.core.uci_moves import parse_uci
from engine.humanlike.intuition import Intuition

LOWEST, HIGHEST = 400, 2800
RATING_NODES = 20_000  # of the search for the number of nodes until found
_LEAST_PRIOR = 1e-4
_MOTIFS = ("hanging piece", "fork", "skewer", "pin", "discovered attack", "discovered check", "double check",
           "removal of the defender", "deflection", "attraction", "trapped piece", "passed pawn", "back-rank mate",
           "smothered mate", "zwischenzug", "zugzwang", "interference", "overload")
_MOVERS = {piece: chess.piece_name(piece) for piece in chess.PIECE_TYPES}
_DETECTORS = {**MATING, **WINNING}

# Rating points for each unit of a feature; history/analysis.md says how well they do.
WEIGHTS: Mapping[str, float] = {
    "constant": 761.0, "length": 113.1, "one move": 162.8, "mate": -353.4, "mate length": 205.6,
    "mate in one": -158.7, "first quiet": 104.8, "quiet": 48.1, "first sacrifice": -19.9, "sacrifices": -112.6,
    "first retreat": 79.2, "retreats": 3.1, "first check": -145.7, "surprise": 52.8, "largest surprise": -40.7,
    "later surprise": 48.6, "rank": -47.4, "largest rank": 70.8, "nodes": 45.1, "moves": 66.4, "pieces": 69.6,
    "first pawn": -14.2, "first knight": -19.8, "first bishop": -9.9, "first rook": 1.6, "first queen": 4.4,
    "first king": 120.1, "in check": 122.9, "replies": -7.8, "later replies": 28.1, "captured": 3.8, "greed": 22.7,
    "later greed": 14.1, "distance": -12.5, "balance": -7.2, "gain": -18.5, "checks": 44.7, "hanging piece": 21.7,
    "fork": -85.9, "skewer": -65.4, "pin": 8.0, "discovered attack": 24.6, "discovered check": 45.9,
    "double check": -83.5, "removal of the defender": -18.9, "deflection": 64.9, "attraction": 18.2,
    "trapped piece": 26.0, "passed pawn": 30.6, "back-rank mate": -160.6, "smothered mate": 60.5, "zugzwang": -192.1,
    "interference": 259.2, "overload": 61.6,
}


class _MoveFacts(NamedTuple):
    """What makes a move of the solver hard to see."""

    is_quiet: bool  # no capture, no check, no promotion
    is_sacrifice: bool  # an exchange on its square loses material
    is_retreat: bool
    is_check: bool
    surprise: float  # the negative logarithm of the prior
    rank: float  # logarithm of the rank by the policy of people
    replies: float  # logarithm of the number of legal replies
    captured: float  # the value of the captured piece in pawns
    greed: float  # pawns that the best exchange promises, if it is another move
    distance: float  # in king moves


def nodes_until_found(engine: Analyser, board: chess.Board, move: chess.Move) -> int:
    """After how many nodes a search from scratch prefers a move for good; all of them if it never does."""
    engine.clear()
    total, since, last = 0, 0, None
    for info in engine.search(board, SearchEffort(nodes=RATING_NODES, hash=DEFAULT_HASH)):
        total = max(total, info.nodes)
        if info.bound == "exact" and info.move != last:
            last, since = info.move, info.nodes
    return since if last == move else total


def estimated_rating(board: chess.Board, solution: Line, nodes: int) -> int:
    """The rating of a puzzle; `nodes` is how many a search needs to find the first move."""
    values = features(board, solution, nodes)
    value = sum(weight * values.get(name, 0.0) for name, weight in WEIGHTS.items())
    return round(max(LOWEST, min(value, HIGHEST)))


def features(board: chess.Board, solution: Line, nodes: int) -> dict[str, float]:
    """The features of a puzzle that the model knows, by name."""
    facts, cursor = list[_MoveFacts](), board.copy()
    for ply, move in enumerate(solution):
        if ply % 2 == 0:
            facts.append(_facts(cursor, move))
        cursor.push(move)
    first, number = facts[0], len(facts)
    mover = board.piece_type_at(solution[0].from_square)
    is_mate = cursor.is_checkmate()
    values = {
        "constant": 1.0, "length": math.log(number), "one move": float(number == 1), "mate": float(is_mate),
        "mate length": math.log(number) * is_mate, "mate in one": float(is_mate and number == 1),
        "first quiet": float(first.is_quiet), "quiet": float(sum(fact.is_quiet for fact in facts[1:])),
        "first sacrifice": float(first.is_sacrifice), "sacrifices": float(sum(fact.is_sacrifice for fact in facts[1:])),
        "first retreat": float(first.is_retreat), "retreats": float(sum(fact.is_retreat for fact in facts[1:])),
        "first check": float(first.is_check),
        "surprise": first.surprise, "largest surprise": max(fact.surprise for fact in facts),
        "later surprise": sum(fact.surprise for fact in facts[1:]), "rank": first.rank,
        "largest rank": max(fact.rank for fact in facts), "nodes": math.log(max(nodes, 1)),
        "moves": math.log(board.legal_moves.count()), "pieces": chess.popcount(board.occupied) / 32,
        **{f"first {name}": float(mover == piece) for piece, name in _MOVERS.items()},
        "in check": float(board.is_check()), "replies": first.replies, "later replies":
        sum(fact.replies for fact in facts[1:]), "captured": first.captured, "greed": first.greed,
        "later greed": sum(fact.greed for fact in facts[1:]), "distance": first.distance, "balance":
        float(balance(board, board.turn)), "gain": float(balance(cursor, board.turn) - balance(board, board.turn)),
        "checks": float(sum(map(board.gives_check, board.legal_moves)))}
    values |= {name: float(find_motif(board, solution, {name: _DETECTORS[name]}) is not None) for name in _MOTIFS}
    return values


def _facts(board: chess.Board, move: chess.Move) -> _MoveFacts:
    captured, is_check = captured_piece(board, move), board.gives_check(move)
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    rank, prior = _rank_and_prior(board, move)
    after, best = board.copy(stack=False), best_capture(board.copy(stack=False))
    after.push(move)
    is_quiet = captured is None and not is_check and move.promotion is None
    mover = board.piece_type_at(move.from_square) or chess.PAWN
    is_sacrifice = mover != chess.KING and exchange_gain(board.copy(stack=False), move) <= -min(2, PIECE_VALUES[mover])
    is_retreat = (ranks < 0) == board.turn and ranks != 0
    return _MoveFacts(is_quiet, is_sacrifice, is_retreat, is_check, -math.log(max(prior, _LEAST_PRIOR)), math.log(rank),
                      math.log(1 + after.legal_moves.count()), float(PIECE_VALUES[captured[0]] if captured else 0),
                      float(best[0] if best is not None and best[1] != move else 0),
                      float(chess.square_distance(move.from_square, move.to_square)))


def _rank_and_prior(board: chess.Board, move: chess.Move) -> tuple[int, float]:
    """The rank of a move, from 1, and its prior, by the policy of people."""
    position = to_position(board)
    wanted = parse_uci(position, board.uci(move))
    ideas = _intuition().weigh(position)
    return next((rank, idea.prior) for rank, idea in enumerate(ideas, 1) if idea.move == wanted)


@cache
def _intuition() -> Intuition:
    return Intuition()
