"""The end of the game as it is played: won by the shortest way, held where it is drawn, and never inside the clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from types import SimpleNamespace

import chess
import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.expectimax.searcher import ExpectimaxSearch
from engine.lab.tablebase.latency import CONTROLS, PIECE_COUNTS, measure_latencies, player_with, random_fens
from engine.player.options import Settings, find_option
from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.player.tb_root import TbRoot, TbRootResult
from engine.search.scores import MATE, TB_BAND, TB_WIN, mate_distance
from engine.search.tb import TbRecord, no_tb
from engine.search.types import Info, InfoString, Limits
from engine.system.errors import InputError
from tablebase.background_reader import BackgroundReader
from tablebase.codes import is_won, move_value
from tablebase.files import Container, TableKind
from tablebase.material import Ending, all_endings, parse_ending
from tests.client import FEW_PIECES
from tests.tablebase.endings import TABLES, find_position, has_wins
from tests.timing import assert_within, shortest


def own_endings() -> TbRecord:
    endings = no_tb()
    endings.own_address, endings.own_max_pieces = TABLES.outcomes.address, TABLES.max_pieces
    endings.max_pieces = TABLES.max_pieces
    return endings


def make_ready(player: Player) -> None:
    """Wait for the tables that the position needs, and their kernels; `get_ready` alone waits a few seconds."""
    player.get_ready()
    player._tb_root.wait(None)


def answer(player: Player, fen: str, moves: list[str], order: GoRequest) -> str:
    player.set_position(fen, moves)
    make_ready(player)
    result = player.go(order, time.perf_counter(), SearchSignals(), lambda _: None)
    return player.game.uci(result.move)


def playing(player: Player, fen: str, reply: Callable[[chess.Board], int]) -> Iterator[chess.Board]:
    """The board after every ply of a game of the player, at 10 ms a move, against given replies."""
    board = chess.Board(fen)
    moves: list[str] = []
    while not board.is_game_over(claim_draw=True):
        text = answer(player, fen, moves, GoRequest(movetime=10)) if len(moves) % 2 == 0 else Game(board.fen()).uci(
            reply(board))
        board.push_uci(text)
        moves.append(text)
        yield board


def moves_with_codes(board: chess.Board) -> list[tuple[int, int]]:
    position = Game(board.fen()).position
    TABLES.load_for(position, *TableKind)
    return [(fate.move, fate.code) for fate in TABLES.ranked_moves(position) or []]


def best_defence(board: chess.Board) -> int:
    return max(moves_with_codes(board), key=lambda pair: move_value(pair[1]))[0]


def win_in_shortest_time(ending: Ending, games: int) -> None:
    chance, player = random.Random(ending.name), Player(Settings())
    for _ in range(games):
        fen = find_position(ending, chance, is_won)
        plies, board = list(enumerate(islice(playing(player, fen, best_defence), 150), start=1))[-1]
        assert board.is_checkmate(), (fen, board.fen())
        assert plies + 1 == TABLES.code(Game(fen).position), fen


WINNABLE = [ending for ending in (*all_endings(3), *all_endings(4)) if has_wins(ending)]


@pytest.mark.parametrize("ending", WINNABLE, ids=lambda ending: ending.name)
def test_won_endings_are_won_by_the_shortest_way(ending):
    win_in_shortest_time(ending, 2)


@pytest.mark.slow
@pytest.mark.parametrize("ending", WINNABLE, ids=lambda ending: ending.name)
def test_two_hundred_won_endings_of_each_kind_are_won_by_the_shortest_way(ending):
    win_in_shortest_time(ending, 200)


@pytest.mark.parametrize("ending", all_endings(4), ids=lambda ending: ending.name)
def test_drawn_endings_are_not_lost_and_lost_ones_are_defended_longest(ending):
    chance, player = random.Random(ending.name), Player(Settings())
    summary = TABLES.outcomes.entry(ending).summary
    kinds = [lambda code: code == 0] if any(side.draws for side in summary) else []
    if any(side.losses > 0.001 * side.positions for side in summary):
        kinds.append(lambda code: code is not None and code > 1 and not is_won(code))
    for is_wanted in kinds:
        fen = find_position(ending, chance, is_wanted)
        game = Game(fen)
        if not game.legal_moves():
            continue
        game.push_uci(answer(player, fen, [], GoRequest(movetime=10)))
        if game.position.types[6] == game.position.colors[0] | game.position.colors[1]:
            continue  # bare kings
        before, after = TABLES.code(Game(fen).position), TABLES.code(game.position)
        assert after == (0 if before == 0 else before - 1), fen


@pytest.mark.slow
@pytest.mark.parametrize("ending", all_endings(4), ids=lambda ending: ending.name)
def test_drawn_endings_are_held_for_many_moves(ending):
    """Twenty positions of each, ten moves at 10 ms, against an opponent who plays anything that does not lose."""
    chance, player = random.Random(ending.name), Player(Settings())
    for _ in range(20):
        fen = find_position(ending, chance, lambda code: code == 0)

        def hold(board: chess.Board) -> int:
            return chance.choice([move for move, code in moves_with_codes(board) if not is_won(code)])

        for ply, board in enumerate(islice(playing(player, fen, hold), 20)):
            if ply % 2 == 0 and board.occupied != board.kings:
                code = TABLES.code(Game(board.fen()).position)
                assert code is not None and not is_won(code), (fen, board.fen())  # our move has given nothing away


def test_the_lines_are_told_as_a_search_tells_them():
    settings, reports = Settings(), []
    settings.set(find_option("MultiPV"), "3")
    player = Player(settings)
    player.set_position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", [])
    player.get_ready()
    result = player.go(GoRequest(depth=3), time.perf_counter(), SearchSignals(), reports.append)
    lines = [found for found in reports if isinstance(found, Info)]
    assert [line.multipv for line in lines] == [1, 2, 3]
    assert lines[0].score == result.score == MATE - 31 and mate_distance(lines[0].score) == 16
    for line in lines:
        board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
        for text in player.to_uci(line.pv):
            board.push_uci(text)
        assert board.is_checkmate() == (line.score > 0)
        assert len(line.pv) == MATE - line.score or line.score == 0


def test_only_the_moves_that_are_allowed():
    player = Player(Settings())
    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    assert answer(player, fen, [], GoRequest(depth=3, search_moves=("a1a2",))) == "a1a2"


def test_the_fifty_move_rule_is_respected():
    """A long mate comes too late: the shorter way by a pawn's move or a capture must be taken, or found by search."""
    tb_root = TbRoot(Settings())
    for rule50, is_in_time in ((34, True), (35, True), (36, False)):
        game = Game(f"8/8/7N/8/8/8/8/K1k1B3 w - - {rule50} 80")  # mate in 65 plies
        tb_root.prefetch_for(game)
        tb_root.wait(None)
        verdict = tb_root.probe(game, 1, (), None)
        assert bool(verdict.lines) is is_in_time
        assert bool(verdict.unresolved_moves) is not is_in_time


