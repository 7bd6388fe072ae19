"""The file that students fill in."""

from __future__ import annotations

STUBS = '''"""Homework on adversarial search. Fill in the functions; `adversary class grade THIS_FILE.py` checks them.

A game has six functions, and a seventh for chance:

    game.initial()                    the state where the game begins
    game.to_move(state)               MAX, MIN or CHANCE; not for a state that is terminal
    game.actions(state)               a list of actions
    game.result(state, action)        the state after an action
    game.is_terminal(state)           whether the game is over
    game.utility(state, player)       what a terminal state is worth to MAX or to MIN
    game.probability(state, action)   how likely an event is, where CHANCE moves

Values are MAX's. Try actions in their order, the first one first. The standard library is there, the course is not.
Keep nothing between calls: equal states may belong to different games.
"""

import math
import random

MAX, MIN, CHANCE = 0, 1, -1


def minimax(game, state, depth, evaluate):
    """The value of a state. A depth of None searches to the end of the game; otherwise look that many plies ahead, and
    call evaluate(state) where the depth ends before the game does.
    """
    raise NotImplementedError


def alphabeta(game, state, depth, evaluate, alpha=-math.inf, beta=math.inf):
    """The same value, without the leaves that cannot change it: stop where alpha >= beta."""
    raise NotImplementedError


def expectimax(game, state):
    """The value of a state to the end of the game, in which MAX and CHANCE move."""
    raise NotImplementedError


def ucb1(total, visits, parent_visits, c):
    """UCB1 of a child: its average, and c times the root of the logarithm of its parent's visits over its own."""
    raise NotImplementedError


def uct(game, state, iterations, chance):
    """Monte Carlo tree search with C = sqrt(2); `chance` is a random.Random. Returns a dictionary: for each action of
    the root a pair, its visits, and the sum of the utilities of these visits for the player who moves at the root.
    """
    raise NotImplementedError


def evaluation(game, state):
    """How good a board of tic-tac-toe is for MAX, who has 0 on it (MIN has 1, empty squares None): between -1 and 1."""
    raise NotImplementedError
'''
