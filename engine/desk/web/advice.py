"""Advice to whoever plays: a good move and what it is good for, and whether a draw would be welcome."""

from __future__ import annotations

from collections import Counter

import chess

from engine.analysis.explaining import explain_board
from engine.analysis.interface import Engine
from engine.analysis.knowledge import is_in_book, opening_name
from engine.analysis.reasons import exchanged, line_text, material_text
from engine.analysis.spans import PositionEval, SearchEffort, evaluate_board
from engine.desk.game import PIECE_VALUES
from engine.desk.opponent import would_accept_draw

_EFFORT, _REPLY_EFFORT = SearchEffort(movetime=400), SearchEffort(movetime=150)
_DRAW_EFFORT = SearchEffort(movetime=200)
_WEIGHTY = 15  # centipawns: what is worth less is no reason


def hint_for(engine: Engine, board: chess.Board) -> tuple[str, str, str]:
    """The best move as UCI text and in SAN, and a reason in a few words."""
    found = evaluate_board(engine, board, _EFFORT)
    move = board.parse_uci(found.line[0])
    return board.uci(move), board.san(move), _reason(engine, board, move, found)


def _reason(engine: Engine, board: chess.Board, move: chess.Move, found: PositionEval) -> str:
    mate = found.score.mate
    if mate is not None and mate > 0:
        return "it mates" if mate == 1 else f"it mates in {mate}"
    lost, gained = exchanged(board, found.line, board.turn)
    if _worth(gained) > _worth(lost):
        return f"it wins {material_text(gained, lost)}"
    if not board.chess960 and is_in_book(board, move):
        after = board.copy()
        after.push(move)
        name = opening_name(after)
        return "it is in the opening book" + ("" if name is None else f": {name.name}")
    gains = [reason.words for reason in explain_board(engine, board, move, _REPLY_EFFORT).reasons
             if reason.centipawns >= _WEIGHTY and "place" not in reason.words]
    return f"it {gains[0]}" if gains else f"the game may go on {line_text(board, found.line)}"


def _worth(men: Counter[int]) -> int:
    return sum(PIECE_VALUES[kind] * number for kind, number in men.items())


def wants_draw(engine: Engine, board: chess.Board) -> bool:
    """Whether the side that is not to move would agree to a draw."""
    theirs = evaluate_board(engine, board, _DRAW_EFFORT).score.value
    return would_accept_draw(-theirs, len(board.move_stack))
