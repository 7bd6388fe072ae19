"""How much alpha-beta saves depends on the order in which moves are tried. With the best move first everywhere it
needs about 2 b^(d/2) of the b^d leaves: in the same time it sees twice as deep. So it pays to guess the best move
before searching it.
"""

from __future__ import annotations

import random

from engine.commands.course.quiz import quiz
from engine.commands.course.svg import stacked
from engine.commands.course.trees import outline, picture, traced
from engine.commands.shared.tables import print_table
from engine.reference.exercises.trees import leaves_of_perfect_order, levels_above
from engine.reference.games.board import TicTacToe
from engine.reference.games.tree import TreeGame
from engine.reference.minimax import Count, alphabeta, minimax
from engine.reference.ordering import Ordered, alphabeta_with_killers, by_evaluation, deepen_with_killers
from engine.reference.trace import Trace


def one_tree_in_two_orders():
    """The tree of the other lessons, with MIN's best answers first. Two leaves more are cut off, and no order can save
    more: the first move must be seen in full, every other must be refuted by one leaf.
    """
    game = TreeGame([[3, 12, 8], [2, 4, 6], [2, 5, 14]])
    trace = Trace()
    alphabeta(game, game.initial(), count=trace)
    tree = traced(game, trace, has_windows=True)
    print(outline(tree))
    return picture(tree, "The best order: four of nine leaves are cut off",
                   ["Red strokes: cut off. In the alphabeta lesson the last leaves are 14, 5, 2, and all are seen."])


def order_and_depth():
    """Random trees with three moves everywhere: leaves that are visited with the moves as they come, with the best
    move first, and with the best move last.
    """
    chance = random.Random(2)
    rows = []
    for depth in (2, 4, 6):
        counts = [Count(), Count(), Count()]
        for _ in range(20):
            game = TreeGame(_random_tree(chance, depth))

            def true_value(state, action, game=game):
                value = minimax(game, game.result(state, action))
                return value if game.to_move(state) == 0 else -value

            alphabeta(game, game.initial(), count=counts[0])
            alphabeta(Ordered(game, true_value), game.initial(), count=counts[1])
            alphabeta(Ordered(game, lambda state, action, rank=true_value: -rank(state, action)), game.initial(),
                      count=counts[2])
        rows.append((str(depth), f"{3**depth:,}", *(f"{count.leaves / 20:,.0f}" for count in counts),
                     f"{2 * 3 ** (depth / 2):,.0f}"))
    print_table(("depth", "b^d", "as they come", "best first", "best last", "2 b^(d/2)"), rows)


def guesses():
    """Nobody knows the best move before the search. Some guesses come near. What the evaluation says of the next state.
    What was best in this state when the search went one ply less deep: the lecture's killer, which iterative deepening
    finds on the way; engines call it the table's move. And what engines call a killer: a move that has just cut off in
    a sibling, at the same distance from the root. Tic-tac-toe from the empty board, nodes visited at each depth:
    """
    game = TicTacToe()
    guided = Ordered(game, by_evaluation(game, game.open_lines))
    killers = list(deepen_with_killers(game, game.initial(), game.open_lines, 6))
    rows = []
    for depth in range(1, 7):
        plain, evaluated = Count(), Count()
        alphabeta(game, game.initial(), depth, game.open_lines, plain)
        alphabeta(guided, game.initial(), depth, game.open_lines, evaluated)
        engine = Count()
        alphabeta_with_killers(game, game.initial(), depth, game.open_lines, engine)
        rows.append((str(depth), *(f"{count.nodes:,}" for count in (plain, evaluated, killers[depth - 1], engine))))
    print_table(("depth", "as they come", "by evaluation", "the lecture's killers", "the engines' killers"), rows)


def deepening_costs_little():
    """Iterative deepening searches depth 1, then 2, then 3, and has a move ready whenever it is stopped: an anytime
    algorithm. All the shallower levels together have (b^d - 1) / (b - 1) nodes, about one level less:
    """
    rows = [(str(b), f"{b**6:,}", f"{(b**6 - 1) // (b - 1):,}", f"{100 * (b**6 - 1) / (b - 1) / b**6:.0f} %")
            for b in (2, 3, 10, 35)]
    print_table(("b", "leaves at depth 6", "all levels above", "extra"), rows)


def type_a_and_type_b():
    """Shannon's type A looks at all moves to a fixed depth. His type B looks only at promising moves, and further. It
    pays as long as the guess is good. Here MAX has three moves, to which MIN answers with 0 or 0, with -1 or 9, with 5
    or 5. The third is best but looks worst, and type B, which tries two moves only, misses it.
    """
    game = TreeGame([[0, 0], [-1, 9], [5, 5]])
    looks = {0: 2.0, 1: 1.0, 2: 0.0}
    narrow = Ordered(game, lambda state, action: looks[action] if state.depth == 0 else 0.0, width=2)
    print("type A:", minimax(game, game.initial()), "   type B:", minimax(narrow, game.initial()))
    pictures = []
    for name, searched in (("Type A looks at all moves", game), ("Type B tries two, and misses the best", narrow)):
        trace = Trace()
        minimax(searched, searched.initial(), count=trace)
        pictures.append(picture(traced(game, trace), name))
    return stacked(pictures)


def your_turn():
    """Count for yourself what order saves and what deepening costs."""
    quiz(leaves_of_perfect_order, levels_above)


def _random_tree(chance, depth):
    return chance.randint(-99, 99) if depth == 0 else [_random_tree(chance, depth - 1) for _ in range(3)]
