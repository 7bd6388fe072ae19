"""Why a move is good or bad, in one sentence for chess players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import chess

from engine.analysis.judgement import JudgedMove
from engine.analysis.lookup import last_opening
from engine.analysis.marks import NEARLY_MATED
from engine.analysis.themes import piece_counts, piece_list_text

_LONGEST_LINE = 12  # plies: what lies beyond is not claimed
SHOWN_PLIES = 6  # of a line inside a sentence
_FOLLOWED_PLIES = 10  # of a line, to find out what it wins
_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_MINORS = (chess.KNIGHT, chess.BISHOP)
_SACRIFICE = 2  # minimum in pawns


def reason_for(judged: JudgedMove) -> str:
    """Why a move deserves its mark; empty if it has none."""
    if not judged.mark.is_bad:
        return ""
    after = judged.board.copy(stack=False)
    after.push(judged.move)
    return _about_mates(judged, after) or _about_tables(judged, after) or _about_scores(judged)


def _about_mates(judged: JudgedMove, after: chess.Board) -> str:
    """A sentence if a printed line ends in checkmate."""
    allowed, missed = mate_length(after, judged.played_line[1:]), mate_length(judged.board, judged.best_line)
    side = chess.COLOR_NAMES[judged.board.turn]
    if allowed is not None and judged.after.is_losing_mate:
        was_lost = f" ({side} was lost anyway)" if judged.before.value < -NEARLY_MATED else ""
        return f"allows mate in {allowed}{was_lost}: {line_text(after, judged.played_line[1:], 2 * allowed)}"
    if after.is_stalemate():
        return f"stalemate; {_better(judged)}"
    if missed is not None and judged.before.is_winning_mate:
        verb = "throws away a" if judged.after.value <= 0 else "misses"
        return f"{verb} mate in {missed}: {line_text(judged.board, judged.best_line, 2 * missed)}"
    return ""


def mate_length(board: chess.Board, line: Sequence[str]) -> int | None:
    """The number of moves after which the side to move has mated, if the line ends in its mate and can be printed."""
    follower = board.copy(stack=False)
    for text in line:
        follower.push(chess.Move.from_uci(text))
    is_mate = len(line) <= _LONGEST_LINE and len(line) % 2 == 1 and follower.is_checkmate()
    return (len(line) + 1) // 2 if is_mate else None


def _about_tables(judged: JudgedMove, after: chess.Board) -> str:
    """A sentence if the endgame tables show that the move made the result worse."""
    if judged.table_results is None:
        return ""
    before, now = judged.table_results
    if before > now == 0:
        return f"gives up the win: the ending is drawn; {_better(judged)}"
    return f"loses: the ending is won for {chess.COLOR_NAMES[after.turn]}; {_better(judged)}" if now < 0 else ""


def _about_scores(judged: JudgedMove) -> str:
    known = ""
    if judged.is_theory:
        name = last_opening(judged.board)
        known = f"a known line ({name.name}), but " if name is not None else "a known move, but "
    return f"{known}{_better(judged)}"


def _better(judged: JudgedMove) -> str:
    """Which move was better, by how much, with its line."""
    move = line_text(judged.board, judged.best_line, 1)
    scores = f"({judged.before.white()} against {judged.after.white()})"
    return f"{move} was better {scores}: {line_text(judged.board, judged.best_line)}"


def line_text(board: chess.Board, line: Sequence[str], plies: int = SHOWN_PLIES) -> str:
    """The first moves of a line in SAN with their numbers, as in `24...Qxd5 25.Rxd8+`."""
    moves = [chess.Move.from_uci(text) for text in line[:plies]]
    return board.variation_san(moves).replace(". ", ".")


def sacrifice(board: chess.Board, after: chess.Board, line: Sequence[str]) -> str:
    """What a move sacrifices, if the best reply wins more than the move captured: `the bishop for a pawn`."""
    reply = chess.Move.from_uci(line[0]) if line else None
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
