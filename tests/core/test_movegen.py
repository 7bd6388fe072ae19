"""The generator and the legality tests against python-chess, and against each other."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import ALL_MOVES, NOISY, QUIET, empty_move_list
from engine.core.perft import PERFT_POSITIONS
from engine.kernel import Int
from engine.system.errors import InputError
from tests.kernels import count_moves_entry, filter_all_codes, generate_entry, move_gives_check, perft_by_filter
from tests.positions import CHESS960_CORNERS, CORNERS, legal_texts, our_texts, play_both, reference_board, start_fens

OUT = empty_move_list()


def generated(game: Game, gen_type: Int) -> list[int]:
    return OUT.moves[: generate_entry(game.position, OUT, gen_type)].tolist()


def check_agreement(game: Game, board: chess.Board) -> None:
    """Compare all move functions of one position with python-chess."""
    assert our_texts(game) == legal_texts(board)
    assert game.is_check() == board.is_check()
    assert (not game.legal_moves()) == (board.is_checkmate() or board.is_stalemate())
    noisy, quiet = generated(game, NOISY), generated(game, QUIET)
    assert sorted(noisy + quiet) == sorted(game.legal_moves())
    for gen_type, moves in ((NOISY, noisy), (QUIET, quiet), (ALL_MOVES, noisy + quiet)):
        assert count_moves_entry(game.position, gen_type) == len(moves)
    by_text = {board.uci(move): move for move in board.legal_moves}
    assert {game.uci(move) for move in noisy} == {
        text for text, move in by_text.items() if board.is_capture(move) or move.promotion}
    checking = {game.uci(move) for move in game.legal_moves() if move_gives_check(game.position, move)}
    assert checking == {text for text, move in by_text.items() if board.gives_check(move)}


@pytest.mark.parametrize("fen", CORNERS)
def test_corner_positions_and_all_their_children(fen):
    check_agreement(Game(fen), reference_board(fen))
    for text in legal_texts(reference_board(fen)):
        game, board = Game(fen), reference_board(fen)
        game.push_uci(text)
        board.push_uci(text)
        check_agreement(game, board)


@pytest.mark.parametrize("fen", CHESS960_CORNERS)
def test_chess960_corners_and_all_their_children(fen):
    for text in [None, *legal_texts(reference_board(fen, chess960=True))]:
        game, board = Game(fen, chess960=True), reference_board(fen, chess960=True)
        if text:
            game.push_uci(text)
            board.push_uci(text)
        check_agreement(game, board)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.booleans())
def test_random_games(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=80)):
        if play_both(game, board, choice) is None:
            break
        check_agreement(game, board)


PIECES = st.sampled_from("PNBRQpnbrq")


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.integers(0, 63), PIECES, max_size=20), st.integers(0, 63), st.integers(0, 63), st.booleans())
def test_random_positions(pieces, white_king, black_king, white_to_move):
    board = chess.Board(None)
    for square, letter in pieces.items():
        if letter not in "Pp" or 8 <= square < 56:
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.set_piece_at(white_king, chess.Piece.from_symbol("K"))
    board.set_piece_at(black_king, chess.Piece.from_symbol("k"))
    board.turn = white_to_move
    fatal = chess.STATUS_OPPOSITE_CHECK | chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING
    if board.status() & fatal:
        with pytest.raises(InputError):
            Game(board.fen())
    else:
        check_agreement(Game(board.fen()), board)


@settings(max_examples=15, deadline=None)
@given(st.data(), st.booleans())
def test_legality_tests_agree_with_the_generator(data, chess960):
    """Of all sixteen-bit numbers, exactly the generated ones pass `is_pseudo_legal` and `is_legal`."""
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=40)):
        legal = OUT.moves[: filter_all_codes(game.position, OUT)].tolist()
        assert sorted(legal) == sorted(game.legal_moves())
        if play_both(game, board, choice) is None:
            break


@pytest.mark.parametrize("known", PERFT_POSITIONS, ids=lambda known: known.name)
def test_perft_by_legality_tests(known):
    assert perft_by_filter(parse_fen(known.fen), OUT, 2) == known.counts[1]


def test_most_moves_of_any_known_position():
    assert len(Game("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").legal_moves()) == 218