def test_a_move_that_repeats_the_position_for_the_third_time_is_no_win():
    """The shortest way leads back to a position that has been there twice: another way is taken."""
    start = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
    moves = ["b1b2", "c3d3", "b2b1", "d3c3"] * 2
    game = Game(start, moves=moves)
    assert game.repetitions() == 3  # a referee would stop here; the engine is asked all the same
    player = Player(Settings())
    text = answer(player, start, moves, GoRequest(movetime=10))
    game.push_uci(text)
    assert game.repetitions() < 3 and is_won(TABLES.code(Game(start, moves=moves).position))


@pytest.mark.parametrize(("fen", "saving"), [
    ("1q6/8/8/7P/8/8/4K3/6k1 w - - 98 1", "e2f3"), ("8/6K1/2k5/7p/8/8/8/3R4 b - - 98 1", "c6c7")])
def test_a_lost_ending_is_saved_by_the_fifty_move_rule(fen, saving):
    """A pawn's move would begin to count anew; with any quiet one the other side runs out of moves."""
    assert TABLES.code(Game(fen).position) % 2 == 1
    text = answer(Player(Settings()), fen, [], GoRequest(movetime=200))
    game = Game(fen)
    game.push_uci(text)
    assert game.position.rule50 == 99 and (text == saving or "h5" not in text)


def test_a_lost_ending_is_saved_by_a_repetition():
    start = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
    moves = [*["b1b2", "c3d3", "b2b1", "d3c3"] * 2, "b1b2"]
    assert answer(Player(Settings()), start, moves, GoRequest(movetime=100)) == "c3d3"


