"""Each algorithm of the course as a player of any game that it fits: a state in, an action out."""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.course.fit import Fit
from engine.course.reference import alphabeta, alphazero, cfr, learning, maxn, minimax, solved, uct
from engine.course.reference.encoding import encoded
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import CHANCE, Game
from engine.course.reference.requirements import Wrapped
from engine.system.errors import InputError

Chooser = Callable[[Any], Any]  # a state -> an action
_DEEPENING = {"alphabeta"}  # those that search depth after depth if their time is limited
_DEEPEST = 60  # plies
_CFR_WORK, _CFR_ITERATIONS = 400_000, 2000  # nodes that regret minimisation visits before the game begins
_HIDDEN_UNITS, _TRAINING_ITERATIONS = 64, 40  # of the network that AlphaZero learns with


@dataclass(frozen=True)
class Effort:
    """How hard a player tries."""

    depth: int | None = None  # plies of a search; to the end of the game without it
    iterations: int = 1000  # of a tree, or playouts of all moves together
    exploration: float = uct.EXPLORATION
    games: int = 60  # that AlphaZero learns from
    seconds: float | None = None  # of CPU time for a move, instead of a depth or of iterations
    states: int | None = None  # that may be looked at for a move, instead: the same games on every machine

    @property
    def has_budget(self) -> bool:
        """Whether time or states limit a move."""
        return self.seconds is not None or self.states is not None


@dataclass(frozen=True)
class _Setting:
    """What a player is made from."""

    game: Game[Any, Any]
    fit: Fit
    effort: Effort
    chance: random.Random

    @property
    def evaluate(self) -> Callable[[Any], float]:
        """The game's own evaluation; without one, nothing is known where the depth ends."""
        own: Callable[[Any], float] = getattr(self.game, "evaluate", lambda state: 0.0)
        return own


def _minimax(setting: _Setting) -> Chooser:
    return lambda state: minimax.minimax_search(setting.game, state, setting.effort.depth, setting.evaluate)


class _BudgetSpentError(Exception):
    """The search has had its time, or its states."""


class _Budget:
    """What a player may spend on a move."""

    def __init__(self, effort: Effort) -> None:
        self._end = math.inf if effort.seconds is None else time.process_time() + effort.seconds
        self._most, self.states = effort.states or math.inf, 0

    def is_spent(self) -> bool:
        """Whether time is up, or all states have been looked at."""
        return self.states >= self._most or time.process_time() > self._end


class _Watch(minimax.Count):
    """Ends a search, from inside, when its budget is spent."""

    def __init__(self, budget: _Budget) -> None:
        super().__init__()
        self._budget = budget

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        self._budget.states += 1
        if self._budget.is_spent():
            raise _BudgetSpentError


class _Counted(Wrapped[Any, Any]):
    """A game that counts the states that are looked at."""

    def __init__(self, game: Game[Any, Any], budget: _Budget) -> None:
        super().__init__(game)
        self._budget = budget

    def result(self, state: Any, action: Any) -> Any:
        self._budget.states += 1
        return self.game.result(state, action)


def _alphabeta(setting: _Setting) -> Chooser:
    if setting.effort.has_budget:
        return lambda state: _deepened(setting, state)
    return lambda state: alphabeta.alphabeta_search(setting.game, state, setting.effort.depth, setting.evaluate)


def _deepened(setting: _Setting, state: Any) -> Any:
    """Iterative deepening until the budget is spent; the move of the last depth that was finished."""
    watch, move = _Watch(_Budget(setting.effort)), setting.game.actions(state)[0]
    with contextlib.suppress(_BudgetSpentError):
        for depth, found in enumerate(alphabeta.deepen(setting.game, state, setting.evaluate, watch), 1):
            move = found
            if depth >= _DEEPEST:
                break
    return move


def _table(setting: _Setting) -> Chooser:
    table: dict[Any, solved.SolvedState] = {}
    return lambda state: solved.solve(setting.game, state, table)[state].action


def _expectiminimax(setting: _Setting) -> Chooser:
    left = minimax.one_less(setting.effort.depth)
    return lambda state: minimax.decide(
        setting.game, state, lambda after: expectiminimax(setting.game, after, left, setting.evaluate))


