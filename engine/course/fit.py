"""What a game can be played by: its rules are tried out, and what it has is compared with what each algorithm can do.

`engine.course.check(Nim())` is what to print.
"""

from __future__ import annotations

import copy
import inspect
import math
import numbers
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.course.reference.game import CHANCE, MAX, MIN, Game, HiddenGame, UnsuitableGameError
from engine.course.reference.requirements import KEYLESS, legal, misfit, odds, shown

_METHODS = ("initial", "to_move", "actions", "result", "is_terminal", "utility")
_MOST_STATES, _MOST_RESULTS = 6000, 30_000  # that are looked at; a larger game is known in part
_MOST_NODES = 2_000_000  # paths that a search to the end of the game may follow
_MOST_CFR_NODES = 20_000  # each iteration of regret minimisation visits all; few iterations play at random
_TRIED_TWICE = 200  # states in which the rules are asked again, to see that nothing changes
_PLAYOUTS, _LONGEST = 5, 1000  # games at random, to see endings of a large game, and their plies

Rules = Game[Any, Any]


class Verdict(NamedTuple):
    """Whether an algorithm plays a game, and how, or why not."""

    plays: bool
    words: str
    needs_depth: bool = False  # whether it cannot search the game to its end


class _Demand(NamedTuple):
    """What an algorithm can do: the misfits it has, and what it takes as many steps as."""

    misfits: tuple[str, ...]
    work: str  # what it visits to the end of the game, "nodes" or "states"; "" if it need not go there
    is_deep_only: bool = False  # whether a depth and an evaluation do not help


_TWO_WHO_SEE = ("hidden", "players", "chance", "sum")
ALGORITHMS: Mapping[str, _Demand] = {
    "minimax": _Demand(_TWO_WHO_SEE, "nodes"),
    "alpha-beta": _Demand(_TWO_WHO_SEE, "nodes"),
    "a table": _Demand(_TWO_WHO_SEE, "states", is_deep_only=True),
    "expectiminimax": _Demand(("hidden", "players", "sum"), "nodes"),
    "max^n": _Demand(("hidden",), "states", is_deep_only=True),
    "UCT": _Demand(("hidden", "players", "sum"), ""),
    "CFR": _Demand(("players", "sum"), "nodes", is_deep_only=True),
    "AlphaZero": _Demand(("hidden", "players", "sum"), ""),
}

_KEYED = {"a table", "CFR"}  # keep what they know of a state, or of what a player knows of it, in a table


@dataclass
class Fit:
    """What a game is like, as far as it was looked at, and which algorithms play it."""

    players: set[int] = field(default_factory=set)
    has_chance: bool = False
    is_hidden: bool = False
    sums: set[float] = field(default_factory=set)  # of the utilities of both players
    states: int = 0
    is_whole: bool = True
    has_state_keys: bool = True  # whether states can be the keys of a table, and actions
    has_action_keys: bool = True
    nodes: float = math.inf  # of the whole tree
    has_cycle: bool = False
    algorithms: dict[str, Verdict] = field(default_factory=dict)

    def misfit_of(self, problem: str) -> bool:
        """Whether the game has what not every algorithm is made for."""
        return {"hidden": self.is_hidden, "chance": self.has_chance, "players": not self.players <= {MAX, MIN},
                "sum": len(self.sums) > 1}[problem]

    def __str__(self) -> str:
        seats = len(self.players)
        parts = [f"{seats} player{'s' * (seats != 1)}", "chance" if self.has_chance else "no chance",
                 "something hidden" if self.is_hidden else "nothing hidden",
                 f"{self.states:,} states" if self.is_whole else f"more than {self.states:,} states"]
        widest = max(map(len, self.algorithms))
        lines = [f"{name:<{widest}}  {'yes' if verdict.plays else 'no '}  {verdict.words}".rstrip()
                 for name, verdict in self.algorithms.items()]
        return "\n".join([", ".join(parts), *lines])

    __repr__ = __str__


def check(game: Rules) -> Fit:
    """Try the rules out, and say which algorithms play the game. UnsuitableGameError if the rules are broken."""
    _check_interface(game)
    fit = _Tour(game).fit
    for name, demand in ALGORITHMS.items():
        fit.algorithms[name] = _verdict(fit, name, demand)
    return fit