def test_the_way_to_a_late_mate_may_begin_to_count_anew():
    """King and pawn: the mate is more than a hundred plies of counting away, but the pawn moves before."""
    fen = "8/8/8/1k6/8/8/K5P1/8 w - - 60 80"
    assert TABLES.code(Game(fen).position) == 56
    tb_root, game = TbRoot(Settings()), Game(fen)
    tb_root.prefetch_for(game)
    tb_root.wait(None)
    verdict = tb_root.probe(game, 1, (), None)
    assert verdict is not None and verdict.lines
    assert verdict.lines[0].score == TB_WIN  # the winner may have to hurry with the pawn, and mate later for it
    for move in verdict.lines[0].line:
        game.push_uci(game.uci(move))
    assert game.is_check() and not game.legal_moves()


def test_stop_is_heard_while_tables_are_read(monkeypatch):
    player, signals = Player(Settings()), SearchSignals()
    player.load()
    player.set_position("8/8/7N/8/8/8/8/K1k1B3 w - - 0 1", [])
    monkeypatch.setattr(player._tb_root, "wait", lambda seconds: bool(time.sleep(seconds or 0)))
    signals.stop.set()

    def answer() -> None:
        assert player.go(GoRequest(infinite=True), time.perf_counter(), signals, lambda _: None).move

    assert_within(1.0, answer)


def slow_down_reading(monkeypatch, seconds: float) -> None:
    """Let every block of a table take this long, as it does on a busy machine; the kernels are there."""
    TABLES.load_kernels()
    load = Container.load

    def slow_load(container: Container, ending: Ending, side: int):
        time.sleep(seconds)
        return load(container, ending, side)

    monkeypatch.setattr(Container, "load", slow_load)


@pytest.mark.parametrize("request_", [
    GoRequest(movetime=2000), GoRequest(times=(60_000, 60_000)), GoRequest(times=(2000, 2000), increments=(50, 50)),
    GoRequest(depth=3)], ids=["movetime", "clock", "short clock", "depth"])
@pytest.mark.parametrize("ending", ["KRvK", "KRvKN"])
def test_tables_are_asked_first_however_early_the_go(request_, ending, monkeypatch):
    slow_down_reading(monkeypatch, 0.005)
    fen = find_position(parse_ending(ending), random.Random(ending), is_won)
    player, reports = Player(Settings()), []
    player.load()
    player.set_position(fen, [])
    result = player.go(request_, time.perf_counter(), SearchSignals(), reports.append)
    assert [found.tb_hits for found in reports if isinstance(found, Info)] == [1]
    assert result.nodes == 0


def test_tables_are_awaited_while_pondering_and_by_the_clock_after_it(monkeypatch):
    slow_down_reading(monkeypatch, 0.005)
    player, reports, signals = Player(Settings()), [], SearchSignals()
    player.load()
    player.set_position(FEW_PIECES, [])
    signals.ponderhit.set()
    player.go(GoRequest(movetime=2000, ponder=True), time.perf_counter(), signals, reports.append)
    assert [found.tb_hits for found in reports if isinstance(found, Info)] == [1]


def test_a_time_too_short_for_the_tables_is_told_and_kept(monkeypatch):
    slow_down_reading(monkeypatch, 2.0)
    player, reports = Player(Settings()), []
    player.load()
    player.set_position(FEW_PIECES, [])
    started = time.perf_counter()
    result = player.go(GoRequest(movetime=60), started, SearchSignals(), reports.append)
    assert result.move and time.perf_counter() - started < 1.9, "it has not waited for one block"
    assert [found.text for found in reports if isinstance(found, InfoString)] == [
        "no time to load the endgame tables: the search decides"]


def test_getting_ready_does_not_forget_the_position(monkeypatch):
    """`isready` right after `position`, before the thread that reads the tables has begun."""
    work = BackgroundReader._work
    monkeypatch.setattr(BackgroundReader, "_work", lambda reader: time.sleep(0.05) or work(reader))
    player = Player(Settings())
    player.set_position(FEW_PIECES, [])
    player.get_ready()
    assert player._tb_root.wait(None)
    assert player._tb_root.probe(player.game, 1, (), None) is not None


def test_a_weaker_player_knows_no_tables():
    settings = Settings()
    settings.set(find_option("UCI_LimitStrength"), "true")
    settings.set(find_option("UCI_Elo"), "800")
    player, reports = Player(settings), []
    player.set_position("8/8/7N/8/8/8/8/K1k1B3 w - - 0 1", [])
    player.get_ready()
    player.go(GoRequest(movetime=50), time.perf_counter(), SearchSignals(), reports.append)
    assert all(found.tb_hits == 0 for found in reports if isinstance(found, Info))


