"""Facts of two moves beside each other that need no count of material: loss of time, the wrong capture, castling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import chess

from engine.analysis.board_facts import passed_pawns
from engine.analysis.claims import MOVE, named_claim
from engine.analysis.comparison import VOTES, MoveComparison, Statement, board_after_move
from engine.analysis.ledger import PIECE_VALUES, captured_piece, exchange_gain
from engine.analysis.quiet_changes import RESCUES, UNPROTECTED, gains, losses
from engine.analysis.review import Line
from engine.analysis.wording import moves_text
from engine.text.sides import SIDE_NAMES

_SHOWN_PLIES, _SHOWN_OF_TRADE = 5, 7
_WRONG_CAPTURE, _TAKES, _PUSHES, _LOSES_TIME, _CASTLES = 2.0, 2.0, 1.8, 1.6, 1.5
_KEEPS_QUEENS, _TRADES_QUEENS, _EXCHANGES, _BREAKS, _LETS_EXCHANGE, _TAKES_A_PAWN = 1.4, 1.4, 1.3, 1.4, 1.3, 1.3
_PREVENTS, _LETS_TAKE = 1.35, 1.5
_PER_PAWN = 0.4  # more for each pawn that a capture wins
_GIVES_UP, _RESCUES, _DOES = 1.45, 1.35, 1.05
_FAR = 4  # ranks that a passed pawn has gone, after its push


def move_statements(comparison: MoveComparison) -> Iterator[Statement]:
    """What the first moves of the lines show."""
    for find in _FINDERS:
        yield from find(comparison)


def _should(comparison: MoveComparison, rank: float, words: str, plies: int = _SHOWN_PLIES) -> Statement:
    """A statement about the better move, with its line."""
    claim = named_claim(MOVE, comparison.board, comparison.better[0][:plies], (comparison.best.to_square,))
    return Statement(rank, f"should {words}", claim, is_missed=True)


def _loses_time(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply attacks the piece that has moved by a lesser one, and it moves again."""
    reply, square = comparison.reply, comparison.move.to_square
    moves_again = sum(len(line) > 2 and line[2].from_square == square for line in comparison.played)
    if reply is None or moves_again < VOTES or comparison.after.is_capture(reply):
        return
    attacked = board_after_move(comparison.after, reply)
    piece_type, by = attacked.piece_type_at(square), attacked.piece_type_at(reply.to_square)
    if piece_type in (None, chess.PAWN, chess.KING) or by is None or piece_type is None:
        return
    if PIECE_VALUES[by] < PIECE_VALUES[piece_type] and square in attacked.attacks(reply.to_square):
        words = f"loses time: {moves_text(comparison.after, [reply])} attacks the {chess.piece_name(piece_type)}"
        claim = named_claim(MOVE, comparison.after, comparison.played[0][1:4], (square,))
        yield Statement(_LOSES_TIME, f"{words}, which must move again", claim)


def _captures(comparison: MoveComparison) -> Iterator[Statement]:
    """The better move captures, and what: on the same square with another piece, something for nothing, an equal."""
    board, best, move = comparison.board, comparison.best, comparison.move
    taken, own = captured_piece(board, best), board.piece_type_at(best.from_square)
    if taken is None or own is None or best.promotion:
        return
    if best.to_square == move.to_square:
        if best.from_square != move.from_square:
            yield _should(comparison, _WRONG_CAPTURE, f"take with {_with(board, best, move)}")
        return
    name, square = chess.piece_name(taken[0]), chess.square_name(taken[1])
    gain = exchange_gain(board.copy(stack=False), best)
    if gain >= 1:
        more = _taken_next(board, comparison.better)
        rank = _TAKES + _PER_PAWN * (gain - 1 if more is None else PIECE_VALUES[more[0]])
        then = "" if more is None else f" and then the {chess.piece_name(more[0])} on {chess.square_name(more[1])}"
        yield _should(comparison, rank, f"take the {name} on {square}{then}")
    elif taken[0] == own == chess.PAWN:
        yield _should(comparison, _TAKES_A_PAWN, f"take the pawn on {square}")
    elif PIECE_VALUES[taken[0]] == PIECE_VALUES[own] < PIECE_VALUES[chess.QUEEN] and not board.is_capture(move):
        yield _should(comparison, _EXCHANGES, f"exchange the {name} on {square}")
    elif taken[0] != chess.PAWN and exchange_gain(board.copy(stack=False), best) == 0 and not board.is_capture(move):
        yield _should(comparison, _EXCHANGES, f"exchange pieces on {square}")


