"""What is known of a position without a search, beside what other readers say."""

from __future__ import annotations

import chess
import chess.polyglot
import pytest

from book.polyglot import BUILT_IN
from engine.analysis.facts import position_facts
from engine.analysis.lookup import book_moves, is_in_book
from engine.analysis.pgn_reader import read_games_text

CASTLING = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, CASTLING])
def test_book_moves_are_those_of_another_reader(fen):
    board = chess.Board(fen)
    with chess.polyglot.open_reader(BUILT_IN) as reader:
        weights = {entry.move: entry.weight for entry in reader.find_all(board)}
    total = sum(weights.values())
    assert dict(book_moves(board)) == pytest.approx({move: weight / total for move, weight in weights.items()})
    assert is_in_book(board, chess.Move.from_uci("e1g1")) == (chess.Move.from_uci("e1g1") in weights)


def test_a_man_is_worth_more_the_more_it_can_do():
    worth = {chess.square_name(piece.square): piece.centipawns for piece in position_facts(chess.Board()).pieces}
    assert worth["d1"] > worth["a1"] > worth["b1"] > worth["a2"] > 0
    assert "e1" not in worth and len(worth) == 30


def test_terms_name_whose_they_are():
    board = chess.Board("4k3/pppp4/8/8/8/8/PPPP4/RN2K3 w - - 0 1")
    terms = position_facts(board).terms
    assert terms[0].words.startswith("White: ") and terms[0].centipawns > 300
    mirrored = position_facts(board.mirror()).terms
    assert mirrored[0].words.startswith("Black: ") and mirrored[0].centipawns == -terms[0].centipawns


def test_games_of_a_text_are_read_one_by_one():
    found = list(read_games_text("1. e4 e5 *\n\n1. e5 *\n\n1. d4 d5 2. c4 *\n"))
    assert [number for number, _ in found] == [1, 2, 3]
    assert isinstance(found[1][1], str) and "game 2" in found[1][1]
