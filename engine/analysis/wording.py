"""Words for moves, lines and pieces, as chess players write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess

from engine.analysis.claims import Claim

SHOWN_PLIES = 6  # of a line that proves nothing
_EXCHANGE = ("rook",), ("knight", "bishop")
_NUMBERS = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven",
            8: "eight", 9: "nine", 10: "ten"}

_TRAP = "trapped piece"
_MOTIFS = {  # with their articles
    "fork": "a fork", "skewer": "a skewer", "pin": "a pin", "discovered attack": "a discovered attack",
    "discovered check": "a discovered check", "double check": "a double check",
    "removal of the defender": "the removal of a defender", "deflection": "a deflection", "attraction": "a decoy",
    "interference": "an interference", "zwischenzug": "a zwischenzug", "overload": "an overload",
    "zugzwang": "a zugzwang"}


def pieces_text(board: chess.Board, claim: Claim) -> str:
    """The pieces that are won: `the queen`, `the knight on f6`, `two pawns`, `the exchange`, `the queen for a rook`."""
    minors = [name for name in claim.returned if name in _EXCHANGE[1]]
    own_pawns, other_pawns = claim.pieces[1:], [name for name in claim.returned if name not in _EXCHANGE[1]]
    if claim.pieces[:1] == _EXCHANGE[0] and len(minors) == 1 and {*own_pawns, *other_pawns} <= {"pawn"}:
        exchange = joined(["the exchange", *_counted(own_pawns)])
        return f"{exchange} for {joined(_counted(other_pawns))}" if other_pawns else exchange
    side = claim.side == "black"  # of the pieces that are won: the other one
    words = []
    for name, square in zip(claim.pieces, claim.squares, strict=True):
        if name != "pawn":
            is_only = len(board.pieces(chess.PIECE_NAMES.index(name), side)) == 1
            words.append(f"the {name}" if is_only else f"the {name} on {square}")
    pawns = claim.pieces.count("pawn")
    if pawns:
        words.append("a pawn" if pawns == 1 else f"{_NUMBERS.get(pawns, str(pawns))} pawns")
    text = joined(words)
    return f"{text} for {joined(_counted(claim.returned))}" if claim.returned else text


def _counted(names: Sequence[str]) -> list[str]:
    """`a rook`, `two pawns`: names with their numbers."""
    numbers = {name: names.count(name) for name in names}
    return [f"a {name}" if number == 1 else f"{_NUMBERS.get(number, str(number))} {name}s"
            for name, number in numbers.items()]


def count_text(number: int) -> str:
    """A small number in words."""
    return _NUMBERS.get(number, str(number))


def joined(words: Sequence[str]) -> str:
    """`a rook, a knight and a pawn`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def line_text(board: chess.Board, line: Sequence[chess.Move], plies: int = SHOWN_PLIES) -> str:
    """The first moves of a line in SAN with their numbers, as in `24...Qxd5 25.Rxd8+`."""
    return moves_text(board, line[:plies])


def moves_text(board: chess.Board, moves: Iterable[chess.Move]) -> str:
    """All moves of a line in SAN with their numbers; it may begin after a null move."""
    return board.variation_san(moves).replace(". ", ".")


def claim_line(board: chess.Board, claim: Claim) -> str:
    """The whole line of a claim."""
    return moves_text(board, moves_of(claim))


def moves_of(claim: Claim) -> tuple[chess.Move, ...]:
    """The line of a claim; a claim holds it as text, since it is written to files."""
    return tuple(map(chess.Move.from_uci, claim.moves))


def _is_pawns_ahead(board: chess.Board, side: chess.Color, pawns: int) -> bool:
    """Whether a side has won pawns before, by its balance and the pawns on the board."""
    return pawns > 0 and len(board.pieces(chess.PAWN, side)) > len(board.pieces(chess.PAWN, not side))


def motif_text(claim: Claim) -> str:
    """By what a claim wins: ` by a fork`; empty if its motif is not worth a word."""
    return f" by {_MOTIFS[claim.motif]}" if claim.motif in _MOTIFS else ""


def loss_text(after: chess.Board, claim: Claim, pawns: int) -> str:
    """What a move loses; its side was so many pawns ahead before."""
    lost = pieces_text(after, claim)
    if claim.motif == "hanging piece" and len(claim.pieces) == 1 and not claim.returned:
        return f"leaves the {claim.pieces[0]} on {claim.squares[0]} unprotected"
    if claim.motif == _TRAP and len(claim.pieces) == 1 and not claim.returned:
        return f"lets {lost} be trapped"
    has_put_in_reach = bool(after.move_stack) and moves_of(claim)[0].to_square == after.peek().to_square
    if claim.motif in _MOTIFS and not has_put_in_reach:
        return f"allows {_MOTIFS[claim.motif]} that wins {lost}"
    if lost == "a pawn":
        return "gives a pawn back" if _is_pawns_ahead(after, not after.turn, pawns) else "drops a pawn"
    return f"loses {lost}"


def gain_text(board: chess.Board, claim: Claim, pawns: int) -> str:
    """What another move wins; its side was so many pawns ahead before."""
    won, is_behind = pieces_text(board, claim), _is_pawns_ahead(board, not board.turn, -pawns)
    if claim.motif == _TRAP and claim.motif_ply == 0 and len(claim.pieces) == 1 and not claim.returned:
        return f"misses a move that traps {won}"
    if claim.motif in _MOTIFS and claim.motif_ply == 0:
        return f"misses {_MOTIFS[claim.motif]} that wins {won}"
    return "misses a move that wins a pawn back" if won == "a pawn" and is_behind else f"misses a move that wins {won}"
