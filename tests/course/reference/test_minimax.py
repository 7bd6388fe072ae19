"""Minimax, alpha-beta, order, tables, the horizon and the evaluation, by the numbers of the notes."""

from __future__ import annotations

import itertools
import math
import random

import chess
import pytest

from engine.course.reference.alphabeta import alphabeta, alphabeta_search, deepen
from engine.course.reference.evaluation import FEATURES, evaluate, material, quiescent, terms
from engine.course.reference.game import CHANCE, MAX, MIN, UnsuitableGameError
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.games.chess import Chess
from engine.course.reference.games.halving import Halving, Pile
from engine.course.reference.games.tree import TreeGame, TreeNode
from engine.course.reference.minimax import Count, decide, minimax, minimax_search
from engine.course.reference.ordering import Ordered, by_evaluation, deepen_with_killers
from engine.course.reference.solved import solve
from engine.course.reference.trace import Trace, VisitedNode

THREE_BY_THREE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]


def random_tree(chance: random.Random, depth: int):
    if depth == 0 or chance.random() < 0.1:
        return chance.randint(-9, 9)
    return [random_tree(chance, depth - 1) for _ in range(chance.randint(1, 4))]


def full_tree(branches: int, depth: int):
    return 1 if depth == 0 else [full_tree(branches, depth - 1)] * branches


def test_alpha_beta_equals_minimax_on_ten_thousand_random_trees():
    chance, saved = random.Random(1), 0
    for _ in range(10_000):
        game = TreeGame(random_tree(chance, 4))
        whole, pruned = Count(), Count()
        assert minimax(game, game.initial(), count=whole) == alphabeta(game, game.initial(), count=pruned)
        assert pruned.nodes <= whole.nodes
        saved += whole.nodes - pruned.nodes
    assert saved > 0


def test_minimax_visits_b_to_the_d_leaves_and_the_levels_above_cost_one_level_less():
    for branches, depth in ((2, 6), (3, 4), (5, 4)):
        game, count = TreeGame(full_tree(branches, depth)), Count()
        minimax(game, game.initial(), count=count)
        assert count.leaves == branches**depth
        assert count.nodes - count.leaves == (branches**depth - 1) / (branches - 1)


