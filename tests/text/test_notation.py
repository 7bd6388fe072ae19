"""Positions and moves as users write them, compared with python-chess."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.game import Game
from engine.system.errors import InputError
from engine.text.notation import parse_move, parse_position, play_moves, read_epd, san, san_line
from tests.positions import CORNERS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(CORNERS), st.lists(st.integers(0, 10_000), max_size=20))
def test_every_legal_move_is_read_in_both_notations(fen, choices):
    board, game = chess.Board(fen), Game(fen)
    for choice in choices:
        moves = list(board.legal_moves)
        if not moves:
            break
        move = moves[choice % len(moves)]
        found = parse_move(game, board.san(move))
        assert found == parse_move(game, board.uci(move))
        assert game.uci(found) == board.uci(move)
        assert san(game, found) == board.san(move)
        game.push_uci(board.uci(move))
        board.push(move)


@pytest.mark.parametrize("text", ["startpos moves e4 e7e5 Nf3", "startpos moves 1. e4 e5 2. g1f3",
                                  "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 moves 2.Nf3"])
def test_positions_with_moves(text):
    assert parse_position(text).fen() == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"


def test_chess960_castling_in_both_notations():
    for text in ("e1h1", "O-O", "0-0"):
        game = parse_position("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", chess960=True)
        play_moves(game, [text])
        assert game.fen() == "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"


def test_a_line_has_numbers():
    assert san_line(Game(), ["e2e4", "e7e5", "g1f3"]) == "1. e4 e5 2. Nf3"
    assert san_line(Game(KIWIPETE), ["e1g1", "e8c8"]) == "1. O-O O-O-O"


@pytest.mark.parametrize("text", ["Ke3", "e2e5", "0000", "--", "", "Z0", "e4 e5", "nonsense"])
def test_what_is_no_move_is_named(text):
    with pytest.raises(InputError, match="not a legal move"):
        parse_move(Game(), text)


@pytest.mark.parametrize("text", ["", "nonsense", "moves e4", "startpos e4", "startpos moves e5"])
def test_what_is_no_position_is_named(text):
    with pytest.raises(InputError):
        parse_position(text)


@pytest.mark.parametrize("line", [
    f'{KIWIPETE[:-4]} bm e2a6; id "a;b";', f'{KIWIPETE[:-4]} 7 12 bm e2a6; id "a;b";',
    f'  {KIWIPETE[:-4]}  7 12; bm e2a6; id "a;b"'])
def test_epd_with_and_without_counters(line):
    board, operations = read_epd(line)
    assert board.epd() == KIWIPETE[:-4]
    assert (board.halfmove_clock, board.fullmove_number) == ((7, 12) if " 7 12" in line else (0, 1))
    assert operations == {"bm": [chess.Move.from_uci("e2a6")], "id": "a;b"}
