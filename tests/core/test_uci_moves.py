"""UCI move text, both ways and in both castling notations."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.game import Game
from engine.core.uci_moves import format_uci, parse_uci
from engine.system.errors import InputError
from tests.kernels import is_legal_entry
from tests.positions import CHESS960_CORNERS, CORNERS, reference_board, start_fens

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
ONE_ROOK = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"


def test_standard_castling_is_written_as_the_kings_move_and_read_both_ways():
    assert {"e1g1", "e1c1"} <= {Game(CASTLING).uci(move) for move in Game(CASTLING).legal_moves()}
    for text in ("e1g1", "e1h1"):
        assert Game(CASTLING, moves=[text]).fen() == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"
    for text in ("e1c1", "e1a1"):
        assert Game(CASTLING, moves=[text]).fen() == "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"


def test_chess960_castling_is_written_as_king_takes_rook_and_read_both_ways():
    game = Game(CASTLING, chess960=True)
    assert {"e1h1", "e1a1"} <= {game.uci(move) for move in game.legal_moves()}
    for text in ("e1g1", "e1h1"):
        assert Game(CASTLING, True, [text]).fen() == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"


def test_a_king_that_steps_next_to_itself_does_not_castle():
    fen = "4k3/8/8/8/8/8/8/5K1R w K - 0 1"
    assert Game(fen, True, ["f1g1"]).fen() == "4k3/8/8/8/8/8/8/6KR b - - 1 1"
    assert Game(fen, True, ["f1h1"]).fen() == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_every_legal_move_reads_back_as_itself(data, chess960):
    game = Game(data.draw(start_fens(chess960)), chess960)
    for move in game.legal_moves():
        assert parse_uci(game.position, game.uci(move)) == move


@pytest.mark.parametrize("text", ["", "e2", "e2e9", "i2i4", "e7e8k", "e7e8qq", "0000", "O-O", "e2-e4", "e2e4 ", "♔e4"])
def test_malformed_moves_are_rejected(text):
    game = Game()
    with pytest.raises(InputError, match="must have the form"):
        game.push_uci(text)
    assert game.fen() == Game().fen()


@pytest.mark.parametrize("text", ["e2e5", "e7e5", "e1g1", "e1h1", "a1a1", "d1d4", "e2e4q", "b1d2", "e4e5"])
def test_illegal_moves_are_rejected_and_change_nothing(text):
    game = Game()
    before = game.position.tobytes()
    with pytest.raises(InputError, match=f"move '{text}' is illegal in rnbqkbnr"):
        game.push_uci(text)
    assert game.position.tobytes() == before
    assert game.moves == []


def test_null_move_text():
    assert format_uci(Game().position, 0) == "0000"


def readings(board: chess.Board) -> set[str]:
    """Every UCI text of a legal move: castling in both notations, unless a normal king move has the same text."""
    steps = {move.uci() for move in board.legal_moves if not board.is_castling(move)}
    both = {board.uci(move, chess960=flag) for move in board.legal_moves for flag in (True, False)}
    castled = set()
    for move in filter(board.is_castling, board.legal_moves):
        king = chess.square(6 if board.is_kingside_castling(move) else 2, chess.square_rank(move.from_square))
        blocked = king == move.from_square or (board.piece_at(king) and king != move.to_square)
        stepped = chess.square_distance(king, move.from_square) == 1
        if not blocked and not stepped:
            castled.add(chess.Move(move.from_square, king).uci())
    written = {board.uci(move) for move in board.legal_moves}
    return steps | castled | written | {text for text in both if text in written or text in castled or text in steps
                                        or board.is_castling(chess.Move.from_uci(text))}


@pytest.mark.parametrize(("fen", "chess960"), [*((fen, False) for fen in (*CORNERS, CASTLING, ONE_ROOK)),
                                              *((fen, True) for fen in CHESS960_CORNERS)])
def test_any_text_is_played_exactly_when_it_is_legal(fen, chess960):
    """All pairs of squares, and all promotions of pawns."""
    board = reference_board(fen, chess960)
    expected = readings(board)
    squares = [chess.square_name(square) for square in range(64)]
    texts = [start + target for start in squares for target in squares if board.piece_at(chess.parse_square(start))]
    texts += [text + letter for text in texts if text[3] in "18" for letter in "nbrq"]
    pos = Game(fen, chess960).position
    played = {text for text in texts if is_legal_entry(pos, parse_uci(pos, text))}
    assert played == expected
