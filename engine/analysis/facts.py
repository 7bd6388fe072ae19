"""What can be said of a position at once, beside a search: its terms, its men, and what the book plays."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from book.names import Name
from engine.analysis.explaining import position_of
from engine.analysis.knowledge import book_moves, last_opening, table_verdict
from engine.shown import shown_score
from eval.choice import Evaluation, built_in
from eval.explain import PARTS, Term, explain
from eval.men import worth_of_men
from eval.outcome import own_model
from eval.phrases import PHRASES
from eval.weights import load_weights

_UNIT = 10_000  # centipawns, to find the scale by


@dataclass(frozen=True)
class Fact:
    """One term of the evaluation by features: its name, whose it is and what, and centipawns for White."""

    name: str
    words: str
    centipawns: int


@dataclass(frozen=True)
class Worth:
    """A man, and how many centipawns its own side would lose with it."""

    square: chess.Square
    piece: str
    centipawns: int


@dataclass(frozen=True)
class Facts:
    """All of it."""

    opening: Name | None
    book: list[tuple[chess.Move, float]]  # with their shares
    table: str | None  # who wins by the endgame tables
    terms: list[Fact]  # the weightiest first
    men: list[Worth]


def facts_of(board: chess.Board, evaluation: Evaluation | None = None) -> Facts:
    """What is known of a position; InputError if it is none."""
    position = position_of(board)
    terms = sorted(explain(position, load_weights()).present(), key=lambda term: -abs(term.parts))
    unit = shown_score(position, _UNIT, own_model()) / _UNIT / PARTS  # on the one scale that users see
    facts = [Fact(term.feature.name, _whose(term), worth) for term in terms if (worth := round(term.parts * unit))]
    pieces = board.piece_map()
    men = [Worth(man.square, pieces[man.square].symbol(), shown_score(position, man.worth))
           for man in worth_of_men(position, evaluation or built_in())]
    opening = None if board.chess960 else last_opening(board)
    return Facts(opening, book_moves(board), table_verdict(board), facts, men)


def _whose(term: Term) -> str:
    """Whose a term is, and what: `white: the bishop pair`."""
    owner = "white" if abs(term.white.parts) >= abs(term.black.parts) else "black"
    return f"{owner}: {PHRASES[term.feature.name].noun.format(own='its', other='the opponent' + chr(39) + 's')}"
