"""The right answers, and the classic mistakes: each is an implementation that has it, to compare a student's with."""

from __future__ import annotations

import functools
import math
import operator
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.course.homework.games import TreeOfPaths, game_of
from engine.course.reference.game import CHANCE, MAX, MIN

Case = Mapping[str, Any]
Result = tuple[Any, int]  # a value, and the number of leaves that were looked at
AnyGame = Any  # TreeOfPaths or Board: each takes its own states
_INFINITY = math.inf


@dataclass(frozen=True)
class _Search:
    """Minimax or alpha-beta; each field but the first is a decision that can be taken wrongly."""

    prunes: bool
    cuts: Callable[[float, float], bool] = operator.ge  # alpha, beta
    window: str = "passed"  # or "swapped", "forgotten"
    best: float = _INFINITY  # where MIN's search for the smallest begins; MAX's begins at its negative
    deeper: int = 0  # plies too many
    leaf: str = "MAX"  # or "MIN", "mover", "last": whose utility is taken; "both negated": the evaluation is MIN's, too
    alternates: bool = True
    asks_who_moves: bool = True  # otherwise MAX is taken to move first
    only_at: int | None = None  # the one player whose nodes are cut off
    keeps: int | None = None  # the player whose moves do not move the bound
    is_mirrored: bool = False  # MAX minimises
    bounds: str = "own"  # or "other": MAX tightens beta
    ignores_depth: bool = False

    def run(self, case: Case) -> Result:
        """What it answers."""
        game, depth = game_of(case), case.get("depth")
        left = None if depth is None or self.ignores_depth else depth + self.deeper
        value = self.value(game, game.initial(), left, -_INFINITY, _INFINITY)
        return value, len(game.looked)

    def _maximises(self, game: AnyGame, state: Any, ply: int) -> bool:
        player = game.to_move(state) if self.asks_who_moves else ply % 2
        return (player == MAX or not self.alternates) != self.is_mirrored

    def value(self, game: AnyGame, state: Any, depth: int | None, alpha: float, beta: float, ply: int = 0) -> float:
        if game.is_terminal(state):
            return self._leaf(game, state)
        if depth is not None and depth <= 0:
            guess: float = game.evaluate(state)
            return -guess if self.leaf == "both negated" else guess
        is_max = self._maximises(game, state, ply)
        player = MAX if is_max else MIN
        best = -self.best if is_max else self.best
        for action in game.actions(state):
            window = {"passed": (alpha, beta), "swapped": (beta, alpha),
                      "forgotten": (-_INFINITY, _INFINITY)}[self.window]
            value = self.value(game, game.result(state, action), None if depth is None else depth - 1, *window, ply + 1)
            best = max(best, value) if is_max else min(best, value)
            low, high = alpha, beta
            if is_max == (self.bounds == "own"):
                low = max(alpha, best)
            else:
                high = min(beta, best)
            if self.prunes and self.only_at in {None, player} and self.cuts(low, high):
                break
            if self.keeps != player:
                alpha, beta = low, high
        return best

    def _leaf(self, game: AnyGame, state: Any) -> float:
        if self.leaf in {"mover", "last"}:
            depth = len(state) if isinstance(game, TreeOfPaths) else 9 - state.count(None)
            return float(game.utility(state, (MAX, MIN)[(depth + (self.leaf == "last")) % 2]))
        return float(game.utility(state, MAX if self.leaf == "MAX" else MIN))


def _expected(case: Case, mean: Callable[[list[float], list[float]], float],
              best: Callable[[list[float]], float] = max) -> Result:
    """Expectimax, with a way to take the average, and what MAX does."""
    game = game_of(case)

    def value(state: Any) -> float:
        if game.is_terminal(state):
            return float(game.utility(state, MAX))
        values = [value(game.result(state, action)) for action in game.actions(state)]
        if game.to_move(state) == CHANCE:
            return mean([game.probability(state, action) for action in game.actions(state)], values)
        return best(values)

    found = value(game.initial())
    return found, len(game.looked)


def _weighted(odds: list[float], values: list[float]) -> float:
    return math.fsum(chance * value for chance, value in zip(odds, values, strict=True))


def _bound(formula: Callable[[float, float, float, float], float]) -> Callable[[Case], Result]:
    return lambda case: (formula(*case["numbers"]), 0)


