"""How much alpha-beta saves depends on the order in which moves are tried. With the best move first everywhere it
needs about 2 b^(d/2) of the b^d leaves: in the same time it sees twice as deep. So it pays to guess the best move
before searching it.
"""

from __future__ import annotations

import random

import chess

from engine.cli.tables import print_table
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.exercises.trees import leaves_of_perfect_order, levels_above
from engine.course.reference.games.board import ConnectFour, TicTacToe
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import Count, minimax
from engine.course.reference.ordering import Ordered, alphabeta_with_killers, by_evaluation, deepen_with_killers
from engine.course.reference.trace import Trace
from engine.course.svg import stacked
from engine.course.trees import outline, picture, traced


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
    tree = 0
    for _ in range(4):
        tree = [tree] * 10
    game, levels = TreeGame(tree), []
    for depth in (4, 3):
        count = Count()
        minimax(game, game.initial(), depth, lambda state: 0, count)
        levels.append(count.leaves)
    print(f"\nb = 10, d = 4, counted: {levels[0]:,} leaves, {levels[1]:,} one level above: "
          f"{100 * levels[1] / levels[0]:.0f} % more")


def how_many_levels():
    """What does it take to look 6 levels ahead at chess, and what 15 or 16, as Deep Blue is said to have done? With
    b = 35, in leaves:
    """
    print_table(("levels", "minimax: b^d", "alpha-beta at best: 2 b^(d/2)"),
                [(str(d), f"{35**d:.1e}", f"{2 * 35 ** (d / 2):.1e}") for d in (6, 12, 15, 16)])


def branching_varies():
    """The branching factor is no constant: b differs from game to game, and from move to move. Legal moves on
    average after so many plies of random play, in 30 games of each:
    """
    chance, plies = random.Random(1), (0, 4, 8, 20, 40, 60)
    rows = []
    for name, game in (("tic-tac-toe", TicTacToe()), ("connect four", ConnectFour(7, 6))):
        rows.append((name, *_mean_moves(plies, chance, game.initial(), game.is_terminal, game.actions, game.result)))
    rows.append(("chess", *_mean_moves(plies, chance, chess.Board(), chess.Board.is_game_over,
                                       lambda board: list(board.legal_moves), _after)))
    print_table(("legal moves", *(f"ply {ply}" for ply in plies)), rows)


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


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("deepening"))


def your_turn():
    """Count for yourself what order saves and what deepening costs."""
    quiz(leaves_of_perfect_order, levels_above)


def _mean_moves(plies, chance, start, is_over, actions, result):
    """The average number of moves at each of these plies, over the games that last so long."""
    counts = {ply: [] for ply in plies}
    for _ in range(30):
        state = start
        for ply in range(max(plies) + 1):
            if is_over(state):
                break
            moves = actions(state)
            if ply in counts:
                counts[ply].append(len(moves))
            state = result(state, chance.choice(moves))
    return [f"{sum(found) / len(found):.1f}" if found else "-" for found in counts.values()]


def _after(board, move):
    board = board.copy(stack=False)
    board.push(move)
    return board


def _random_tree(chance, depth):
    return chance.randint(-99, 99) if depth == 0 else [_random_tree(chance, depth - 1) for _ in range(3)]
