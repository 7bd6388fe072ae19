"""`import engine`: boards and moves in, plain values out, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import chess
import chess.variant
import psutil
import pytest

import engine
from engine.core.fen import parse_fen
from engine.search.scores import mate_distance
from engine.system.errors import InputError
from engine.text.display import to_cp, to_wdl
from engine.version import VERSION
from eval.evaluate import evaluate_entry
from eval.wdl import Wdl, features_wdl_model
from eval.weights import load_weights
from tests.positions import CHESS960_CORNERS, CORNERS

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def random_boards(number: int) -> list[chess.Board]:
    """Positions of games at random from where generators go wrong."""
    chance, boards = random.Random(1), list[chess.Board]()
    starts = [*(chess.Board(fen) for fen in CORNERS), *(chess.Board(fen, chess960=True) for fen in CHESS960_CORNERS)]
    while len(boards) < number:
        board = chance.choice(starts).copy()
        for _ in range(chance.randrange(60)):
            moves = list(board.legal_moves)
            if moves:
                board.push(chance.choice(moves))
        boards.append(board)
    return boards


@pytest.fixture(scope="module")
def adversary():
    with engine.Engine(hash=4) as made:
        yield made


@pytest.fixture(scope="module")
def by_features():
    with engine.Engine(hash=1, options={"Evaluation": "features"}) as made:
        yield made


def test_the_import_alone_loads_nothing():
    script = "import sys, engine; print(engine.__version__, sorted({'numba', 'numpy', 'chess'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    number, found = done.stdout.split(maxsplit=1)
    assert (number, found) == (VERSION, "[]\n")
    assert set(engine.__all__) <= set(dir(engine))
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        engine.Motor  # noqa: B018


def test_a_move_is_found_in_every_kind_of_limit(adversary):
    board = chess.Board(MATE_IN_ONE)
    for limit in ({"depth": 5}, {"nodes": 20_000}, {"movetime": 100}, {"clocks": (3000, 3000)}):
        found = adversary.play(board, **limit)
        assert found.move == chess.Move.from_uci("a1a8")
        assert found.score == engine.Score(None, 1, (1000, 0, 0))
        assert found.line[0] == found.move and found.nodes > 0
    assert str(found.score) == "#1" and str(-found.score) == "#-1"


def test_the_lines_of_an_analysis_are_legal_and_the_best_comes_first(adversary):
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    infos = list(adversary.analyse(board, depth=8, multipv=3))
    last = infos[-3:]
    assert [info.number for info in last] == [1, 2, 3]
    assert last[0].score.value >= last[1].score.value >= last[2].score.value
    assert len({info.move for info in last}) == 3
    for info in infos:
        cursor = board.copy()
        for move in info.line:
            assert cursor.is_legal(move)
            cursor.push(move)
        assert sum(info.score.wdl) == 1000


def test_only_the_named_moves_are_considered(adversary):
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    assert {info.move for info in adversary.analyse(chess.Board(), depth=4, moves=wanted)} <= set(wanted)
    with pytest.raises(InputError, match="not a legal move"):
        list(adversary.analyse(chess.Board(), depth=4, moves=[chess.Move.from_uci("e2e5")]))


def test_leaving_the_loop_ends_a_search_without_limit(adversary):
    started = time.perf_counter()
    for info in adversary.analyse(chess.Board()):
        if info.depth >= 5:
            break
    assert time.perf_counter() - started < 20
    assert adversary.play(chess.Board(), nodes=100).move is not None, "the engine is free again"


def test_a_second_question_is_refused_while_the_first_is_answered(adversary):
    infos = adversary.analyse(chess.Board())
    next(infos)
    with pytest.raises(RuntimeError, match="use another engine"):
        adversary.play(chess.Board(), depth=1)
    infos.close()


def test_a_move_needs_a_second_thread_only_in_the_main_thread(adversary):
    def threads_of_a_move() -> set[str]:
        seen: set[str] = set()
        go = adversary._player.go

        def spying_go(*arguments):
            seen.add(threading.current_thread().name)
            return go(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(adversary._player, "go", spying_go)
            assert adversary.play(chess.Board(), depth=3).move is not None
        return seen

    assert threads_of_a_move() != {threading.current_thread().name}
    with ThreadPoolExecutor(1, "caller") as executor:
        assert executor.submit(threads_of_a_move).result() == {"caller_0"}


@pytest.mark.parametrize("end", ["stop", "close"])
def test_a_move_in_another_thread_is_ended_from_this_one(end):
    with engine.Engine(hash=1) as made, ThreadPoolExecutor(1) as executor:
        play = executor.submit(made.play, chess.Board(), movetime=60_000)
        started = time.monotonic()
        while not play.done() and time.monotonic() - started < 20:
            if made._search is not None:
                getattr(made, end)()
            time.sleep(0.01)
        assert play.result().move in chess.Board().legal_moves
        assert time.monotonic() - started < 20


def test_repetitions_of_the_boards_own_moves_count(adversary):
    board = chess.Board("k7/8/8/8/8/8/7p/K6R w - - 0 1")
    for text in "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8 b1a1".split():
        board.push_uci(text)
    scores = {info.move.uci(): info.score for info in adversary.analyse(board, depth=3, multipv=9)}
    assert scores["b8a8"].centipawns == 0, "the third time makes a draw"


def test_chess960_castles_by_taking_the_rook(adversary):
    board = chess.Board("4k3/8/8/8/8/8/8/R4KR1 w GA - 0 1", chess960=True)
    castling = chess.Move.from_uci("f1g1")
    (info,) = {info.move for info in adversary.analyse(board, depth=2, moves=[castling])}
    assert info == castling and board.is_legal(info)
    plain = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    found = list(adversary.analyse(plain, depth=2, moves=[chess.Move.from_uci("e1g1")]))
    assert found[-1].move == chess.Move.from_uci("e1g1")


def test_an_evaluation_is_that_of_the_features_on_the_one_scale(by_features):
    for board in random_boards(300):
        score = by_features.evaluate(board)
        if not any(board.generate_legal_moves()):
            assert score.mate == 0 if board.is_check() else score.centipawns == 0
            continue
        position = parse_fen(board.fen(shredder=board.chess960), board.chess960)
        raw = int(evaluate_entry(position, load_weights()))
        assert mate_distance(raw) is None
        assert score.centipawns == to_cp(position, raw, features_wdl_model())
        assert score.wdl == to_wdl(position, raw, features_wdl_model())


def test_the_end_of_a_game_is_seen_without_a_search(adversary):
    mated = adversary.evaluate(chess.Board(MATED))
    assert (mated.mate, mated.expected, (-mated).expected) == (0, 0.0, 1.0)
    assert mated.value < -10_000 < 10_000 < (-mated).value
    assert adversary.evaluate(chess.Board(STALEMATE)).wdl == (0, 1000, 0)
    assert adversary.play(chess.Board(MATED), depth=3).move is None
    assert list(adversary.analyse(chess.Board(STALEMATE), depth=3)) == []


def test_a_draw_by_the_rules_does_not_end_the_search(adversary):
    """The caller ends the game, as with any engine in python-chess."""
    repeated = chess.Board()
    for move in 4 * ("g1f3", "g8f6", "f3g1", "f6g8"):
        repeated.push_uci(move)
    for board in (repeated, chess.Board("8/8/4k3/8/8/3K4/8/8 w - - 0 1"),
                  chess.Board("4k3/8/8/8/8/3K4/4R3/8 b - - 150 200")):
        assert board.is_game_over() and adversary.play(board, depth=3).move in board.legal_moves
        assert list(adversary.analyse(board, depth=3))



def test_what_cannot_be_used_is_said(adversary):
    with pytest.raises(ValueError, match="one king"):
        adversary.evaluate(chess.Board(None))
    with pytest.raises(ValueError, match="king"):
        adversary.play(chess.Board(None), depth=1)
    with pytest.raises(ValueError, match="play needs"):
        adversary.play(chess.Board())
    with pytest.raises(ValueError, match="depth must be a whole number of at least 1"):
        list(adversary.analyse(chess.Board(), depth=0))
    with pytest.raises(ValueError, match="option Hash must be from"):
        engine.Engine(hash=0)
    with pytest.raises(ValueError, match="unknown option 'Sharpness'"):
        engine.Engine(options={"Sharpness": 3})
    with pytest.raises(ValueError, match="only chess and Chess960"):
        adversary.evaluate(chess.variant.AtomicBoard())


def test_coroutines_take_turns_with_two_engines():
    async def race() -> list[chess.Move | None]:
        with engine.Engine(hash=1) as first, engine.Engine(hash=1) as second:
            plays = await asyncio.gather(first.play_async(chess.Board(MATE_IN_ONE), depth=4),
                                         second.play_async(chess.Board(MATE_IN_ONE), depth=4))
            async for info in first.analyse_async(chess.Board()):
                if info.depth >= 4:
                    break
            return [found.move for found in plays]

    assert asyncio.run(race()) == [chess.Move.from_uci("a1a8")] * 2


def test_closing_leaves_no_thread_behind():
    before = set(threading.enumerate())
    with engine.Engine(threads=3, hash=1) as made:
        made.play(chess.Board(), nodes=2000)
        assert len(threading.enumerate()) > len(before)
    made.close()
    deadline = time.monotonic() + 10
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before
    for question in (made.evaluate, lambda board: made.play(board, depth=1)):
        with pytest.raises(ValueError, match="closed"):
            question(chess.Board())


@pytest.mark.slow
def test_memory_does_not_grow(adversary):
    process, boards = psutil.Process(os.getpid()), random_boards(100)
    boards = [board for board in boards if any(board.generate_legal_moves())]

    def ask(evaluations: int, plays: int) -> None:
        for number in range(evaluations):
            adversary.evaluate(boards[number % len(boards)])
        for number in range(plays):
            adversary.play(boards[number % len(boards)], nodes=200)

    ask(1000, 100)
    before = process.memory_info().rss
    ask(10_000, 1000)
    grown = process.memory_info().rss - before
    print(f"grown by {grown / 1e6:.1f} MB")
    assert grown < 20e6


@pytest.mark.slow
def test_evaluations_are_quick(adversary, by_features):
    boards = random_boards(200)
    for name, made in (("network", adversary), ("features", by_features)):
        rates = []
        for _ in range(50):
            started = time.process_time()
            for board in boards:
                made.evaluate(board)
            rates.append(len(boards) / (time.process_time() - started))
        print(f"{name}: {max(rates):.0f} evaluations a second of CPU time in the best of {len(rates)} runs, "
              f"{statistics.median(rates):.0f} in the median")
        assert max(rates) >= 20_000, "other programs on the machine slow the others down"


def test_a_board_that_was_edited_is_taken_as_it_is():
    turned = chess.Board()
    turned.push_san("e4")
    turned.push_san("e5")
    turned.turn = chess.BLACK
    claimed = chess.Board()
    claimed.move_stack.append(chess.Move.from_uci("e2e4"))
    with engine.Engine(hash=1) as adversary:
        for board in (turned, claimed):
            assert adversary.play(board, depth=2).move in board.legal_moves
            assert all(info.move in board.legal_moves for info in adversary.analyse(board, depth=2))


def test_a_king_that_could_be_taken_is_no_position_to_evaluate():
    with engine.Engine(hash=1) as adversary, pytest.raises(ValueError, match="is not a legal position"):
        adversary.evaluate(chess.Board("7k/6Q1/6K1/8/8/8/8/8 w - - 0 1"))


@pytest.mark.parametrize("board", [None, 5, chess.Board])
def test_what_is_no_board_raises_value_error(adversary, board):
    for call in (lambda: adversary.play(board, depth=1), lambda: list(adversary.analyse(board, depth=1)),
                 lambda: adversary.evaluate(board), lambda: adversary.explain(board, depth=1)):
        with pytest.raises(ValueError, match="expected a chess"):
            call()


@pytest.mark.parametrize("limits", [{"depth": "x"}, {"depth": 1.5}, {"nodes": None, "depth": True}, {"movetime": []},
                                    {"clocks": 5}, {"clocks": (1, "x")}, {"clocks": (1000, 1000), "depth": "x"},
                                    {"clocks": (1000, 1000), "increments": None}, {"clocks": "ab"}])
def test_limits_that_are_no_numbers_raise_value_error(adversary, limits):
    with pytest.raises(ValueError, match="must be"):
        adversary.play(chess.Board(), **limits)


def test_a_fen_does_where_a_board_is_expected(adversary):
    assert adversary.play(MATE_IN_ONE, depth=3).move == chess.Move.from_uci("a1a8")
    assert adversary.evaluate(MATE_IN_ONE) == adversary.evaluate(chess.Board(MATE_IN_ONE))
    assert next(iter(adversary.analyse(MATE_IN_ONE, depth=1))).score.side is chess.WHITE
    with pytest.raises(ValueError, match="is not a FEN"):
        adversary.evaluate("e4 e5")


def test_several_positions_are_evaluated_at_once(adversary):
    boards = random_boards(20)
    assert adversary.evaluate(boards) == [adversary.evaluate(board) for board in boards]
    assert adversary.evaluate([]) == []


def test_scores_know_their_side_and_their_order(adversary):
    board = chess.Board("4k3/8/8/8/8/8/4Q3/4K3 b - - 0 1")
    score = adversary.evaluate(board)
    assert score.side is chess.BLACK and score.white() == -score and score.pov(chess.BLACK) is score
    assert score.white() > adversary.evaluate(chess.Board()).white()
    mates = [engine.Score(None, number, Wdl(1000, 0, 0)) for number in (2, 1)]
    assert max([score.white(), *mates]).mate == 1
    with pytest.raises(ValueError, match="different sides"):
        score < score.white()  # noqa: B015
    assert 0 < score.human_expected < 0.5 and repr(score).startswith("<Score -") and "for black" in repr(score)


def test_a_level_is_for_playing_only():
    with engine.Engine(hash=1, level=400) as weak:
        assert repr(weak) == "<Engine: 1 thread, 1 MB hash, level 400>"
        for _ in range(3):
            assert weak.play(chess.Board(), nodes=2000).depth <= 3, "looks a move or two ahead"
        (*_, last) = weak.analyse(chess.Board(), nodes=20_000)
        assert last.depth > 5, "analyses at full strength"
    assert repr(weak) == "<Engine: closed>"
    with pytest.raises(ValueError, match="UCI_Elo must be from 400 to 2800"):
        engine.Engine(level=300)
