"""Why a move is good or bad, in one sentence for chess players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import chess

from engine.analysis.accuracy import Mark, MoveVerdict
from engine.analysis.lookup import tb_result
from engine.analysis.review import PositionEval
from engine.analysis.themes import piece_counts, piece_list_text

SHOWN_PLIES = 6  # of a line inside a sentence
_FOLLOWED_PLIES = 10  # of a line, to find out what it wins
_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_MINORS = (chess.KNIGHT, chess.BISHOP)
_NEAR_MATE = 8  # moves: a longer mate does not count as missed
_SACRIFICE = 2  # minimum in pawns
_CLEAR = 0.75  # expected score of a position that is as good as won


def reason_for(board: chess.Board, move: chess.Move, here: PositionEval, there: PositionEval,
               verdict: MoveVerdict) -> str:
    """Why `move` deserves its mark; empty if it has none. `board` is the position before it."""
    if verdict.mark in (Mark.ONLY, Mark.GOOD):
        return "the only move"
    if not verdict.mark.is_bad:
        return ""
    after = board.copy(stack=False)
    after.push(move)
    return (_about_mates(board, after, here, there, verdict) or _about_tables(board, after, here)
            or _about_material(board, after, here, there) or _about_prospects(board, after, here, verdict))


def _about_mates(board: chess.Board, after: chess.Board, here: PositionEval, there: PositionEval,
                 verdict: MoveVerdict) -> str:
    mate, given = verdict.before.mate, verdict.after.mate
    is_mated = given is not None and verdict.after.expected == 0
    if is_mated and verdict.before.expected > 0:
        assert given is not None
        return f"allows mate in {abs(given)}: {line_text(after, there.line)}"
    if after.is_stalemate():
        return f"stalemate; better is {line_text(board, here.line)}"
    if mate is not None and mate <= _NEAR_MATE and verdict.before.expected == 1 and given is None:
        return f"misses mate in {mate}: {line_text(board, here.line)}"
    return ""


def _about_tables(board: chess.Board, after: chess.Board, here: PositionEval) -> str:
    """A sentence if the endgame tables show that the move made the result worse."""
    result = tb_result(after)
    if result is None:
        return ""
    better = f"; better is {line_text(board, here.line)}"
    if result == 0 and here.score.expected > _CLEAR:
        return f"gives up the win: the endgame is a table draw{better}"
    if result == 1 and here.score.expected > 1 - _CLEAR:
        return f"loses: the endgame is a table win for {chess.COLOR_NAMES[after.turn]}{better}"
    return ""


def _about_material(board: chess.Board, after: chess.Board, here: PositionEval, there: PositionEval) -> str:
    mover = board.turn
    lost, gained = exchanged(after, there.line, mover)
    gained += piece_counts(board, not mover) - piece_counts(after, not mover)  # what the move itself captured
    given, won = exchanged(board, here.line, mover)
    balance, best = _worth(gained) - _worth(lost), _worth(won) - _worth(given)
    if balance <= -1 and best > balance:
        return f"loses {material_text(lost, gained)}: {line_text(after, there.line)}"
    if best >= 1 and best > balance:
        return f"misses the win of {material_text(won, given)}: {line_text(board, here.line)}"
    return ""


def _about_prospects(board: chess.Board, after: chess.Board, here: PositionEval, verdict: MoveVerdict) -> str:
    better = line_text(board, here.line)
    if verdict.before.expected > _CLEAR > verdict.after.expected:
        return f"gives up the advantage; better is {better}"
    if verdict.before.expected >= 1 - _CLEAR > verdict.after.expected:
        return f"leaves {chess.COLOR_NAMES[after.turn]} with a winning position; better is {better}"
    return f"better is {better}"


def line_text(board: chess.Board, line: Sequence[str]) -> str:
    """The first moves of a line in SAN with their numbers, as in `24...Qxd5 25.Rxd8+`."""
    moves = [chess.Move.from_uci(text) for text in line[:SHOWN_PLIES]]
    return board.variation_san(moves).replace(". ", ".")


def sacrifice(board: chess.Board, after: chess.Board, there: PositionEval) -> str:
    """What a move sacrifices, if the best reply wins more than the move captured: `the bishop for a pawn`."""
    reply = chess.Move.from_uci(there.line[0]) if there.line else None
    if reply is None or not after.is_capture(reply):
        return ""
    taken = after.copy(stack=False)
    taken.push(reply)
    lost, gained = (piece_counts(board, color) - piece_counts(taken, color) for color in (board.turn, not board.turn))
    return material_text(lost, gained) if _worth(lost) - _worth(gained) >= _SACRIFICE else ""


def exchanged(board: chess.Board, line: Sequence[str], color: chess.Color) -> tuple[Counter[int], Counter[int]]:
    """The pieces that `color` loses and wins in a line, counted by type, up to its last quiet position."""
    quiet = quiet_end(board, line)
    own, theirs = ((piece_counts(board, side), piece_counts(quiet, side)) for side in (color, not color))
    # A promoted piece counts as won, like a captured one.
    return (own[0] - own[1]) + (theirs[1] - theirs[0]), (theirs[0] - theirs[1]) + (own[1] - own[0])


def quiet_end(board: chess.Board, line: Sequence[str]) -> chess.Board:
    """The last position of a line, within a few moves, in which no exchange is under way."""
    return _quiet_positions(board, line)[-1]


def settled_end(board: chess.Board, line: Sequence[str], least: int = 0) -> chess.Board:
    """The first quiet position of a line, at least `least` plies on, after which no more material is won or lost."""
    start = board.copy(stack=False)
    for text in line[:least]:
        start.push(chess.Move.from_uci(text))
    quiet = _quiet_positions(start, line[least:])
    last = _balance(quiet[-1])
    settled = quiet[-1]
    for position in reversed(quiet):
        if _balance(position) != last:
            break
        settled = position
    return settled


def _quiet_positions(board: chess.Board, line: Sequence[str]) -> list[chess.Board]:
    """The positions of a line in which no exchange is under way; its first position if there are none."""
    follower, quiet = board.copy(stack=False), list[chess.Board]()
    for text in line[: _FOLLOWED_PLIES + 1]:
        move = chess.Move.from_uci(text)
        if not (follower.is_capture(move) or move.promotion is not None or follower.is_check()):
            quiet.append(follower.copy(stack=False))
        follower.push(move)
    if len(line) <= _FOLLOWED_PLIES and not follower.is_check() and (
            not line or not follower.is_attacked_by(follower.turn, move.to_square)):
        quiet.append(follower)  # the line ends here, and the piece that moved last cannot be captured
    return quiet or [board.copy(stack=False)]


def _balance(board: chess.Board) -> int:
    return _worth(piece_counts(board, chess.WHITE)) - _worth(piece_counts(board, chess.BLACK))


def _worth(counts: Counter[int]) -> int:
    return sum(_VALUES[piece_type] * count for piece_type, count in counts.items())


def material_text(lost: Counter[int], gained: Counter[int]) -> str:
    """`the knight`, `the exchange`, `the queen for a rook`, `two pawns`: the material lost, and the compensation."""
    lost_net, won = lost - gained, gained - lost
    for own, other in (_MINORS, _MINORS[::-1]):  # a knight for a bishop is an even trade
        even = min(lost_net[own], won[other])
        lost_net, won = lost_net - Counter({own: even}), won - Counter({other: even})
    if lost_net == Counter([chess.ROOK]) and won.total() == 1 and any(won[piece_type] for piece_type in _MINORS):
        return "the exchange"
    words = piece_list_text(lost_net, "the")
    return f"{words} for {piece_list_text(won, 'a')}" if won else words
