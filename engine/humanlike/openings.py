"""How beginners open a game: the priors of a policy that learned from masters, changed towards what beginners like.

They bring the queen out early, aim at f7, cross the middle before the pieces are developed, and copy the opponent's
moves. What is not their way either, although it is not a master's: kings that walk, rooks that move behind their pawns,
and one rook pawn after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.bits import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, parse_square
from engine.core.fen import fullmove_number
from engine.core.game import Game
from engine.core.moves import CASTLING, from_square, move_type, to_square
from engine.core.position import PositionRecord
from engine.humanlike.intuition import Idea

_LAST_MOVE = 8  # of the opening
_LEAST_PIECES = 12  # of the sixteen other than pawns: with fewer, it is no opening whatever the number of the move
_FLATTER = 0.5  # by so much the power of the prior falls for a complete beginner
_QUEEN, _ATTACK, _COPY, _ROOK_PAWN, _ROOK, _KING = 4.0, 3.0, 3.0, 0.35, 0.2, 0.02  # how much likelier moves become
_MIDDLE = 4  # the rank of one's own view, counted from 0, from which on a piece has crossed the middle
# The squares from which a piece aims at f7, or f2 for Black.
_AIMING = {int(piece_type): frozenset(map(parse_square, names)) for piece_type, names in (
    (BISHOP, ("c4", "b3")), (QUEEN, ("f3", "h5", "b3")), (KNIGHT, ("g5", "e5")))}


@dataclass(frozen=True)
class _Step:
    """A move from the mover's own point of view: a1 is the corner on the left of each side."""

    piece_type: int
    start: int
    target: int
    is_castling: bool


def is_opening(game: Game) -> bool:
    """Whether the next move is one of the opening, with nearly all pieces on the board."""
    types = game.position.types
    pieces = sum(int(types[piece_type]).bit_count() for piece_type in (KNIGHT, BISHOP, ROOK, QUEEN, KING))
    return fullmove_number(game.position) <= _LAST_MOVE and pieces >= _LEAST_PIECES


def beginners_ideas(game: Game, weighed: Sequence[Idea], share: float) -> list[Idea]:
    """The moves with the priors of beginners, the likeliest first; with a share below 1, something between both."""
    last = _last_step(game)
    power, is_check = 1 - _FLATTER * share, game.is_check()
    weights = []
    for idea in weighed:
        step = _step_of(game.position, idea.move, int(game.position.side))
        liking = 1.0 if is_check else _liking(step, last, idea.is_forcing)
        weights.append(idea.prior**power * liking**share)
    total = sum(weights)
    ideas = [idea._replace(prior=weight / total) for idea, weight in zip(weighed, weights, strict=True)]
    return sorted(ideas, key=lambda idea: -idea.prior)


def _step_of(position: PositionRecord, move: int, side: int, is_made: bool = False) -> _Step:
    start, target = int(from_square(move)), int(to_square(move))
    piece_type = int(position.board[target if is_made else start]) & 7
    flip = 56 if side else 0
    return _Step(piece_type, start ^ flip, target ^ flip, bool(move_type(move) == CASTLING))


def _last_step(game: Game) -> _Step | None:
    """The opponent's last move, from the opponent's point of view; what a copy looks like."""
    return _step_of(game.position, game.moves[-1], 1 - int(game.position.side), is_made=True) if game.moves else None


def _liking(step: _Step, last: _Step | None, is_forcing: bool) -> float:
    """How much likelier a beginner plays a move than a master."""
    if step.is_castling:
        return 1.0
    if step.piece_type == KING and not is_forcing:
        return _KING
    if step.piece_type == ROOK and not is_forcing:
        return _ROOK
    if step.piece_type == PAWN and step.start & 7 in (0, 7):
        return _ROOK_PAWN
    liking = 1.0
    if step.piece_type == QUEEN:
        liking *= _QUEEN
    elif step.piece_type in (KNIGHT, BISHOP) and step.target >> 3 >= _MIDDLE:
        liking *= _ATTACK
    if step.target in _AIMING.get(step.piece_type, ()):
        liking *= _ATTACK
    if step == last:
        liking *= _COPY
    return liking