def _taken_next(board: chess.Board, lines: Sequence[Line]) -> tuple[int, chess.Square] | None:
    """The piece that what takes first takes with its next move, in the lines: its type and square."""
    found = list[tuple[int, chess.Square]]()
    for line in lines:
        if len(line) > 2 and line[2].from_square == line[0].to_square:
            after = board_after_move(board_after_move(board, line[0]), line[1])
            taken = captured_piece(after, line[2])
            if taken is not None and taken[0] != chess.PAWN:
                found.append(taken)
    return found[0] if len(found) >= VOTES and found.count(found[0]) == len(found) else None


def _lets_take(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply takes something with a gain by exchange, which it could not do after the better move."""
    reply, after, better = comparison.reply, comparison.after, comparison.after_best
    taken = None if reply is None else captured_piece(after, reply)
    if reply is None or taken is None or reply.promotion or after.is_check():
        return
    gain, is_exchange = exchange_gain(after.copy(stack=False), reply), comparison.board.is_capture(comparison.move)
    if gain < 1 or (is_exchange and reply.to_square == comparison.move.to_square):
        return
    if better.is_legal(reply) and better.is_capture(reply) and exchange_gain(better.copy(stack=False), reply) >= 1:
        return
    claim = named_claim(MOVE, after, comparison.played[0][1:_SHOWN_PLIES], (taken[1],))
    words = f"lets {SIDE_NAMES[after.turn]} take the {chess.piece_name(taken[0])} on {chess.square_name(taken[1])}"
    yield Statement(_LETS_TAKE + _PER_PAWN * gain, words, claim)


def _with(board: chess.Board, move: chess.Move, played: chess.Move) -> str:
    """The piece of a move, and its square where others of its kind may be meant; of pawns, where one has moved."""
    piece_type = board.piece_type_at(move.from_square) or chess.PAWN
    others = board.piece_type_at(played.from_square) == piece_type if piece_type == chess.PAWN else (
        len(board.pieces(piece_type, board.turn)) > 1)
    return f"the {chess.piece_name(piece_type)}" + (f" on {chess.square_name(move.from_square)}" if others else "")


def _pushes(comparison: MoveComparison) -> Iterator[Statement]:
    """The better move pushes a passed pawn that is far advanced."""
    board, best = comparison.board, comparison.best
    rank = chess.square_rank(best.to_square)
    is_far = (rank if board.turn else 7 - rank) >= _FAR
    if is_far and best.from_square in passed_pawns(board, board.turn) and not board.is_capture(best) and (
            not best.promotion):
        yield _should(comparison, _PUSHES, f"push the passed pawn to {chess.square_name(best.to_square)}")


def _castles(comparison: MoveComparison) -> Iterator[Statement]:
    if comparison.board.is_castling(comparison.best) and not comparison.board.is_castling(comparison.move):
        yield _should(comparison, _CASTLES, "castle")


def _breaks(comparison: MoveComparison) -> Iterator[Statement]:
    """The better move attacks a pawn with a pawn, and a file opens soon in two lines; the move played does not."""
    board, best = comparison.board, comparison.best
    if not _is_break(board, best) or _is_break(board, comparison.move):
        return
    if sum(_opens_file(board, line) for line in comparison.better) >= VOTES:
        yield _should(comparison, _BREAKS, f"play the break {moves_text(board, [best])}")


def _is_break(board: chess.Board, move: chess.Move) -> bool:
    if board.piece_type_at(move.from_square) != chess.PAWN or board.is_capture(move):
        return False
    return bool(chess.SquareSet(chess.BB_PAWN_ATTACKS[board.turn][move.to_square]) & board.pieces(
        chess.PAWN, not board.turn))


def _opens_file(board: chess.Board, line: Line) -> bool:
    """Whether a pawn takes a pawn within the plies that are shown."""
    cursor = board.copy(stack=False)
    for move in line[:_SHOWN_PLIES]:
        taken = captured_piece(cursor, move)
        if taken is not None and taken[0] == chess.PAWN == cursor.piece_type_at(move.from_square):
            return True
        cursor.push(move)
    return False


def _queens(comparison: MoveComparison) -> Iterator[Statement]:
    """The queens are traded soon in all lines of one move and in none of the other's."""
    board = comparison.board
    if not all(board.pieces(chess.QUEEN, color) for color in chess.COLORS):
        return
    played, better = (_count_trades(board, lines) for lines in (comparison.played, comparison.better))
    if not better and len(comparison.played) >= VOTES and played == len(comparison.played):
        claim = named_claim(MOVE, comparison.after, comparison.played[0][1:_SHOWN_OF_TRADE])
        yield Statement(_KEEPS_QUEENS, "lets the queens be traded", claim)
    if not played and len(comparison.better) >= VOTES and better == len(comparison.better):
        yield _should(comparison, _TRADES_QUEENS, "trade the queens", _SHOWN_OF_TRADE)


def _count_trades(board: chess.Board, lines: Sequence[Line]) -> int:
    number = 0
    for line in lines:
        cursor = board.copy(stack=False)
        for move in line[:_SHOWN_OF_TRADE]:
            cursor.push(move)
        number += not cursor.queens
    return number


def _lets_exchange(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply exchanges a piece that the better move does not let be exchanged."""
    reply, after = comparison.reply, comparison.after
    taken = None if reply is None else captured_piece(after, reply)
    if reply is None or taken is None or comparison.board.is_capture(comparison.move):
        return
    own = after.piece_type_at(reply.from_square)
    assert own is not None
    is_even = PIECE_VALUES[taken[0]] == PIECE_VALUES[own] and taken[0] != chess.PAWN
    is_taken_back = sum(len(line) > 2 and line[2].to_square == reply.to_square for line in comparison.played) >= VOTES
    if is_even and is_taken_back and comparison.reply_to_best != reply:
        words = f"lets {SIDE_NAMES[after.turn]} exchange the {chess.piece_name(taken[0])} on "
        claim = named_claim(MOVE, after, comparison.played[0][1:_SHOWN_PLIES], (taken[1],))
        yield Statement(_LETS_EXCHANGE, f"{words}{chess.square_name(taken[1])}", claim)


def _prevents(comparison: MoveComparison) -> Iterator[Statement]:
    """The reply, which is no capture, would be illegal or lose material after the better move."""
    reply, after, board = comparison.reply, comparison.after, comparison.after_best
    if reply is None or after.is_capture(reply) or reply.promotion or board.is_check():
        return
    reply_text, best = moves_text(after, [reply]), moves_text(comparison.board, [comparison.best])
    claim = named_claim(MOVE, after, comparison.played[0][1:_SHOWN_PLIES], (reply.to_square,))
    if not board.is_legal(reply):
        yield Statement(_PREVENTS, f"allows {reply_text}, which {best} prevents", claim)
    elif exchange_gain(board.copy(stack=False), reply) < 0 <= exchange_gain(after.copy(stack=False), reply):
        piece = chess.piece_name(board.piece_type_at(reply.from_square) or 0)
        yield Statement(_PREVENTS, f"allows {reply_text}, which after {best} would lose the {piece}", claim)


def _changes(comparison: MoveComparison) -> Iterator[Statement]:
    """What the move gives up at once and the better one does not; what the better one does for its side."""
    board, move, best = comparison.board, comparison.move, comparison.best
    kept = losses(board, best)
    claim = named_claim(MOVE, comparison.after, comparison.played[0][1:_SHOWN_PLIES])
    for words in losses(board, move):
        if words not in kept and claim.moves and _is_used(comparison, words):
            yield Statement(_GIVES_UP, words, claim)
    for words in [] if board.is_capture(best) else gains(board, best)[:1]:
        claim = named_claim(MOVE, board, comparison.better[0][:_SHOWN_PLIES])
        text = f"misses {moves_text(board, [best])}, which {words}"
        yield Statement(_RESCUES if words.startswith(RESCUES) else _DOES, text, claim, has_line=False, is_missed=True)


def _is_used(comparison: MoveComparison, words: str) -> bool:
    """Whether a piece that is left without protection is taken soon; all else that a move gives up counts anyway."""
    named = UNPROTECTED.search(words)
    if named is None:
        return True
    square = chess.parse_square(named[1])
    return sum(any(move.to_square == square for move in line[1:_SHOWN_PLIES:2]) for line in comparison.played) >= VOTES


_FINDERS: tuple[Callable[[MoveComparison], Iterator[Statement]], ...] = (
    _captures, _lets_take, _pushes, _loses_time, _castles, _queens, _breaks, _lets_exchange, _prevents,
    _changes)
