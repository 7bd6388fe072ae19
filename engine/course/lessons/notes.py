"""The lecture, slide by slide: what each one shows, computed anew. Every number below is what the algorithms of
engine/course/reference give; where a slide names a number, it is the same one, but for Pacman's: his grid is our own.
"""

from __future__ import annotations

import math
import random

import chess

from engine.cli.tables import print_table
from engine.course.meetings import HEADINGS, meeting_rows
from engine.course.quiz import quiz
from engine.course.reference.alphabeta import alphabeta, alphabeta_search
from engine.course.reference.beliefs import averaged, belief
from engine.course.reference.evaluation import FEATURES, material, quiescent
from engine.course.reference.exercises.chance import average_of_chance, child_by_ucb1
from engine.course.reference.exercises.hidden import regret_of_a_hand
from engine.course.reference.exercises.question import plain
from engine.course.reference.exercises.trees import back_up, next_cutoff
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.reference.games import backgammon
from engine.course.reference.games import chess as chess_game
from engine.course.reference.games.backgammon import BackgammonState, SmallBackgammon
from engine.course.reference.games.board import TicTacToe
from engine.course.reference.games.buckets import BucketGame
from engine.course.reference.games.chess import Chess
from engine.course.reference.games.halving import Halving
from engine.course.reference.games.kuhn import Kuhn
from engine.course.reference.games.rockpaperscissors import PAPER, PAYOFFS, ROCK
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import Count, minimax
from engine.course.reference.ordering import Ordered
from engine.course.reference.regret import matched, regrets
from engine.course.reference.requirements import face_up
from engine.course.reference.rules import CHESS_RULES, choose
from engine.course.reference.trace import Trace
from engine.course.reference.uct import most_visited, search
from engine.course.reference.wins import back_propagate, expand, most_played, select, upper_bound
from engine.course.slides import (
    AGENT_VIEWS,
    FOUR_FIELDS,
    GAMES,
    HISTORY,
    RESOURCES,
    Market,
    evaluations,
    fraction_picture,
    monte_carlo_root,
    power_of_ten,
)
from engine.course.svg import stacked
from engine.course.trees import outline, picture, traced

TWO_PLIES = TreeGame([[2, 7], [1, 8]])
FOUR_PLIES = TreeGame([[[[8, 7], [3, 9]], [[9, 8], [2, 4]]], [[[1, 8], [8, 9]], [[9, 9], [3, 4]]]])
PROTECTED_PAWN = "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1"
CUTS = "Red strokes: cut off, never looked at. Small numbers: the order of visits."


def three_views_of_many_agents():
    """What can an agent make of others who act in the same world? Three answers. The first is shown in small: nobody's
    choice is predicted, and yet the price comes to rest where as much is offered as is wanted.
    """
    for number, (name, words) in enumerate(AGENT_VIEWS.items(), 1):
        print(f"({number}) {name}: {words}")
    market = Market(random.Random(1))
    print("\nA market of 1,000 buyers and 1,000 sellers. What is wanted less what is offered moves the price:")
    for day in range(41):
        if day % 10 == 0:
            print(f"  day {day:2}: price {market.price:5.2f}   wanted {market.wanted()}   offered {market.offered()}")
        market.next_day()


def axes_of_games():
    """Games differ along four axes: chance or none, how many players, zero-sum or general, and whether everybody sees
    everything. In all of them a solution is a policy: an action for every state, not a sequence of moves.
    """
    print_table(("game", "chance", "players", "sum", "information"), [(name, *axes) for name, axes in GAMES.items()],
                left=("chance", "players", "sum", "information"))
    print()
    print_table(("", "deterministic", "chance"),
                [(seen, *(", ".join(FOUR_FIELDS[seen, luck]) for luck in ("deterministic", "chance")))
                 for seen in ("perfect", "imperfect")], left=("deterministic", "chance"))


