"""The search modes: one row each. Options, commands and the tournament take their names from here.

Standard library only: the names are printed before Numba is loaded, and a mode is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from engine.system.errors import InputError

if TYPE_CHECKING:
    from engine.search.interface import Search


class SearchMode(NamedTuple):
    """A search mode: its name, what it is, and the factory that creates one.

    The factory is called with the settings, of which it reads the attributes of its options protocol, and with the
    megabytes that the search may use.
    """

    name: str
    about: str
    factory: str  # "module:function"

    def create(self, settings: Any, megabytes: int) -> Search:
        """A new search of this mode; InputError if the memory cannot be had."""
        module, _, function = self.factory.partition(":")
        factory = cast("Callable[[Any, int], Search]", getattr(import_module(module), function))
        return factory(settings, megabytes)

    def create_largest(self, settings: Any, megabytes: int) -> tuple[Search, int]:
        """A new search and the megabytes it may use: these, or half as many until the memory can be had."""
        while True:
            try:
                return self.create(settings, megabytes), megabytes
            except InputError:
                if megabytes == 1:
                    raise
                megabytes //= 2


MODES = (
    SearchMode("alphabeta", "alpha-beta with all its techniques: the strongest", "engine.alphabeta.factory:alphabeta"),
    SearchMode("mcts", "Monte Carlo tree search, guided by a learned policy and the network's value",
               "engine.mcts.factory:mcts"),
    SearchMode("puct", "Monte Carlo tree search, guided by hand-made priors and the evaluation",
               "engine.mcts.factory:puct"),
    SearchMode("uct", "Monte Carlo tree search with playouts, guided by UCB1", "engine.mcts.factory:uct"),
    SearchMode("montecarlo", "pure Monte Carlo: playouts after every root move, no tree",
               "engine.mcts.factory:montecarlo"),
    SearchMode("minimax", "plain minimax, without pruning, one ply deeper each time",
               "engine.alphabeta.factory:minimax"),
    SearchMode("expectimax", "the best move against a fallible opponent", "engine.expectimax.factory:expectimax"),
    SearchMode("random", "any legal move", "engine.expectimax.factory:random_mover"),
)
DEFAULT_MODE = MODES[0]


def mode_named(name: str) -> SearchMode:
    """The mode of that name, which is one of MODES."""
    return next(mode for mode in MODES if mode.name == name)
