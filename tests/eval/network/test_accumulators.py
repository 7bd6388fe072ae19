"""The kernels along games: whatever was played, passed and taken back, the score is that of the reference."""

from __future__ import annotations

from functools import cache

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.kernel.records import new_record
from engine.system.host import zeroed_memory
from eval.network.file import Shape
from eval.network.memory import AccumulatorsRecord, LoadedNetwork, has_network
from tests.eval.boards import game_fens
from tests.eval.network import kernels, reference
from tests.positions import CHESS960_CORNERS, CORNERS, legal_texts, reference_board, start_fens

SHAPES = (Shape(128, (8, 16)), Shape(128, (8, 8), reference.QUARTERS, mirrored=True, output_buckets=4),
          Shape(256, (16, 8), reference.QUARTERS, mirrored=False, output_buckets=1),
          Shape(256, (8, 32), output_buckets=32), Shape(384, (16, 32)), Shape(128, (64, 64), output_buckets=1))
EVALUATE, PASS, TAKE_BACK = range(3)  # steps of a walk; all others are moves


def connected(network: LoadedNetwork):
    """(memory, accumulators) of a thread; both must be kept."""
    memory, accumulators = zeroed_memory(network.thread_size), new_record(AccumulatorsRecord)
    network.attach(accumulators, memory)
    return memory, accumulators


class Thread:
    """A network and one thread's memory of it."""

    def __init__(self, shape: Shape, seed: int = 1, largest: int = 200) -> None:
        self.network = reference.random_network(seed, shape, largest)
        self.loaded = LoadedNetwork(self.network)
        self.memory, self.accumulators = connected(self.loaded)

    def rows_of(self, line: list[int]):
        """The accumulators at the end of a line of moves, white's and black's; null moves have none of their own."""
        ply = len(line)
        while ply and not line[ply - 1]:
            ply -= 1
        hidden = self.network.shape.hidden
        return np.frombuffer(self.memory, np.int16, 2 * hidden, 4 * hidden * ply).reshape(2, hidden)

    def check(self, pos, board: chess.Board, line: list[int]) -> None:
        """Everything is, byte for byte, what the reference counts from scratch."""
        assert kernels.score_at(pos, self.accumulators, len(line)) == reference.score(board, self.network), board.fen()
        for row, color in zip(self.rows_of(line), (chess.WHITE, chess.BLACK), strict=True):
            assert row.tobytes() == reference.accumulator(board, color, self.network).tobytes(), board.fen()

    def fresh_score(self, fen: str) -> int:
        kernels.begin(self.accumulators, 0)
        return int(kernels.score_at(parse_fen(fen), self.accumulators, 0))


@cache
def thread_of(shape: Shape) -> Thread:
    return Thread(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_are_the_references(shape):
    thread = thread_of(shape)
    for fen in (*CORNERS, *game_fens(4, 120)[::7]):
        assert thread.fresh_score(fen) == reference.score(reference_board(fen), thread.network), fen


def test_large_accumulators_wrap_around_alike():
    thread = Thread(Shape(128, (8, 8)), seed=3, largest=32_700)
    for fen in game_fens(2, 80)[::11]:
        assert thread.fresh_score(fen) == reference.score(reference_board(fen), thread.network), fen


def test_more_men_than_a_game_has():
    fen = "QQQQQQQQ/QQQQQQQQ/8/8/K6k/8/NNNNNNNN/BBBBBBBB b - - 0 1"
    thread = thread_of(SHAPES[1])
    assert thread.fresh_score(fen) == reference.score(reference_board(fen), thread.network)


def walk(thread: Thread, fen: str, chess960: bool, steps: list[int]) -> None:
    """Wander through the tree of moves; where the walk evaluates, compare."""
    game, board = Game(fen, chess960=chess960), reference_board(fen, chess960)
    pos, accumulators = game.position, thread.accumulators
    kernels.begin(accumulators, 0)
    line: list[int] = []  # 0 for a null move
    for step in steps:
        if step == EVALUATE:
            thread.check(pos, board, line)
        elif step == PASS:
            if not board.is_check():
                kernels.pass_move(pos, accumulators, len(line))
                board.push(chess.Move.null())
                line.append(0)
        elif step == TAKE_BACK:
            if line:
                move = line.pop()
                kernels.take_back_move(pos, move) if move else kernels.take_back_pass(pos)
                board.pop()
        else:
            texts = legal_texts(board)
            if texts and len(line) < 100:
                text = texts[step % len(texts)]
                move = next(move for move in game.legal_moves() if game.uci(move) == text)
                kernels.play_move(pos, accumulators, len(line), move)
                board.push_uci(text)
                line.append(int(move))
    thread.check(pos, board, line)


STEPS = st.lists(st.one_of(st.just(EVALUATE), st.sampled_from((PASS, TAKE_BACK)), st.integers(3, 1000)), max_size=120)


@settings(max_examples=150, deadline=None)
@given(st.booleans().flatmap(lambda chess960: st.tuples(start_fens(chess960), st.just(chess960))),
       st.sampled_from(SHAPES[:3]), STEPS)
def test_incremental_equals_from_scratch(start, shape, steps):
    walk(thread_of(shape), *start, steps)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(st.booleans().flatmap(lambda chess960: st.tuples(start_fens(chess960), st.just(chess960))),
       st.sampled_from(SHAPES), STEPS)
def test_thousands_of_games(start, shape, steps):
    walk(thread_of(shape), *start, steps)


def test_castling_in_chess960():
    for fen in CHESS960_CORNERS:
        board = reference_board(fen, chess960=True)
        for number, text in enumerate(legal_texts(board)):
            if board.is_castling(board.parse_uci(text)):
                walk(thread_of(SHAPES[1]), fen, True, [EVALUATE, 3 * len(legal_texts(board)) + number, EVALUATE])


def test_a_record_may_be_without_a_network():
    assert has_network(Thread(SHAPES[0]).accumulators)
    assert not has_network(new_record(AccumulatorsRecord))


def test_a_line_may_begin_at_any_ply():
    """What stands at the plies before is of another line, and must not be looked at."""
    thread, fen = thread_of(SHAPES[0]), CORNERS[1]
    walk(thread, CORNERS[0], False, [5, EVALUATE, 9, EVALUATE, 12])
    for ply in range(5):
        kernels.begin(thread.accumulators, ply)
        assert kernels.score_at(parse_fen(fen), thread.accumulators, ply) == reference.score(reference_board(fen),
                                                                                             thread.network)