def utilities():
    """What the end of a game is worth. Chess: 1, 0 or 1/2. Backgammon: from 0 to 192, since a game can count three
    times and the doubling cube stands at 64 at most. In a zero-sum game one number is enough, MIN gets the rest; in
    general it takes a tuple, one number for each player.
    """
    mate, stalemate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
    for name, payoffs in (("the notes' scale", chess_game.POINTS), ("as a zero-sum game", chess_game.ZERO_SUM)):
        game = Chess(payoffs=payoffs)
        print(f"chess, {name:<18}  win {game.utility(mate, MAX):g}   draw {game.utility(stalemate, MAX):g}   "
              f"loss {game.utility(mate, MIN):g}")
    game = SmallBackgammon(stakes=backgammon.POINTS)
    lost = BackgammonState(((0, 0), (1, game.length)))
    print(f"backgammon, cube at 64      {game.utility(lost, MIN):g} to {game.utility(lost, MAX):g}")


def five_ways_to_play():
    """How could a program play chess? (1) By analysis, strategy and tactics, as people do: it is not known how to
    write that down. (2) By IF-THEN rules: rank the moves by rules, play the highest; good for draughts, not for chess.
    (3) Look one step ahead and evaluate. (4) Brute force: look ahead to the end. (5) Look ahead as far as is feasible,
    and evaluate the leaves. White's queen can take a protected pawn. What do the rules say, and what the others?
    """
    game, board = Chess(PROTECTED_PAWN), chess.Board(PROTECTED_PAWN)
    print(board, "\n")
    quiet = quiescent(game, material, lambda fen: [move.uci() for move in chess.Board(fen).generate_legal_captures()])
    ways = {
        "IF it takes a piece THEN rank it by the piece": choose(CHESS_RULES, PROTECTED_PAWN,
                                                                game.actions(PROTECTED_PAWN)),
        "look one step ahead and evaluate": alphabeta_search(game, PROTECTED_PAWN, 1, material),
        "look two steps ahead, to where it is quiet": alphabeta_search(game, PROTECTED_PAWN, 2, quiet),
    }
    for name, move in ways.items():
        answer = "and the queen is lost" if move == "d2d5" else "and keeps her"
        print(f"{name:<47} {board.san(chess.Move.from_uci(move))} {answer}")


def a_position_as_features():
    """An evaluation is a function of features, S = g(f1, f2, ..., fN): king safety, pawn structure, number of pieces.
    The usual g is a linear scoring polynomial: each feature times its weight, added up. Here are the features of this
    course and their weights.
    """
    print("S = " + " + ".join(f"{weight:g} x {name}" for name, (weight, _) in FEATURES.items()).replace("+ -", "- "))


def brute_force():
    """Could one not simply look at everything? Sixty moves each with a branching factor of about 10 are 10^120 games.
    Suppose every atom of the universe, 10^80, evaluated a position every nanosecond since its beginning:
    """
    games, done = 10**120, evaluations()
    print_table(("", "powers of ten"), [
        ("games of 120 plies with 10 moves each", power_of_ten(games)),
        *((name, power_of_ten(number)) for name, number in RESOURCES.items()),
        ("positions evaluated by all", power_of_ten(done)),
        ("missing orders of magnitude", str(math.floor(math.log10(games / done)) + 1)),
        ("chess, 35 moves and 100 plies: 35^100", f"about {power_of_ten(35**100)}")])


def in_small():
    """The same in small: b = 4 moves and d = 6 plies. Minimax looks at all b^d leaves; with perfect order alpha-beta's
    exponent is halved. What alpha-beta needs exactly is b^3 + b^3 - 1, close to twice the square root.
    """
    tree = 0
    for _ in range(6):
        tree = [tree] * 4
    game, whole, pruned = TreeGame(tree), Count(), Count()
    minimax(game, game.initial(), count=whole)
    alphabeta(game, game.initial(), count=pruned)
    print(f"b^d = {whole.leaves:,} leaves; b^(d/2) = {math.isqrt(whole.leaves)}; alpha-beta looked at {pruned.leaves}")