@dataclass(frozen=True)
class _Tree:
    """UCT; the fields are decisions that can be taken wrongly."""

    negates: bool = True
    rollout: str = "MAX"  # or "MIN", or "mover": whose utility a playout brings
    counts: str = "parent"  # or "child": whose visits are under the logarithm
    exploration: float = math.sqrt(2)
    chooses: Callable[..., Any] | None = max  # None: any child
    backs_up: bool = True  # or only the new node learns of the playout

    def run(self, case: Case) -> Result:
        """Visits and totals of the root's actions."""
        game: AnyGame = game_of(case)
        chance = random.Random(case.get("seed", 1))
        start = game.initial()
        nodes: dict[Any, list[float]] = {start: [0, 0.0]}
        for _ in range(case["iterations"]):
            path = [start]
            while not game.is_terminal(path[-1]):
                after = [game.result(path[-1], action) for action in game.actions(path[-1])]
                new = [state for state in after if state not in nodes]
                path.append(chance.choice(new or after) if new or self.chooses is None
                            else self._selected(nodes, path[-1], after))
                if new:
                    break
            utility = self._playout(game, path[-1], chance)
            self._back_up(nodes, path if self.backs_up else path[-1:], utility)
            nodes[start][0] += not self.backs_up
        children = {action: nodes.get(game.result(start, action), [0, 0.0]) for action in game.actions(start)}
        sign = 1 if game.to_move(start) == MAX or not self.negates else -1
        return {str(action): [visits, sign * total] for action, (visits, total) in children.items()}, 0

    def _selected(self, nodes: Mapping[Any, list[float]], parent: Any, after: list[Any]) -> Any:
        def bound(state: Any) -> float:
            visits, total = nodes[state]
            counted = nodes[parent][0] if self.counts == "parent" else visits
            sign = -1 if self.negates and len(parent) % 2 else 1  # MIN moves there
            return sign * total / visits + self.exploration * math.sqrt(math.log(counted) / visits)

        assert self.chooses is not None
        return self.chooses(after, key=bound)

    def _playout(self, game: AnyGame, state: Any, chance: random.Random) -> float:
        first = state
        while not game.is_terminal(state):
            state = game.result(state, chance.choice(game.actions(state)))
        player = {"MAX": MAX, "MIN": MIN, "mover": len(first) % 2}[self.rollout]
        return float(game.utility(state, player))

    @staticmethod
    def _back_up(nodes: dict[Any, list[float]], path: list[Any], utility: float) -> None:
        """Totals are MAX's."""
        for state in path:
            node = nodes.setdefault(state, [0, 0.0])
            node[0] += 1
            node[1] += utility


_MINIMAX = functools.partial(_Search, prunes=False)
_ALPHABETA = functools.partial(_Search, prunes=True)

RIGHT: Mapping[str, Callable[[Case], Result]] = {
    "minimax": _MINIMAX().run,
    "alphabeta": _ALPHABETA().run,
    "expectimax": lambda case: _expected(case, _weighted),
    "ucb1": _bound(lambda total, visits, parent, c: total / visits + c * math.sqrt(math.log(parent) / visits)),
    "uct": _Tree().run,
}

