"""Check sentences about the difference of two moves: threats replayed with null moves, sacrifices, facts of moves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import chess

from tests.analysis.counting import VALUES, hangs_something, material, passed, recaptures
from tests.analysis.gain_checks import GAINS, LOSSES, check_gain, check_given_up
from tests.analysis.proof import NAMES, PIECE, PIECES, PLAIN_PIECE, Context, claim, pieces_in, replay


def exchange_value(board: chess.Board, move: chess.Move) -> int:
    """What a move wins by exchanges on its square, without promotions."""
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    after = board.copy(stack=False)
    after.push(move)
    gain = VALUES[taken] if taken is not None and not board.is_castling(move) else 0
    return gain - recaptures(after, move.to_square)


def named_pieces(text: str) -> Counter[int]:
    """The pieces that words name, by type."""
    return pieces_in(text)[0]


def worth(counts: Counter[int]) -> int:
    """The worth of some pieces in pawns."""
    return sum(VALUES[piece_type] * number for piece_type, number in counts.items())


def advantage(board: chess.Board, side: chess.Color) -> int:
    """By how many pawns a side is ahead."""
    return worth(material(board, side)) - worth(material(board, not side))


def passing(board: chess.Board, *moves: chess.Move) -> chess.Board:
    """The board after some moves, when the other side passes."""
    passed_board = board.copy(stack=False)
    for move in moves:
        passed_board.push(move)
    claim(not passed_board.is_check(), "a null move in check")
    passed_board.push(chess.Move.null())
    return passed_board


def check_won(board: chess.Board, moves: list[chess.Move], words: str) -> None:
    """Check that moves win exactly what words say, the last one by exchange if it is a capture."""
    won, _, returned = words.partition(" for ")
    if len(moves) == 1:
        value, paid = worth(named_pieces(won)), worth(named_pieces(returned))
        if won == "the exchange":
            value, paid = VALUES[chess.ROOK], VALUES[chess.KNIGHT]
        claim(exchange_value(board, moves[0]) == value - paid, f"the capture does not win {words}")
        taken = chess.PAWN if board.is_en_passant(moves[0]) else board.piece_type_at(moves[0].to_square)
        claim(won == "the exchange" or named_pieces(won) == Counter([taken]), "another piece is taken")
        return
    end = board.copy(stack=False)
    for move in moves[:-1]:
        end.push(move)
    claim(end.turn == board.turn and end.is_capture(moves[-1]), "the threat does not end with a capture")
    value = advantage(end, board.turn) - advantage(board, board.turn) + exchange_value(end, moves[-1])
    said = worth(named_pieces(won)) - worth(named_pieces(returned))
    claim(value == (2 if won == "the exchange" else said) and value >= 1, f"the threat does not win {words}")


def could_before(board: chess.Board, moves: list[chess.Move], gain: int) -> bool:
    """Whether the side to move could win as much by the same moves without its first move."""
    cursor = board.copy(stack=False)
    if len(moves) == 1:
        return cursor.is_legal(moves[0]) and exchange_value(cursor, moves[0]) >= gain
    for move in moves:
        if not cursor.is_legal(move):
            return False
        cursor.push(move)
    return True


def mates_before(board: chess.Board, moves: list[chess.Move]) -> bool:
    """Whether the side to move could mate by the same moves without its first move."""
    cursor = board.copy(stack=False)
    for move in moves:
        if not cursor.is_legal(move):
            return False
        cursor.push(move)
    return cursor.is_checkmate()


def check_attack(context: Context) -> None:
    """The move attacks what is named: its piece can take each of them with gain if the other side passes."""
    start = context.after if context.match["verb"] == "allows" else context.before
    (move,), _ = replay(start, context.match["move"])
    board = passing(start, move)
    for piece_type, target in context.pieces("targets"):
        square = chess.square_name(target)
        claim(board.piece_at(target) == chess.Piece(piece_type, not start.turn), f"another piece on {square}")
        capture = chess.Move(move.to_square, target)
        claim(board.is_legal(capture), f"{square} is not attacked")
        gain = exchange_value(board, capture)
        earlier = chess.Move(move.from_square, target)
        claim(gain >= 1, f"nothing is won on {square}")
        claim(not could_before(start, [earlier], gain), f"{square} was attacked before")


def check_threatens(context: Context) -> None:
    """The move threatens a line: played after a null move it mates, or wins what is named."""
    start = context.after if context.match["verb"] == "allows" else context.before
    (move,), _ = replay(start, context.match["move"])
    board = passing(start, move)
    moves, end = replay(board, context.match["threat"])
    if context.match["won"]:
        check_won(board, moves, context.match["won"])
        claim(not could_before(start, moves, exchange_value(board, moves[0])), "it was threatened before")
        return
    claim(end.is_checkmate(), "no mate is threatened")
    claim(not mates_before(start, moves), "it was threatened before")


def check_not_met(context: Context) -> None:
    """The threat is there if the mover passes instead, and it is carried out after the move."""
    board = passing(context.before)
    moves, end = replay(board, context.match["threat"])
    if context.match["won"]:
        check_won(board, moves, context.match["won"])
    else:
        claim(end.is_checkmate(), "no mate is threatened")
    line, _ = context.line(context.after)
    claim(line[0] == moves[0], "another move is played")
    if len(moves) == 1 and context.match["won"]:
        claim(exchange_value(context.after, moves[0]) >= exchange_value(board, moves[0]), "the threat was met")


def check_own_sacrifice(context: Context) -> None:
    """The move itself gives two pawns or more by exchange."""
    line, _ = context.line(context.before)
    claim(line[0] == context.move and exchange_value(context.before, context.move) <= -2, "no sacrifice")


def check_sacrifice_of_line(context: Context) -> None:
    """A move gives two pawns or more by exchange; where it says so, taking costs a piece or mates."""
    start = context.after if context.match["verb"] == "allows" else context.before
    (move,), _ = replay(start, context.match["move"])
    line, _ = context.line(start)
    claim(line[0] == move and exchange_value(start, move) <= -2, "no sacrifice")
    if not context.match["piece"]:
        return
    claim(start.piece_type_at(move.from_square) == NAMES[context.match["piece"]], "another piece")
    after = start.copy()
    after.push(move)
    check_taking_costs(after, move.to_square)


def check_taking_costs(after: chess.Board, square: chess.Square) -> None:
    """Whichever way the side to move takes on a square, it is mated or loses a piece at once."""
    for reply in [reply for reply in after.legal_moves if reply.to_square == square]:
        taken = after.copy()
        taken.push(reply)
        claim(any(mates(taken, each) or (taken.is_capture(each) and exchange_value(taken, each) >= 3)
                  for each in list(taken.legal_moves)), "taking costs nothing")


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move mates."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def check_offer(context: Context) -> None:
    """A piece that the move puts where it can be taken with gain, though every way of taking it costs a piece."""
    moves, _ = context.line(context.before)
    named = re.fullmatch(PIECE, context.match["given"])
    assert named is not None
    claim(moves[0] == context.move and exchange_value(context.before, context.move) <= -2, "nothing is offered")
    claim(context.after.piece_type_at(context.move.to_square) == NAMES[named[2]], "another piece")
    claim(not named[3] or chess.parse_square(named[3]) == context.move.to_square, "another square")
    claim(moves[1].to_square == context.move.to_square, "it is not taken")
    check_taking_costs(context.after, context.move.to_square)


def check_loses_time(context: Context) -> None:
    """A lesser piece attacks the one that has moved, and it moves again."""
    moves, _ = context.line(context.after)
    (first,), _ = replay(context.after, context.match["move"])
    square, attacked = context.move.to_square, context.after.copy()
    attacked.push(first)
    piece_type, by = attacked.piece_type_at(square), attacked.piece_type_at(first.to_square)
    claim(moves[0] == first and moves[1].from_square == square, "it does not move again")
    claim(piece_type == NAMES[context.match["piece"]], "another piece")
    claim(by is not None and piece_type is not None and VALUES[by] < VALUES[piece_type], "no lesser piece")
    claim(square in attacked.attacks(first.to_square), "it is not attacked")


def check_should_take(context: Context) -> None:
    """Another move takes what is named, or with the named piece on the same square."""
    moves, _ = context.line(context.before)
    best, board = moves[0], context.before
    claim(board.is_capture(best) and best != context.move, "no capture, or the move played")
    name, square = context.match["piece"], context.match["square"]
    if context.match["verb"] == "take with":
        claim(best.to_square == context.move.to_square, "on another square")
        claim(board.piece_type_at(best.from_square) == NAMES[name], "with another piece")
        claim(not square or chess.parse_square(square) == best.from_square, "from another square")
        return
    target = chess.parse_square(square)
    claim(board.piece_at(target) == chess.Piece(NAMES[name], not board.turn), "no such piece")
    claim(best.to_square == target or board.is_en_passant(best), "another capture")
    own = board.piece_type_at(best.from_square)
    claim(context.match["verb"] == "take" or (own is not None and VALUES[own] == VALUES[NAMES[name]]), "no exchange")
    check_taken_next(context, moves)


def check_taken_next(context: Context, moves: list[chess.Move]) -> None:
    """What takes first takes the other named piece with its next move."""
    if not context.match["next"]:
        return
    (named,), cursor = context.pieces("next"), context.before.copy(stack=False)
    claim(moves[2].from_square == moves[0].to_square and moves[2].to_square == named[1], "another second capture")
    cursor.push(moves[0])
    cursor.push(moves[1])
    claim(cursor.piece_at(named[1]) == chess.Piece(named[0], not cursor.turn), "no such piece there")


def check_lets_take(context: Context) -> None:
    """The reply takes the named piece with a gain by exchange, and could not after the better move."""
    moves, _ = context.line(context.after)
    square, board, reply = chess.parse_square(context.match["square"]), context.after, moves[0]
    claim((context.match["color"] == "White") == board.turn, "the other side")
    claim(board.piece_at(square) == chess.Piece(NAMES[context.match["piece"]], not board.turn), "no such piece")
    claim(reply.to_square == square or board.is_en_passant(reply), "another capture")
    claim(exchange_value(board, reply) >= 1, "nothing is won on that square")
    for variation in context.node.parent.variations[1:] if context.node.parent else ():
        better = variation.board()
        is_possible = better.is_legal(reply) and better.is_capture(reply)
        claim(not is_possible or exchange_value(better, reply) < 1, "it can be taken after the better move too")


def check_should_exchange(context: Context) -> None:
    """Another move takes a piece on the named square, and the exchanges there are even."""
    moves, _ = context.line(context.before)
    board, square = context.before, chess.parse_square(context.match["square"])
    claim(moves[0].to_square == square and board.piece_type_at(square) not in (None, chess.PAWN), "no piece is taken")
    claim(moves[0] != context.move and exchange_value(board, moves[0]) == 0, "no even exchange")


def check_should_push(context: Context) -> None:
    """A passed pawn goes to the named square."""
    moves, _ = context.line(context.before)
    claim(moves[0].from_square in passed(context.before, context.before.turn), "no passed pawn")
    claim(moves[0].to_square == chess.parse_square(context.match["square"]) and moves[0] != context.move, "not there")


def check_should_castle(context: Context) -> None:
    """Castling was better."""
    moves, _ = context.line(context.before)
    claim(context.before.is_castling(moves[0]) and not context.before.is_castling(context.move), "no castling")


def check_should_break(context: Context) -> None:
    """A pawn attacks a pawn, and pawns are exchanged in the line."""
    moves, _ = context.line(context.before)
    board, first = context.before, moves[0]
    claim(board.piece_type_at(first.from_square) == chess.PAWN and not board.is_capture(first), "no pawn move")
    attacks = chess.SquareSet(chess.BB_PAWN_ATTACKS[board.turn][first.to_square])
    claim(bool(attacks & board.pieces(chess.PAWN, not board.turn)), "no pawn is attacked")


def check_queens(context: Context) -> None:
    """Both queens are gone at the end of the line."""
    start = context.after if context.match["verb"] == "lets" else context.before
    moves, end = context.line(start)
    claim(bool(start.queens) and not end.queens, "the queens are not traded")
    claim(context.match["verb"] == "lets" or moves[0] != context.move, "the move played")


def check_lets_exchange(context: Context) -> None:
    """The reply takes the named piece with one of the same worth and is taken back."""
    moves, _ = context.line(context.after)
    square, board = chess.parse_square(context.match["square"]), context.after
    claim(board.piece_at(square) == chess.Piece(NAMES[context.match["piece"]], not board.turn), "no such piece")
    claim((context.match["color"] == "White") == board.turn, "the other side")
    own = board.piece_type_at(moves[0].from_square)
    claim(moves[0].to_square == square and own is not None, "another move")
    claim(VALUES[own or chess.KING] == VALUES[NAMES[context.match["piece"]]], "no exchange")
    claim(moves[1].to_square == square, "it is not taken back")


def check_prevented(context: Context) -> None:
    """The reply is possible after the move; after the better one it is illegal, or loses its piece."""
    (reply,), _ = replay(context.after, context.match["move"])
    (best,), better = replay(context.before, context.match["best"])
    moves, _ = context.line(context.after)
    claim(moves[0] == reply and best != context.move and not context.after.is_capture(reply), "another reply")
    if context.match["piece"] is None:
        claim(not better.is_check() and not better.is_legal(reply), "it is possible after the better move too")
        return
    claim(better.piece_type_at(reply.from_square) == NAMES[context.match["piece"]], "another piece")
    claim(exchange_value(better, reply) < 0 <= exchange_value(context.after, reply), "it loses nothing, or both times")


def check_promotion(context: Context) -> None:
    """A pawn of the named file that promotes."""
    start = context.after if context.match["verb"] == "lets" else context.before
    moves, end = context.line(start)
    own = [move for number, move in enumerate(moves) if move.promotion and number % 2 == 0]
    claim(len(own) == 1 and not hangs_something(end), "no promotion, or not settled")
    pawns = [square for square in start.pieces(chess.PAWN, start.turn)
             if chess.FILE_NAMES[chess.square_file(square)] == context.match["file"]]
    claim(bool(pawns), "no pawn on that file")


def check_costly_promotion(context: Context) -> None:
    """A pawn of the named file promotes, and what is left is one piece less for one pawn."""
    start = context.after if context.match["verb"] == "lets" else context.before
    moves, end = context.line(start)
    own = [move for number, move in enumerate(moves) if move.promotion and number % 2 == 0]
    claim(len(own) == 1 and not hangs_something(end), "no promotion, or not settled")
    victim = context.match["color"] == "White"
    claim(victim != start.turn, "the other side")
    lost = material(start, victim) - material(end, victim)
    given = material(start, not victim) - material(end, not victim)
    gain = sum(VALUES[piece_type] * (lost[piece_type] - given[piece_type]) for piece_type in VALUES)
    claim(lost[NAMES[context.match["piece"]]] >= 1, "that piece is not lost")
    claim(gain >= max(VALUES[NAMES[context.match["piece"]]] - 3, 1), "less is lost")
    number = next(number for number, move in enumerate(moves) if move.promotion and number % 2 == 0)
    claim(all(move.to_square == moves[number].to_square for move in moves[number : number + 3]), "it is not taken back")


def check_forced_mate(context: Context) -> None:
    """The evaluation of a node announces a mate; the line is legal."""
    context.line(context.after)
    score = context.node.eval()
    claim(score is not None and score.white().is_mate(), "no mate in the evaluation")


_NEXT = rf"(?: and then (?P<next>{PLAIN_PIECE}))?"
_MOVE, _NAMED = r"(?P<move>\d+\.{1,3}\S+?)", r"(?P<piece>pawn|knight|bishop|rook|queen)"
_BEST = r"(?P<best>\d+\.{1,3}\S+?)"
_LINE, _SQUARE = r"(?P<line>.*)", r"(?P<square>[a-h][1-8])"
_TARGETS = r"(?P<targets>the \w+ on [a-h][1-8](?:(?:, | and )the \w+ on [a-h][1-8])*)"
_RUN = r"(?:run of the )?(?P<file>[a-h])-pawn(?: run)?"
_THREAT, _WON = r"(?P<threat>\d+\.[^,:]*?)", rf"(?P<won>{PIECES}(?: for {PIECES})?)"
TEMPLATES: tuple[tuple[str, Callable[[Context], None]], ...] = (
    (rf"misses {_MOVE}, which (?P<gain>{GAINS})(?:: {_LINE})?", check_gain),
    (rf"(?P<loss>{LOSSES}): {_LINE}", check_given_up),
    (rf"(?P<verb>allows|misses) {_MOVE}, which attacks {_TARGETS}", check_attack),
    (rf"(?P<verb>allows|misses) {_MOVE}, which threatens {_THREAT}(?:, winning {_WON})?", check_threatens),
    (rf"does not meet the threat of {_THREAT}(?:, which wins {_WON})?: {_LINE}", check_not_met),
    (rf"is a sacrifice that does not work: {_LINE}", check_own_sacrifice),
    (rf"(?P<verb>allows|misses) (?:the sacrifice )?{_MOVE}(?:: taking the {_NAMED} would cost more)?: {_LINE}",
     check_sacrifice_of_line),
    (rf"loses time: {_MOVE} attacks the {_NAMED}, which must move again: {_LINE}", check_loses_time),
    (rf"should (?P<verb>take with|take|exchange) the {_NAMED}(?: on {_SQUARE})?{_NEXT}: {_LINE}", check_should_take),
    (rf"should exchange pieces on {_SQUARE}: {_LINE}", check_should_exchange),
    (rf"should push the passed pawn to {_SQUARE}: {_LINE}", check_should_push),
    (rf"should castle: {_LINE}", check_should_castle),
    (rf"should play the break {_MOVE}: {_LINE}", check_should_break),
    (rf"(?P<verb>should|lets) (?:trade the queens|the queens be traded): {_LINE}", check_queens),
    (rf"lets (?P<color>White|Black) exchange the {_NAMED} on {_SQUARE}: {_LINE}", check_lets_exchange),
    (rf"lets (?P<color>White|Black) take the {_NAMED} on {_SQUARE}: {_LINE}", check_lets_take),
    (rf"(?P<verb>lets|misses) the {_RUN}, which costs (?P<color>White|Black) the {_NAMED}: {_LINE}",
     check_costly_promotion),
    (rf"allows {_MOVE}, which (?:after )?{_BEST} (?:prevents|would lose the {_NAMED}): {_LINE}", check_prevented),
    (rf"offers (?P<given>{PLAIN_PIECE}), and taking it would cost more: {_LINE}", check_offer),
    (rf"walks into a forced mate: {_LINE}", check_forced_mate),
)