def the_two_ply_tree():
    """MAX over two MIN nodes with the leaves 2, 7 and 1, 8. The first node is worth 2. In the second MIN has 1 already,
    which is less: the 8 is never looked at. The root is worth 2. MAX would like the largest leaf, MIN the smallest;
    with best play of both they meet between: 2 is the compromise.
    """
    trace = Trace()
    move = alphabeta_search(TWO_PLIES, TWO_PLIES.initial(), count=trace)
    tree = traced(TWO_PLIES, trace, has_windows=True)
    print(outline(tree) + f"\n\nvalue {plain(trace.root.value)}, {trace.leaves} of 4 leaves looked at; MAX plays "
          f"the {('first', 'second')[move]} move")
    leaves = [leaf for row in TWO_PLIES.initial().tree for leaf in row]
    print(f"MAX would like {max(leaves)}, MIN {min(leaves)}; {plain(trace.root.value)} is the compromise")
    return picture(tree, "Two plies: the 8 is never looked at", [CUTS])


def the_four_ply_tree():
    """Four plies, sixteen leaves: first minimax, which backs a value up to every node, then alpha-beta, which skips
    what cannot matter, and finds the same 8. In the best order it would skip more.
    """
    pictures = []
    for name, algorithm in (("minimax", minimax), ("alpha-beta", alphabeta)):
        trace = Trace()
        value = algorithm(FOUR_PLIES, FOUR_PLIES.initial(), count=trace)
        print(f"{name}: value {plain(value)}, {trace.leaves} of 16 leaves")
        tree = traced(FOUR_PLIES, trace)
        pictures.append(picture(tree, f"Four plies by {name}: value {plain(value)}", [CUTS]))
    print("\n" + outline(tree))

    def true_value(state, action):
        value = minimax(FOUR_PLIES, FOUR_PLIES.result(state, action))
        return value if FOUR_PLIES.to_move(state) == 0 else -value

    ordered = Count()
    alphabeta(Ordered(FOUR_PLIES, true_value), FOUR_PLIES.initial(), count=ordered)
    print(f"\nbest moves first: {ordered.leaves} of 16 leaves")
    return stacked(pictures)


def the_halving_and_the_bucket_game():
    """The two games of the lecture as alpha-beta sees them. Halving from 5: take one away or halve; the player left
    with 0 wins. Buckets: MAX picks one of three, MIN takes a number from it.
    """
    halving, buckets = Halving(5), BucketGame(((-50, 50), (1, 3), (-5, 15)))
    pictures = []
    for game, title, way, note in (
            (halving, "The halving game from 5", lambda _, action: action.split()[0], lambda state: str(state.number)),
            (buckets, "The bucket game", lambda state, action: "" if state.is_settled else "ABC"[action], None)):
        whole, trace = Count(), Trace()
        minimax(game, game.initial(), count=whole)
        value = alphabeta(game, game.initial(), count=trace)
        print(f"{title}: value {plain(value)}, alpha-beta looks at {trace.nodes} of {whole.nodes} nodes")
        pictures.append(picture(traced(game, trace, way=way, note=note), f"{title}: what alpha-beta looks at", [CUTS]))
    return stacked(pictures)


def why_chance():
    """Why should there be chance nodes? Because there are dice; because opponents may be random rather than
    adversarial; and because actions can fail, as when a wheel slips. A chance node is worth the average.
    """
    game = TreeGame([8, 24, -12], (CHANCE,), (1 / 2, 1 / 3, 1 / 6))
    print(f"1/2 x 8 + 1/3 x 24 + 1/6 x (-12) = {plain(expectiminimax(game, game.initial()))}")