def test_with_the_best_order_alpha_beta_sees_the_square_root_of_the_leaves():
    """Of b^d leaves b^ceil(d/2) + b^floor(d/2) - 1 are needed; where all branches are alike, any order is the best."""
    for branches, depth in ((2, 6), (3, 4), (4, 3), (5, 5)):
        game, count = TreeGame(full_tree(branches, depth)), Count()
        alphabeta(game, game.initial(), count=count)
        assert count.leaves == branches ** ((depth + 1) // 2) + branches ** (depth // 2) - 1
        if depth % 2 == 0:
            assert count.leaves == 2 * branches ** (depth / 2) - 1


def test_a_trace_has_every_window_and_says_which_values_are_bounds():
    game, trace = TreeGame(THREE_BY_THREE), Trace()
    assert alphabeta(game, game.initial(), count=trace) == 3
    assert trace.root is not None
    left, middle, right = trace.root.children
    assert [(node.alpha, node.beta) for node in (left, middle, right)] == [(-math.inf, math.inf), (3, math.inf),
                                                                          (3, math.inf)]
    assert [node.sign + f"{node.value:g}" for node in (trace.root, left, middle, right)] == ["3", "3", "≤ 2", "2"]
    assert [len(node.children) for node in (left, middle, right)] == [3, 1, 3]  # 4 and 6 are cut off
    assert [(leaf.alpha, leaf.beta) for leaf in right.children] == [(3, math.inf), (3, 14), (3, 5)]
    assert [visit.order for visit in trace.visits] == list(range(1, 12))
    assert len(trace.events) == 2 * trace.nodes == 22


def possible(game: TreeGame, state: TreeNode, visit: VisitedNode, unseen: float) -> float:
    """The value of a state if all leaves that were not looked at were worth this."""
    if not visit.children:
        return visit.value
    seen = [possible(game, game.result(state, action), child, unseen)
            for action, child in zip(game.actions(state), visit.children, strict=False)]
    values = seen + [unseen] * (len(game.actions(state)) - len(seen))
    return max(values) if game.to_move(state) == MAX else min(values)


def test_labels_say_what_was_seen():
    """Exact where no leaf that was cut off could change the value; else the bound that all such leaves respect."""
    chance, found = random.Random(7), set()
    for _ in range(2000):
        game, trace = TreeGame(random_tree(chance, 4)), Trace()
        alphabeta(game, game.initial(), count=trace)

        def check(state, visit, game=game):
            low, high = (possible(game, state, visit, unseen) for unseen in (-math.inf, math.inf))
            assert visit.sign == ("" if low == high else "≥ " if low == visit.value else "≤ ")
            assert visit.value in {low, high}
            found.add(visit.sign)
            for action, child in zip(game.actions(state), visit.children, strict=False):
                check(game.result(state, action), child)

        check(game.initial(), trace.root)
    assert found == {"", "≤ ", "≥ "}


def test_searches_return_the_move_that_minimax_prefers():
    chance = random.Random(3)
    for _ in range(500):
        tree = [random_tree(chance, 3) for _ in range(3)]
        for players in ((MAX, MIN), (MIN, MAX), (MAX, MAX, MIN)):
            game = TreeGame(tree, players)
            best = decide(game, game.initial(), lambda state, game=game: minimax(game, state))
            assert minimax_search(game, game.initial()) == alphabeta_search(game, game.initial()) == best


def test_one_window_serves_all_moves_of_the_root():
    count = Count()
    assert alphabeta_search(TreeGame([[2, 7], [1, 8]]), TreeNode([[2, 7], [1, 8]]), count=count) == 0
    assert count.leaves == 3  # the 8 is never looked at
    game, count = TicTacToe(), Count()
    alphabeta_search(game, game.initial(), count=count)
    assert count.nodes == 18_297


def test_chance_has_no_place_in_minimax():
    game = TreeGame([[1, 2], [3, 4]], (MAX, CHANCE))
    for search in (minimax, alphabeta, minimax_search, alphabeta_search):
        with pytest.raises(UnsuitableGameError, match=r"chance moves .* knows only MAX and MIN: take expectiminimax"):
            search(game, game.initial())
    with pytest.raises(UnsuitableGameError, match="no move to play"):
        alphabeta_search(game, TreeNode(3))


def test_order_changes_the_work_and_not_the_value():
    game = TicTacToe()
    board = parse_grid("x.. .o. ...")
    plain, ordered = Count(), Count()
    guided = Ordered(game, by_evaluation(game, game.open_lines))
    assert (alphabeta(game, board, count=plain) == alphabeta(guided, board, count=ordered)
            == minimax(game, board) == 0)
    assert ordered.nodes < plain.nodes


def test_killers_of_the_depth_before_save_work():
    game = TicTacToe()
    best_first = sum(count.nodes for count in deepen_with_killers(game, game.initial(), game.open_lines, 5))
    count = Count()
    for depth in range(1, 6):
        alphabeta(game, game.initial(), depth, game.open_lines, count)
    assert best_first < count.nodes


def test_type_b_looks_at_promising_moves_only_and_may_err():
    game = TreeGame([[0, 0], [-1, 9], [5, 5]])
    shallow = {0: 2.0, 1: 1.0, 2: 0.0}  # the best move looks worst
    narrow = Ordered(game, lambda state, action: shallow[action] if state.depth == 0 else 0.0, width=2)
    whole, part = Count(), Count()
    assert minimax(game, game.initial(), count=whole) == 5
    assert minimax(narrow, game.initial(), count=part) == 0
    assert part.nodes < whole.nodes


def test_deepening_always_has_a_move_and_ends_with_the_best():
    game = TreeGame(THREE_BY_THREE)
    moves = list(itertools.islice(deepen(game, game.initial(), lambda _: 0.0), 4))
    assert moves[-1] == 0 and len(moves) == 4


def test_the_halving_game():
    """Whoever has to move at 1 loses, by either move; so 2 is won, and 3 by halving."""
    for number, value in ((0, 1), (1, -1), (2, 1), (3, 1), (4, -1), (5, 1), (6, -1)):
        game = Halving(number)
        assert minimax(game, game.initial()) == alphabeta(game, game.initial()) == value, number


def test_a_table_of_the_halving_game_is_a_strategy():
    """A solution answers every state, not only those of one line of play: here MAX always wins by looking moves up."""
    game = Halving(15)
    table = solve(game, game.initial())
    assert table[Pile(15)].value == minimax(game, game.initial()) == 1

    def wins(state: Pile) -> bool:
        if game.is_terminal(state):
            return game.utility(state, MAX) == 1
        actions = [table[state].action] if state.player == MAX else game.actions(state)
        return all(wins(game.result(state, action)) for action in actions)

    assert wins(game.initial())


def test_tic_tac_toe_is_a_draw():
    game = TicTacToe()
    whole, pruned = Count(), Count()
    assert minimax(game, game.initial(), count=whole) == alphabeta(game, game.initial(), count=pruned) == 0
    assert whole.nodes == 549_946  # every game that can be played, as is known
    assert pruned.nodes < whole.nodes / 10
    table = solve(game, game.initial())
    assert len(table) == 5478  # every position that can arise, as is known
    assert table[game.initial()].value == 0


CHESS_VALUES = [
    ("7k/8/6K1/8/8/8/Q7/8 w - - 0 1", 1), ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), ("6k1/8/8/8/8/8/5PPP/4r1K1 w - - 0 1", -1)]