def test_the_tables_can_be_switched_off_and_folders_added(tmp_path):
    settings = Settings()
    player = Player(settings)
    for name, text in (("OwnTables", "false"), ("OwnTables", "true")):
        settings.set(find_option(name), text)
        player.apply(find_option(name))
        reports: list = []
        player.set_position("8/8/7N/8/8/8/8/K1k1B3 w - - 0 1", [])
        player.go(GoRequest(depth=5), time.perf_counter(), SearchSignals(), reports.append)
        assert any(found.tb_hits for found in reports if isinstance(found, Info)) is (text == "true")
    settings.set(find_option("TablePath"), str(tmp_path))
    with pytest.raises(InputError, match="no tables"):
        player.apply(find_option("TablePath"))


def test_a_search_that_can_reach_the_tables_knows_the_result():
    """Rook and pawn against a pawn: eight plies are enough to see by the tables what a deep search would find."""
    searcher, game = AlphaBetaSearch(megabytes=4), Game("8/8/3k4/3p4/8/3K4/3P4/7R b - - 0 1")
    TABLES.prepare(game.position)
    TABLES.wait()
    searcher.set_tb(own_endings())
    with_tables = searcher.run(game.position, Limits(depth=8))
    assert with_tables.score <= -TB_BAND and searcher.tb_hits > 0
    again = AlphaBetaSearch(megabytes=4)
    again.set_tb(own_endings())
    assert again.run(game.position, Limits(depth=8)).nodes == with_tables.nodes
    searcher.set_tb(no_tb())
    searcher.clear()
    assert abs(searcher.run(game.position, Limits(depth=8)).score) < TB_BAND and searcher.tb_hits == 0


@pytest.mark.parametrize("searcher", [AlphaBetaSearch(megabytes=4), ExpectimaxSearch()],
                         ids=["alpha-beta", "expectimax"])
def test_a_mate_is_preferred_to_a_win_by_tables(searcher):
    game = Game("8/8/8/8/8/k1K5/7p/1R6 w - - 0 1")  # Ra1 is mate
    TABLES.load_for(game.position, TableKind.WDL)
    searcher.set_tb(own_endings())
    assert searcher.run(game.position, Limits(depth=4)).score == MATE - 1
    assert searcher.tb_hits > 0


@pytest.mark.parametrize(("value", "rule", "is_draw"), [
    (2, True, False), (1, True, True), (0, True, True), (-1, True, True), (-2, True, False),
    (1, False, False), (0, False, True), (-1, False, False)])
def test_what_the_fifty_move_rule_draws_is_a_draw_without_distances_too(value, rule, is_draw):
    tb_root, game = TbRoot(Settings(syzygy_50_move_rule=rule, own_tables=False)), Game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    tb_root._syzygy = SimpleNamespace(max_pieces=5, ranked_moves=lambda *_: None,
                                      values=lambda _: {7: value, 8: value - 1})
    assert tb_root.probe(game, 1, (), None) == TbRootResult((), (7,), is_draw)


def test_positions_far_from_the_end_open_nothing():
    tb_root = TbRoot(Settings())
    tb_root.prefetch_for(Game())
    assert tb_root.for_search().max_pieces == 0 and tb_root.probe(Game(), 1, (), None) is None


def cpu_of_answer(player: Player, order: GoRequest, fen: str) -> float:
    """The milliseconds of the processor for one answer, with nothing remembered of an earlier one."""
    player.new_game()
    (answer,) = measure_latencies(player, order, [fen])
    return answer.cpu


def test_answers_obey_the_clock_near_the_end():
    """By the CPU time of the thread that answers: other processes may take the processor away, but not for longer."""
    chance, player = random.Random(2), player_with(None)
    measure_latencies(player, GoRequest(movetime=10), random_fens(4, 5, chance))
    make_ready(player)
    for order in CONTROLS.values():
        for count in PIECE_COUNTS:
            given = order.movetime or 200 / 3
            limit = given + 10  # shared caches make a core slower
            times = [shortest(partial(cpu_of_answer, player, order, fen), limit)
                     for fen in random_fens(count, 12, chance)]
            assert max(times) < limit, (order, count)
            assert sorted(times)[6] < given + 3, (order, count)


def test_a_position_that_took_a_third_of_a_second_is_answered_at_once():
    player = player_with(None)
    fen = "8/8/8/3k4/3r4/8/1Q6/K7 w - - 60 90"
    measure_latencies(player, GoRequest(movetime=10), [fen])
    make_ready(player)
    for order in (GoRequest(movetime=10), GoRequest(times=(200, 200))):
        (answer,) = measure_latencies(player, order, [fen])
        assert answer.cpu < 15  # ten of them may be thought about
