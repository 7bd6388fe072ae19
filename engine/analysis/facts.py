"""What can be said of a position at once, beside a search: its terms, its men, and what the book plays."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from book.names import OpeningName
from engine.analysis.explain import to_position
from engine.analysis.lookup import book_moves, last_opening, tb_verdict_text
from engine.text.display import to_cp
from eval.evaluator import Evaluator, built_in_evaluator
from eval.explain import PARTS_PER_CENTIPAWN, Term, explain
from eval.phrases import PHRASES
from eval.piece_worth import piece_worths
from eval.wdl import features_wdl_model
from eval.weights import load_weights

_UNIT = 10_000  # centipawns, to find the scale by


@dataclass(frozen=True)
class EvalTerm:
    """One term of the evaluation by features: its name, whose it is and what, and centipawns for White."""

    name: str
    words: str
    centipawns: int


@dataclass(frozen=True)
class PieceContribution:
    """A man, and how many centipawns its own side would lose with it."""

    square: chess.Square
    piece: str
    centipawns: int


@dataclass(frozen=True)
class Facts:
    """All of it."""

    opening: OpeningName | None
    book: list[tuple[chess.Move, float]]  # with their shares
    table: str | None  # who wins by the endgame tables
    terms: list[EvalTerm]  # the weightiest first
    men: list[PieceContribution]


def position_facts(board: chess.Board, evaluation: Evaluator | None = None) -> Facts:
    """What is known of a position; InputError if it is none."""
    position = to_position(board)
    terms = sorted(explain(position, load_weights()).present(), key=lambda term: -abs(term.parts))
    unit = to_cp(position, _UNIT, features_wdl_model()) / _UNIT / PARTS_PER_CENTIPAWN  # on the one scale that users see
    facts = [EvalTerm(term.feature.name, _whose(term), worth) for term in terms if (worth := round(term.parts * unit))]
    pieces = board.piece_map()
    men = [PieceContribution(man.square, pieces[man.square].symbol(), to_cp(position, man.worth))
           for man in piece_worths(position, evaluation or built_in_evaluator())]
    opening = None if board.chess960 else last_opening(board)
    return Facts(opening, book_moves(board), tb_verdict_text(board), facts, men)


def _whose(term: Term) -> str:
    """Whose a term is, and what: `white: the bishop pair`."""
    owner = "white" if abs(term.white.parts) >= abs(term.black.parts) else "black"
    return f"{owner}: {PHRASES[term.feature.name].noun.format(own='its', other='the opponent' + chr(39) + 's')}"
