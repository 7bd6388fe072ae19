"""Minimax needs an evaluation, and the larger the number of moves, the less far it sees. Monte Carlo tree search needs
no evaluation. Where does it shine? In Hex the players take turns to put a stone on a cell; x wins by joining top and
bottom, o by joining left and right. There are no draws: on a full board exactly one of them has done so. Who is better
in the middle of a game is hard to say, as it was in Go.
"""

from __future__ import annotations

import math
import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.fit import check
from engine.course.growth import grown
from engine.course.own_play import meet
from engine.course.players import Effort, new_player
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import child_by_ucb1
from engine.course.reference.exercises.hex import winning_cell
from engine.course.reference.games.breakthrough import Breakthrough
from engine.course.reference.games.hex import Hex
from engine.course.reference.uct import search
from engine.course.svg import stacked
from engine.course.trees import picture

GAME, LARGE = Hex(4), Hex(7)
BUDGETS = (30, 100, 300, 1000)  # states that each player may look at for a move
GAMES = {"Hex 4 x 4": 14, "Breakthrough 5 x 5": 4}
CURIOSITIES = (0.0, 0.3, 1.4, 10.0)
ITERATIONS = 400
MATCH, PLAYOUTS = 20, 96  # games of flat Monte Carlo and UCT, and playouts for a move


def the_game():
    """A game of two random players on a board of 7 x 7, and what can play it. The tree to the end has as many paths as
    there are orders of 49 cells; a table is out of reach as well.
    """
    chance, board = random.Random(3), LARGE.initial()
    while not LARGE.is_terminal(board):
        board = LARGE.result(board, chance.choice(LARGE.actions(board)))
    print(LARGE.text(board))
    print(f"\n{'x' if LARGE.utility(board, 0) > 0 else 'o'} has won\n")
    orders = math.log10(math.factorial(LARGE.size**2))
    print(f"moves in the beginning: {LARGE.size**2}; orders of all cells: about 10^{orders:.0f}\n")
    print(check(LARGE))


def flat_monte_carlo_first():
    """Before there is a tree: the same number of random playouts for each move, and the best average is played. Then
    UCT with as many playouts, which spends them where it pays, in twenty games on 4 x 4:
    """
    chance, fit = random.Random(1), check(GAME)
    flat, tree = (new_player(name, GAME, fit, Effort(iterations=PLAYOUTS), chance) for name in ("montecarlo", "uct"))
    found = meet(GAME, (tree, flat), MATCH, chance)
    print(f"UCT against flat Monte Carlo, {PLAYOUTS} playouts for a move: {found['points']:g} of {MATCH} points")


def how_curious():
    """C is how much uncertainty counts beside the average. With C = 0 the tree goes where the first playouts went well,
    and hardly looks elsewhere; with a large C it looks at all moves alike, and learns little about the good ones. Try
    your own: `adversary class play hex --algorithm uct --exploration 0.3 --against uct`.
    """
    rows, curves, pictures = [], {}, []
    for curiosity in CURIOSITIES:
        root = search(GAME, GAME.initial(), ITERATIONS, random.Random(2), curiosity)
        visits = sorted((child.visits for child in root.children.values()), reverse=True)
        rows.append((f"{curiosity:g}", str(visits[0]), str(visits[-1]), f"{sum(count > 10 for count in visits)} of 16"))
        curves[f"C = {curiosity:g}"] = [(number, count) for number, count in enumerate(visits, 1)]
        if curiosity in CURIOSITIES[1:3]:
            pictures.append(picture(grown(GAME, root, _cell, widest=(5, 2)), f"Hex, C = {curiosity:g}"))
    print_table(("C", "most visits", "least", "moves with more than 10"), rows)
    return stacked([chart("Visits of the moves, the most visited first", ("move", "visits"), curves), *pictures])


def where_the_curves_cross():
    """UCT against alpha-beta, which deepens as far as it gets. Both may look at the same number of states for a move,
    so that the games are the same on every machine. In Hex alpha-beta is told what a beginner sees: stones near the
    middle are good. With few states UCT knows nothing, as it has hardly a playout for each move; from some number on
    it wins. In Breakthrough, where pawns take pawns, counting them says a lot, and alpha-beta stays ahead: trees
    shine where nobody can tell how good a board is.

    By equal time, on the board of 7 x 7: `adversary class play hex --algorithm uct --against alphabeta --seconds 0.1`.
    """
    curves, rows = {}, []
    for name, game in (("Hex 4 x 4", GAME), ("Breakthrough 5 x 5", Breakthrough(5, 5))):
        shares = [_share(game, states, GAMES[name]) for states in BUDGETS]
        curves[name] = list(zip(BUDGETS, shares, strict=True))
        rows.append((name, *(f"{share:.0f} %" for share in shares)))
    print_table(("UCT's points", *(f"{states:,} states" for states in BUDGETS)), rows)
    return chart("UCT against alpha-beta", ("states that each may look at for a move", "UCT's points in %"), curves,
                 levels={"even": 50}, is_log=(True, False))


def your_turn():
    """Find the cell that wins, and select as UCT does."""
    quiz(winning_cell, child_by_ucb1)


def _share(game, states, games):
    """UCT's share of the points, in per cent."""
    chance, fit, effort = random.Random(1), check(game), Effort(states=states)
    players = tuple(new_player(name, game, fit, effort, chance) for name in ("uct", "alphabeta"))
    return 100 * meet(game, players, games, chance)["points"] / games


def _cell(state, action):
    return f"{action // GAME.size + 1},{action % GAME.size + 1}"