def _verdict(fit: Fit, name: str, demand: _Demand) -> Verdict:
    for problem in demand.misfits:
        if fit.misfit_of(problem):
            return Verdict(False, misfit(problem, name))
    if not demand.work and not fit.sums:
        return Verdict(False, f"no game ended within {_LONGEST:,} random moves, and {name} plays games to their ends")
    if not demand.work:
        return (Verdict(True, "") if fit.has_action_keys else
                Verdict(False, "its actions cannot be the keys of a table: make them numbers, texts or tuples"))
    if name in _KEYED and not (fit.has_state_keys or fit.is_hidden):
        return Verdict(False, KEYLESS)
    counts_states = demand.work == "states" and fit.has_state_keys
    steps = fit.nodes if not counts_states else fit.states if math.isfinite(fit.nodes) else math.inf
    if name == "CFR" and _MOST_CFR_NODES < steps < math.inf:
        return Verdict(False, f"{steps:,.0f} nodes: too large for regret minimisation")
    if steps <= _MOST_NODES:
        return Verdict(True, f"{steps:,.0f} {'states' if counts_states else 'nodes'}")
    why = ("a state can come again" if fit.has_cycle else
           f"{steps:,.0f} nodes" if math.isfinite(steps) else "too large to be searched to the end")
    if demand.is_deep_only:
        return Verdict(False, why)
    return Verdict(True, f"with a depth and an evaluation: {why}", needs_depth=True)


def _check_interface(game: object) -> None:
    if inspect.isclass(game):
        raise UnsuitableGameError(f"{game.__name__} is a class: check({game.__name__}()) looks at a game of it")
    missing = [name for name in _METHODS if not callable(getattr(game, name, None))]
    if missing:
        raise UnsuitableGameError(f"{shown(game)} is not a game: it has no {', '.join(missing)}")


def _raised(asked: str, error: Exception) -> UnsuitableGameError:
    return UnsuitableGameError(f"{asked} raises {type(error).__name__}: {' '.join(str(error).split())}")


