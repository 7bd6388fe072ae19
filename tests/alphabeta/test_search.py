"""The search as its owner uses it."""

from __future__ import annotations

import threading
from functools import partial

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.iterations import PvLine
from engine.alphabeta.params import PARAMETERS, default_params, minimax_params, set_param
from engine.alphabeta.reductions import multi_cut_score
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.alphabeta.state import HISTORY_FIELDS, ROOT_OFFSET, new_state
from engine.alphabeta.vote import ThreadResult, vote
from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS
from engine.lab.bench_positions import BENCH_FENS
from engine.search.scores import NO_SCORE, mate_distance, mate_in
from engine.search.types import Bound, Limits, Result
from engine.system.errors import InputError
from eval.evaluator import built_in_evaluator, features_evaluator
from tests.alphabeta.kernels import improves, perft_by_picker
from tests.alphabeta.techniques import every_technique
from tests.positions import CORNERS, CROWD
from tests.timing import assert_within, clocked, shortest

SEARCHER = AlphaBetaSearch(4)

@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Have the kernels there before anything is timed."""
    SEARCHER.load()


def search(fen: str, **limits) -> tuple[Game, Result]:
    SEARCHER.clear()
    game = Game(fen)
    return game, SEARCHER.run(game.position, Limits(**limits))


@pytest.mark.parametrize("known", PERFT_POSITIONS, ids=lambda known: known.name)
def test_perft_through_the_picker(known):
    game, state = Game(known.fen), new_state()
    for tt_move in (0, game.legal_moves()[-1], game.legal_moves()[0]):
        assert perft_by_picker(game.position, state, 3, tt_move) == known.counts[2]


def test_being_mated_and_stalemate_have_no_move():
    assert search("6rk/8/8/8/8/8/6q1/7K w - - 0 1", depth=3)[1].move == 0
    assert search("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", depth=3)[1].move == 0


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(CORNERS), st.integers(1, 3000))
def test_lines_are_legal_and_begin_with_the_move(fen, nodes):
    game, result = search(fen, nodes=nodes)
    if not game.legal_moves():
        return
    assert result.pv == () or result.pv[0] == result.move
    for info in result.infos:
        cursor = Game(fen)
        for move in info.pv:
            assert move in cursor.legal_moves()
            cursor.push_uci(cursor.uci(move))


def test_the_same_search_twice_gives_the_same_nodes():
    for limits in ({"nodes": 30_000}, {"depth": 9}):
        for fen in BENCH_FENS[:6]:
            first, second = search(fen, **limits)[1], search(fen, **limits)[1]
            assert (first.move, first.score, first.nodes, first.pv) == (
                second.move, second.score, second.nodes, second.pv)


def test_two_games_at_fixed_nodes_are_the_same_game():
    def play() -> list[tuple[int, int]]:
        SEARCHER.clear()
        game, log = Game(), []
        for _ in range(12):
            result = SEARCHER.run(game.position, Limits(nodes=3000))
            log.append((result.move, result.nodes))
            game.push_uci(game.uci(result.move))
        return log

    assert play() == play()


def test_the_node_limit_is_kept():
    for nodes in (1, 100, 5000):
        assert search(PERFT_POSITIONS[1].fen, nodes=nodes)[1].nodes <= nodes + 1


def assert_legal(fen: str, movetime: float) -> None:
    game, result = search(fen, movetime=movetime)
    assert result.move in game.legal_moves()


@pytest.mark.parametrize("movetime", [0.0, 0.001, 0.05])
def test_a_stopped_search_has_a_legal_move(movetime):
    for fen in BENCH_FENS[:10]:
        limit = movetime + 0.2
        assert_within(limit, partial(assert_legal, fen, movetime))


def test_a_crowd_of_queens_does_not_hold_up_the_first_iteration():
    assert_within(1.0, partial(assert_legal, CROWD, 0.05))


def test_no_iteration_begins_after_the_soft_time(monkeypatch):
    monkeypatch.setattr("engine.alphabeta.iterations.time_factor", lambda steady, drop, share: 1.0)
    for soft in (0.0, 0.1):
        game, result = search(PERFT_POSITIONS[1].fen, soft_time=soft, hard_time=20)
        finished = [info.seconds for info in result.infos]
        assert finished[-1] >= soft
        assert all(seconds < soft for seconds in finished[:-1])
        assert result.move in game.legal_moves()


def test_a_stop_before_the_search_begins_is_heard():
    SEARCHER.stop()
    assert search(PERFT_POSITIONS[1].fen)[1].nodes < 5000
    assert search(PERFT_POSITIONS[1].fen, nodes=20_000)[1].nodes > 5000


def test_limits_may_come_while_the_search_runs():
    def search_with_late_limits(soft: float) -> None:
        SEARCHER.clear()
        SEARCHER.prepare(Game(PERFT_POSITIONS[1].fen).position, Limits())
        threading.Timer(0.1, SEARCHER.set_time, (soft, 0.4)).start()
        SEARCHER.search()

    for soft, least in ((0.3, 0.05), (0.0, 0.0)):
        measure = partial(clocked, partial(search_with_late_limits, soft))
        assert least < shortest(measure, 1.0) < 1.0


@pytest.mark.parametrize(("fen", "nodes"), [
    ("r1b1kb1r/3q1ppp/pBp1pn2/8/Np3P2/5B2/PPP3PP/R2Q1RK1 w kq - 0 1", range(2900, 3100, 5)),
    ("r1b2rk1/pp2bppp/2n1pn2/q5B1/2BP4/2N2N2/PP2QPPP/2R2RK1 b - - 0 1", range(2900, 3100, 5))])
def test_exact_lines_do_not_depend_on_the_clock(monkeypatch, fen, nodes):
    """A slow machine hears of bounds, a fast one does not."""
    def exact_lines(limit: int, first_bound: float) -> list[tuple[object, ...]]:
        monkeypatch.setattr("engine.alphabeta.iterations._FIRST_BOUND", first_bound)
        _, result = search(fen, nodes=limit)
        return [(info.depth, info.score, info.pv) for info in result.infos if info.bound is Bound.EXACT]

    for limit in nodes:
        assert exact_lines(limit, 0.0) == exact_lines(limit, 1e9)


def worker(depth: int, score: int, *moves: int) -> ThreadResult:
    return ThreadResult(depth, PvLine(score, moves))


def test_threads_vote_for_the_move():
    alone = worker(9, 10, 1)
    assert vote([alone]) is alone
    # Two that agree outvote a deeper one; among them the deeper one speaks.
    crowd = [worker(10, 20, 1), worker(9, 20, 2), worker(8, 20, 2)]
    assert vote(crowd) is crowd[1]
    # A mate needs no majority, and the shortest is the best.
    mates = [worker(10, 20, 1), worker(10, 20, 1), worker(4, int(mate_in(7)), 3), worker(4, int(mate_in(5)), 4)]
    assert vote(mates) is mates[3]
    # A loss that one of them sees does not make the most hopeful one right.
    doubt = [worker(12, -int(mate_in(7)), 1), worker(20, 20, 2), worker(20, 20, 2), worker(8, 90, 3)]
    assert vote(doubt).line.moves == (2,)
    # A thread that has not finished anything has no vote.
    assert vote([worker(5, -50, 1), worker(0, 0)]).line.moves == (1,)
    empty = [worker(0, 0), worker(0, 0)]
    assert vote(empty) is empty[0]


def test_stop_ends_an_infinite_search():
    game = Game()

    def search_until_stopped() -> None:
        SEARCHER.prepare(game.position, Limits())
        threading.Timer(0.2, SEARCHER.stop).start()
        assert SEARCHER.search().move in game.legal_moves()

    assert 0.15 < shortest(partial(clocked, search_until_stopped), 1.5) < 1.5


def test_search_moves_are_the_only_ones():
    game = Game(PERFT_POSITIONS[1].fen)
    wanted = tuple(move for move in game.legal_moves() if game.uci(move) in ("a2a3", "g2g3"))
    result = SEARCHER.run(game.position, Limits(depth=6, search_moves=wanted))
    assert result.move in wanted


def test_multipv_gives_different_moves_in_order():
    game = Game(PERFT_POSITIONS[1].fen)
    result = SEARCHER.run(game.position, Limits(depth=7, multipv=4))
    last = [info for info in result.infos if info.depth == 7]
    assert [info.multipv for info in last] == [1, 2, 3, 4]
    assert len({info.pv[0] for info in last}) == 4
    assert result.score == max(info.score for info in last)


def test_a_repetition_is_worth_nothing_when_it_can_be_forced():
    game, result = search("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 1", depth=12)  # a rook and a bishop down
    assert (game.uci(result.move), result.score) == ("h5e8", 0)


def test_the_fifty_move_rule_is_seen():
    _, fresh = search("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", depth=8)
    _, late = search("8/8/8/3k4/8/8/4R3/4K3 w - - 99 80", depth=8)
    assert fresh.score > 300
    assert late.score == 0


def test_two_threads_find_the_mate_and_a_legal_move():
    both = AlphaBetaSearch(4, threads=2)
    game = Game("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1")
    assert mate_distance(both.run(game.position, Limits(depth=10)).score) == 3
    game = Game()
    result = both.run(game.position, Limits(movetime=0.2))
    assert result.move in game.legal_moves()
    both.clear()


def test_every_switch_may_be_turned_without_compiling_anew():
    for row in PARAMETERS:
        if not row.is_switch:
            continue
        params = default_params()
        set_param(params, row.name, 1 - row.default)
        SEARCHER.set_params(params)
        game, result = search(PERFT_POSITIONS[1].fen, nodes=2000)
        assert result.move in game.legal_moves(), row.name
    SEARCHER.set_params(default_params())


def test_parameters_out_of_range_or_unknown_are_refused():
    params = default_params()
    with pytest.raises(InputError, match="unknown search parameter 'rpf_margin'"):
        set_param(params, "rpf_margin", 3)
    with pytest.raises(InputError, match="rfp_margin must be from 20 to 150"):
        set_param(params, "rfp_margin", 1000)


def test_a_bare_king_is_mated():
    """King and rook against king, played out."""
    game, board = Game("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"), chess.Board("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    SEARCHER.clear()
    while not board.is_game_over():
        text = game.uci(SEARCHER.run(game.position, Limits(nodes=20_000)).move)
        game.push_uci(text)
        board.push_uci(text)
    assert board.is_checkmate()


@pytest.mark.parametrize("evaluation", [features_evaluator(), built_in_evaluator()], ids=["features", "built in"])
def test_a_new_game_begins_with_nothing_remembered(evaluation):
    searcher = AlphaBetaSearch(1, params=every_technique(), evaluation=evaluation)
    searcher.run(Game().position, Limits(nodes=20_000))
    state = searcher._states[0]
    remembered = [*(state[name] for name in HISTORY_FIELDS), state.cache.scores]
    if evaluation.network is None:
        remembered.append(state.cache.structures)  # which only features have
    assert all(any(field.tobytes()) for field in remembered)
    searcher.clear()
    assert not any(any(field.tobytes()) for field in remembered)
    assert not searcher.tt.words.any()


PAWN_ENDINGS = (
    "8/8/8/2pK4/1kP5/8/8/8 w - - 0 1",  # whoever is to move loses
    "8/5pk1/6p1/7p/5P1P/6P1/5K2/8 w - - 0 1",
)


@pytest.mark.parametrize("fen", PAWN_ENDINGS)
def test_nobody_passes_where_zugzwang_is_the_rule(fen):
    """With kings and pawns alone, passing may be the best move: the search must be the same with and without it."""
    nodes = []
    for allowed in (0, 1):
        params = default_params()
        set_param(params, "use_null_move", allowed)
        searcher = AlphaBetaSearch(1, params=params)
        nodes.append(searcher.run(Game(fen).position, Limits(depth=10)).nodes)  # too shallow for a new queen
    assert nodes[0] == nodes[1]


def test_improving_is_a_higher_evaluation_than_two_plies_ago():
    state = new_state()
    static_evals = state.stack["static_eval"][int(ROOT_OFFSET):]
    static_evals[:6] = (10, 0, 30, 0, 20, 0)
    assert improves(state, 2, 0) == 1  # 30 after 10
    assert improves(state, 4, 0) == 0  # 20 after 30
    assert improves(state, 2, 1) == 0  # in check nothing is known
    assert improves(state, 0, 0) == improves(state, 1, 0) == 1  # nothing to compare with
    static_evals[2] = int(NO_SCORE)
    assert improves(state, 4, 0) == 1  # 20 after 10, four plies ago: in check between them


@pytest.mark.parametrize(("with_checks", "is_seen"), [(0, False), (1, True)])
def test_quiescence_sees_a_quiet_check_at_the_horizon(with_checks, is_seen):
    game = Game("6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1")
    params = default_params()
    set_param(params, "use_quiescence_checks", with_checks)
    blunder = next(move for move in game.legal_moves() if game.uci(move) == "g8h8")
    result = AlphaBetaSearch(1, params=params).run(game.position, Limits(depth=1, search_moves=(blunder,)))
    assert (result.score == -mate_in(2)) == is_seen


def horizon_nodes(fen: str, text: str, **values: int) -> int:
    """The nodes of a search of one move and of quiescence after it, with no other techniques but those named."""
    params, game = minimax_params(), Game(fen)
    for name, value in {"use_alphabeta": 1, "use_pvs": 1, "use_quiescence": 1, **values}.items():
        set_param(params, name, value)
    move = next(move for move in game.legal_moves() if game.uci(move) == text)
    searcher = AlphaBetaSearch(1, params=params, evaluation=features_evaluator())
    return searcher.run(game.position, Limits(depth=1, search_moves=(move,))).nodes


@pytest.mark.parametrize(("most", "searched"), [(1, 1), (2, 2), (3, 3), (8, 3)])
def test_quiescence_searches_at_most_so_many_captures(most, searched):
    """The queen can take three pawns, none of which is defended."""
    fen = "7k/8/8/P2q4/8/8/P2P3K/8 w - - 0 1"
    assert horizon_nodes(fen, "h2h3", use_quiescence_limit=1, quiescence_moves=most) == 1 + searched


def test_quiescence_searches_no_check_that_loses_material():
    defended, open_rank = "3r2k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "3r2k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1"
    assert horizon_nodes(defended, "h2h3", use_quiescence_checks=1) == 1
    assert horizon_nodes(open_rank, "h2h3", use_quiescence_checks=1) > 1


def test_quiescence_takes_what_hangs_whatever_it_prunes():
    game = Game("4k3/8/4p3/8/8/8/8/3QK3 w - - 0 1")
    blunder = next(move for move in game.legal_moves() if game.uci(move) == "d1d5")
    result = AlphaBetaSearch(1, evaluation=features_evaluator()).run(game.position,
                                                                     Limits(depth=1, search_moves=(blunder,)))
    assert result.score < 0


def test_without_ordering_quiescence_still_searches_no_quiet_moves_but_checks():
    fen, nodes = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", []  # no check is possible soon
    for with_checks in (0, 1):
        params = default_params()
        set_param(params, "use_ordering", 0)
        set_param(params, "use_quiescence_checks", with_checks)
        nodes.append(AlphaBetaSearch(1, params=params).run(Game(fen).position, Limits(depth=2)).nodes)
    assert nodes[0] == nodes[1]


@pytest.mark.parametrize(("is_on", "score", "singular_beta", "expected"), [
    (1, 30, 25, 25), (1, 30, 20, 20),  # singular_beta itself reaches beta
    (1, 30, 15, 30),  # only the score does
    (1, 19, 15, int(NO_SCORE)),
    (0, 30, 25, int(NO_SCORE)),
])
def test_multi_cut_returns_a_score_that_others_than_the_tt_move_reach(is_on, score, singular_beta, expected):
    params = default_params()
    set_param(params, "use_multi_cut", is_on)
    assert multi_cut_score(params, score, singular_beta, 20) == expected


def test_what_a_tuner_may_try_stores_no_depth_that_cannot_be():
    params = default_params()
    for name, value in (("probcut_depth", 3), ("probcut_reduction", 6)):
        set_param(params, name, value)
    searcher = AlphaBetaSearch(1, params=params)
    for fen in BENCH_FENS[:6]:
        searcher.run(Game(fen).position, Limits(nodes=20_000))
    depths = searcher.tt.words[1::2] >> 48 & 0x7F  # of each entry the second word
    assert depths.any() and depths.max() < 64
