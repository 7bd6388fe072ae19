"""The kinds of search that a player may use, and what the options say about them.

All but the usual one are imported when they are asked for: a start must not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from engine.alphabeta.params import without_techniques
from engine.alphabeta.searcher import Searcher
from engine.core.position import PositionRecord
from engine.kernel import EntryPoint
from engine.options import Settings
from engine.search.limits import Limits, Report, Result
from engine.search.tb import TbRecord

_UNKNOWN = -1  # Opponent Elo: what UCI_Opponent says


class Search(Protocol):
    """What the player needs of a search; `begin` and `finish` are a search in two parts, the first of them quick."""

    def begin(self, position: PositionRecord, limits: Limits) -> None: ...
    def finish(self, report: Report = ...) -> Result: ...
    def run(self, position: PositionRecord, limits: Limits, report: Report = ...) -> Result: ...
    def stop(self) -> None: ...
    def forget_stop(self) -> None: ...
    def set_time(self, soft_time: float, hard_time: float) -> None: ...
    def set_tb(self, endings: TbRecord) -> None: ...
    def set_threads(self, threads: int) -> None: ...
    def resize(self, megabytes: float) -> None: ...
    def clear(self) -> None: ...


def _alphabeta(settings: Settings, megabytes: int) -> Search:
    return Searcher(megabytes, settings.number("Threads"))


def _minimax(settings: Settings, megabytes: int) -> Search:
    """Every move to a fixed depth, deeper and deeper; the table is not used, and so one of the smallest size."""
    return WithoutTable(1, 1, without_techniques())


class WithoutTable(Searcher):
    """A search by one thread that uses no table: more memory or threads would be of no use."""

    def resize(self, megabytes: float) -> None:
        pass

    def set_threads(self, threads: int) -> None:
        super().set_threads(1)


def _expectimax(settings: Settings, megabytes: int) -> Search:
    from engine.expectimax.opponent import temperature_of
    from engine.expectimax.searcher import Expectimax

    search = Expectimax()
    search.set_opponent(temperature_of(opponent_rating(settings)))
    return search


def opponent_rating(settings: Settings) -> int:
    """How strong the opponent is thought to be: by the option, by what the GUI tells, or as most are."""
    from engine.expectimax.opponent import USUAL_RATING, rating_told

    chosen = settings.number("Opponent Elo")
    if chosen != _UNKNOWN:
        return chosen
    told = rating_told(settings.text("UCI_Opponent"))
    return USUAL_RATING if told is None else told


def _random(settings: Settings, megabytes: int) -> Search:
    from engine.expectimax.randommover import RandomMover

    return RandomMover()


def _tree(settings: Settings, megabytes: int) -> Search:
    from engine.mcts import params
    from engine.mcts.searcher import TreeSearcher

    leaf = params.LEAVES[settings.text("Playout Policy")]
    exploration = settings.number("UCT Exploration") / 100
    made = {
        "mcts": lambda: params.puct(puct=settings.number("PUCT Exploration") / 100,
                                    leaf_depth=settings.number("MCTS Leaf Depth")),
        "uct": lambda: params.uct(leaf=leaf, exploration=exploration),
        "montecarlo": lambda: params.pure_monte_carlo(leaf=leaf),
    }[settings.text("SearchMode")]()
    return TreeSearcher(made, megabytes, settings.number("Threads"), settings.number("MCTS Pool"))


_MAKERS: dict[str, Callable[[Settings, int], Search]] = {
    "alphabeta": _alphabeta, "minimax": _minimax, "expectimax": _expectimax,
    "mcts": _tree, "uct": _tree, "montecarlo": _tree, "random": _random,
}

# The options that a mode looks at beside Hash and Threads: a change of one makes a new search.
_LOOKED_AT = {
    "mcts": {"PUCT Exploration", "MCTS Leaf Depth", "MCTS Pool"},
    "uct": {"Playout Policy", "UCT Exploration", "MCTS Pool"},
    "montecarlo": {"Playout Policy", "MCTS Pool"},
    "expectimax": {"Opponent Elo", "UCI_Opponent"},
}


def new_search(settings: Settings, megabytes: int) -> Search:
    """A search as the options say, in so much memory; InputError if there is not so much."""
    return _MAKERS[settings.text("SearchMode")](settings, megabytes)


def load_kernels(mode: str) -> None:
    """Compile, or load, what a search of that mode runs: it may take seconds."""
    for point in _kernels(mode):
        point.load()


def _kernels(mode: str) -> list[EntryPoint[Any, Any]]:
    if mode == "expectimax":
        from engine.expectimax.chance import value_of_move

        return [value_of_move]
    if _MAKERS[mode] is _tree:
        from engine.mcts.iterate import grow
        from engine.mcts.nodes import compact, prove_node

        return [grow, compact, prove_node]
    return []


def is_looked_at(mode: str, option: str) -> bool:
    """Whether a change of this option asks for a new search of that mode."""
    return option in _LOOKED_AT.get(mode, set())