def _maxn(setting: _Setting) -> Chooser:
    table: dict[Any, maxn.Utilities] | None = {} if setting.fit.has_state_keys else None
    seats = range(max(setting.fit.players) + 1)
    return lambda state: maxn.choose(setting.game, state, seats, table)


def _uct(setting: _Setting) -> Chooser:
    effort = setting.effort

    def play(state: Any) -> Any:
        budget = _Budget(effort)
        game = _Counted(setting.game, budget) if effort.states else setting.game
        for number, root in enumerate(uct.grow(game, state, setting.chance, effort.exploration), 1):
            budget.states += 1  # at the end of the game no more states follow
            if budget.is_spent() if effort.has_budget else number >= effort.iterations:
                return uct.most_visited(root)
        raise AssertionError("a tree grows for ever")

    return play


def _montecarlo(setting: _Setting) -> Chooser:
    if setting.effort.has_budget:
        raise InputError("montecarlo is limited by --iterations, not by --seconds or --states")

    def play(state: Any) -> Any:
        playouts = max(setting.effort.iterations // len(setting.game.actions(state)), 1)
        return uct.pure_monte_carlo(setting.game, state, playouts, setting.chance)

    return play


def _cfr(setting: _Setting) -> Chooser:
    *_, learners = cfr.minimise(setting.game, min(int(_CFR_WORK / setting.fit.nodes), _CFR_ITERATIONS))
    plan = cfr.averages(learners)

    def play(state: Any) -> Any:
        actions = setting.game.actions(state)
        return setting.chance.choices(actions, plan(cfr.view_of(setting.game, state), len(actions)))[0]

    return play


def _alphazero(setting: _Setting) -> Chooser:
    game = encoded(setting.game)
    network = alphazero.new_network(game, _HIDDEN_UNITS)
    for _ in learning.learn(game, network, setting.effort.games, _TRAINING_ITERATIONS):
        pass
    return lambda state: alphazero.most_visited(alphazero.search(game, network, state, setting.effort.iterations))


def _random(setting: _Setting) -> Chooser:
    return lambda state: setting.chance.choice(setting.game.actions(state))


# What a user calls each of them: its name in `check`, and how the player is made.
PLAYERS: Mapping[str, tuple[str, Callable[[_Setting], Chooser]]] = {
    "minimax": ("minimax", _minimax),
    "alphabeta": ("alpha-beta", _alphabeta),
    "table": ("a table", _table),
    "expectiminimax": ("expectiminimax", _expectiminimax),
    "maxn": ("max^n", _maxn),
    "montecarlo": ("UCT", _montecarlo),
    "uct": ("UCT", _uct),
    "cfr": ("CFR", _cfr),
    "alphazero": ("AlphaZero", _alphazero),
    "random": ("", _random),
}
_PREFERRED = ("table", "maxn", "cfr", "uct")  # which one plays if none is named: the first that fits


def preferred(fit: Fit) -> str:
    """The algorithm that plays a game if none is named."""
    return next((name for name in _PREFERRED if fit.algorithms[PLAYERS[name][0]].plays), "random")


def new_player(name: str, game: Game[Any, Any], fit: Fit, effort: Effort, chance: random.Random) -> Chooser:
    """A player of a game; InputError, one line, if the algorithm does not fit."""
    known, make = PLAYERS[name]
    if known:
        verdict = fit.algorithms[known]
        if not verdict.plays:
            raise InputError(f"{name} does not play this game: {verdict.words}")
        if verdict.needs_depth and effort.depth is None and not (effort.has_budget and name in _DEEPENING):
            raise InputError(f"{name} needs --depth for this game: {verdict.words.partition(': ')[2]}")
    return make(_Setting(game, fit, effort, chance))


def play_out(game: Game[Any, Any], players: Mapping[int, Chooser], chance: random.Random) -> Any:
    """Play one game; returns its last state."""
    state = game.initial()
    while not game.is_terminal(state):
        mover = game.to_move(state)
        action = uct.roll(game, state, chance) if mover == CHANCE else players[mover](state)
        state = game.result(state, action)
    return state