class _Tour:
    """A walk through the states of a game, on which its rules are asked everything that an algorithm may ask."""

    def __init__(self, game: Rules) -> None:
        self._game = game
        self.fit = Fit(is_hidden=isinstance(game, HiddenGame))
        self._views: dict[Hashable, tuple[object, object]] = {}
        self._after: dict[Hashable, list[Any]] = {}
        self._results = 0  # that were asked for
        start = self._ask("initial")
        if self._is_over(start):
            raise UnsuitableGameError(f"a game without moves: it is over in its initial state, {shown(start)}")
        self._walk(start)
        if not self.fit.is_whole:
            self._play_out(start)
        elif self.fit.has_state_keys:
            self.fit.nodes = self._count(start, {})
        else:
            self.fit.nodes = self.fit.states  # each was met as often as there are ways to it
        if self.fit.is_whole and not self.fit.sums:
            raise UnsuitableGameError(f"this game never ends: none of its {self.fit.states:,} states is terminal")
        if not self.fit.players:
            raise UnsuitableGameError("no player ever moves in this game")
        if max(self.fit.players) >= len(self.fit.players) > 1:
            listed = " and ".join(map(str, sorted(self.fit.players)))
            raise UnsuitableGameError(f"the players are {listed}: number them from 0 on (MAX is 0, MIN is 1)")

    def _walk(self, start: object) -> None:
        """Breadth first, each state once."""
        layer, seen = [start], set[Hashable]()
        while layer and self._has_budget():
            below: list[object] = []
            for number, state in enumerate(layer):
                if not self._has_budget():
                    below += layer[number:]
                    break
                if self._is_new(state, seen):
                    self.fit.states += 1
                    after = self._visit(state)
                    below += after
                    if self.fit.has_state_keys:
                        self._after[state] = after
            layer = below
        self.fit.is_whole = not any(self._is_new(state, seen) for state in layer)

    def _has_budget(self) -> bool:
        return self.fit.states < _MOST_STATES and self._results < _MOST_RESULTS

    def _is_new(self, state: object, seen: set[Hashable]) -> bool:
        try:
            is_new = state not in seen
            seen.add(state)
        except TypeError:
            self.fit.has_state_keys = False
            return True
        return is_new

    def _visit(self, state: Any) -> list[Any]:
        """Try the rules in a state; returns those after it."""
        return [self._result(state, action) for action in self._looked_at(state)]

    def _looked_at(self, state: Any) -> Sequence[Any]:
        """Try the rules in a state, but for `result`; returns its actions."""
        if self._is_over(state):
            self._check_utilities(state)
            return ()
        player, actions = self._player(state), self._actions(state)
        if player == CHANCE:
            self._odds(state)
        elif self.fit.is_hidden:
            self._check_view(state, player, len(actions))
        return actions

    def _play_out(self, start: Any) -> None:
        """Play some games at random to their ends."""
        chance = random.Random(1)
        for _ in range(_PLAYOUTS):
            state = start
            for _ in range(_LONGEST):
                actions = self._looked_at(state)
                if not actions:
                    break
                state = self._result(state, chance.choice(actions))

    def _count(self, state: Hashable, known: dict[Hashable, float]) -> float:
        """The nodes of the whole tree below a state; infinitely many if a state can come again."""
        stack = [state]
        while stack:
            top = stack[-1]
            if top not in known:
                known[top] = -1.0  # on the path
            elif known[top] != -1.0:
                stack.pop()
                continue
            below = [child for child in self._after[top] if child not in known]
            if below:
                stack.append(below[0])
            elif any(known[child] == -1.0 for child in self._after[top]):
                self.fit.has_cycle = True
                return math.inf
            else:
                known[top] = 1 + sum(known[child] for child in self._after[top])
                stack.pop()
        return known[state]

    def _ask(self, name: str, *arguments: object) -> Any:
        """Call a method of the game; what goes wrong there is one line."""
        try:
            return getattr(self._game, name)(*arguments)
        except UnsuitableGameError:
            raise
        except Exception as error:
            asked = f"{name}({', '.join(map(shown, arguments))})"
            raise _raised(asked, error) from error

    def _is_over(self, state: object) -> bool:
        over = self._ask("is_terminal", state)
        if not isinstance(over, bool) and over not in (0, 1):
            raise UnsuitableGameError(f"is_terminal({shown(state)}) is {shown(over)}: return True or False")
        return bool(over)

    def _player(self, state: object) -> int:
        player = self._ask("to_move", state)
        if isinstance(player, bool) or not isinstance(player, numbers.Integral) or int(player) < CHANCE:
            raise UnsuitableGameError(f"to_move({shown(state)}) is {shown(player)}: return MAX (0), MIN (1), the "
                                      "number of another player, or CHANCE (-1)")
        if player == CHANCE:
            self.fit.has_chance = True
        else:
            self.fit.players.add(int(player))
        return int(player)

    def _actions(self, state: object) -> Sequence[object]:
        actions = self._ask("actions", state)
        if not isinstance(actions, Sequence):
            raise UnsuitableGameError(f"actions({shown(state)}) is a {type(actions).__name__}: return a list")
        legal(self._game, state)
        try:
            if len(set(actions)) < len(actions):
                raise UnsuitableGameError(f"actions({shown(state)}) has an action twice: {shown(actions)}")
        except TypeError:
            self.fit.has_action_keys = False
        return actions

    def _result(self, state: object, action: object) -> object:
        """The state after an action; in the first ones, also that `result` changes nothing and is not drawn by lot."""
        self._results += 1
        is_comparable = type(state).__eq__ is not object.__eq__
        if self.fit.states > _TRIED_TWICE or not is_comparable:
            return self._ask("result", state, action)
        before = copy.deepcopy(state)
        after = self._ask("result", state, action)
        asked = f"result({shown(before)}, {shown(action)})"
        if state != before:
            raise UnsuitableGameError(f"{asked} changes its state: states are values, return a new one")
        if self._ask("result", state, action) != after:
            raise UnsuitableGameError(f"{asked} differs when asked again: chance moves at a chance node")
        return after

    def _odds(self, state: object) -> None:
        if not callable(getattr(self._game, "probability", None)):
            raise UnsuitableGameError(f"chance moves in {shown(state)}, and the game has no probability(state, action)")
        self._guarded(lambda: odds(self._game, state), f"probability({shown(state)}, ...)")

    def _check_utilities(self, state: object) -> None:
        found = []
        for player in sorted({MAX, MIN} | self.fit.players):
            value = self._ask("utility", state, player)
            if not isinstance(value, numbers.Real) or not math.isfinite(value):
                raise UnsuitableGameError(f"utility({shown(state)}, {player}) is {shown(value)}: return a number")
            found.append(float(value))
        self.fit.sums.add(round(sum(found[:2]), 9))

    def _check_view(self, state: object, player: int, count: int) -> None:
        view, here = self._ask("view", state), (player, count)
        try:
            before = self._views.setdefault(view, here)
        except TypeError as error:
            raise UnsuitableGameError(f"view({shown(state)}) is {shown(view)}, which cannot be the key of a "
                                      "table") from error
        if before != here:
            raise UnsuitableGameError(f"the view {shown(view)} is one of player {before[0]} with {before[1]} actions, "
                                      f"and one of player {player} with {count}: the same view has the same actions")

    def _guarded(self, work: Callable[[], object], asked: str) -> None:
        try:
            work()
        except UnsuitableGameError:
            raise
        except Exception as error:
            raise _raised(asked, error) from error
