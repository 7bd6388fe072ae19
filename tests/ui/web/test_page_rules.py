"""The rules of chess in the page's own code, run in a real browser and judged by python-chess."""

from __future__ import annotations

import random

import chess
import pytest

PERFT = [
    (chess.STARTING_FEN, False, 3, 8902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", False, 3, 97862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False, 4, 43238),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", False, 3, 9467),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", True, 3, 12189),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", True, 3, 18002),
]
COUNT = """
    const [fen, chess960, depth, done] = arguments;
    import("/page/rules.js").then(({Position}) => {
      const count = (position, left) => position.moves().reduce(
        (sum, move) => sum + (left > 1 ? count(position.after(move), left - 1) : 1), 0);
      done(count(Position.fromFen(fen, chess960), depth));
    });"""
REPLAY = """
    const [games, done] = arguments;
    import("/page/rules.js").then(({Position}) => done(games.map(({fen, chess960, san}) => {
      let position = Position.fromFen(fen, chess960);
      return san.map((text) => {
        const names = position.moves().map((move) => position.san(move)).sort();
        const move = position.fromSan(text);
        const uci = move && position.uci(move);
        if (move) position = position.after(move);
        return [uci, position.fen(), names];
      });
    })));"""


@pytest.mark.parametrize(("fen", "chess960", "depth", "leaves"), PERFT)
def test_the_page_counts_the_moves_right(page, fen, chess960, depth, leaves):
    page.driver.set_script_timeout(60)
    assert page.driver.execute_async_script(COUNT, fen, chess960, depth) == leaves


def random_game(draw: random.Random, number: int) -> tuple[dict[str, object], list[list[object]]]:
    """A game of random moves, every other one Chess960: its SAN, and what the page must make of each move."""
    board = chess.Board() if number % 2 else chess.Board.from_chess960_pos(draw.randrange(960))
    start, san, expected = board.fen(shredder=board.chess960), list[str](), list[list[object]]()
    while not board.is_game_over() and len(san) < 90:
        names = sorted(board.san(move) for move in board.legal_moves)
        castling = list(board.generate_castling_moves())
        move = draw.choice(castling or list(board.legal_moves))
        san.append(board.san(move))
        uci = board.uci(move)
        board.push(move)
        expected.append([uci, board.fen(shredder=board.chess960), names])
    return {"fen": start, "chess960": board.chess960, "san": san}, expected


def test_moves_and_positions_are_those_of_python_chess(page):
    draw = random.Random(40)
    games, expected = zip(*(random_game(draw, number) for number in range(12)), strict=True)
    page.driver.set_script_timeout(60)
    found = page.driver.execute_async_script(REPLAY, list(games))
    assert sum(len(game) for game in expected) > 500
    assert found == list(expected)