def pacman_and_two_ghosts():
    """What if the belief about the opponent is wrong? Five games of each player against each ghost, and the points of
    the lecture's five. They differ by a point where Pacman goes a longer way: the grid is our own, the ghost starts in
    one of five places, and from the last it comes too late. `adversary class pacman` shows it, and plays two hundred.
    """
    print_table(HEADINGS, meeting_rows(5))


def a_monte_carlo_tree():
    """A tree after 100 playouts. A node shows the wins of the player who moved to it, and the playouts: the root's 37
    wins are those of the player who moved last, the other 63 are split among the children, 60 + 1 + 2. One iteration
    takes four steps. Selection: go down by UCB1. Expansion: add a node. Simulation: play on at random; here the player
    who moved to the new node loses. Back-propagation: all on the way count the playout, the winner's nodes a win.
    """
    root = monte_carlo_root()
    pictures = [fraction_picture(root, (), "A Monte Carlo tree after 100 playouts")]
    for child in root.children:
        print(f"UCB1 of {child}: {upper_bound(child, root):.3f}")
    path = select(root)
    print(f"selection:        {' -> '.join(map(str, path))}")
    pictures.append(fraction_picture(root, path, "Selection", "Thick lines: the largest UCB1 at each node."))
    path = expand(path)
    print(f"expansion:        a child {path[-1]} of {path[-2]}")
    pictures.append(fraction_picture(root, path, "Expansion and simulation",
                                     "From the new node the game is played on at random: a loss."))
    back_propagate(path, is_won=False)
    print(f"back-propagation: {' -> '.join(map(str, path))}")
    pictures.append(fraction_picture(root, path, "Back-propagation", "Every node on the way counts one playout more."))
    print(f"returned in the end: {most_played(root)}, the child with the most playouts")
    return stacked(pictures)


def which_action_is_returned():
    """Tic-tac-toe after 1,000 playouts from the empty board: how often each square was visited. The most-visited child
    is returned, and that is x in the middle.
    """
    game = TicTacToe()
    root = search(game, game.initial(), 1000, random.Random(1))
    for row in (0, 3, 6):
        print("  ".join(f"{root.children[square].visits:4d}" for square in range(row, row + 3)))
    best = most_visited(root)
    print(f"\nreturned: row {best // 3 + 1}, column {best % 3 + 1}")


def hidden_information():
    """Kriegspiel and poker hide something. Optimal play reasons about what everyone may believe, now and later. A
    simple approximation: average the value of an action over all that may be hidden. You hold the queen at Kuhn poker
    and face a bet; the other holds the jack or the king, each as likely as the other. `adversary class hidden` shows
    where averaging errs.
    """
    game = Kuhn()
    cards, seen = belief(game, "Qb", MIN), face_up(game)
    for action, name in (("p", "fold"), ("b", "call")):
        values = [-expectiminimax(seen, seen.result(table, action)) for table in cards]
        print(f"{name}: " + " + ".join(f"1/2 x ({value:+g})" for value in values)
              + f" = {0.0 - averaged(game, cards, action):g}")


def regret_of_one_game():
    """Rock against paper. The utilities of rock, paper and scissors against paper are -1, 0 and 1; rock got -1. The
    regret is what each would have brought, less what was got. Summed over games and made positive it becomes the next
    strategy.
    """
    brought = tuple(row[PAPER] for row in PAYOFFS)
    print(f"{brought} - ({PAYOFFS[ROCK][PAPER]}) = {regrets(PAYOFFS, ROCK, PAPER)}")
    print("(-1, 1, 2) becomes (" + ", ".join(f"{share:.3f}" for share in matched((-1, 1, 2))) + ")")


def history():
    """What became of it in the real world."""
    print_table(("game", "year", "what happened"), HISTORY, left=("year", "what happened"))


def your_turn():
    """One question of each kind."""
    quiz(back_up, next_cutoff, average_of_chance, child_by_ucb1, regret_of_a_hand, rounds=5)