# In the order in which they are tried: of several that explain all answers the first is named.
_OF_A_SEARCH: Mapping[str, Mapping[str, Any]] = {
    "sign at the leaf: the utility is MIN's, not MAX's": {"leaf": "MIN"},
    "sign at the leaf: utility and evaluation are MIN's, not MAX's": {"leaf": "both negated"},
    "sign at the leaf: the utility is that of the player to move, not MAX's": {"leaf": "mover"},
    "sign at the leaf: the utility is that of the player who moved last, not MAX's": {"leaf": "last"},
    "depth off by one: it looks a ply too far": {"deeper": 1},
    "depth off by one: it stops a ply too early": {"deeper": -1},
    "the depth is ignored": {"ignores_depth": True},
    "it never alternates: MIN maximises, too": {"alternates": False},
    "to_move is not asked: MAX is taken to move first": {"asks_who_moves": False},
    "MAX and MIN are swapped": {"is_mirrored": True},
    "the best value so far begins at 0, not at infinity": {"best": 0.0},
}
_OF_WINDOWS: Mapping[str, Mapping[str, Any]] = {
    "bounds swapped: beta is passed down as alpha, and alpha as beta": {"window": "swapped"},
    "bounds swapped: MAX tightens beta, MIN alpha": {"bounds": "other"},
    "it cuts only where alpha > beta, not where they are equal": {"cuts": operator.gt},
    "window not passed down, or no cutoff: it looks at as many leaves as minimax": {"window": "forgotten"},
    "it cuts off at MAX's nodes only": {"only_at": MAX},
    "it cuts off at MIN's nodes only": {"only_at": MIN},
    "alpha is never raised": {"keeps": MAX},
    "beta is never lowered": {"keeps": MIN},
    "it cuts where alpha <= beta": {"cuts": operator.le},
}
MISTAKES: Mapping[str, Mapping[str, Callable[[Case], Result]]] = {
    "minimax": {name: _MINIMAX(**wrong).run for name, wrong in _OF_A_SEARCH.items()},
    "alphabeta": {name: _Search(**{"prunes": True, **wrong}).run
                  for name, wrong in {**_OF_WINDOWS, **_OF_A_SEARCH}.items()},
    "expectimax": {
        "expectimax without weights: all events count the same": lambda case: _expected(
            case, lambda odds, values: sum(values) / len(values)),
        "the values are added up and not weighted": lambda case: _expected(case, lambda odds, values: sum(values)),
        "the chance node is treated as MIN: the worst event counts": lambda case: _expected(
            case, lambda odds, values: min(values)),
        "the chance node is treated as MAX: the best event counts": lambda case: _expected(
            case, lambda odds, values: max(values)),
        "only the likeliest event counts": lambda case: _expected(
            case, lambda odds, values: values[odds.index(max(odds))]),
        "MAX's moves are averaged, too": lambda case: _expected(
            case, _weighted, lambda values: sum(values) / len(values)),
        "weighted, and then divided by the number of events": lambda case: _expected(
            case, lambda odds, values: _weighted(odds, values) / len(values)),
    },
    "ucb1": {
        "the logarithm of the wrong count: the child's visits, not its parent's": _bound(
            lambda total, visits, parent, c: total / visits + c * math.sqrt(math.log(visits) / visits)),
        "the visits of child and parent are swapped": _bound(
            lambda total, visits, parent, c: total / visits + c * math.sqrt(math.log(visits) / parent)),
        "no logarithm": _bound(lambda total, visits, parent, c: total / visits + c * math.sqrt(parent / visits)),
        "a logarithm to base 10, not the natural one": _bound(
            lambda total, visits, parent, c: total / visits + c * math.sqrt(math.log10(parent) / visits)),
        "a logarithm to base 2, not the natural one": _bound(
            lambda total, visits, parent, c: total / visits + c * math.sqrt(math.log2(parent) / visits)),
        "no root": _bound(lambda total, visits, parent, c: total / visits + c * math.log(parent) / visits),
        "c stands under the root": _bound(
            lambda total, visits, parent, c: total / visits + math.sqrt(c * math.log(parent) / visits)),
        "a factor of 2 under the root": _bound(
            lambda total, visits, parent, c: total / visits + c * math.sqrt(2 * math.log(parent) / visits)),
        "sqrt(2) stands where c belongs": _bound(
            lambda total, visits, parent, c: total / visits + math.sqrt(2 * math.log(parent) / visits)),
        "the average is rounded down: // stands where / belongs": _bound(
            lambda total, visits, parent, c: total // visits + c * math.sqrt(math.log(parent) / visits)),
        "c is left out": _bound(lambda total, visits, parent, c: total / visits + math.sqrt(math.log(parent) / visits)),
        "the total stands where the average belongs": _bound(
            lambda total, visits, parent, c: total + c * math.sqrt(math.log(parent) / visits)),
        "the average is divided by the parent's visits": _bound(
            lambda total, visits, parent, c: total / parent + c * math.sqrt(math.log(parent) / visits)),
    },
    "uct": {
        "UCT without negation: MIN chooses what is good for MAX": _Tree(negates=False).run,
        "rollout from the wrong side: the utility is MIN's, not MAX's": _Tree(rollout="MIN").run,
        "rollout from the wrong side: the utility is the leaf's player's, not MAX's": _Tree(rollout="mover").run,
        "the logarithm of the wrong count: the child's visits, not its parent's": _Tree(counts="child").run,
        "it selects the smallest bound": _Tree(chooses=min).run,
        "no exploration: C is 0": _Tree(exploration=0).run,
        "selection at random: UCB1 decides nothing": _Tree(chooses=None).run,
        "no back-propagation: only the new node learns of the playout": _Tree(backs_up=False).run,
    },
    "evaluation": {},
}
