"""Monte Carlo tree search needs no evaluation: a state is worth what games played on from it bring on average. Four
steps are repeated. Select: go down the tree by UCB1, which prefers what is promising and what is uncertain. Expand:
add one node. Simulate: play on at random to the end. Back-propagate: tell every node on the way what came of it. In
the end the most-visited move is played.
"""

from __future__ import annotations

import itertools
import math
import random
import time

from engine.cli.tables import print_table
from engine.course.growth import LEGEND, grown, growth_text
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import child_by_ucb1, move_played
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.imitation import imitate, learned
from engine.course.reference.solved import solve
from engine.course.reference.uct import (
    back_propagate,
    expand,
    greedy,
    grow,
    most_visited,
    new_node,
    pure_monte_carlo,
    search,
    select,
    simulate,
    ucb1,
    uniform,
)
from engine.course.svg import stacked
from engine.course.trees import picture

GAME = TicTacToe()
BOARD = parse_grid("xo. .x. ..o")
LOOKS = (10, 50, 400, 3000)
PLAYOUTS = 80  # of each move: 400 in all
WIDEST = 5, 2  # moves of the root, and replies to each, that are drawn: no more are legible on a wall
GROWTH_LEGEND = (*LEGEND, "Of the replies to each move, the two most visited are drawn.")


def pure_monte_carlo_search():
    """First without a tree, flat: pure Monte Carlo search makes the same number of random playouts for each move, and
    plays the best average. Bad moves get as many as good ones, and the averages stay what they are between two random
    movers: there 2,1, which wins, and 2,3, which only draws, are both worth 1/2, and no number of playouts can tell
    them apart.
    """
    chance = random.Random(1)
    for action in GAME.actions(BOARD):
        after = GAME.result(BOARD, action)
        average = sum(simulate(GAME, after, chance) for _ in range(PLAYOUTS)) / PLAYOUTS
        print(f"  {_square(BOARD, action)}  {PLAYOUTS} playouts   average {average:+.2f}")
    print(f"\nx plays {_square(BOARD, pure_monte_carlo(GAME, BOARD, PLAYOUTS, random.Random(1)))}")


def four_steps_once():
    """One iteration at a time. Here x is to move and has five moves; squares are named by row and column. As long as a
    move of the root is untried, it comes first; after that UCB1 chooses: average + C sqrt(ln N / n), where n counts the
    visits of the move, N those of its parent, and C is sqrt 2.
    """
    print(GAME.text(BOARD) + "\n")
    chance, root = random.Random(4), new_node(GAME, BOARD)
    for number in range(1, 7):
        leaf = select(GAME, root, chance)
        leaf = expand(GAME, leaf, chance)
        utility = simulate(GAME, leaf.state, chance)
        back_propagate(GAME, leaf, utility)
        print(f"iteration {number}: adds the node after {_moves(leaf)}; its playout brings x {utility:g}")
    print(f"\nUCB1 of each move after {root.visits} iterations. The next one goes where it is highest:")
    print_table(("move", "visits", "average", "UCB1"),
                [(_square(BOARD, action), str(child.visits), f"{child.total / child.visits:+.2f}",
                  f"{ucb1(child, root.visits):.2f}") for action, child in root.children.items()])
    return picture(grown(GAME, root, _square), "UCT after six iterations", LEGEND)


def the_tree_grows():
    """The same tree later. Visits go where it pays, and the average of a move that is visited often approaches the
    truth, although playouts are random: bad replies are visited less and less. A move that is visited seldom keeps the
    average of its first, random playouts. Look at 2,1 and 2,3 after 400 iterations: 2,1 wins and 2,3 only draws, but
    the tree does not know it yet. After 3,000 it does: UCB1 never gives a move up for good, so that in the end both
    winning moves are found.
    """
    truth = _truth(BOARD)
    pictures = []
    for number, root in enumerate(itertools.islice(grow(GAME, BOARD, random.Random(4)), max(LOOKS)), 1):
        if number in LOOKS:
            print(f"after {number:,} iterations:\n{growth_text(root, _square, truth)}")
            pictures.append(picture(grown(GAME, root, _square, widest=WIDEST), f"UCT after {number:,} iterations",
                                    GROWTH_LEGEND))
    best = most_visited(root)
    print(f"\nx plays {_square(BOARD, best)}, which is worth {truth[best]:+g} to x")
    return stacked(pictures)


