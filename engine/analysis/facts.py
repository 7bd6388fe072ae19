"""Facts about a position without a search: evaluation terms, the worth of its pieces, opening and book moves."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from book.names import OpeningName
from engine.analysis.boards import to_position
from engine.analysis.lookup import book_moves, last_opening, tb_verdict_text
from engine.analysis.themes import displayed_part
from engine.text.display import to_cp
from eval.evaluator import Evaluator, built_in_evaluator, features_evaluator
from eval.explain import Term, explain
from eval.phrases import PHRASES
from eval.piece_worth import piece_worths


@dataclass(frozen=True)
class EvalTerm:
    """One term of the hand-written evaluation: its name, a description, and White's centipawns."""

    name: str
    words: str
    centipawns: int


@dataclass(frozen=True)
class PieceContribution:
    """A piece and what its side would lose without it, in centipawns."""

    square: chess.Square
    piece: str
    centipawns: int


@dataclass(frozen=True)
class Facts:
    """All facts about a position."""

    opening: OpeningName | None
    book: list[tuple[chess.Move, float]]  # each with its share of the weight
    table: str | None  # who wins by the endgame tables
    terms: list[EvalTerm]  # largest first
    pieces: list[PieceContribution]


def position_facts(board: chess.Board, evaluation: Evaluator | None = None) -> Facts:
    """Collect the facts about a position; InputError if it is invalid."""
    position = to_position(board)
    terms = sorted(explain(position, features_evaluator().weights).present(), key=lambda term: -abs(term.parts))
    unit = displayed_part(position)
    facts = [EvalTerm(term.feature.name, _describe(term), worth) for term in terms
             if (worth := round(term.parts * unit))]
    by_square = board.piece_map()
    pieces = [PieceContribution(piece.square, by_square[piece.square].symbol(), to_cp(position, piece.worth))
              for piece in piece_worths(position, evaluation or built_in_evaluator())]
    opening = None if board.chess960 else last_opening(board)
    return Facts(opening, book_moves(board), tb_verdict_text(board), facts, pieces)


def _describe(term: Term) -> str:
    """Describe a term by its owner and noun: `White: the bishop pair`."""
    owner = "White" if abs(term.white.parts) >= abs(term.black.parts) else "Black"
    return f"{owner}: {PHRASES[term.feature.name].noun.format(own='its', other='the opponent' + chr(39) + 's')}"
