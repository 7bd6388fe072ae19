"""Monte Carlo tree search as in the textbook: four steps, repeated; then the most-visited move.

Dice change only this: no player chooses at a chance node, so selection, expansion and playouts roll the dice there.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic

from engine.course.reference.game import CHANCE, MAX, Action, Game, State
from engine.course.reference.requirements import check_player, legal, odds

EXPLORATION = math.sqrt(2)  # UCB1's C. Where utilities are in the tens, pass `search` one as large as they are


@dataclass
class Node(Generic[State, Action]):
    """A state in the tree, and the results of the playouts through it."""

    state: State
    parent: Node[State, Action] | None
    untried: list[Action]
    children: dict[Action, Node[State, Action]] = field(default_factory=dict)
    visits: int = 0  # N(n)
    # U(n): the sum of the utilities, for the player who moved to this state, who chooses between it and its
    # siblings; MAX's if that was chance.
    total: float = 0.0


def ucb1(child: Node[State, Action], parent_visits: int, exploration: float = EXPLORATION) -> float:
    """U(n)/N(n) + C sqrt(ln N(parent) / N(n)): what is promising, and what is uncertain since it was seldom tried."""
    return child.total / child.visits + exploration * math.sqrt(math.log(parent_visits) / child.visits)


def roll(game: Game[State, Action], state: State, chance: random.Random) -> Action:
    """What happens at a chance node."""
    return chance.choices(game.actions(state), odds(game, state))[0]


def roll_new(game: Game[State, Action], node: Node[State, Action], chance: random.Random) -> Action:
    """What happens at a chance node, if it is something that is not in the tree yet."""
    likely = dict(zip(game.actions(node.state), odds(game, node.state), strict=True))
    return chance.choices(node.untried, [likely[event] for event in node.untried])[0]


def select(game: Game[State, Action], node: Node[State, Action], chance: random.Random,
           exploration: float = EXPLORATION) -> Node[State, Action]:
    """Step 1. Descend by UCB1 where a player moves, and by the dice at a chance node; ends at a node of which a move
    was not tried yet, at a chance node whose dice show what is not in the tree yet, or at the end of the game.
    """
    while node.children:
        child: Node[State, Action] | None = None
        if game.to_move(node.state) == CHANCE:
            child = node.children.get(roll(game, node.state, chance))
        elif not node.untried:
            visits = node.visits
            child = max(node.children.values(), key=lambda child: ucb1(child, visits, exploration))
        if child is None:
            break
        node = child
    return node


def expand(game: Game[State, Action], node: Node[State, Action], chance: random.Random) -> Node[State, Action]:
    """Step 2. Add one child: for any move that was not tried before, or for what the dice show; none at the end."""
    if not node.untried:
        return node
    is_rolled = game.to_move(node.state) == CHANCE
    action = roll_new(game, node, chance) if is_rolled else chance.choice(node.untried)
    node.untried.remove(action)
    node.children[action] = new_node(game, game.result(node.state, action), node)
    return node.children[action]


Playout = Callable[[Game[State, Action], State, random.Random], Action]  # the policy of playouts


def uniform(game: Game[State, Action], state: State, chance: random.Random) -> Action:
    """Any move."""
    return chance.choice(legal(game, state))


def greedy(game: Game[State, Action], state: State, chance: random.Random) -> Action:
    """A better policy: win if there is a move that wins, else any move."""
    for action in game.actions(state):
        after = game.result(state, action)
        if game.is_terminal(after) and game.utility(after, game.to_move(state)) > 0:
            return action
    return uniform(game, state, chance)


def simulate(game: Game[State, Action], state: State, chance: random.Random,
             policy: Playout[State, Action] = uniform) -> float:
    """Step 3. Play on by the policy to the end; returns MAX's utility."""
    while not game.is_terminal(state):
        choose = roll if check_player(game, game.to_move(state), "UCT") == CHANCE else policy
        state = game.result(state, choose(game, state, chance))
    return game.utility(state, MAX)


def back_propagate(game: Game[State, Action], node: Node[State, Action] | None, utility: float) -> None:
    """Step 4. Add the result to every node on the path, each for the player who moved there."""
    while node is not None:
        node.visits += 1
        mover = MAX if node.parent is None else game.to_move(node.parent.state)
        node.total += utility if mover in {MAX, CHANCE} else -utility
        node = node.parent


def new_node(game: Game[State, Action], state: State,
             parent: Node[State, Action] | None = None) -> Node[State, Action]:
    return Node(state, parent, [] if game.is_terminal(state) else list(legal(game, state)))


def grow(game: Game[State, Action], state: State, chance: random.Random, exploration: float = EXPLORATION,
         policy: Playout[State, Action] = uniform) -> Iterator[Node[State, Action]]:
    """The root, after every iteration, for ever. For two-player zero-sum games, with or without dice."""
    root = new_node(game, state)
    while True:
        leaf = expand(game, select(game, root, chance, exploration), chance)
        back_propagate(game, leaf, simulate(game, leaf.state, chance, policy))
        yield root


def search(game: Game[State, Action], state: State, iterations: int, chance: random.Random,
           exploration: float = EXPLORATION, policy: Playout[State, Action] = uniform) -> Node[State, Action]:
    """The tree after `iterations` iterations."""
    return next(itertools.islice(grow(game, state, chance, exploration, policy), iterations - 1, None))


def most_visited(root: Node[State, Action]) -> Action:
    """The move to play: not the one with the best average, which may be due to a few lucky playouts."""
    return max(root.children, key=lambda action: root.children[action].visits)


def pure_monte_carlo(game: Game[State, Action], state: State, playouts: int, chance: random.Random) -> Action:
    """Without a tree: `playouts` playouts for each move, and then the move with the best average."""
    sign = 1 if game.to_move(state) == MAX else -1

    def average(action: Action) -> float:
        after = game.result(state, action)
        return sign * math.fsum(simulate(game, after, chance) for _ in range(playouts)) / playouts

    return max(game.actions(state), key=average)