@pytest.mark.parametrize(("fen", "value"), CHESS_VALUES)
def test_chess(fen, value):
    game = Chess(fen)
    assert minimax(game, fen, 1, lambda _: 0.0) == alphabeta(game, fen, 1, lambda _: 0.0) == value


def test_chess_by_both_algorithms_with_material_as_evaluation():
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3"
    game = Chess(fen)
    whole, pruned = Count(), Count()
    assert minimax(game, fen, 2, material, whole) == alphabeta(game, fen, 2, material, pruned)
    assert pruned.leaves < whole.leaves


@pytest.mark.parametrize(("pieces", "value"),
                         [("Q", 16), ("R", 8), ("B", 5), ("N", 5), ("P", 1), ("q", -16), ("Qr", 8)])
def test_material_of_the_notes(pieces, value):
    assert material(f"4k3/8/8/{pieces}{8 - len(pieces)}/8/8/8/4K3 w - - 0 1") == value
    assert material(chess.STARTING_FEN) == 0


def test_an_evaluation_is_a_sum_of_features_between_loss_and_win():
    fen = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5"
    assert set(terms(fen)) == set(FEATURES)
    assert terms("4k3/8/8/8/8/8/8/R3K3 b - - 0 1")["mobility"] == pytest.approx(0.1 * (15 - 5))
    assert terms("4k3/8/8/8/8/P7/P7/4K3 w - - 0 1")["doubled pawns"] < 0
    assert terms("4k3/8/8/8/8/2N5/8/4K3 w - - 0 1")["centre control"] == pytest.approx(0.2 * 2), "d5 and e4"
    assert terms("4k3/8/8/3p4/8/8/8/4K3 w - - 0 1")["centre control"] == pytest.approx(-0.2), "e4; d4 is not attacked"
    assert terms("4k3/8/8/8/8/8/4PP2/4K3 w - - 0 1")["king safety"] == pytest.approx(0.3 * 2)
    assert -1 < evaluate("qqqqkqqq/8/8/8/8/8/8/4K3 w - - 0 1") < evaluate(fen) < 1
    assert evaluate(fen) == pytest.approx(-evaluate(chess.Board(fen).mirror().fen()))


PROTECTED_PAWN = "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1"


def captures(fen: str) -> list[str]:
    return [move.uci() for move in chess.Board(fen).generate_legal_captures()]


def test_the_horizon_and_quiescence():
    """One ply deep the queen takes a protected pawn; whoever looks on where it is not quiet leaves it alone."""
    game = Chess(PROTECTED_PAWN)
    root = game.initial()
    quiet = quiescent(game, material, captures)
    assert decide(game, root, lambda after: minimax(game, after, 0, material)) == "d2d5"
    assert decide(game, root, lambda after: minimax(game, after, 0, quiet)) != "d2d5"
    assert quiet(game.result(root, "d2d5")) == -1
    assert quiet(root) == material(root) == 14
    assert game.to_move(root) == MAX and game.to_move(game.result(root, "d2d5")) == MIN