def against_perfect_play():
    """A thousand iterations a move are enough for tic-tac-toe. Ten games against an opponent who looks his moves up in
    the table of all states, and has the first move in every other game:
    """
    results = _against_perfect_play(1000, uniform, 10, seed=2)
    print(f"drawn: {results.count(0)} of 10")


def playout_policies():
    """Playouts need not be random. A policy that takes a win when it sees one is slower and tells more. A policy can
    also be learned, as AlphaGo's was from moves of experts: here a small network imitates perfect players on 1,500
    boards. How far the average of twenty playouts is from the truth, on a hundred boards with five empty squares or
    more, by policy:
    """
    table = solve(GAME, GAME.initial())
    early = [board for board in table if board.count(None) >= 5 and not GAME.is_terminal(board)]
    boards = random.Random(5).sample(early, 100)
    for name, policy in (("random", uniform), ("greedy", greedy), ("learned", learned(imitate(GAME, table, 1500)))):
        chance, error = random.Random(1), 0.0
        for board in boards:
            average = sum(simulate(GAME, board, chance, policy) for _ in range(20)) / 20
            error += abs(average - table[board].value)
        print(f"{name:<8} {error / len(boards):.2f}")


def a_learned_policy_plays():
    """Does it win games? The same network, made sharper, against perfect play, 100 games each. With ten iterations a
    move UCT loses far fewer games with learned playouts than with random ones, and about as few as with thirty random
    ones, which take as long: here the network pays for its time, as it is asked once about each board and remembers.
    The more iterations, the less it matters: the tree finds what the policy knows. In Breakthrough we found no such
    gain: nearly every board is new, and a move of the network costs ten times as much as a random one.
    """
    policy = learned(imitate(GAME, solve(GAME, GAME.initial()), 1500), sharpness=4)
    rows = []
    for name, chosen, iterations in (("random", uniform, 10), ("learned", policy, 10), ("random", uniform, 30),
                                     ("learned", policy, 30)):
        started = time.process_time()
        lost = _against_perfect_play(iterations, chosen, 100, seed=1).count(-1)
        rows.append((name, str(iterations), f"{lost} of 100", f"{time.process_time() - started:.1f}"))
    print_table(("playouts", "iterations", "lost", "CPU s"), rows)


def curiosity():
    """C says how much curiosity counts. Visits of the five moves after 1,000 iterations, the best move first: with
    C = 0 the search clings to what was lucky early; with a C far above the range of utilities all moves get nearly the
    same, and the tree falls back to flat Monte Carlo.
    """
    truth = _truth(BOARD)
    moves = sorted(truth, key=lambda action: -truth[action])
    rows = []
    for name, factor in (("0", 0.0), ("0.5", 0.5), ("sqrt 2", math.sqrt(2)), ("5", 5.0), ("50", 50.0)):
        root = search(GAME, BOARD, 1000, random.Random(1), factor)
        rows.append((name, *(str(root.children[action].visits) for action in moves),
                     _square(BOARD, most_visited(root))))
    print_table(("C", *(f"{_square(BOARD, action)} ({truth[action]:+g})" for action in moves), "plays"), rows)


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("montecarlo"))
    print()
    print(side_by_side("mcts"))


def your_turn():
    """Select by UCB1, and choose the move that is played in the end."""
    quiz(child_by_ucb1, move_played)


def _truth(board):
    """What each move is worth to x, by the table of all states."""
    table = solve(GAME, board)
    return {action: table[GAME.result(board, action)].value for action in GAME.actions(board)}


def _against_perfect_play(iterations, policy, games, seed):
    """What UCT gets in each game against an opponent who looks his moves up, and begins every other game."""
    table, chance, results = solve(GAME, GAME.initial()), random.Random(seed), []
    for number in range(games):
        board = GAME.initial()
        while not GAME.is_terminal(board):
            if GAME.to_move(board) == number % 2:
                move = most_visited(search(GAME, board, iterations, chance, policy=policy))
            else:
                values = {action: table[GAME.result(board, action)].value for action in GAME.actions(board)}
                move = chance.choice([action for action in values if values[action] == table[board].value])
            board = GAME.result(board, move)
        results.append(GAME.utility(board, number % 2))
    return results


def _square(state, action):
    return f"{action // 3 + 1},{action % 3 + 1}"


def _moves(node):
    """The moves that lead from the root to a node."""
    moves = []
    while node.parent is not None:
        moves += [_square(node.state, action) for action, child in node.parent.children.items() if child is node]
        node = node.parent
    return " and ".join(reversed(moves))
