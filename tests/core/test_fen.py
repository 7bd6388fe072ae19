"""FEN: valid ones survive a round trip, invalid ones raise a one-line error."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import START_FEN, format_fen, parse_fen
from engine.core.game import Game
from engine.system.errors import InputError
from tests.positions import CHESS960_CORNERS, CORNERS, DATA, play_both, reference_board, start_fens

BAD = {
    "": "0 fields",
    "8/8/8/8/8/8/8/8": "1 fields",
    START_FEN + " extra": "7 fields",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1": "7 ranks",
    "rnbqkbnr/pppppppp/8/8/8/7/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 3: '7' has 7 squares",
    "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 7: 'ppppppppp' has 9 squares",
    "rnbqkbnr/pppp1xpp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 7: unknown letter 'x'",
    "rnbqkbnr/pppppppp/8/8/9/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 4: unknown letter '9'",
    "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1": "no black king",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1": "no white king",
    "rnbqkbnr/pppppppp/8/4K3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "2 white kings",
    "Pnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1": "pawn on a8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBpR w Qkq - 0 1": "pawn on g1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W KQkq - 0 1": "side to move must be 'w' or 'b', got 'W'",
    "4k3/8/8/8/8/8/8/4KR2 w K - 0 1": "castling right 'K'",
    "4k3/8/8/8/8/8/4K3/7R w K - 0 1": "castling right 'K' without white king and rook",
    "4k3/8/8/8/8/8/8/4K2R w Q - 0 1": "castling right 'Q' without white king and rook",
    "r3k3/8/8/8/8/8/8/4K3 w k - 0 1": "castling right 'k' without black king and rook",
    "4k3/8/8/8/8/8/8/4K2R w KK - 0 1": "twice",
    "4k3/8/8/8/8/8/8/4K2R w X - 0 1": "unknown FEN castling letter 'X'",
    "4k3/8/8/8/8/8/8/4K2R w ₂ - 0 1": "unknown FEN castling letter",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1": "en-passant square 'd5' is not a square of rank 6",
    "4k3/8/8/3pP3/8/8/8/4K3 w - i6 0 1": "en-passant square 'i6'",
    "4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1": "no pawn has just passed it",
    "4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1": "no pawn has just passed it",
    "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1": "no pawn has just passed it",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1": "halfmove clock must be a number from 0 to 9999, got '-1'",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 x": "fullmove number must be",
    "4k3/8/8/8/8/8/8/4K3 w - - 99999 1": "halfmove clock must be",
    "4k3/8/8/8/8/8/8/4K3 w - - ٣ 1": "halfmove clock must be",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 " + "9" * 5000: "fullmove number must be",
    "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1": "black in check with white to move",
    "8/8/8/8/8/8/3kK3/8 b - - 0 1": "white in check with black to move",
}


@pytest.mark.parametrize(("fen", "message"), BAD.items())
def test_invalid_fens_are_rejected(fen, message):
    with pytest.raises(InputError) as caught:
        parse_fen(fen)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("fen", CORNERS)
def test_round_trip(fen):
    assert format_fen(parse_fen(fen)) == reference_board(fen).fen()


@pytest.mark.parametrize("fen", CHESS960_CORNERS)
def test_round_trip_of_chess960(fen):
    board, pos = reference_board(fen, chess960=True), parse_fen(fen, chess960=True)
    assert format_fen(pos) == board.fen()
    assert format_fen(pos, shredder=True) == board.shredder_fen()
    assert format_fen(parse_fen(board.shredder_fen(), chess960=True)) == board.fen()


@settings(max_examples=30, deadline=None)
@given(st.data(), st.booleans())
def test_fen_after_every_move_of_random_games(data, chess960):
    fen = data.draw(start_fens(chess960))
    game, board = Game(fen, chess960), reference_board(fen, chess960)
    for choice in data.draw(st.lists(st.integers(0, 10_000), max_size=60)):
        if play_both(game, board, choice) is None:
            break
        assert game.fen() == board.fen()
        assert game.fen(shredder=True).split()[2] == board.shredder_fen().split()[2]
        again = parse_fen(game.fen(), chess960)
        assert again.key == game.position.key


def test_all_starting_positions_of_chess960():
    for number in range(960):
        board = chess.Board.from_chess960_pos(number)
        assert format_fen(parse_fen(board.shredder_fen(), chess960=True)) == board.fen()


def test_four_fields_and_stray_spaces_are_accepted():
    assert format_fen(parse_fen("4k3/8/8/8/8/8/8/4K3 b - -")) == "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
    assert format_fen(parse_fen(f"  {START_FEN.replace(' ', '   ')}\n")) == START_FEN


def test_castling_from_other_squares_needs_chess960():
    fen = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1"
    with pytest.raises(InputError, match="Chess960"):
        parse_fen(fen)
    assert format_fen(parse_fen(fen, chess960=True)) == fen


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=100))
def test_garbage_is_rejected(text):
    with pytest.raises(InputError):
        parse_fen(text)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(CORNERS + CHESS960_CORNERS), st.integers(0, 100), st.text(max_size=2), st.booleans())
def test_damaged_fens_are_rejected_or_playable(fen, index, patch, chess960):
    damaged = fen[:index] + patch + fen[index + 1:]
    try:
        game = Game(damaged, chess960)
    except InputError:
        return
    assert all(game.uci(move) for move in game.legal_moves())


def test_the_collection_of_broken_positions():
    path = DATA / "tactics" / "bad-fens.txt"
    if not path.exists():
        pytest.skip("no test data here")
    messages = []
    for line in filter(str.strip, path.read_text().splitlines()):
        fen, _, comment = line.partition(";")
        try:
            Game(fen).legal_moves()
        except InputError as error:
            messages.append(str(error))
            is_sound = comment.strip().startswith(("startpos", "18 ", "extra white space", "leading spaces"))
            assert not is_sound, line
    assert len(messages) > 80
    assert not any("\n" in message for message in messages)
